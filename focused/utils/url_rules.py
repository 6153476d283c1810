"""Lists of domains and paths that URLs are compared with, as a crawl's scope has them.

An entry is a domain (``example.org``: that host and all below it), a path (``/papers/``: on every host), or both
(``example.org/papers/``). Paths are as in robots.txt [RFC 9309, Sect. 2.2.2]: what a path with its query begins with, ``*``
for any characters, ``$`` for the end. There are no regular expressions, so no entry can take longer than its URL is long.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, unquote_to_bytes, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_ENTRIES, MAX_PATHS, MAX_ENTRY_CHARS = 10_000, 100, 1_000
"""Domains are looked up. Paths of one domain, or of all, are tried one after the other: a hundred take a link 20 us."""
_MAX_REMEMBERED_HOSTS = 10_000

_EXAMPLES = "domains such as example.org, and paths such as /papers/ or example.org/papers/*.html$"
# A name of at least two parts, what begins with a dot (.edu), an address in brackets, this machine.
_is_domain = re.compile(
    r"(?:\.[\w-]+|localhost|\[[0-9a-f:.]+\]|[\w-]+(?=\.))(?:\.[\w-]+)*(?::[0-9]{1,5})?", re.I
).fullmatch
_AS_THEY_ARE = "!\"#$&'()*+,-./:;<=>?@[\\]^_`{|}~"


class PathPattern(NamedTuple):
    """What a path and its query must be like: the pieces between the stars, and whether the last one is at the end."""

    pieces: tuple[str, ...]
    is_end: bool

    def fits(self, target: str) -> bool:
        """Tell whether a path with its query, in `normal_form`, is like that."""
        first, *others = self.pieces
        if not target.startswith(first):
            return False
        at, last = len(first), others.pop() if self.is_end and others else None
        for piece in others:
            at = target.find(piece, at)
            if at < 0:
                return False
            at += len(piece)
        if not self.is_end:
            return True
        return at == len(target) if last is None else len(target) - len(last) >= at and target.endswith(last)


class Rule(NamedTuple):
    """An entry of a list, taken apart."""

    text: str
    #: In lower case; empty: every host.
    domain: str
    port: int | None
    #: None: every path.
    path: PathPattern | None


class UrlRules:
    """Entries that a URL is compared with; each distinct host is looked up once.

    >>> rules = UrlRules(["example.org/papers/", "/*.pdf$"])
    >>> rules.match("http://www.example.org/papers/1.html").text
    'example.org/papers/'
    >>> rules.match("http://other.org/a.pdf").text, rules.match("http://other.org/a.pdf?page=2")
    ('/*.pdf$', None)
    """

    def __init__(self, entries: Iterable[str]) -> None:
        self.entries = tuple(entries)
        self._of_host: dict[str, list[Rule]] = {}

    @cached_property
    def _of_domain(self) -> dict[str, list[Rule]]:
        found: dict[str, list[Rule]] = {}
        for entry in self.entries:
            rule = parse_rule(entry)
            found.setdefault(rule.domain, []).append(rule)
        return found

    def match(self, url: str) -> Rule | None:
        """Return the first rule that a URL is like; None if there is none, or the text is no URL."""
        try:
            parts = urlsplit(url)
            rules = self._of_host.get(parts.netloc)
            if rules is None:
                rules = self._remembered(parts.netloc, parts.hostname or "", parts.port)
        except ValueError:
            return None
        if not rules:
            return None
        target = ""
        for rule in rules:
            if rule.path is None:
                return rule
            target = target or normal_form(f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}")
            if rule.path.fits(target):
                return rule
        return None

    def _remembered(self, netloc: str, host: str, port: int | None) -> list[Rule]:
        if len(self._of_host) >= _MAX_REMEMBERED_HOSTS:
            self._of_host.clear()
        rules = [
            rule
            for domain in _with_parents(host)
            for rule in self._of_domain.get(domain, ())
            if rule.port is None or rule.port == port
        ]
        self._of_host[netloc] = rules
        return rules


def entries_of(text: str, label: str) -> tuple[str, ...]:
    """Return the entries of a list separated by commas or white space, each once.

    A ValueError, which calls the list ``label``, says what is no domain and no path.
    """
    entries = tuple(dict.fromkeys(filter(None, re.split(r"[\s,]+", text))))
    if len(entries) > MAX_ENTRIES:
        raise ValueError(f"{label} must hold at most {MAX_ENTRIES:,} domains and paths. Got {len(entries):,}.")
    n_paths: Counter[str] = Counter()
    for entry in entries:
        try:
            rule = parse_rule(entry)
        except ValueError as error:
            raise ValueError(f"{label} must hold {_EXAMPLES}, separated by commas. {error}") from None
        n_paths[rule.domain] += rule.path is not None
        if n_paths[rule.domain] > MAX_PATHS:
            where = f"on {rule.domain}" if rule.domain else "without a domain"
            raise ValueError(f"{label} must hold at most {MAX_PATHS} paths {where}. Join some of them by a *.")
    return entries


def parse_rule(entry: str) -> Rule:
    """Take an entry apart; a ValueError says why it is none.

    ``http://`` or ``https://`` before a domain counts for nothing, so the beginning of a URL can be pasted.
    """
    shown = repr(entry if len(entry) <= 80 else f"{entry[:80]}...")
    if len(entry) > MAX_ENTRY_CHARS:
        raise ValueError(f"Got {shown}, which has {len(entry):,} characters; {MAX_ENTRY_CHARS:,} are allowed.")
    domain, slash, path = re.sub(r"^https?://", "", entry, flags=re.I).partition("/")
    if domain.startswith("*."):
        raise ValueError(f"Got {shown}: a domain stands for all names below it. Write {domain[2:] + slash + path}")
    if domain and not _is_domain(domain):
        raise ValueError(f"Got {shown}. If it is a path, begin it with a slash: /{entry}")
    name, port = _name_and_port(domain)
    if port is not None and not 0 < port < 65_536:
        raise ValueError(f"Got {shown}, whose port is none.")
    return Rule(entry, name, port, _pattern(f"/{path}") if path else None)


def normal_form(text: str) -> str:
    """Return a path with its query in one spelling: escaped where it must be, and nowhere else.

    >>> normal_form("/%7euser/caf%c3%a9"), normal_form("/~user/café")
    ('/~user/caf%C3%A9', '/~user/caf%C3%A9')
    """
    if "%" not in text and text.isascii():
        return text
    return quote(unquote_to_bytes(text), safe=_AS_THEY_ARE)


def _pattern(path: str) -> PathPattern:
    is_end = path.endswith("$")
    return PathPattern(tuple(map(normal_form, path.removesuffix("$").split("*"))), is_end)


def _name_and_port(domain: str) -> tuple[str, int | None]:
    name, colon, port = (
        domain.rpartition(":") if re.search(r":[0-9]+$", domain.rpartition("]")[2]) else (domain, "", "")
    )
    name = name.lower().strip(".").removeprefix("[").removesuffix("]")
    if not name.isascii():
        try:
            name = name.encode("idna").decode()
        except UnicodeError:
            raise ValueError(f"Got {domain!r}, which is no domain.") from None
    return name, int(port) if colon else None


def _with_parents(host: str) -> Iterator[str]:
    """Yield a host's name, the names above it, and the empty one that stands for all."""
    name = host.lower().rstrip(".")
    while name:
        yield name
        name = name.partition(".")[2]
    yield ""
