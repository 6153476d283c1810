"""Links and what is known of them as rows of the shared table, and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from focused.frontier.shared.keys import HostKey, host_key
from focused.frontier.store.ranks import MOST_PRIORITY
from focused.method.scoring import REASONS, reason_kind
from focused.method.scoring.evidence import Evidence
from focused.method.scoring.priority import to_priority

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from focused.frontier.store.link import FrontierLink

EVIDENCE = "score reason admitted referrer depth irrelevant_on_path carried parts n_referrers model_version".split()
_EVIDENCE_TYPES = "float8 text bool text int4 int4 float8 text int4 int4".split()
INSERTED = (
    *"domain fingerprint host state rank extra tunnel url".split(),
    *EVIDENCE,
    *("callback", "request"),
)
INSERTED_TYPES = (*"int8 int8 int8 int2 int8 int4 int4 text".split(), *_EVIDENCE_TYPES, "text", "text")
CHANGED = ("domain", "fingerprint", "rank", "extra", "tunnel", *EVIDENCE)
CHANGED_TYPES = ("int8", "int8", "int8", "int4", "int4", *_EVIDENCE_TYPES)


class Key(NamedTuple):
    """Where a link lies."""

    domain: int
    fingerprint: int


@dataclass(slots=True, eq=False)
class WaitingLink:
    """A link that waits, as a worker holds it in memory."""

    #: Its fingerprint: what the SQLite store has a number for.
    number: int
    host_name: str
    rank: int
    extra: int
    tunnel: int
    url: str
    evidence: Evidence
    callback: str | None
    request: str | None
    #: The worker's own number of its host.
    host: int = 0
    #: Its rank in the database, where memory has given it another one; None: the same.
    stored: int | None = None

    @property
    def referrer(self) -> str:
        """The URL of the page that the evidence comes from."""
        return self.evidence.referrer

    def put_at(self, rank: int) -> None:
        """Give it another place in memory only."""
        if self.stored is None:
            self.stored = self.rank
        self.rank = rank


class KnownLink(NamedTuple):
    """What the table says of a link."""

    domain: int
    fingerprint: int
    state: int
    rank: int
    extra: int
    tunnel: int
    is_own_request: bool
    evidence: Evidence


KNOWN_COLUMNS = ("domain", "fingerprint", "state", "rank", "extra", "tunnel", "request IS NOT NULL", *EVIDENCE)
_N_KNOWN = len(KNOWN_COLUMNS) - len(EVIDENCE)
WAITING_COLUMNS = ("domain", "host", "fingerprint", "rank", "extra", "tunnel", "url", *EVIDENCE, "callback", "request")


def text(value: str) -> str:
    """Return a text that the database takes: it has neither NUL nor halves of characters."""
    return (
        value.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
        if not value.isascii() or "\0" in value
        else value
    )


def priority(evidence: Evidence, extra: int) -> int:
    """Return the priority of a link."""
    return to_priority(evidence.score, evidence.admitted) + extra


def evidence_row(evidence: Evidence) -> tuple[Any, ...]:
    """Return the values of ``EVIDENCE``."""
    parts = ",".join(map(repr, evidence.parts)) if evidence.parts else None
    return (
        *(evidence.score, REASONS[evidence.reason], evidence.admitted, text(evidence.referrer), evidence.depth),
        *(evidence.irrelevant_on_path, evidence.carried, None if parts is None else f"{{{parts}}}"),
        *(evidence.n_referrers, evidence.model_version),
    )


def evidence_of(row: Sequence[Any]) -> Evidence:
    """Return what values of ``EVIDENCE`` say."""
    score, reason, admitted, referrer, depth, irrelevant, carried, parts, *rest = row
    return Evidence(
        score, reason_kind(reason), admitted, referrer, depth, irrelevant, carried, tuple(parts or ()), *rest
    )


def inserted_row(link: FrontierLink, key: HostKey, rank: int) -> tuple[Any, ...]:
    """Return the values of ``INSERTED``."""
    extra = max(-MOST_PRIORITY, min(MOST_PRIORITY, link.extra))
    first = key.domain, link.fingerprint, key.host, 0, rank, extra, link.tunnel, text(link.url)
    request = None if link.request is None else text(link.request)
    return (*first, *evidence_row(link.evidence), link.callback, request)


def changed_row(known: KnownLink, rank: int, extra: int, tunnel: int, merged: Evidence) -> tuple[Any, ...]:
    """Return the values of ``CHANGED``."""
    return (known.domain, known.fingerprint, rank, extra, tunnel, *evidence_row(merged))


def known_link(row: Sequence[Any]) -> KnownLink:
    """Return what a row of ``KNOWN_COLUMNS`` says."""
    return KnownLink._make((*row[:_N_KNOWN], evidence_of(row[_N_KNOWN:])))


def waiting_link(row: Sequence[Any], name_of: Callable[[HostKey], str]) -> WaitingLink:
    """Return what a row of ``WAITING_COLUMNS`` says."""
    domain, host, fingerprint, rank, extra, tunnel, url, *rest = row
    *known, callback, request = rest
    name = name_of(HostKey(domain, host))
    return WaitingLink(fingerprint, name, rank, extra, tunnel, url, evidence_of(known), callback, request)


def waiting_from(link: FrontierLink, host: str, rank: int) -> WaitingLink:
    """Return a link of a host as it waits when it has been taken in."""
    extra = max(-MOST_PRIORITY, min(MOST_PRIORITY, link.extra))
    asked = link.fingerprint, host, rank, extra, link.tunnel, link.url, link.evidence
    return WaitingLink(*asked, link.callback, link.request)


def key_of(fingerprint: int, host: str) -> Key:
    """Return where a link lies."""
    return Key(host_key(host).domain, fingerprint)


def unnested(columns: Sequence[str], types: Sequence[str]) -> str:
    """Return the FROM item of an array parameter a column.

    >>> unnested(("a", "b"), ("int8", "text"))
    'unnest(%s::int8[], %s::text[]) AS given (a, b)'
    """
    return f"unnest({', '.join(f'%s::{each}[]' for each in types)}) AS given ({', '.join(columns)})"


def unnested_of_crawl(columns: Sequence[str], types: Sequence[str]) -> str:
    """Return the same with the crawl's number, a parameter before the others, as another column.

    What is joined with all of its key can be looked up by key only. Where the number is a constant, a planner without
    statistics reads all links of the crawl, once for each statement; OFFSET keeps it from being one.
    """
    return f"(SELECT %s::int4 AS crawl, given.* FROM {unnested(columns, types)} OFFSET 0) AS given"
