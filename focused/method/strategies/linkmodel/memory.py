"""Remembers the links of a crawl: which pages link to them and how, and the outcomes of those that were fetched."""

from __future__ import annotations

from itertools import chain, count
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from focused.method.page.url_features import MAX_URL_TERMS, UrlFeatures, place_key, url_features
from focused.method.strategies.linkmodel.anchor_texts import MAX_ANCHOR_TERMS
from focused.method.strategies.linkmodel.former_seeds import FormerSeeds
from focused.method.strategies.linkmodel.growing_table import GrowingTable, padded
from focused.method.strategies.linkmodel.key_numbers import UNKNOWN, KeyNumbers
from focused.method.strategies.linkmodel.memory_tables import (
    EVIDENCE_GROUPS,
    EVIDENCE_OF_LINK,
    KIND_GROUPS,
    LINK_GROUPS,
    MAX_REFERRERS,
    groups_of_kinds,
    groups_of_links,
    table_of_evidence,
    table_of_links,
)
from focused.method.strategies.linkmodel.recent_harvest import RecentHarvest
from focused.method.strategies.linkmodel.seed_shares import UNKNOWN_START, Fairness

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping, Sequence

    from focused.method.strategies.linkmodel.page_links import PageLinks

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class LinkMemory:
    """Tables of links, of pages that link to them, and of groups of links; numbers of links are rows of ``links``.

    The memory is bounded. Beyond ``max_links`` links, or four rows of evidence for each, it forgets links that were fetched
    long ago, then those with the lowest scores. What was learnt of their groups stays. Their rows are reused, so no other row
    has to be moved or numbered again.
    """

    def __init__(self, max_links: int = 100_000) -> None:
        self.max_links = max_links
        # An eighth more come while others are about to be forgotten.
        n_links, n_rows = max_links + max_links // 4, EVIDENCE_OF_LINK * (max_links + max_links // 4)
        self.links = table_of_links(n_links)
        self.evidence = table_of_evidence(n_rows)
        self.groups = groups_of_links(n_links)
        self.kinds = groups_of_kinds(n_links)
        #: The text of each anchor group, as people read it, by the group's number.
        self.anchor_words: list[str] = []
        self.fairness = Fairness(self.links)
        self._former_seeds = FormerSeeds()
        self._numbers = KeyNumbers()
        self.n_pages = 0
        #: Sitemaps and feeds, which are numbered together with the pages.
        self.n_sources = 0
        #: Sum of the relevances of all pages.
        self.relevance = 0.0
        self.harvest = RecentHarvest()
        self.n_forgotten = 0
        self.links.add(1)  # NO_LINK

    @property
    def anchors(self) -> GrowingTable:
        """Anchor texts, by the numbers of their groups."""
        return self.groups["anchor"].table

    def number(self, url: str) -> int | None:
        """Return the number of a link; None if it is not remembered."""
        return self._numbers.get(hash(url))

    def numbers(self, urls: Iterable[str]) -> list[int]:
        """Return the numbers of links that are remembered."""
        numbers: list[int] = self._numbers.numbers(list(map(hash, urls))).tolist()
        return [number for number in numbers if number != UNKNOWN]

    def take_over_waiting(self, other: LinkMemory, *, has_more: bool = False) -> None:
        """Take over from another memory where links wait in the frontier, and the seeds that they were reached from.

        ``has_more``: pages that the other one knows are still to come, those of other workers. They have been counted for
        their seeds, and their links keep these.
        """
        if has_more:
            self._former_seeds.keep(self._numbers, other._numbers, other.links, other._former_seeds)
        keys, mine = self._numbers.items()
        theirs = other._numbers.numbers(keys.tolist())
        mine, theirs = mine[theirs != UNKNOWN], theirs[theirs != UNKNOWN]
        self.links["start"][:] = self.links["branch"][:] = UNKNOWN_START
        self.fairness.copy_counts(other.fairness)
        for name in ("frontier", "level", "explores", "start", "branch"):
            self.links[name][mine] = other.links[name][theirs]

    def append_only(self, is_on: bool) -> None:
        """Switch the reuse of freed rows off or on. While it is off, tables can be read in slices although rows are added."""
        of_groups = (groups.table for groups in (*self.groups.values(), *self.kinds.values()))
        for table in (self.links, self.evidence, *of_groups):
            table.reuses = not is_on

    def features_of_new(self, urls: Iterable[str]) -> dict[str, UrlFeatures]:
        """Return the features of those URLs that are not remembered yet."""
        urls = list(urls)
        numbers = self._numbers.numbers(list(map(hash, urls))).tolist()
        return {url: self._features(url) for url, number in zip(urls, numbers, strict=True) if number == UNKNOWN}

    def add(self, *pages: PageLinks, seeds_are_told: bool = False) -> tuple[Integers, Integers]:
        """Add pages: the outcome of the links that led to each, and what it says of its own links.

        A sitemap or feed adds only what it says of its links: it is no outcome, no page of the crawl and no start. A page
        without a known link to it is a seed; with ``seeds_are_told``, only if it says so itself. Several pages at once are
        added as one after the other, in less time.

        Returns the numbers of these links, page by page, and the new rows of ``evidence``: a link to which 50 pages link
        already gets no more.
        """
        sources = self.groups["source"].add(len(pages))
        urls = [found.links if found.is_source else [*found.links, *found.urls] for found in pages]
        ids = np.split(self.add_urls(list(chain.from_iterable(urls))), np.cumsum(list(map(len, urls)))[:-1])
        of_links, kept = list[Integers](), list[Integers]()
        for found, source, of_page in zip(pages, sources.tolist(), ids, strict=True):
            links, led = of_page[: len(found.links)], of_page[len(found.links) :]
            self._count(found, source, links, led, may_be_seed=found.is_seed or not seeds_are_told)
            of_links.append(links)
            kept.append(self._count_referrer(found, links))
        return np.concatenate(of_links), self._evidence(pages, sources, of_links, kept)

    def _count(self, found: PageLinks, source: int, of_page: Integers, led: Integers, *, may_be_seed: bool) -> None:
        """Count a page: as the outcome of the links that led to it, and for the seed that it was reached from."""
        if found.is_source:
            self.n_sources += 1
        else:
            self.n_pages += 1
            self.relevance += found.relevance
            self.harvest.add(found.urls[0], found.relevance)
        links = self.links
        links["outcome"][led], links["page"][led] = found.relevance, source
        first = of_page[links["n_referrers"][of_page] == 0]
        links["discoverer"][first] = source
        # As long as nothing has been forgotten. What lies behind a link of a sitemap or feed belongs to no seed.
        may_be_seed = may_be_seed and not (self.n_forgotten or found.is_source or links["n_referrers"][led].any())
        if not self._former_seeds.has_counted(found.urls):
            self.fairness.count(led, first, may_be_seed=may_be_seed)

    def _count_referrer(self, found: PageLinks, of_page: Integers) -> Integers:
        """Count a page as a referrer of its links; return the rows of the links that keep it as evidence."""
        links, logits = self.links, found.logits.astype(np.float32)
        n_before, tops = links["n_referrers"][of_page], links["tops"]
        is_first = n_before == 0
        of_links = np.maximum(tops[of_page], logits)
        of_links[is_first] = logits[is_first]
        tops[of_page] = of_links
        links["sums"][of_page] += logits
        links["n_referrers"][of_page] = n_before + 1
        n_kept = links["n_kept"][of_page]
        rows = np.flatnonzero(n_kept < MAX_REFERRERS)
        links["n_kept"][of_page[rows]] = n_kept[rows] + 1
        return rows

    def note_same_page(self, url: str, known_as: str) -> None:
        """Note that a link led to a page that was fetched under another URL."""
        known = self.number(known_as)
        if known is not None:
            number = int(self.add_urls([url])[0])
            for name in ("outcome", "page"):
                self.links[name][number] = self.links[name][known]

    @property
    def mean_relevance(self) -> float:
        """Mean relevance of the pages, with one more page of 1/2."""
        return (self.relevance + 0.5) / (self.n_pages + 1)

    @property
    def share_in_use(self) -> float:
        """How much of what may be remembered is: of links or of evidence, whichever is more."""
        return max(len(self.links), len(self.evidence) / EVIDENCE_OF_LINK) / self.max_links

    def forget_in_steps(self, forgotten: Integers, values: Floats, yields: Floats) -> Generator[int, None, None]:
        """Forget links, each named once, and what pages say of them; add their outcomes to what is known of their groups.

        Each step yields about how many rows of a table it has dealt with. The links are there until the last step, but what
        pages say of them cannot be asked for meanwhile. `values` are the outcomes of all links, `yields` what lies
        behind them; NaN of links without.
        """
        links, evidence = self.links, self.evidence
        is_forgotten = np.zeros(links.size, dtype=np.bool_)
        is_forgotten[forgotten] = True
        rows = np.flatnonzero(is_forgotten[evidence["link"]])
        of_rows = values[evidence["link"][rows]]
        of_links = np.where(links["n_referrers"][forgotten] > 0, values[forgotten], np.nan)
        for name in EVIDENCE_GROUPS:
            self.groups[name].remove_members(evidence[name][rows], of_rows)
            yield 20 * len(rows)
        for name in LINK_GROUPS:
            self.groups[name].remove_members(links[name][forgotten], of_links)
        for name in KIND_GROUPS:
            self.kinds[name].remove_members(links[name][forgotten], yields[forgotten])
        self._numbers.remove(links["key"][forgotten])
        evidence.free(rows)
        links.free(forgotten)
        self.n_forgotten += len(forgotten)

    # --- Inside

    def _features(self, url: str) -> UrlFeatures:
        return url_features(url)

    def _key(self, place: str) -> int:
        return place_key(place)

    def _evidence(
        self, pages: Sequence[PageLinks], sources: Integers, of_pages: list[Integers], kept: list[Integers]
    ) -> Integers:
        """Add what each page says of some of its links: of those in its ``kept`` rows."""
        blocks, places, columns, texts = list[int](), list[int](), list[tuple[int, ...]](), list[str]()
        n_blocks = 0
        for found, rows in zip(pages, kept, strict=True):
            of_page, host = found.blocks[rows].tolist(), found.host
            # Numbers of blocks, counted from 0 in the order in which they come.
            order = dict(zip(dict.fromkeys(of_page), count(n_blocks), strict=False))
            n_blocks += len(order)
            blocks += [order[block] for block in of_page]
            # Hashes: a tenth of the keys' own size.
            places += [hash((host, place)) for place in found.places[rows].tolist()]
            is_all = len(rows) == len(found.links)
            columns += found.anchors if is_all else [found.anchors[row] for row in rows.tolist()]
            of_texts = found.texts or [""] * len(found.links)
            texts += of_texts if is_all else [of_texts[row] for row in rows.tolist()]
        groups = {
            "source": np.repeat(sources, list(map(len, kept))),
            "block": self.groups["block"].add(n_blocks)[blocks] if blocks else np.zeros(0, dtype=np.int64),
            "anchor": self._anchors(columns, texts),
            "place": self.groups["place"].numbers(places),
        }
        for name, numbers in groups.items():
            self.groups[name].add_members(numbers)
        links = np.concatenate([of_page[rows] for of_page, rows in zip(of_pages, kept, strict=True)])
        added = self.evidence.add(len(links), {"link": links, **groups})
        self.links["last"][links] = added
        return added

    def add_urls(self, urls: list[str], known_features: Mapping[str, UrlFeatures] | None = None) -> Integers:
        """Return the numbers of links; new ones are added, with features as of ``features_of_new`` where these are known."""
        keys = list(map(hash, urls))
        numbers = self._numbers.numbers(keys)
        unknown = np.flatnonzero(numbers == UNKNOWN).tolist()
        if unknown:
            new = {keys[place]: urls[place] for place in unknown}
            features = [(known_features and known_features.get(url)) or self._features(url) for url in new.values()]
            columns, n_columns = padded([each.columns for each in features], MAX_URL_TERMS)
            groups = {
                name: self.groups[name].numbers([self._key(getattr(f, name)) for f in features]) for name in LINK_GROUPS
            }
            for name, of_kind in groups.items():
                self.groups[name].add_members(of_kind)
            groups |= self._kinds(features)
            known: dict[str, npt.ArrayLike] = {"key": list(new), "columns": columns, "n_columns": n_columns, **groups}
            rows = self.links.add(len(new), known)
            self._former_seeds.restore(new, rows, self.links)
            self._numbers.add(new, rows)
            numbers[unknown] = self._numbers.numbers([keys[place] for place in unknown])
        return numbers

    def _kinds(self, features: list[UrlFeatures]) -> dict[str, Integers]:
        """Return the numbers of the kinds of new links, and how many links of its kind were remembered before each."""
        kind, site = self.kinds["kind"], self.kinds["site_kind"]
        numbers = {
            "kind": kind.numbers([place_key(each.kind) for each in features]),
            "site_kind": site.numbers([place_key(each.host + each.kind) for each in features]),
        }
        ordinals, n_members = np.empty(len(features), dtype=np.int64), kind.table["n_members"]
        for row, number in enumerate(numbers["kind"].tolist()):
            ordinals[row] = n_members[number]
            n_members[number] += 1
        site.add_members(numbers["site_kind"])
        return numbers | {"ordinal": ordinals}

    def _anchors(self, columns: list[tuple[int, ...]], texts: list[str]) -> Integers:
        found = self.groups["anchor"].numbers(list(map(hash, columns)))
        new = np.flatnonzero(self.anchors["n_members"][found] == 0).tolist()
        if new:
            rows = found[new]
            terms, lengths = padded([columns[row] for row in new], MAX_ANCHOR_TERMS)
            self.anchors["columns"][rows], self.anchors["n_columns"][rows] = terms, lengths
            self.anchor_words += [""] * (self.anchors.size - len(self.anchor_words))
            for row, place in zip(rows.tolist(), new, strict=True):
                self.anchor_words[row] = texts[place]
        return found
