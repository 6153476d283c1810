"""The docstring of a room with many modules names each of them, and none that is not there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "focused"
MANY = 9
"""A room with more modules has a list of them."""


def modules_of(room: str) -> set[str]:
    return {path.stem for path in (PACKAGE / room).glob("*.py")} - {"__init__"}


ROOMS = sorted(
    {str(path.parent.relative_to(PACKAGE)) for path in PACKAGE.rglob("__init__.py") if path.parent != PACKAGE}
)


def docstring_of(room: str) -> str:
    tree = ast.parse((PACKAGE / room / "__init__.py").read_text(encoding="utf-8"))
    return ast.get_docstring(tree) or ""


@pytest.mark.parametrize("room", [room for room in ROOMS if len(modules_of(room)) > MANY])
def test_a_room_with_many_modules_names_each_of_them(room):
    named = set(re.findall(r"`(\w+)`", docstring_of(room)))
    assert modules_of(room) - named == set(), f"Name them in the docstring of focused/{room}/__init__.py"
    rooms_inside = {path.parent.name for path in (PACKAGE / room).glob("*/__init__.py")}
    assert {name for name in named if name.islower()} - modules_of(room) - rooms_inside == set()
