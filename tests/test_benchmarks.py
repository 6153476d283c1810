"""Benchmarks are run by hand, months apart: what they import must not have moved away meanwhile."""

from __future__ import annotations

import ast
import importlib
import importlib.util
from functools import cache
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"
SCRIPTS = sorted(BENCHMARKS.rglob("*.py"))
OWN = {path.stem for path in BENCHMARKS.glob("*.py")} | {path.parent.name for path in BENCHMARKS.glob("*/__init__.py")}


def imports(script: Path) -> list[tuple[str, list[str]]]:
    """Return the modules a script imports, with the names taken from each; those of its own package aside."""
    found: list[tuple[str, list[str]]] = []
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(alias.name, []) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            found.append((node.module, [alias.name for alias in node.names]))
    return found


@pytest.fixture(scope="module")
def imported() -> list[tuple[Path, str, list[str]]]:
    """What each script imports, from where."""
    return [(script.relative_to(BENCHMARKS), *each) for script in SCRIPTS for each in imports(script)]


def test_what_a_benchmark_imports_of_the_project_is_there(imported) -> None:
    for script, module, names in imported:
        if module.partition(".")[0] == "focused":
            there = importlib.import_module(module)
            gone = [name for name in names if not hasattr(there, name) and not _is_module(f"{module}.{name}")]
            assert not gone, f"{script}: {module} has no {', '.join(gone)}"


def test_what_a_benchmark_imports_of_the_others_is_there(imported) -> None:
    for script, module, names in imported:
        top = module.partition(".")[0]
        if top in OWN and (BENCHMARKS / f"{top}.py").is_file():
            assert set(names) <= _names_of(top), f"{script}: {top} has no {set(names) - _names_of(top)}"
        elif top not in OWN:
            # Not the project's, so a package: those of benchmarks/requirements.txt need not be installed here.
            is_there = _is_module(top) or _PACKAGE_OF.get(top, top) in _REQUIRED
            assert is_there, f"{script}: there is no module {top}"


_PACKAGE_OF = {"yaml": "pyyaml", "readability": "readability-lxml"}
_REQUIRED = {
    line.partition("=")[0].partition("<")[0].partition(">")[0].strip().lower()
    for line in (BENCHMARKS / "requirements.txt").read_text(encoding="utf-8").splitlines()
    if line.strip() and not line.startswith(("#", "-"))
}


@cache
def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


@cache
def _names_of(script: str) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse((BENCHMARKS / f"{script}.py").read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name)
    return names
