"""Count the rooms of a source tree, the arrows between them, and the cycles.

A room is a package directory at any depth, or a module that stands loose at the top of ``focused/``. An arrow A -> B says
that a module of A imports one of B. Every import counts: those for types, those inside functions, and class paths in
strings ("focused.frontier.scheduler.FrontierScheduler"). The flat figure takes what stands at the top of ``focused/`` as
one room each, the nested one every package directory; that of the files leaves out strings.

Besides: how many arguments the constructors of the scheduler's parts take at most. Classes that only carry data do not count.

Examples:
  python scripts/rooms.py                        this tree
  python scripts/rooms.py --arrows               with a line for each arrow, and what it rests on
  python scripts/rooms.py --tree ../old-checkout another tree, by the same count
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path

PACKAGE = "focused"
ROOT = Path(__file__).resolve().parent.parent

#: The rooms from the ground up: a room imports only what stands before it. Rooms that are not named stand where their
#: parent stands.
ORDER = (
    *("utils", "webs.recorded", "webs.demo", "webs"),
    *("method.text", "method.page", "method.learning.estimators", "method.learning.two_step", "method.learning"),
    *("method.topic", "method.scoring", "method.strategies.linkmodel", "method.strategies"),
    *("method.training", "method.explanation", "method"),
    *("collection", "items", "frontier.store", "frontier.shared", "frontier", "retraining", "crawl"),
    *("spiders", "middlewares", "pipelines", "extensions"),
    *("evaluation.report", "evaluation", "dashboard", "commands", "settings", "addon"),
)

#: The room whose parts are meant to be put together by few arguments each, and those of its classes that only carry data.
PARTS = "frontier"
RECORDS = {"CommitResult", "EndedPage", "KeeperTasks", "Lease", "OwnHost", "PageCommit", "WaitingLink", "_Domain"}

Arrows = dict[tuple[str, str], set[tuple[str, str]]]


def modules(root: Path) -> dict[str, Path]:
    """Return the modules of the package by their dotted names; a package is named as its directory."""
    found = {}
    for path in sorted((root / PACKAGE).rglob("*.py")):
        name = ".".join(path.relative_to(root).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = path
    return found


@cache
def _telling(path: Path, changed: int) -> tuple[ast.AST, ...]:
    """Return those nodes of a file that are counted here; it is read again once it has changed."""
    return tuple(
        node
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, (ast.ImportFrom, ast.Import, ast.ClassDef))
        or (isinstance(node, ast.Constant) and str(node.value).startswith(f"{PACKAGE}."))
    )


def telling(path: Path) -> tuple[ast.AST, ...]:
    """Return the imports, the classes and the strings with a module's name that stand in a file."""
    return _telling(path, path.stat().st_mtime_ns)


def imports(name: str, path: Path, known: dict[str, Path], *, strings: bool = True) -> set[str]:
    """Return the modules of the package that a module imports or, with ``strings``, names in a string."""
    found: set[str] = set()
    for node in telling(path):
        if isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
                base = ".".join([*parts[: len(parts) - node.level + 1], *filter(None, [node.module])])
            found |= {f"{base}.{each.name}" if f"{base}.{each.name}" in known else base for each in node.names}
        elif isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif strings and isinstance(node, ast.Constant):
            dotted = str(node.value)
            while dotted and dotted not in known:
                dotted = dotted.rpartition(".")[0]
            found.add("" if dotted == PACKAGE else dotted)
    return {each for each in found if each in known and each != name}


def nested_room(name: str, path: Path) -> str:
    """Return the innermost package of a module; of one that stands loose at the top, the module itself."""
    parent = name.rpartition(".")[0]
    return name if path.name == "__init__.py" or parent == PACKAGE else parent


def flat_room(name: str, path: Path) -> str:
    """Return what a module belongs to at the top of the package."""
    return ".".join(name.split(".")[:2])


def file_room(name: str, path: Path) -> str:
    """Return the module itself."""
    return name


def arrows(root: Path, room: object) -> tuple[set[str], Arrows]:
    """Return the rooms, and the arrows between them with the imports that they rest on."""
    assert callable(room)
    known = modules(root)
    found: Arrows = defaultdict(set)
    for name, path in known.items():
        for other in imports(name, path, known, strings=room is not file_room):
            pair = room(name, path), room(other, known[other])
            if pair[0] != pair[1]:
                found[pair].add((name, other))
    return {room(name, path) for name, path in known.items()}, dict(found)


