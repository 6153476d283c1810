"""Where the tables of docs/results come from: the commit, the command, the settings, and the rooms that each depends on.

A table stands between two marks that bear its name. The line below the first mark says where it comes from. Programs write
that line; nobody edits it. A CSV file has it at its top. A room is a directory or a module of the project; its digest is
that of its code, comments and docstrings aside. A table is *current* while the digests of its rooms are those that it was
measured with. STATUS.md lists all tables with their state. A test compares it with the tree.

Examples
--------
  python benchmarks/provenance.py                                                    write docs/results/STATUS.md
  python benchmarks/provenance.py --check                                            only say whether it is up to date
  python benchmarks/page_cost.py | python benchmarks/provenance.py --write "cost of a page"      replace a table
"""

from __future__ import annotations

import argparse
import ast
import csv
import io
import json
import re
import subprocess
import sys
import tokenize
from dataclasses import asdict, dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs" / "results"
STATUS = RESULTS / "STATUS.md"
CRAWL_ROOMS = tuple(
    f"focused/{room}" for room in ("crawl", "evaluation", "frontier", "method", "middlewares", "spiders")
)
LEARNING_ROOMS = tuple(f"focused/method/{room}" for room in ("learning", "page", "text", "training"))
MOVED = "moved"
"""The digest of a room that had another path when the table was measured."""

_HEAD = """# State of the tables

Written by `python benchmarks/provenance.py`. A table is *current* if the rooms that its figures depend on have the same
code as when it was measured. Otherwise its figures are those of its commit. *Moved* tables were measured before the rooms
had their present paths; their commit is the one that brought the figures into the documents.

| table | file | commit | state |
|---|---|---|---|
"""
_BLOCK = re.compile(r"^<!-- (?P<name>[^\n]+) -->\n<!-- measured (?P<source>\{.*\}) -->\n", re.MULTILINE)
_CSV = "# measured "


@dataclass(frozen=True)
class Source:
    """What a table was measured with.

    Parameters
    ----------
    commit : str
        Ends in "+" if files of the tree differed from that commit.
    command : str
        Run in the project's folder.
    rooms : mapping
        Digest of each room that the figures depend on, by its path.
    settings : mapping
        What the command was given beside its defaults, and what it drew.
    """

    commit: str
    command: str
    rooms: dict[str, str]
    settings: dict[str, Any] = field(default_factory=dict)

    def line(self) -> str:
        """Return the source as one line of JSON."""
        return json.dumps(asdict(self), ensure_ascii=False)

    def changed(self) -> list[str]:
        """Return the rooms that are not as they were."""
        return self.changed_from(digest)

    def changed_from(self, digest_of: Callable[[str], str]) -> list[str]:
        """Return the rooms whose digest is another than it was."""
        return [room for room, known in self.rooms.items() if digest_of(room) != known]


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield a module's statements, those within others, too; what stands in expressions is none."""
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        yield node
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            found = getattr(node, name, None)
            if isinstance(found, list):  # that of a lambda is an expression
                todo += found


@cache
def code_of(source: str) -> str:
    """Return a module's source without comments, docstrings and empty lines: they change no figure.

    >>> code_of("'Costs.'" + chr(10) + "A = 1  # a page")
    'A = 1'
    """
    lines = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            lines[token.start[0] - 1] = lines[token.start[0] - 1][: token.start[1]]
    for node in _statements(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
    return "\n".join(line.rstrip() for line in lines if line.strip())


def digest(room: str) -> str:
    """Return 12 hexadecimal digits of the code and relative paths of a room's Python files; empty if it is gone."""
    top = ROOT / room
    files = sorted(top.rglob("*.py")) if top.is_dir() else [top] if top.is_file() else []
    text = "".join(f"{file.relative_to(top)}\0{code_of(file.read_text(encoding='utf-8'))}\0" for file in files)
    return sha256(text.encode()).hexdigest()[:12] if files else ""


def commit_now() -> str:
    """Return the commit of the tree; it ends in "+" if files of the project or its benchmarks differ from it."""
    git = ["git", "-C", str(ROOT)]
    commit = subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True).stdout
    differs = subprocess.run([*git, "diff", "--quiet", "HEAD", "--", "focused", "benchmarks"], check=False).returncode
    return commit.strip() + "+" * bool(differs)


