"""Commands that documents print can be typed: command, options, spider arguments and settings are there."""

from __future__ import annotations

import re
import shlex
from importlib import import_module
from pathlib import Path

import pytest
from scrapy.cmdline import ScrapyArgumentParser
from scrapy.settings import Settings

import focused.settings
from focused.crawl.arguments import ARGUMENTS

ROOT = Path(__file__).resolve().parent.parent
DOCS = [ROOT / "README.md", *sorted(path for path in (ROOT / "docs").rglob("*.md"))]
SETTINGS = {*vars(focused.settings), "FOCUSED_FADING_FADE"}
"""And the one that a guide tells its readers to add."""
COMMAND = re.compile(
    r"^ *(?:\$ )?(?:scrapy|focused) ((?:crawl focused|train|explain|evaluate|report|export|frontier|judge|demo) .*)$"
)


def printed() -> list[tuple[str, str]]:
    """Every command line of the documents, with the document it is printed in."""
    found = []
    for document in DOCS:
        text = document.read_text(encoding="utf-8").replace("\\\n", " ")
        found += [
            (str(document.relative_to(ROOT)), match[1]) for line in text.splitlines() if (match := COMMAND.match(line))
        ]
    return found


@pytest.mark.parametrize(("document", "line"), printed(), ids=lambda text: text[:70])
def test_a_printed_command_can_be_typed(document, line):
    name, *argv = shlex.split(line.replace("...", ""), comments=True)
    command = import_module(f"focused.commands.{name}").Command()
    command.settings = Settings()
    parser = ScrapyArgumentParser(prog=name, conflict_handler="resolve")
    command.add_options(parser)
    options, others = parser.parse_known_args(argv)
    assert not [each for each in others if each.startswith("-")], document
    assert {each.partition("=")[0] for each in getattr(options, "spargs", [])} <= {*ARGUMENTS}, document
    settings = {each.partition("=")[0] for each in options.set}
    assert {each for each in settings if each.startswith("FOCUSED_")} <= SETTINGS, document


def test_documents_print_commands():
    assert len(printed()) > 25


def test_scripts_that_documents_run_are_there():
    named = re.compile(r"python ((?:benchmarks|scripts)/\w+\.py)")
    found = {name for document in DOCS for name in named.findall(document.read_text(encoding="utf-8"))}
    assert found
    assert not {name for name in found if not (ROOT / name).is_file()}
