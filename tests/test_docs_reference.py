"""docs/reference says what the code says: it is built from declarations, and names all that the code uses."""

from __future__ import annotations

import ast
import re
from dataclasses import fields
from fnmatch import fnmatch
from functools import cache

import pytest
from commands import ROOT, crawl

from focused.crawl.declared_settings import DECLARED
from focused.items import PageItem
from focused.utils.former_files import FORMER_STATS
from scripts.build_reference import FOLDER, built

DOCUMENTS = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md")}


@cache  # and not when this file is imported: each process imports it, and one runs its tests
def strings_of_the_code() -> set[str]:
    """All texts in the code but docstrings; what an f-string fills in is a star."""
    found = set()
    for path in (ROOT / "focused").rglob("*.py"):
        nodes = [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
        passed = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            if isinstance(node, ast.JoinedStr):
                passed.update(map(id, node.values))
                found.add("".join(each.value if isinstance(each, ast.Constant) else "*" for each in node.values))
        found |= {
            node.value
            for node in nodes
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in passed
        }
    return found


STATS = {re.sub("[A-Z]+", "*", name) for name in re.findall(r"`(focused/[\w/]+)`", DOCUMENTS["stats.md"])}


def is_documented(stat: str) -> bool:
    """Tell whether a stat, or one that is put together so, is in the reference."""
    stat += "*" if stat.endswith(("/", "_")) else ""
    return any(fnmatch(stat, name) or fnmatch(name, stat) for name in STATS)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_is_built_from_the_code_is_up_to_date(name):
    assert DOCUMENTS[name] == built(DOCUMENTS[name]), "Build it: python -m scripts.build_reference"


def test_every_setting_that_the_code_names_is_documented():
    used = {
        name for text in strings_of_the_code() for name in re.findall(r"\bFOCUSED_[A-Z0-9_]*[A-Z0-9]\b(?![*_])", text)
    }
    assert {f"`{name}`" for name in DECLARED} <= set(re.findall(r"`FOCUSED_\w+`", DOCUMENTS["settings.md"]))
    assert not {name for name in used if not any(known.startswith(name) for known in DECLARED)} - {
        "FOCUSED_ADAPTATION",
        "FOCUSED_WARC_ENABLED",
    }


def test_every_stat_that_the_code_names_is_documented():
    named = {text for text in strings_of_the_code() if re.fullmatch(r"focused/[\w*/]+", text)} - {*FORMER_STATS}
    assert len(named) > 50
    assert not {stat for stat in named if not is_documented(stat)}


@pytest.mark.slow
def test_every_stat_of_a_crawl_is_documented(learnt, two_regions, tmp_path):
    done = crawl(
        learnt, tmp_path, web=two_regions, strategy="adaptive",
        settings={"FOCUSED_RETRAINING": "automatic", "FOCUSED_RETRAINING_EVERY_PAGES": 15, "FOCUSED_WARC": "all"},
    )  # fmt: skip
    assert done.exit_code == 0, done.err
    assert done.stats["focused/retraining/trainings_finished_count"] > 0
    stats = {name for name in done.stats if name.startswith("focused/")}
    assert len(stats) >= 30
    assert not {name for name in stats if not is_documented(name)}


def test_every_meta_key_that_the_code_names_is_documented():
    keys = {text for text in strings_of_the_code() if re.fullmatch(r"focused_[a-z_]+", text)}
    assert len(keys) > 5
    assert not {key for key in keys if f"`{key}`" not in DOCUMENTS["meta-keys.md"]}


def test_every_field_of_an_item_is_documented():
    rows = re.findall(r"^\| (`.*?) \|", DOCUMENTS["items.md"], re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == {each.name for each in fields(PageItem)}
