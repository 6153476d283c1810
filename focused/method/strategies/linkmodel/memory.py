"""What a crawl remembers of links: who links to them and how, and what came of those that were fetched."""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from itertools import chain, count
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from focused.method.strategies.linkmodel.features import (
    MAX_ANCHOR_TERMS,
    MAX_URL_TERMS,
    PageLinks,
    UrlFeatures,
    place_key,
    url_features,
)
from focused.method.strategies.linkmodel.groups import Groups
from focused.method.strategies.linkmodel.growing_arrays import Rows
from focused.method.strategies.linkmodel.seed_shares import NOBODY, UNOPENED, SeedShares
from focused.utils.steps import finish

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping, Sequence

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

OF_EVIDENCE = ("source", "block", "anchor", "place")
"""Groups of links that one element of a page belongs to: its page, its block, its anchor text, its place in pages of
its host."""
OF_LINKS = ("folder", "host")
"""Groups that a link itself belongs to."""

EVIDENCE_OF_LINK = 4
"""Pages that link somewhere, for each link that may be remembered; they are forgotten together."""

NO_LINK = 0
"""What evidence belongs to whose link is forgotten."""

_MAX_REFERRERS = 50
_KEPT_SHARE = 7 / 8


class LinkMemory:
    """Tables of links, of pages that link to them, and of groups of links; numbers of links are rows of ``links``.

    Bounded: where there are more links than may be, or more evidence, those fetched long ago are forgotten, then those
    with the lowest scores. What was learnt of the groups they belonged to stays. Rows of what is forgotten are used again,
    so that nothing has to be moved or numbered anew.

    Parameters
    ----------
    max_links : int
    """

    def __init__(self, max_links: int = 100_000) -> None:
        self.max_links = max_links
        # An eighth more come while others are about to be forgotten.
        n_links, n_rows = max_links + max_links // 4, EVIDENCE_OF_LINK * (max_links + max_links // 4)
        #: ``frontier`` is a link's number in the frontier, -1 if it does not wait there, and ``level`` what it was placed
        #: with. ``page`` is the page that a link led to, ``discoverer`` the first that linked there, and ``start`` the number
        #: of the seed from which that was reached, ``branch`` that of the seed's link.
        self.links = Rows(
            n_links, key=(np.int64, 0, 0), folder=(np.int32, 0, 0), host=(np.int32, 0, 0),
            columns=(np.int32, 0, MAX_URL_TERMS), n_columns=(np.int32, 1, 0),
            discoverer=(np.int32, -1, 0), start=(np.int32, NOBODY, 0), branch=(np.int32, NOBODY, 0),
            page=(np.int32, -1, 0), outcome=(np.float64, np.nan, 0),
            n_referrers=(np.int32, 0, 0), n_kept=(np.int32, 0, 0),
            sums=(np.float32, 0, 4), tops=(np.float32, 0, 4),
            url=(np.float64, 0, 0), group_sum=(np.float64, 0, 0), group_top=(np.float64, 0, 0),
            frontier=(np.int64, -1, 0), level=(np.int32, -1, 0), explores=(np.bool_, False, 0),
        )  # fmt: skip
        self.evidence = Rows(n_rows, link=(np.int32, NO_LINK, 0), **{name: (np.int32, 0, 0) for name in OF_EVIDENCE})
        self.groups = {name: Groups(reserve=n_links, lasting=name == "source") for name in (*OF_EVIDENCE, *OF_LINKS)}
        self.groups["anchor"] = Groups(
            reserve=n_links, columns=(np.int32, 0, MAX_ANCHOR_TERMS), n_columns=(np.int32, 1, 0)
        )
        self.starts = SeedShares()
        self.branches = SeedShares()
        self._numbers: dict[int, int] = {}
        self.n_pages = 0
        #: Of all pages, summed.
        self.relevance = 0.0
        self.n_forgotten = 0
        self.links.add(1)  # NO_LINK

    @property
    def anchors(self) -> Rows:
        """Anchor texts, by the numbers of their groups."""
        return self.groups["anchor"].table

    def number(self, url: str) -> int | None:
        """Return the number of a link; None if it is not remembered."""
        return self._numbers.get(hash(url))

    def numbers(self, urls: Iterable[str]) -> list[int]:
        """Return the numbers of links that are remembered."""
        return [number for url in urls if (number := self.number(url)) is not None]

    def both(self, other: LinkMemory) -> tuple[Integers, Integers]:
        """Return the numbers of the links that another memory remembers, too: here, and there."""
        found = [(number, other._numbers[key]) for key, number in self._numbers.items() if key in other._numbers]
        mine, theirs = np.array(found, dtype=np.int64).reshape(-1, 2).T
        return mine, theirs

    def hold(self, is_held: bool) -> None:
        """Add all that is new behind what is there, so that some of it can be read now and the rest later."""
        for table in (self.links, self.evidence, *(groups.table for groups in self.groups.values())):
            table.reuses = not is_held

    def look_ahead(self, urls: Iterable[str]) -> dict[str, UrlFeatures]:
        """Return what URLs say of themselves that are not known yet."""
        numbers = self._numbers
        return {url: self._features(url) for url in urls if hash(url) not in numbers}

    def know(self, urls: list[str], ahead: Mapping[str, UrlFeatures]) -> None:
        """Add links of a page that is about to be taken in, if they are not known yet; ``ahead`` is from ``look_ahead``."""
        self._numbers_of(urls, ahead)

    def add(self, found: PageLinks) -> tuple[Integers, Integers]:
        """Take in a page: the outcome of the links that led to it, and what it says of its own.

        Returns
        -------
        links : ndarray of shape (n_links,)
            Their numbers.
        evidence : ndarray
            The new rows of ``evidence``; of links that so many pages link to already there are none.
        """
        [page] = self.groups["source"].add(1).tolist()
        self.n_pages += 1
        self.relevance += found.relevance
        links = self.links
        ids = self._numbers_of([*found.links, *found.urls])
        led, ids = ids[len(found.links) :], ids[: len(found.links)]
        links["outcome"][led], links["page"][led] = found.relevance, page
        n_before = links["n_referrers"][ids]
        is_first = n_before == 0
        first = ids[is_first]
        links["discoverer"][first] = page
        self._count_start(led, first)
        logits, tops = found.logits.astype(np.float32), links["tops"]
        of_links = np.maximum(tops[ids], logits)
        of_links[is_first] = logits[is_first]
        tops[ids] = of_links
        links["sums"][ids] += logits
        links["n_referrers"][ids] = n_before + 1
        n_kept = links["n_kept"][ids]
        rows = np.flatnonzero(n_kept < _MAX_REFERRERS)
        links["n_kept"][ids[rows]] = n_kept[rows] + 1
        return ids, self._evidence(found, page, rows, ids[rows])

    def same(self, url: str, known_as: str) -> None:
        """Note that a link led to a page that was fetched under another URL."""
        known = self.number(known_as)
        if known is not None:
            number = int(self._numbers_of([url])[0])
            for name in ("outcome", "page"):
                self.links[name][number] = self.links[name][known]

    @property
    def is_full(self) -> bool:
        """Whether something has to be forgotten."""
        return self.share_in_use > 1

    @property
    def share_in_use(self) -> float:
        """How much of what may be remembered is: of links or of evidence, whichever is more."""
        return max(len(self.links), len(self.evidence) / EVIDENCE_OF_LINK) / self.max_links

    def first_to_go(self, scores: Floats, is_needed: npt.NDArray[np.bool_]) -> Integers:
        """Return which links should be forgotten to make room for an eighth more, in this order.

        Parameters
        ----------
        scores : ndarray of shape (n_links,)
            Of waiting links, those with the lowest go.
        is_needed : ndarray of shape (n_links,)
            Which fetched links are still learnt from.
        """
        links = self.links
        is_waiting = np.isnan(links["outcome"])
        done = np.flatnonzero(~is_waiting & ~is_needed)
        waiting = np.flatnonzero(is_waiting & (links["n_referrers"] > 0))
        share = _KEPT_SHARE * min(1.0, EVIDENCE_OF_LINK * self.max_links / max(len(self.evidence), 1))
        n_surplus = len(links) - int(share * min(self.max_links, len(links)))
        order = np.concatenate(
            (
                done[np.argsort(links["page"][done], kind="stable")],
                waiting[np.argsort(scores[waiting], kind="stable")],
            )
        )
        return order[:n_surplus]

    def forget(self, gone: Integers, values: Floats) -> None:
        """Forget links in one go."""
        finish(self.forgetting(gone, values))

    def forgetting(self, gone: Integers, values: Floats) -> Generator[int, None, None]:
        """Forget links, and what pages say of them; their outcomes are added to what is known of their groups.

        In steps: the links are there until the last; what pages say of them cannot be asked for meanwhile.

        Parameters
        ----------
        gone : ndarray
            Numbers of links, each once.
        values : ndarray of shape (n_links,)
            Outcomes; NaN of links without.

        Yields
        ------
        int
            About how many rows of a table a step has dealt with.
        """
        links, evidence = self.links, self.evidence
        is_gone = np.zeros(links.size, dtype=np.bool_)
        is_gone[gone] = True
        rows = np.flatnonzero(is_gone[evidence["link"]])
        of_rows = values[evidence["link"][rows]]
        of_links = np.where(links["n_referrers"][gone] > 0, values[gone], np.nan)
        for name in OF_EVIDENCE:
            self.groups[name].leave(evidence[name][rows], of_rows)
            yield 20 * len(rows)
        for name in OF_LINKS:
            self.groups[name].leave(links[name][gone], of_links)
        deque(map(self._numbers.pop, links["key"][gone].tolist()), maxlen=0)
        evidence.free(rows)
        links.free(gone)
        self.n_forgotten += len(gone)

    # --- Inside

    def _count_start(self, led: Integers, first: Integers) -> None:
        """Count a page for the seed that it was reached from: links that led there, and links first found there."""
        starts, branches = self.links["start"], self.links["branch"]
        start = int(starts[led].max(initial=NOBODY))
        # A page that no link is known to lead to is a seed, as long as nothing has been forgotten.
        if start == NOBODY and self.n_forgotten:
            return
        starts[led] = starts[first] = self.starts.add(start)
        of_led = branches[led]
        known = of_led[of_led != NOBODY]
        if start == NOBODY:
            branches[first] = UNOPENED
        elif len(known):
            branches[led] = branches[first] = self.branches.add(int(known.max()))

    def _features(self, url: str) -> UrlFeatures:
        return url_features(url)

    def _key(self, place: str) -> int:
        return place_key(place)

    def _evidence(self, found: PageLinks, page: int, rows: Integers, links: Integers) -> Integers:
        """Add what a page says of some of its links: those in these rows."""
        if len(rows) == len(found.links):
            blocks, places, texts = found.blocks.tolist(), found.places.tolist(), found.anchors
        else:
            blocks, places = found.blocks[rows].tolist(), found.places[rows].tolist()
            texts = [found.anchors[row] for row in rows.tolist()]
        # Numbers of blocks, counted from 0 in the order in which they come.
        order = dict(zip(dict.fromkeys(blocks), count(), strict=False))
        own = self.groups["block"].add(len(order))
        host = found.host
        groups = {
            "source": np.full(len(rows), page),
            "block": own[[order[block] for block in blocks]] if blocks else own,
            "anchor": self._anchors(texts),
            # Hashes: a tenth of the keys' own size.
            "place": self.groups["place"].numbers([hash((host, place)) for place in places]),
        }
        for name, numbers in groups.items():
            self.groups[name].join(numbers)
        return self.evidence.add(len(rows), {"link": links, **groups})

    def _numbers_of(self, urls: list[str], ahead: Mapping[str, UrlFeatures] | None = None) -> Integers:
        """Return the numbers of links; those that are not known are added."""
        numbers, keys = self._numbers, list(map(hash, urls))
        with suppress(KeyError):  # most often all are known
            return np.array([numbers[key] for key in keys], dtype=np.int64)
        new = {key: url for key, url in zip(keys, urls, strict=True) if key not in numbers}
        if new:
            features = [(ahead and ahead.get(url)) or self._features(url) for url in new.values()]
            columns, n_columns = _table([each.columns for each in features], MAX_URL_TERMS)
            groups = {
                name: self.groups[name].numbers([self._key(getattr(f, name)) for f in features]) for name in OF_LINKS
            }
            for name, of_kind in groups.items():
                self.groups[name].join(of_kind)
            known: dict[str, npt.ArrayLike] = {"key": list(new), "columns": columns, "n_columns": n_columns, **groups}
            rows = self.links.add(len(new), known)
            numbers.update(zip(new, rows.tolist(), strict=True))
        return np.array([numbers[key] for key in keys], dtype=np.int64)

    def _anchors(self, texts: list[tuple[int, ...]]) -> Integers:
        found = self.groups["anchor"].numbers(list(map(hash, texts)))
        new = np.flatnonzero(self.anchors["n_members"][found] == 0).tolist()
        if new:
            rows = found[new]
            self.anchors["columns"][rows], self.anchors["n_columns"][rows] = _table(
                [texts[row] for row in new], MAX_ANCHOR_TERMS
            )
        return found


def _table(columns: Sequence[Sequence[int]], width: int) -> tuple[npt.NDArray[np.int32], Integers]:
    """Return lists of columns as the rows of a table, filled up with 0, and their lengths, at least 1."""
    lengths = np.fromiter(map(len, columns), np.int64, len(columns))
    found = np.zeros((len(columns), width), dtype=np.int32)
    found[np.arange(width) < lengths[:, None]] = np.fromiter(chain.from_iterable(columns), np.int32, lengths.sum())
    return found, np.maximum(lengths, 1)
