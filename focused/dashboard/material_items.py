"""Names the single things that a topic made here was learnt from, and takes them out again."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from focused.utils.files import read_regular, write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from focused.dashboard.material import Material

WORDS, SENTENCE, URL, FILE, RUN, PAGE = "keywords", "describe", "url", "file", "run", "page"
KINDS = {WORDS: "Words", SENTENCE: "A sentence or two", URL: "URLs", FILE: "Files", RUN: "Pages of runs"}
"""Kinds of items, in the order in which they are listed; a page of a run is listed only where it is doubtful."""
_ASIDE = ".removed"
_MAX_BYTES = 200_000_000
_RUN_LINE = re.compile(r"run-([0-9a-f]{12})\.jsonl line ([0-9]{1,6})")
_TOKEN = re.compile(r"[^\s,;=()]+")


@dataclass(frozen=True, slots=True)
class Item:
    """Something that a topic is learnt from."""

    kind: str
    #: By which it is asked for. It is compared with what is there, and never part of a path.
    name: str
    #: For people.
    shown: str


def items(material: Material, runs: Mapping[str, str]) -> list[Item]:
    """Return what a topic is learnt from; ``runs``: what people call a run, by its key."""
    texts = material.texts()
    found = [Item(kind, "", texts[kind]) for kind in (WORDS, SENTENCE) if texts[kind]]
    found += [Item(URL, url, url) for url in material.urls()]
    found += [Item(FILE, path.name, path.name) for path in material.files()]
    return found + [Item(RUN, key, runs.get(key, "a run that is gone")) for key in material.run_keys()]


def doubtful_items(material: Material, text: str, runs: Mapping[str, str]) -> tuple[str, list[Item]]:
    """Return a warning with names in the place of paths on the server, and the items that it names."""
    found = list[Item]()
    for key, number in _RUN_LINE.findall(text):
        url = _url_at(material, key, int(number))
        name = f"{url or f'page {number}'} of {runs.get(key, 'a run that is gone')}"
        text = text.replace(f"run-{key}.jsonl line {number}", name)
        found += [Item(PAGE, f"{key} {url}", name)] * bool(url)
    text = text.replace(f"{material.folder}/files/", "").replace(f"{material.folder}/", "")
    named = {token.rstrip(".:") for token in _TOKEN.findall(text)}
    known = {each.name: each for each in items(material, runs) if each.kind in (URL, FILE)}
    found += [each for name, each in known.items() if name in named]
    return text, list({(each.kind, each.name): each for each in found}.values())


@contextmanager
def without(material: Material, kind: str, name: str) -> Iterator[None]:
    """Take an item out. If what is done then raises, it is put back.

    Raises
    ------
    ValueError
        If it is not there, or nothing else would be left to learn from.
    """
    path, text = _change(material, kind, name)
    aside = material.folder / _ASIDE
    path.replace(aside)
    try:
        if text is not None:
            write_whole(path, text)
        if not items(material, {}):
            raise ValueError("It is the last that the topic is learnt from. Add something else first")
        yield
    except BaseException:
        aside.replace(path)
        raise
    aside.unlink()


def _change(material: Material, kind: str, name: str) -> tuple[Path, str | None]:
    """Return the file that holds an item, and what it holds without it; None: nothing."""
    if not any((each.kind, each.name) == (kind, name) for each in items(material, {})) and kind != PAGE:
        raise ValueError("It is not there any more. Load this page again")
    if kind in (WORDS, SENTENCE):
        return material.about, json.dumps(material.texts() | {kind: ""}, ensure_ascii=False, indent=2) + "\n"
    if kind == URL:
        left = [url for url in material.urls() if url != name]
        return material.url_file, "".join(f"{url}\n" for url in left)
    if kind == FILE:
        return next(path for path in material.files() if path.name == name), None
    key, _, url = name.partition(" ")
    if key not in material.run_keys():
        raise ValueError("It is not there any more. Load this page again")
    path = material.run_file(key)
    if kind == RUN:
        return path, None
    lines = _lines(path)
    # Its line stays, empty: warnings name pages by the numbers of their lines.
    left = ["\n" if _url_of(line) == url else line for line in lines]
    if left == lines:
        raise ValueError("It is not there any more. Load this page again")
    return path, "".join(left) if any(line.strip() for line in left) else None


def _url_at(material: Material, key: str, number: int) -> str:
    """Return the URL in a line of a run's file; empty if there is none."""
    try:
        lines = _lines(material.run_file(key)) if key in material.run_keys() else []
    except (OSError, ValueError):
        return ""
    return _url_of(lines[number - 1]) if 0 < number <= len(lines) else ""


def _lines(path: Path) -> list[str]:
    # Not by splitlines: a text may hold other ends of lines than those of the file.
    text = read_regular(path, _MAX_BYTES).decode("utf-8", "replace")
    return [f"{line}\n" for line in text.removesuffix("\n").split("\n")]


def _url_of(line: str) -> str:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    return str(found.get("url") or "")[:2000] if isinstance(found, dict) else ""
