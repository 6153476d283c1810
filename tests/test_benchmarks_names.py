"""What measurements use of the package is there: a name that has changed is found here, not by a run of an hour."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"
FILES = sorted(path for path in BENCHMARKS.glob("*.py") if "focused" in path.read_text(encoding="utf-8"))


def missing(text: str) -> list[str]:
    """Return the names of the package that a program imports, or takes of an imported module, and that there are not."""
    tree, modules, found = ast.parse(text), {}, []
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("focused"):
            continue
        module = import_module(str(node.module))
        for alias in node.names:
            if not hasattr(module, alias.name):
                try:
                    setattr(module, alias.name, import_module(f"{node.module}.{alias.name}"))
                except ImportError:
                    found.append(f"{node.module}.{alias.name}")
                    continue
            modules[alias.asname or alias.name] = getattr(module, alias.name)
    for node in ast.walk(tree):  # a parameter or a variable of the same name hides a module
        if isinstance(node, ast.arg):
            modules.pop(node.arg, None)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            modules.pop(node.id, None)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            of = modules[node.value.id]
            if type(of).__name__ == "module" and not hasattr(of, node.attr):
                found.append(f"{of.__name__}.{node.attr}")
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_a_measurement_uses_of_the_package_is_there(path):
    pytest.importorskip("psycopg")
    assert missing(path.read_text(encoding="utf-8")) == []


def test_a_name_that_is_not_there_is_found():
    text = "from focused.utils import words\nfrom focused.utils.words import nothing\nwords.quantity(1, 'a')\nwords.none()\n"
    assert missing(text) == ["focused.utils.words.nothing", "focused.utils.words.none"]