@cache
def is_in_history(commit: str) -> bool:
    """Tell whether the history of the tree holds a commit."""
    git = ["git", "-C", str(ROOT), "merge-base", "--is-ancestor", commit.rstrip("+"), "HEAD"]
    return not subprocess.run(git, capture_output=True, check=False).returncode


def now(command: str, rooms: Iterable[str], settings: Mapping[str, Any] | None = None) -> Source:
    """Return the source of a table that is measured with the code as it is."""
    found = {room: digest(room) for room in rooms}
    if missing := [room for room, known in found.items() if not known]:
        sys.exit(f"A room must be a directory or a module of the project. There is no {', '.join(missing)}.")
    return Source(commit_now(), command, found, dict(settings or {}))


def sources() -> Iterator[tuple[str, Path, Source]]:
    """Yield name, file and source of each table, in the order of the files' names."""
    for file in sorted(RESULTS.glob("*.md")):
        for found in _BLOCK.finditer(file.read_text(encoding="utf-8")):
            yield found["name"], file, Source(**json.loads(found["source"]))
    for file in sorted(RESULTS.glob("*.csv")):
        with file.open(encoding="utf-8") as lines:
            yield file.stem, file, Source(**json.loads(next(lines).removeprefix(_CSV)))


def write_blocks(blocks: Mapping[str, str], source: Source) -> None:
    """Put each table between the marks of its name, in whichever file of docs/results has them."""
    files = {file: file.read_text(encoding="utf-8") for file in RESULTS.glob("*.md")}
    for name, block in blocks.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        file = next((file for file, text in files.items() if begin in text and end in text), None)
        if file is None:
            sys.exit(f"A table must have a place in {RESULTS}: {begin.strip()} and {end}. There is none for {name!r}.")
        before, rest = files[file].split(begin, 1)
        after = rest.split(end, 1)[1]
        files[file] = f"{before}{begin}<!-- measured {source.line()} -->\n\n{block.strip()}\n\n{end}{after}"
    for file, text in files.items():
        file.write_text(text, encoding="utf-8")


def write_csv(name: str, rows: Iterable[Iterable[object]], source: Source) -> None:
    """Write a long table as docs/results/NAME.csv."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    (RESULTS / f"{name}.csv").write_text(f"{_CSV}{source.line()}\n{text.getvalue()}", encoding="utf-8")


def status() -> str:
    """Return the text of STATUS.md."""
    rows = []
    digest_now = cache(digest)  # many tables depend on the same rooms
    for name, file, source in sources():
        state = MOVED if MOVED in source.rooms.values() else "changed" if source.changed_from(digest_now) else "current"
        rows.append(f"| {name} | [{file.name}]({file.name}) | {source.commit} | {state} |")
    return _HEAD + "\n".join(rows) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if STATUS.md is out of date")
    parser.add_argument("--write", metavar="TABLE", help="put what comes on standard input in the place of a table")
    options = parser.parse_args()
    if options.write:
        known = {name: source for name, _, source in sources()}
        if options.write not in known:
            sys.exit(f"--write must name a table. Got {options.write!r}. There are: {', '.join(known)}.")
        old = known[options.write]
        source = now(old.command, old.rooms, old.settings)  # of the code as it is before the table comes
        write_blocks({options.write: sys.stdin.read()}, source)
    for name, _, source in sources():
        if MOVED not in source.rooms.values() and (changed := source.changed()):
            print(f"{name} ({source.commit}): {', '.join(changed)} changed since", file=sys.stderr)
        if not is_in_history(source.commit):
            print(f"{name}: {source.commit} is not in this history; README.md has a list", file=sys.stderr)
    text = status()
    if not options.check:
        STATUS.write_text(text, encoding="utf-8")
    elif STATUS.read_text(encoding="utf-8") != text:
        sys.exit("docs/results/STATUS.md is out of date. Write it anew: python benchmarks/provenance.py")


if __name__ == "__main__":
    main()
