"""What a crawl remembers of links: who links to them and how, and what came of those that were fetched."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from focused.adaptation.link_features import MAX_ANCHOR_TERMS, MAX_URL_TERMS, PageLinks, url_features
from focused.adaptation.link_rows import Rows

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

OF_EVIDENCE = ("source", "block", "anchor", "place")
"""Groups of links that one element of a page belongs to: its page, its block, its anchor text, its place in pages of
its host."""
OF_LINKS = ("folder", "host")
"""Groups that a link itself belongs to."""

EVIDENCE_OF_LINK = 4
"""Pages that link somewhere, for each link that may be remembered; they are forgotten together."""

_MAX_REFERRERS = 50
_KEPT_SHARE = 7 / 8


class LinkMemory:
    """Tables of links, of pages that link to them, and of anchor texts; numbers of links are rows of ``links``.

    Bounded: where there are more links than may be, or more evidence, those fetched long ago are forgotten, then those
    with the lowest scores. What was learnt of the groups they belonged to stays.

    Parameters
    ----------
    max_links : int
    """

    def __init__(self, max_links: int = 100_000) -> None:
        self.max_links = max_links
        #: ``frontier`` is a link's number in the frontier, -1 if it does not wait there, and ``level`` what it was placed
        #: with. ``page`` is the page that a link led to, ``discoverer`` the first that linked there.
        self.links = Rows(
            key=(np.int64, 0, 0), folder=(np.int32, 0, 0), host=(np.int32, 0, 0),
            columns=(np.int32, 0, MAX_URL_TERMS), n_columns=(np.int32, 1, 0),
            discoverer=(np.int32, -1, 0), page=(np.int32, -1, 0), outcome=(np.float64, np.nan, 0),
            n_referrers=(np.int32, 0, 0), n_kept=(np.int32, 0, 0),
            sums=(np.float32, 0, 4), tops=(np.float32, 0, 4),
            url=(np.float64, 0, 0), group_sum=(np.float64, 0, 0), group_top=(np.float64, 0, 0),
            frontier=(np.int64, -1, 0), level=(np.int32, -1, 0), explores=(np.bool_, False, 0),
        )  # fmt: skip
        self.evidence = Rows(link=(np.int32, 0, 0), **{name: (np.int32, 0, 0) for name in OF_EVIDENCE})
        self.anchors = Rows(columns=(np.int32, 0, MAX_ANCHOR_TERMS), n_columns=(np.int32, 1, 0))
        self._numbers: dict[int, int] = {}
        self._groups: dict[str, dict[int, int]] = {name: {} for name in ("anchor", "place", *OF_LINKS)}
        self._n_blocks = 0
        self.n_pages = 0
        #: Of all pages, summed.
        self.relevance = 0.0
        self.n_forgotten = 0
        #: Sums and numbers of outcomes in each group, of links that are forgotten.
        self.past = {name: (np.zeros(0), np.zeros(0)) for name in (*OF_EVIDENCE, *OF_LINKS)}

    def number(self, url: str) -> int | None:
        """Return the number of a link; None if it is not remembered."""
        return self._numbers.get(hash(url))

    def n_groups(self, name: str) -> int:
        """Return how many groups of a kind there are."""
        if name == "source":
            return self.n_pages
        return self._n_blocks if name == "block" else len(self._groups[name])

    def add(self, found: PageLinks) -> tuple[Integers, slice]:
        """Take in a page: the outcome of the links that led to it, and what it says of its own.

        Returns
        -------
        links : ndarray of shape (n_links,)
            Their numbers.
        evidence : slice
            The new rows of ``evidence``; of links that so many pages link to already there are none.
        """
        page, self.n_pages = self.n_pages, self.n_pages + 1
        self.relevance += found.relevance
        links = self.links
        ids = self._numbers_of([*found.links, *found.urls])
        led, ids = ids[len(found.links) :], ids[: len(found.links)]
        links["outcome"][led], links["page"][led] = found.relevance, page
        n_referrers = links["n_referrers"]
        is_first = n_referrers[ids] == 0
        links["discoverer"][ids[is_first]] = page
        tops = links["tops"]
        tops[ids] = np.where(is_first[:, None], found.logits, np.maximum(tops[ids], found.logits))
        links["sums"][ids] += found.logits.astype(np.float32)
        n_referrers[ids] += 1
        anchors = self._anchors(found.anchors)
        places = [(found.host, place) for place in found.places.tolist()]
        is_kept = links["n_kept"][ids] < _MAX_REFERRERS
        links["n_kept"][ids[is_kept]] += 1
        different, blocks = np.unique(found.blocks, return_inverse=True)
        rows = self.evidence.add(
            int(is_kept.sum()),
            link=ids[is_kept],
            source=page,
            block=self._n_blocks + blocks[is_kept],
            anchor=anchors[is_kept],
            place=np.array([self._group("place", place) for place in places], dtype=np.int64)[is_kept],
        )
        self._n_blocks += len(different)
        return ids, rows

    def numbers(self, urls: Iterable[str]) -> list[int]:
        """Return the numbers of links that are remembered."""
        return [number for url in urls if (number := self.number(url)) is not None]

    def sums(self, name: str, groups: Integers, values: Floats) -> tuple[Floats, Floats]:
        """Return sum and number of values in each group of a kind, those of forgotten links included."""
        size = self.n_groups(name)
        total: Floats = np.bincount(groups, values, minlength=size).astype(np.float64)
        count: Floats = np.bincount(groups, minlength=size).astype(np.float64)
        for new, past in zip((total, count), self.past[name], strict=True):
            new[: len(past)] += past
        return total, count

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
        return len(self.links) > self.max_links or len(self.evidence) > EVIDENCE_OF_LINK * self.max_links

    def forget(self, scores: Floats, is_needed: npt.NDArray[np.bool_], values: Floats) -> None:
        """Make room.

        Parameters
        ----------
        scores : ndarray of shape (n_links,)
            Of waiting links, those with the lowest go.
        is_needed : ndarray of shape (n_links,)
            Which fetched links are still learnt from.
        values : ndarray of shape (n_links,)
            Outcomes; NaN of links without.
        """
        links, evidence = self.links, self.evidence
        is_waiting = np.isnan(values)
        kept = is_waiting | is_needed
        share = _KEPT_SHARE * min(1.0, EVIDENCE_OF_LINK * self.max_links / max(len(evidence), 1))
        n_most = int(share * min(self.max_links, len(links)))
        surplus = int(kept.sum()) - n_most
        if surplus > 0:
            order = np.argsort(np.where(kept & is_waiting, scores, np.inf), kind="stable")
            kept[order[: min(surplus, int((kept & is_waiting).sum()))]] = False
        self._settle(~kept & ~is_waiting, values)
        self.n_forgotten += len(kept) - int(kept.sum())
        evidence.keep(kept[evidence["link"]])
        evidence["link"][:] = (np.cumsum(kept) - 1)[evidence["link"]]
        links.keep(kept)
        self._numbers = dict(zip(links["key"].tolist(), range(len(links)), strict=True))
        self._renumber()

    # --- Inside

    def _numbers_of(self, urls: list[str]) -> Integers:
        """Return the numbers of links; those that are not known are added."""
        numbers, keys = self._numbers, list(map(hash, urls))
        new = {key: url for key, url in zip(keys, urls, strict=True) if key not in numbers}
        if new:
            features = list(map(url_features, new.values()))
            columns = np.zeros((len(new), MAX_URL_TERMS), dtype=np.int32)
            for row, each in enumerate(features):
                columns[row, : len(each.columns)] = each.columns
            rows = self.links.add(
                len(new),
                key=list(new),
                columns=columns,
                n_columns=[len(each.columns) for each in features],
                host=[self._group("host", each.host) for each in features],
                folder=[self._group("folder", each.folder) for each in features],
            )
            numbers.update(zip(new, range(rows.start, rows.stop), strict=True))
        return np.array([numbers[key] for key in keys], dtype=np.int64)

    def _group(self, name: str, key: Hashable) -> int:
        groups = self._groups[name]
        return groups.setdefault(hash(key), len(groups))  # a tenth of the keys' own size

    def _anchors(self, texts: list[tuple[int, ...]]) -> Integers:
        found = [self._group("anchor", text) for text in texts]
        n_new = len(self._groups["anchor"]) - len(self.anchors)
        if n_new:
            first = len(self.anchors)
            rows = self.anchors.add(n_new)
            columns, n_columns = self.anchors["columns"], self.anchors["n_columns"]
            for number, text in zip(found, texts, strict=True):
                if rows.start <= number:
                    columns[number, : len(text)] = text
                    n_columns[number] = max(len(text), 1)
            assert rows.start == first
        return np.array(found, dtype=np.int64)

    def _settle(self, gone: npt.NDArray[np.bool_], values: Floats) -> None:
        """Add the outcomes of links that are going to be forgotten to what is known of their groups."""
        going = gone & (self.links["n_referrers"] > 0)
        rows = np.flatnonzero(going[self.evidence["link"]])
        of_rows = values[self.evidence["link"][rows]]
        for name in OF_EVIDENCE:
            self._add_past(name, self.evidence[name][rows], of_rows)
        for name in OF_LINKS:
            self._add_past(name, self.links[name][going], values[going])

    def _add_past(self, name: str, groups: Integers, values: Floats) -> None:
        self.past[name] = self.sums(name, groups, values)

    def _renumber(self) -> None:
        """Forget groups that nothing belongs to any more."""
        for name in ("block", "anchor", "place", *OF_LINKS):
            column = (self.links if name in OF_LINKS else self.evidence)[name]
            is_used = np.zeros(self.n_groups(name), dtype=np.bool_)
            is_used[column] = True
            column[:] = (np.cumsum(is_used) - 1)[column]
            sums, counts = (
                np.concatenate((past, np.zeros(self.n_groups(name) - len(past)))) for past in self.past[name]
            )
            self.past[name] = sums[is_used], counts[is_used]
            if name == "block":
                self._n_blocks = int(is_used.sum())
                continue
            if name == "anchor":
                self.anchors.keep(is_used)
            # They are numbered in the order in which they stand there.
            kept = compress(self._groups[name], is_used.tolist())
            self._groups[name] = dict(zip(kept, range(len(sums))))  # noqa: B905  as many as are used