def cycles(found: Arrows) -> list[list[str]]:
    """Return the groups of rooms in which each can be reached from each other."""
    targets = defaultdict(set)
    for here, there in found:
        targets[here].add(there)

    def reached(start: str) -> set[str]:
        seen, todo = set(), [start]
        while todo:
            for room in targets[todo.pop()] - seen:
                seen.add(room)
                todo.append(room)
        return seen

    far = {room: reached(room) for room in list(targets)}
    groups = {
        frozenset(other for other in far[room] if room in far.get(other, ())) for room in far if room in far[room]
    }
    return sorted(sorted(group) for group in groups)


def upward(found: Arrows) -> list[tuple[str, str]]:
    """Return the arrows to rooms that stand above the one that imports, by ORDER."""

    def floor(room: str) -> int:
        name = room.removeprefix(PACKAGE).removeprefix(".")
        while name and name not in ORDER:
            name = name.rpartition(".")[0]
        return ORDER.index(name) if name else len(ORDER)

    return sorted(pair for pair in found if floor(pair[1]) > floor(pair[0]))


def constructor_arguments(root: Path, room: str = PARTS) -> dict[str, list[str]]:
    """Return the names of the arguments that the constructors of a room's classes take, by class, the most first.

    Fields of a dataclass count where they are arguments. Records do not: frozen dataclasses, named tuples, `RECORDS`.
    """
    found: dict[str, list[str]] = {}
    for name, path in modules(root).items():
        if f"{name}.".startswith(f"{PACKAGE}.{room}."):
            for each in telling(path):
                if isinstance(each, ast.ClassDef) and each.name not in RECORDS:
                    found[f"{name}.{each.name}"] = _arguments(each)
    return dict(sorted(found.items(), key=lambda each: (-len(each[1]), each[0])))


def _arguments(of: ast.ClassDef) -> list[str]:
    for each in of.body:
        if isinstance(each, ast.FunctionDef) and each.name == "__init__":
            named = each.args
            several = [arg for arg in (named.vararg, named.kwarg) if arg is not None]
            return [arg.arg for arg in [*named.posonlyargs, *named.args, *named.kwonlyargs, *several]][1:]
    decorators = [ast.unparse(each) for each in of.decorator_list]
    if not any("dataclass" in each and "frozen=True" not in each for each in decorators):
        return []
    fields = [each for each in of.body if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)]
    return [
        ast.unparse(each.target)
        for each in fields
        if "ClassVar" not in ast.unparse(each.annotation)
        and not (each.value is not None and "init=False" in ast.unparse(each.value))
    ]


def main() -> int:
    """Print the figures; exit with 1 where rooms or files form a cycle, or a room imports what stands above it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", type=Path, default=ROOT, help="checkout to read (default: this one)")
    parser.add_argument("--arrows", action="store_true", help="print every arrow of the nested rooms")
    given = parser.parse_args()
    top = {path.name for path in (given.tree / PACKAGE).iterdir()} - {"__init__.py", "__pycache__", "py.typed"}
    print(f"entries at the top of {PACKAGE}/: {len(top)}")
    all_circles: list[list[str]] = []
    found: Arrows = {}
    for label, unit, room in (
        ("files", "files", file_room),
        ("flat", "rooms", flat_room),
        ("nested", "rooms", nested_room),
    ):
        rooms, found = arrows(given.tree, room)
        circles = cycles(found)
        all_circles += circles
        print(f"{label}: {len(rooms)} {unit}, {len(found)} arrows, {len(circles)} cycles")
        for group in circles:
            print(f"  cycle: {', '.join(group)}")
    if given.tree == ROOT:
        print(f"arrows upwards: {len(upward(found))}")
        for here, there in upward(found):
            print(f"  {here} -> {there}")
    by_class = constructor_arguments(given.tree)
    most = max(map(len, by_class.values()), default=0)
    named = [each.rpartition(".")[2] for each, arguments in by_class.items() if len(arguments) == most]
    print(f"constructor arguments in {PACKAGE}/{PARTS}/: at most {most} ({', '.join(named[:8])})")
    if given.arrows:
        for (here, there), why in sorted(found.items()):
            print(f"  {here} -> {there}: {', '.join(f'{a} > {b}' for a, b in sorted(why))}")
    return 1 if all_circles or (given.tree == ROOT and upward(found)) else 0


if __name__ == "__main__":
    sys.exit(main())
