"""Says in words what the score of a link rests on: the parts of the model's sum that speak for it most."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from focused.method.page.url_features import place_of, url_terms
from focused.method.scoring.reasons import in_words, plain, quoted
from focused.method.strategies.linkmodel.memory_tables import EVIDENCE_GROUPS
from focused.method.strategies.linkmodel.training_matrix import DENSE, LENGTH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from focused.method.strategies.linkmodel.model import LinkModel

N_PARTS = 3
"""Parts that a reason names, at most."""
EXPLORATION, FAIR_SHARE, LEADS_ON = "exploration", "fair share", "leads on"

_LEAST_SHARE = 0.1
"""A part that adds less than this share of what the strongest one adds is not named."""
_PAGES_BETWEEN, _DIGITS = 25, 9
_TEXTS = tuple((kind, f"{kind} mean", f"{kind} best") for kind in ("page", "block", "anchor", "context"))


class ReasonPart(NamedTuple):
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
    """

    def __init__(self, model: LinkModel) -> None:
        self._model = model
        #: As of the model's last fit: weights by name, and averages over all links.
        self._fit: tuple[object, int, dict[str, float], list[float]] = (None, 0, {}, [])

    def of(self, number: int, url: str, advantage: float = 0.0, lift: float = 0.0) -> str:
        """Return the strongest evidence for a link, as ``anchor "gravity assist", folder /space/, page 0.87``.

        Empty if no page is known to link there. `advantage` is what is added to its log-odds because its seed has had few
        pages, `lift` what is added because others may lie behind it.
        """
        links = self._model.memory.links
        if not links.at("n_referrers", number):
            return ""
        if links.at("explores", number):
            return EXPLORATION
        added = ReasonPart(advantage, FAIR_SHARE), ReasonPart(lift, LEADS_ON)
        parts = [part for part in (*self.parts(number, url), *added) if part.is_clear]
        # Sums that are equal but for their last digits keep one order, in every run of a crawl.
        parts.sort(key=lambda part: round(part.value, _DIGITS), reverse=True)
        least = _LEAST_SHARE * max(parts[0].value, 0.0)
        strongest = [part for part in parts[:N_PARTS] if part.value > least] or parts[:1]
        return in_words(map(_words, strongest))

    def parts(self, number: int, url: str) -> Iterator[ReasonPart]:
        """Yield the parts of a link's log-odds; together with `average` their values are the model's sum."""
        links, (weight, average) = self._model.memory.links, self._of_fit()
        n_referrers = links.at("n_referrers", number)
        sums, tops = links.row("sums", number).tolist(), links.row("tops", number).tolist()
        *of_groups, of_anchor = self._of_groups(number, weight)
        for n, (kind, of_mean, of_best) in enumerate(_TEXTS):
            mean = sums[n] / n_referrers
            value = weight[of_mean] * (mean - average[n]) + weight[of_best] * (tops[n] - average[4 + n])
            if kind == "anchor":
                yield ReasonPart(value + of_anchor.value, kind, of_anchor.said or _share(mean))
            else:  # a weight below 0 lets a low relevance speak for a link
                yield ReasonPart(value, kind, _share(mean), mean > average[n])
        yield from of_groups
        yield ReasonPart(weight["referrers"] * (math.log1p(n_referrers) - average[8]), "referrers", n_referrers)
        yield from self._of_url(number, url, weight)

    def average(self) -> float:
        """Return the log-odds of a link with average features, in groups about which nothing is known."""
        weight, average = self._of_fit()
        texts = sum(
            weight[of_mean] * average[n] + weight[of_best] * average[4 + n]
            for n, (_, of_mean, of_best) in enumerate(_TEXTS)
        )
        return weight["bias"] + texts + weight["referrers"] * average[8]

    def _of_fit(self) -> tuple[dict[str, float], list[float]]:
        """Return the weights by name, and averages over all links: of mean logits (4), best ones (4), log of referrers."""
        memory = self._model.memory
        weights, n_pages, weight, average = self._fit
        if weights is not self._model.weights or memory.n_pages >= n_pages + _PAGES_BETWEEN:
            links = memory.links
            linked = np.flatnonzero(links["n_referrers"])
            n = links["n_referrers"][linked][:, None]
            values = np.hstack((links["sums"][linked] / n, links["tops"][linked], np.log1p(n)))
            weight = dict(zip(DENSE, self._model.weights.dense.tolist(), strict=True))
            average = values.mean(axis=0, dtype=np.float64).tolist()
            self._fit = self._model.weights, memory.n_pages, weight, average
        return weight, average

    def _of_groups(self, number: int, weight: dict[str, float]) -> list[ReasonPart]:
        """Return what the groups add that a link belongs to on the page that linked there last; the anchor text's is last.

        What other pages say of it is one part that is not named: to look for them in the memory would take longer.
        """
        memory = self._model.memory
        links, evidence, anchors = memory.links, memory.evidence, memory.anchors
        row = links.at("last", number)
        rate = memory.mean_relevance
        of_crawl = math.log(rate / max(1 - rate, 1e-6))
        anchor = evidence.at("anchor", row)
        terms = self._model.weights.anchors[anchors.row("columns", anchor)].tolist()
        of_terms = sum(terms) * LENGTH / math.sqrt(anchors.at("n_columns", anchor))
        rates = {name: memory.groups[name].table.at("rate", evidence.at(name, row)) for name in EVIDENCE_GROUPS}
        source, block = weight["source"] * rates["source"], weight["block"] * rates["block"]
        place, of_anchor = weight["place"] * rates["place"], weight["anchor"] * rates["anchor"] + of_terms
        others = links.at("group_sum", number) / links.at("n_kept", number) - source - block - place - of_anchor
        best = weight["source best"] * links.at("group_top", number)
        return [
            ReasonPart(source + best, "page links", _share(rates["source"] + of_crawl)),
            ReasonPart(block, "block links", _share(rates["block"] + of_crawl)),
            ReasonPart(place, "place", _share(rates["place"] + of_crawl)),
            ReasonPart(others, "other pages", None, False),
            ReasonPart(of_anchor, "anchor", memory.anchor_words[anchor]),
        ]

    def _of_url(self, number: int, url: str, weight: dict[str, float]) -> list[ReasonPart]:
        """Return what folder, host and the other terms of a URL add."""
        memory = self._model.memory
        links, (host_name, folder_name, hosts, folders) = memory.links, place_of(url)
        host = weight["host"] * memory.groups["host"].table.at("rate", links.at("host", number))
        folder = weight["folder"] * memory.groups["folder"].table.at("rate", links.at("folder", number))
        columns = links.row("columns", number)
        length = LENGTH / math.sqrt(links.at("n_columns", number))
        others, best, strongest = 0.0, 0.0, 0
        for column, of_term in zip(columns.tolist(), self._model.weights.urls[columns].tolist(), strict=True):
            if not of_term:
                continue
            if column in hosts:
                host += of_term * length
            elif column in folders:
                folder += of_term * length
            else:
                others += of_term * length
                if of_term > best:
                    best, strongest = of_term, column
        return [
            ReasonPart(host, "host", host_name),
            ReasonPart(folder, "folder", folder_name),
            ReasonPart(others, "address", (url, strongest), best > 0),
        ]


def _share(log_odds: float) -> float:
    return 1 / (1 + math.exp(-log_odds))


def _words(part: ReasonPart) -> str:
    """Return a part as people read it."""
    kind, said = part.kind, part.said
    if isinstance(said, tuple):  # the strongest of several terms
        kind, _, said = url_terms(said[0])[said[1]].partition(" ")
    if isinstance(said, str):
        is_plain = said.isdecimal() or said.startswith("/")
        return f"{kind} {plain(said, 50) if is_plain else quoted(said)}" if said else kind
    return f"{kind} {said:.2f}" if isinstance(said, float) else kind if said is None else f"{kind} {said}"
