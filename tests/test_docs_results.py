"""Tables of results say where they come from, and STATUS.md says which of them the code has left behind."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "benchmarks"))

import provenance  # noqa: E402


def test_status_names_the_tables_whose_rooms_have_changed():
    assert provenance.STATUS.read_text(encoding="utf-8") == provenance.status(), (
        "docs/results/STATUS.md must fit the tree. Write it anew: python benchmarks/provenance.py"
    )


def test_each_table_has_a_commit_a_command_and_rooms():
    for name, _, source in provenance.sources():
        assert re.fullmatch(r"[0-9a-f]{7,}\+?", source.commit), name
        assert source.command, name
        assert source.rooms, name


def test_each_table_of_results_stands_between_marks_with_a_source():
    known = {name for name, _, _ in provenance.sources()}
    for file in provenance.RESULTS.glob("*.md"):
        ends = re.findall(r"^<!-- end of (.*) -->$", file.read_text(encoding="utf-8"), re.MULTILINE)
        assert {*ends} <= known, file.name


def test_the_commits_that_the_readme_calls_missing_are_missing_and_the_nearest_ones_are_there():
    git = ["git", "-C", str(ROOT)]
    is_shallow = subprocess.run([*git, "rev-parse", "--is-shallow-repository"], capture_output=True, text=True)
    if is_shallow.stdout.strip() != "false":
        pytest.skip("no history, or only a part of it: this is no full clone")
    readme = (provenance.RESULTS / "README.md").read_text(encoding="utf-8")
    _, _, missing = readme.partition("## Commits that `git log` does not show")
    rows = re.findall(r"^\| ([0-9a-f]{7,8}) \| (.*) \| ([0-9a-f]{8}), .* \|$", missing, re.MULTILINE)
    for commit, places, nearest in rows:
        assert not provenance.is_in_history(commit)
        assert provenance.is_in_history(nearest)
        for file in re.findall(r"\((.*?)\)", places):
            assert commit in (provenance.RESULTS / file).read_text(encoding="utf-8"), (commit, file)
    assert rows


@pytest.fixture
def results(tmp_path, monkeypatch):
    """A results folder with one table, measured with a room of one module."""
    monkeypatch.setattr(provenance, "ROOT", tmp_path)
    monkeypatch.setattr(provenance, "RESULTS", tmp_path)
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "module.py").write_text("A = 1\n")
    source = provenance.Source("abc1234", "python measure.py", {"room": provenance.digest("room")}, {"pages": 5})
    (tmp_path / "table.md").write_text("Text.\n\n<!-- costs -->\nold\n<!-- end of costs -->\n\nMore.\n")
    provenance.write_blocks({"costs": "| a |\n|---|\n| 1 |"}, source)
    return tmp_path


def test_a_written_table_keeps_the_text_around_it_and_its_source(results):
    text = (results / "table.md").read_text()
    assert text.startswith("Text.\n\n<!-- costs -->\n<!-- measured {")
    assert text.endswith("| 1 |\n\n<!-- end of costs -->\n\nMore.\n")
    [(name, _, source)] = provenance.sources()
    assert (name, source.command, source.settings) == ("costs", "python measure.py", {"pages": 5})


def test_a_table_is_current_until_the_code_of_a_room_changes(results):
    assert "| abc1234 | current |" in provenance.status()
    (results / "room" / "module.py").write_text('"""Costs."""\n\nA = 1  # of a page\n')
    assert "| abc1234 | current |" in provenance.status()
    (results / "room" / "module.py").write_text("A = 2\n")
    assert "| abc1234 | changed |" in provenance.status()


def test_a_csv_file_has_its_source_at_its_top(results):
    source = provenance.Source("abc1234", "python measure.py", {"room": provenance.MOVED})
    provenance.write_csv("all", [["learner", "F1"], ["WVC, tfc", 0.5]], source)
    assert (results / "all.csv").read_text().splitlines()[1:] == ["learner,F1", '"WVC, tfc",0.5']
    assert "| all | [all.csv](all.csv) | abc1234 | moved |" in provenance.status()


def test_a_table_without_a_place_is_refused(results):
    source = provenance.Source("abc1234", "python measure.py", {})
    with pytest.raises(SystemExit, match="There is none for 'other'"):
        provenance.write_blocks({"other": "| 1 |"}, source)
