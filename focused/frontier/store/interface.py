"""The protocols of the frontier's store of links; both stores have it, the one in a file and the one of many workers.

mypy holds `focused.frontier.store.store.FrontierStore` and `focused.frontier.shared.store.SharedStore` against `LinkStore`;
`tests/test_frontier_stores.py` tests both for the same behaviour. Where many workers share the links (`is_shared`), some
answers come later: what is said there of a method says which.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from random import Random

    from focused.frontier.store.choice import Choice
    from focused.frontier.store.host_queue import HostQueue
    from focused.frontier.store.link import DrawnLink, FrontierLink, Leased
    from focused.frontier.store.page_records import StoredPages
    from focused.frontier.store.rescoping import Rescoped
    from focused.frontier.store.rescoring import NewScores, WaitingSlice
    from focused.frontier.store.standing_back import StandingBack
    from focused.frontier.store.store_transaction import StoreTransaction
    from focused.frontier.store.waiting_counts import WaitingCounts
    from focused.method.scoring.evidence import Evidence
    from focused.utils.scope import Scope

SOFT_404S = "soft_404s"
"""Key of `LinkStore.commit` for the answers to probes, by host."""


class StoreLog(Protocol):
    """What was committed and is not yet where it belongs."""

    @property
    def n_bytes(self) -> int:
        """How large it is."""

    def empty(self) -> None:
        """Bring it there."""


class StoredScores(Protocol):
    """Scores of links that wait."""

    def scores(self) -> Iterable[tuple[int, str, float]]:
        """Yield number, URL and score of the links that wait and may be moved."""

    def place(self, scores: Iterable[tuple[int, float]]) -> list[int]:
        """Give links, by number, other scores, all admitted; return the numbers of those that cannot be moved."""

    def count_referrers(self, rows: Iterable[tuple[float, int, int]]) -> None:
        """Note that more pages link to links: rows of the sum of the pages' scores, how many, and the link's number."""


class MetTexts(Protocol):
    """What is kept of pages that ended: see `focused.frontier.store.texts.StoredTexts`."""

    def add(self, url: str, copy_of: str, referrer: str, sketch: bytes, relevant: bool) -> None:
        """Keep a page."""

    def pages(self) -> Iterator[tuple[str, str, str, int, bytes]]:
        """Yield the pages of an earlier run, the oldest first."""

    def sketches(self) -> Iterator[tuple[str, bytes, int]]:
        """Yield URL, sketch and relevant (0 or 1) of those that are no copy and have words, the oldest first."""


class StoredRecords(Protocol):
    """What a strategy has learnt from pages, in the order in which they came."""

    @property
    def n_records(self) -> int:
        """How many there are."""

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        """Iterate over (number, record)."""

    def add(self, n_links: int, record: bytes) -> None:
        """Add a record to the page that ends next."""


class LinkForms(Protocol):
    """Links whose URLs have one form."""

    def join(self, host: str, form: Callable[[str], str], fingerprint: Callable[[str], int], why: str) -> int:
        """Keep one of a host's links whose URLs have one form; return how many others were dropped."""


