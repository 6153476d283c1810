"""What the score of a link rests on, in words: the parts of the model's sum that speak for it most."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from focused.method.scoring.reasons import in_words, plain, quoted
from focused.method.strategies.linkmodel.memory import LINK_GROUPS
from focused.method.strategies.linkmodel.training_matrix import LENGTH
from focused.method.strategies.linkmodel.url_features import place_of, url_terms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from focused.method.strategies.linkmodel.model import LinkModel


N_PARTS = 3
"""Parts that a reason names, at most."""
EXPLORATION, FAIR_SHARE = "exploration", "fair share"

_LEAST_SHARE = 0.1
"""Of the strongest part: what adds less is not named."""
_PAGES_BETWEEN = 25
_TEXTS = ("page", "block", "anchor", "context")
_KINDS = {"source": "page links", "block": "block links", "place": "place", "anchor": "anchor"}
"""Of groups of links that one element of a page belongs to."""


class Part(NamedTuple):
    """A part of the sum: what it adds to the log-odds, its kind, and what is said of it besides."""

    value: float
    kind: str
    #: A share in [0, 1], a number, or a text; of a URL's terms the URL and the column of the strongest; None: nothing.
    said: float | int | str | tuple[str, int] | None = None
    #: Whether people could follow it.
    is_clear: bool = True


class LinkReasons:
    """Takes the score of a link apart.

    The log-odds are a sum of weights times values. Relevances count by how far they lie above those of the crawl's average
    link: a page of 0.3 speaks for its links where most have 0.01. The rates of groups are differences from the crawl's.

    Parameters
    ----------
    model : LinkModel
    """

    def __init__(self, model: LinkModel) -> None:
        self._model = model
        self._averages: tuple[object, int, list[float]] = (None, 0, [])

    def of(self, url: str, advantage: float = 0.0) -> str:
        """Return the strongest evidence for a link, as ``anchor "gravity assist", folder /space/, page 0.87``.

        Parameters
        ----------
        url : str
        advantage : float
            What is added to its log-odds because its seed has had few pages.

        Returns
        -------
        str
            Empty if no page is known to link there.
        """
        memory = self._model.memory
        number = memory.number(url)
        if number is None or not memory.links.at("n_referrers", number):
            return ""
        if memory.links.at("explores", number):
            return EXPLORATION
        parts = [part for part in (*self.parts(number, url), Part(advantage, FAIR_SHARE)) if part.is_clear]
        parts.sort(key=_value, reverse=True)
        least = _LEAST_SHARE * max(parts[0].value, 0.0)
        strongest = [part for part in parts[:N_PARTS] if part.value > least] or parts[:1]
        return in_words(map(_words, strongest))

    def parts(self, number: int, url: str) -> Iterator[Part]:
        """Yield the parts of a link's log-odds. Together with `average` their values are the model's sum.

        Parameters
        ----------
        number : int
            Of the link in the memory.
        url : str
            Of the link: the memory does not keep it.
        """
        links, weight = self._model.memory.links, self._model.weights.of
        n_referrers, average = links.at("n_referrers", number), self._average_values()
        sums, tops = links.at("sums", number), links.at("tops", number)
        dense = self._model.weights.dense[1:9].tolist()
        of_groups = list(self._of_groups(number))
        for n, kind in enumerate(_TEXTS):
            mean = sums[n] / n_referrers
            value = dense[2 * n] * (mean - average[n]) + dense[2 * n + 1] * (tops[n] - average[4 + n])
            if kind == "anchor":
                of_anchor = of_groups.pop()
                yield Part(value + of_anchor.value, kind, of_anchor.said or _share(mean))
            else:  # a weight below 0 lets a low relevance speak for a link
                yield Part(value, kind, _share(mean), is_clear=mean > average[n])
        yield from of_groups
        yield Part(weight("referrers") * (math.log1p(n_referrers) - average[8]), "referrers", n_referrers)
        yield from self._of_url(number, url)

    def average(self) -> float:
        """Return the log-odds of a link that is as the average one, in groups of which nothing is known."""
        weights, average = self._model.weights, np.array(self._average_values())
        of_texts = weights.dense[1:9:2] @ average[:4] + weights.dense[2:9:2] @ average[4:8]
        return float(weights.of("bias") + of_texts + weights.of("referrers") * average[8])

    def _average_values(self) -> list[float]:
        """Return the averages over all links: of the mean logits (4), of the best (4), of the logarithm of referrers."""
        memory = self._model.memory
        weights, n_pages, found = self._averages
        if weights is not self._model.weights or memory.n_pages >= n_pages + _PAGES_BETWEEN:
            links = memory.links
            linked = np.flatnonzero(links["n_referrers"])
            n = links["n_referrers"][linked][:, None]
            values = np.hstack((links["sums"][linked] / n, links["tops"][linked], np.log1p(n)))
            found = values.mean(axis=0, dtype=np.float64).tolist()
            self._averages = self._model.weights, memory.n_pages, found
        return found

    def _of_groups(self, number: int) -> Iterator[Part]:
        """Yield what the groups add that a link belongs to on the page that linked there last; the anchor text's is last.

        What other pages say of it stands beside, in one part that is not named: all of them are looked at by the fit.
        """
        memory, weights = self._model.memory, self._model.weights
        links = memory.links
        row = links.at("last", number)
        rate = (memory.relevance + 0.5) / (memory.n_pages + 1)
        of_crawl = math.log(rate / max(1 - rate, 1e-6))
        best = weights.of("source best") * links.at("group_top", number)
        rest = links.at("group_sum", number) / max(links.at("n_kept", number), 1)
        anchor = memory.evidence.at("anchor", row)
        columns = memory.anchors["columns"][anchor]
        of_terms = sum(weights.anchors[columns].tolist()) * LENGTH / math.sqrt(memory.anchors.at("n_columns", anchor))
        for name, kind in _KINDS.items():
            group = memory.groups[name].table.at("rate", memory.evidence.at(name, row))
            value = weights.of(name) * group + (of_terms if name == "anchor" else 0.0)
            rest -= value
            if name == "anchor":
                yield Part(rest, "other pages", is_clear=False)
                yield Part(value, kind, memory.anchor_words.get(anchor, ""))
            else:
                yield Part(value + (best if name == "source" else 0.0), kind, _share(group + of_crawl))

    def _of_url(self, number: int, url: str) -> Iterator[Part]:
        """Yield what folder, host and the other terms of a URL add."""
        memory, weights = self._model.memory, self._model.weights
        links, (host_name, folder_name, hosts, folders) = memory.links, place_of(url)
        columns = links["columns"][number]
        length = LENGTH / math.sqrt(links.at("n_columns", number))
        host, folder = (
            weights.of(name) * memory.groups[name].table.at("rate", links.at(name, number))
            for name in LINK_GROUPS[::-1]
        )
        others, best, strongest = 0.0, 0.0, 0
        for column, weight in zip(columns.tolist(), weights.urls[columns].tolist(), strict=True):
            if column in hosts:
                host += weight * length
            elif column in folders:
                folder += weight * length
            else:
                others += weight * length
                if weight > best:
                    best, strongest = weight, column
        yield Part(host, "host", host_name)
        yield Part(folder, "folder", folder_name)
        yield Part(others, "address", (url, strongest), is_clear=best > 0)


def _value(part: Part) -> float:
    return part.value


def _share(log_odds: float) -> float:
    return 1 / (1 + math.exp(-log_odds))


def _words(part: Part) -> str:
    """Return a part as people read it."""
    kind, said = part.kind, part.said
    if isinstance(said, tuple):  # the strongest of several terms
        kind, _, said = url_terms(said[0])[said[1]].partition(" ")
    if isinstance(said, str):
        is_plain = said.isdecimal() or said.startswith("/")
        return f"{kind} {plain(said, 50) if is_plain else quoted(said)}" if said else kind
    return f"{kind} {said:.2f}" if isinstance(said, float) else kind if said is None else f"{kind} {said}"
