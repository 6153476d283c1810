"""The order of an oracle that knows labels and links: a reference that strategies can hardly beat."""

from __future__ import annotations

from graphlib import TopologicalSorter
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from focused.method.scoring.priority import LEVELS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from focused.evaluation.graph import LinkGraph

_FAR = 1 << 30


class OraclePlan:
    """Plans a crawl that knows the labels and the links of a web.

    From the pages fetched so far it takes the path with the best ratio: relevant pages that open up at its end, divided by
    pages to fetch for them. A direct link to a relevant page has ratio 1, and nothing is better. If all paths lead through
    irrelevant pages, it tunnels by the shortest path to the largest find. It is greedy: the optimum is infeasible to compute.
    ``relevant``: numbers of the relevant pages. ``free``: numbers of the pages that do not count (the training positives):
    they cost nothing. ``max_depth``: greatest number of links from a seed.
    """

    def __init__(
        self, graph: LinkGraph, relevant: Collection[int], free: Collection[int] = (), max_depth: int | None = None
    ) -> None:
        self._targets = graph.targets
        self._free = frozenset(free)
        self._wanted = frozenset(relevant) - self._free
        self._max_depth = _FAR if max_depth is None else max_depth
        n_pages = len(graph.pages)
        #: Counted pages on the best path to each page, and the number of its links from the seed.
        self._cost, self._depth = [_FAR] * n_pages, [_FAR] * n_pages
        self._parent = [-1] * n_pages
        self._is_fetched = bytearray(n_pages)
        self._bit, self._opens = self._opened()

    def order(self, seeds: Iterable[int], n_pages: int) -> list[int]:
        """Return the pages in the order of fetching, until ``n_pages`` counted pages.

        The seeds are fetched first.
        """
        fetched: list[int] = []
        found = 0  # bits of the fetched relevant pages
        n_counted = 0
        waiting = set(self._wanted)

        def fetch(page: int) -> None:
            nonlocal found, n_counted
            fetched.append(page)
            self._is_fetched[page] = 1
            waiting.discard(page)
            found |= self._bit.get(page, 0)
            n_counted += page not in self._free
            self._spread(page)

        for seed in dict.fromkeys(seeds):
            self._depth[seed] = 0
            fetch(seed)
        while n_counted < n_pages:
            best, best_value = -1, (0.0, 0)
            for page in waiting:
                way = self._cost[page] - 1  # irrelevant pages before it
                if way < n_pages - n_counted:
                    n_opened = min((self._opens[page] & ~found).bit_count(), n_pages - n_counted - way)
                    value = (n_opened / (n_opened + way), -page)
                    if value > best_value or best < 0:
                        best, best_value = page, value
                        if not way:
                            break  # nothing is better than a direct link to a relevant page
            if best < 0:
                break
            way_there = [best]
            while self._parent[way_there[-1]] >= 0 and not self._is_fetched[self._parent[way_there[-1]]]:
                way_there.append(self._parent[way_there[-1]])
            for page in reversed(way_there):
                fetch(page)
        return fetched

    def _spread(self, page: int) -> None:
        """Update the paths that a fetched page shortens."""
        self._cost[page] = 0
        changed = [page]
        while changed:
            following: list[int] = []
            for source in changed:
                cost, depth = self._cost[source], self._depth[source] + 1
                if depth > self._max_depth:
                    continue
                for target in self._targets[source]:
                    through = cost + (target not in self._free)
                    if (through, depth) < (self._cost[target], self._depth[target]) and not self._is_fetched[target]:
                        self._cost[target], self._depth[target], self._parent[target] = through, depth, source
                        following.append(target)
            changed = following

    def _opened(self) -> tuple[dict[int, int], dict[int, int]]:
        """Return a bit for each relevant page left, and for each the bits of the relevant pages that it opens up.

        A page opens up the relevant pages that are reachable from it through relevant and free pages.
        """
        members = sorted(self._wanted | self._free)
        number = {page: n for n, page in enumerate(members)}
        pairs = [(n, number[t]) for n, page in enumerate(members) for t in self._targets[page] if t in number]
        bit = {page: 1 << n for n, page in enumerate(sorted(self._wanted))}
        if not members:
            return bit, {}
        rows, columns = zip(*pairs, strict=True) if pairs else ((), ())
        adjacent = sparse.csr_matrix((np.ones(len(pairs), np.int8), (rows, columns)), shape=(len(members),) * 2)
        n_groups, group_of = connected_components(adjacent, directed=True, connection="strong")
        opens = [0] * n_groups
        after: list[set[int]] = [set() for _ in range(n_groups)]
        for n, page in enumerate(members):
            opens[group_of[n]] |= bit.get(page, 0)
        for n, target in pairs:
            if group_of[n] != group_of[target]:
                after[group_of[n]].add(int(group_of[target]))
        for group in TopologicalSorter(dict(enumerate(after))).static_order():  # each after all that it leads to
            for following in after[group]:
                opens[group] |= opens[following]
        return bit, {page: opens[group_of[number[page]]] for page in self._wanted}


def oracle_scores(graph: LinkGraph, order: list[int]) -> dict[str, float]:
    """Return a score in [0, 1] for every link to the pages of an order, highest for the first page.

    There are as many different scores as priorities; links to other pages have none.
    """
    step = max(1, -(-len(order) // (LEVELS - 1)))
    score_of = {page: 1 - rank // step / LEVELS for rank, page in enumerate(order)}
    scores = {graph.pages[page]: score for page, score in score_of.items()}
    for link, page in zip(graph.links, graph.link_page.tolist(), strict=True):
        if page in score_of:
            scores[link] = score_of[page]
    return scores
