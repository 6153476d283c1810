"""Write what docs/reference takes from the code: settings, spider arguments, and the options of the commands.

People write the files of docs/reference. What the code declares stands between ``<!-- begin NAME -->`` and ``<!-- end -->``;
this script puts it there. NAME is ``settings``, ``topic settings``, ``arguments``, or the name of a command.

Examples:
  python -m scripts.build_reference            write the tables
  python -m scripts.build_reference --check    write nothing; exit with 1 if a file would change
"""

from __future__ import annotations

import argparse
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.settings import Settings

from focused.crawl.arguments import ARGUMENTS
from focused.crawl.declared_settings import GROUPS
from focused.method.strategies import STRATEGIES
from focused.method.topic.settings import ALLOWED_SETTINGS
from focused.utils.parameters import parameters_of
from focused.utils.setting import TOPIC

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from focused.utils.setting import Setting

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "reference"
_BLOCK = re.compile(r"(<!-- begin (.+?) -->\n).*?(<!-- end -->)", re.DOTALL)
_GLOBAL = "Global Options"


def main() -> int:
    """Write the files that have changed, or name them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a file would change")
    given = parser.parse_args()
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.md"))}
    changed = {path: built(text) for path, text in texts.items() if built(text) != text}
    for path, text in changed.items():
        print(path.relative_to(FOLDER.parent.parent))
        if not given.check:
            path.write_text(text, encoding="utf-8")
    return 1 if given.check and changed else 0


def built(text: str) -> str:
    """Return a document with its blocks made anew."""
    return _BLOCK.sub(lambda found: f"{found[1]}\n{_block(found[2])}\n\n{found[3]}", text)


def _block(name: str) -> str:
    if name == "settings":
        return "\n\n".join(f"## {title}\n\n{_settings(title, group)}" for title, group in GROUPS.items())
    if name == "topic settings":
        return ", ".join(f"`{each}`" for each in sorted(ALLOWED_SETTINGS))
    if name == "arguments":
        rows = [(f"`{name}`", each.values, each.default, each.meaning) for name, each in ARGUMENTS.items()]
        return _table(("argument", "value", "default", "meaning"), rows)
    return _options(name)


def _settings(title: str, group: Sequence[Setting]) -> str:
    rows = []
    for each in group:
        readers = [f"`{name}`" for name, kind in STRATEGIES.items() if each in parameters_of(kind).values()]
        meaning = f"{', '.join(readers)}: {each.meaning}" if title == "Strategies" else each.meaning
        set_by = "" if each.set_by == TOPIC else each.set_by
        rows.append((f"`{each.name}`", each.description, _shown(each.default), meaning, set_by))
    return _table(("setting", "value", "default", "meaning", "set by"), rows)


def _shown(default: object) -> str:
    if default in ("", None):
        return "none"
    return f"`{default:,}`" if isinstance(default, int) and default >= 10_000 else f"`{default}`"


def _options(name: str) -> str:
    """Return a command's usage, what it does, and its options."""
    command = import_module(f"focused.commands.{name}").Command()
    command.settings = Settings()
    parser = argparse.ArgumentParser(prog=f"scrapy {name}", add_help=False)
    command.add_options(parser)
    rows = [
        (f"`{_call(action)}`", (action.help or "").replace("%%", "%"))
        for group in parser._action_groups
        if group.title != _GLOBAL
        for action in group._group_actions
    ]
    return f"`scrapy {name} {command.syntax()}`\n\n{command.short_desc()}.\n\n" + _table(("option", "meaning"), rows)


def _call(action: argparse.Action) -> str:
    names = ", ".join(action.option_strings)
    if action.nargs == 0:
        return names
    value = action.metavar or action.dest.upper()
    value = " ".join(value) if isinstance(value, tuple) else value
    return f"{names} {value}{'...' if action.nargs in ('*', '+') else ''}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in (head, *rows)]
    return "\n".join([lines[0], "|---" * len(head) + "|", *lines[1:]])


if __name__ == "__main__":
    sys.exit(main())
