"""Count the rooms of a source tree, the arrows between them, and the cycles.

A room is a package directory at any depth, or a module that stands loose at the top of ``focused/``. An arrow A -> B says
that a module of A imports one of B. Every import counts: those for types, those inside functions, and class paths in
strings ("focused.frontier.scheduler.FrontierScheduler"). The flat figure takes what stands at the top of ``focused/`` as
one room each, the nested one every package directory; that of the files leaves out strings.

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

Arrows = dict[tuple[str, str], set[tuple[str, str]]]


def modules(root: Path) -> dict[str, Path]:
    """Return the modules of the package by their dotted names; a package is named as its directory."""
    found = {}
    for path in sorted((root / PACKAGE).rglob("*.py")):
        name = ".".join(path.relative_to(root).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = path
    return found


def imports(name: str, path: Path, known: dict[str, Path], *, strings: bool = True) -> set[str]:
    """Return the modules of the package that a module imports or, with ``strings``, names in a string."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
                base = ".".join([*parts[: len(parts) - node.level + 1], *filter(None, [node.module])])
            found |= {f"{base}.{each.name}" if f"{base}.{each.name}" in known else base for each in node.names}
        elif isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif strings and isinstance(node, ast.Constant) and str(node.value).startswith(f"{PACKAGE}."):
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
    if given.arrows:
        for (here, there), why in sorted(found.items()):
            print(f"  {here} -> {there}: {', '.join(f'{a} > {b}' for a, b in sorted(why))}")
    return 1 if all_circles or (given.tree == ROOT and upward(found)) else 0


if __name__ == "__main__":
    sys.exit(main())