class LinkStore(Protocol):
    """Links that wait, are under way or have ended; a link that was handed out is *leased* until its end is said."""

    #: Whether other workers change what is stored, so that what becomes of a link is known later.
    is_shared: bool
    #: The number of the link found last.
    last_id: int
    #: Of the last link that ``add`` found waiting: its number, what was known of it, and what is now.
    joined: tuple[int, Evidence, Evidence] | None

    def __len__(self) -> int:
        """Return how many links wait; where they are shared, in the whole crawl, some seconds ago."""

    @property
    def transaction(self) -> StoreTransaction:
        """What the next commit makes durable."""

    @property
    def log(self) -> StoreLog:
        """What was committed and is not yet where it belongs."""

    @property
    def hosts(self) -> HostQueue:
        """Hosts with links that may be asked for, the best first."""

    @property
    def choice(self) -> Choice[Any]:
        """Which link is next."""

    @property
    def standing_back(self) -> StandingBack[Any]:
        """Which links and hosts stand back."""

    @property
    def waiting(self) -> StoredScores:
        """Scores of links that wait."""

    @property
    def forms(self) -> LinkForms:
        """Which links of a host are one."""

    @property
    def by_level(self) -> WaitingCounts | None:
        """How many links wait by host and level; None if it is not needed, or links are shared."""

    # --- In

    def add(self, links: Iterable[FrontierLink]) -> list[str]:
        """Add links; return the answer for each, one of `focused.frontier.store.answers`."""

    def update_evidence(self, number: int, link: FrontierLink) -> tuple[Evidence, Evidence] | None:
        """Join what another page says of a link: what was known, and what is now. None: it does not wait, or is shared."""

    def claim(self, link: FrontierLink) -> int | None:
        """Add the target of a redirect; return its number if it is leased together with the link that led there."""

    def is_settled(self, fingerprint: int) -> bool:
        """Tell whether further evidence of a known link has no effect; False where links are shared, without asking."""

    @property
    def n_cut(self) -> int:
        """How many links were forgotten because too many waited."""

    @property
    def n_cut_rounds(self) -> int:
        """How many times some were."""

    @property
    def n_capped(self) -> Mapping[str, int]:
        """How many waiting links were dropped because their host or domain had reached a cap, by the cap."""

    # --- Out

    def next(
        self,
        ready_at: Callable[[str], float] | None = None,
        now: float = 0.0,
        least: int | None = None,
        *,
        spares: bool = False,
    ) -> Leased | None:
        """Lease the best link of the hosts that may be asked now; arguments as of `Choice.best`."""

    def best_priority(self, ready_at: Callable[[str], float] | None = None, now: float = 0.0) -> int | None:
        """Return the priority of the link that ``next`` would lease; None without one."""

    def lease(self, number: int) -> Leased | None:
        """Lease a link by its number; None if it does not wait, or its host has reached a cap."""

    def best(self, n_links: int) -> list[str]:
        """Return the URLs of the best links that wait, or of nearly the best, the best first."""

    def drawn(self, source: Random, n_links: int) -> list[DrawnLink]:
        """Return waiting links, drawn at random."""

    def done(self, number: int, relevant: bool | None = None, note: str | None = None) -> None:
        """Mark a leased link as done: its page has come. ``relevant`` is None if there was no page to judge."""

    def failed(self, number: int, note: str) -> None:
        """Mark a leased link as failed, and say why."""

    def dropped(self, number: int, note: str) -> None:
        """Mark a leased link as dropped, and say why."""

    def give_back(self, number: int) -> None:
        """Put a leased link back among those that wait."""

    def wait_again(self, number: int) -> None:
        """Put a leased link back among those that wait, or fail it if its host has been given up."""

    # --- Hosts

    def host_number(self, host: str) -> int:
        """Return the number of a host by its name; -1 if no link of it is known here."""

    def recheck_host(self, host: str) -> None:
        """Look at a host again before its time: what it waits for may have changed."""

    def has_pages(self, host: str) -> bool:
        """Tell whether any page of a host was fetched."""

    def host_pages(self) -> list[tuple[str, int, int]]:
        """Return (name, pages, relevant pages) of the hosts that any page was fetched from."""

    def give_up_origin(self, origin: str) -> None:
        """Fail the waiting links of an origin, and those found from now on."""

    def restore_origin(self, origin: str) -> None:
        """Put links of an origin that were put aside (`Choice`) back in their places."""

    @property
    def n_unreachable(self) -> int:
        """How many links failed because their origin was given up."""

    def n_unreachable_of(self, origin: str) -> int:
        """Return how many links failed because this origin was given up."""

    @property
    def n_resumed(self) -> int:
        """How many of them wait again because the crawl is resumed."""

    # --- All links

    def done_urls(self) -> Iterable[str]:
        """Yield the URLs whose pages are in, where the store is one crawl's alone."""

    def count_waiting(self, n_memory_pages: float) -> WaitingCounts:
        """Count from now on how many links wait by host and level; of many workers each counts those of its hosts."""

    def rescore(
        self, score: Callable[[WaitingSlice], NewScores], *, model_version: int = 1, slice_links: int = 2_000
    ) -> Iterator[int]:
        """Score all links that wait anew: see `focused.frontier.store.rescoring`."""

    def rescope(self, scope: Scope) -> Rescoped:
        """Drop waiting links that are out of a scope, and let those wait again that only another kept out."""

    # --- State

    def commit(self, **state: Any) -> None:
        """Make all changes since the last time durable, with what the crawl wants to remember (JSON values)."""

    def remembered(self, key: str, default: Any = None) -> Any:
        """Return what a commit was given under a key."""

    def records(self, max_links: int) -> StoredRecords:
        """Return what was learnt from pages, the latest with so many links together."""

    def pages(self, max_pages: int) -> StoredPages:
        """Return the pages that are kept as they came."""

    def texts(self, max_pages: int) -> MetTexts:
        """Return what is kept of the texts of pages."""

    def close(self) -> int | None:
        """Close it: what was not committed is undone, what is leased waits again. How many pages were lost, where shared."""
