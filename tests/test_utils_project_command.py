"""What all commands of the project have in common."""

from __future__ import annotations

import pytest
from commands import environment, scrapy

COMMANDS = ["evaluate", "explain", "frontier", "report", "train"]


@pytest.mark.slow
def test_the_help_lists_each_command_once_and_nothing_they_share(tmp_path, models):
    shown = scrapy("-h", cwd=tmp_path, env=environment(models))
    listed = [line.split()[0] for line in shown.out.splitlines() if line.startswith("  ") and line.split()]
    assert shown.exit_code == 0
    assert [name for name in listed if name in COMMANDS] == COMMANDS
    assert not {"command", "ProjectCommand"} & set(listed)


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_an_option_that_does_not_exist_is_one_line_and_exit_code_1(tmp_path, models, command):
    told = scrapy(command, "--no-such-thing", cwd=tmp_path, env=environment(models))
    assert (told.exit_code, told.out) == (1, "")
    assert told.err.startswith("Error: ")
    assert "--no-such-thing" in told.err
    assert f"scrapy {command} -h" in told.err
    assert told.err.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_ends_with_examples(tmp_path, models, command):
    shown = scrapy(command, "-h", cwd=tmp_path, env=environment(models))
    assert shown.exit_code == 0
    assert f"\n  scrapy {command} " in shown.out.split("\nExamples:\n")[1]
