"""A page and a topic: the relevance of the page, of its blocks, of its anchor texts and of its link contexts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from focused.method.learning.calibration import calibrated
from focused.method.page.limits import MAX_UNIT_TERMS
from focused.method.page.page_language import other_language
from focused.method.page.text_units import ANCHOR, BLOCK, CONTEXT, KINDS, PAGE, page_units
from focused.utils.setting import TOPIC, Setting

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from typing_extensions import Self

    from focused.method.page.page import Page
    from focused.method.topic import Topic

Floats = npt.NDArray[np.float64]
_NONE = np.zeros(0)

RELEVANCE_THRESHOLD = Setting(
    "FOCUSED_RELEVANCE_THRESHOLD",
    None,
    "Relevance from which a page is relevant, instead of the one fitted in training. Larger: fewer, surer pages.",
    above=0,
    most=1,
    set_by=TOPIC,
)
LINK_THRESHOLD = Setting(
    "FOCUSED_LINK_THRESHOLD",
    None,
    "Relevance from which a block, an anchor text or a link context is relevant, instead of those fitted in training. With "
    "calibrated similarity only.",
    above=0,
    most=1,
    set_by=TOPIC,
)
SIMILARITY = Setting(
    "FOCUSED_SIMILARITY",
    "calibrated",
    "How blocks, anchor texts and contexts are compared with the topic: by a probability, by the cosine with the topic vector "
    "[L16, eq. 13], or by the classifier's `decision`: relevant if it is positive [P13, Sect. 5].",
    choices=("calibrated", "cosine", "decision"),
    set_by=TOPIC,
)
# L16's 0.5 is for texts longer than an anchor (docs/method/, D81).
COSINE_THRESHOLD = Setting(
    "FOCUSED_COSINE_THRESHOLD",
    0.1,
    "With `cosine` and for the strategy `clustering`: the value from which a unit is relevant (L16 prints 0.5, which a short "
    "text never reaches).",
    least=0,
    most=1,
    set_by=TOPIC,
)


class WrongRelevanceError(ValueError):
    """A page classifier returned something else than relevances; the message names it and what it returned."""


@dataclass(frozen=True, slots=True)
class PageRelevance:
    """Relevances in [0, 1]; of the kinds that were not asked for there are none.

    Of a page or a block: the probability that it is on topic. Of an anchor text or a context: the probability that
    the link's target is. With cosine similarity, the similarity to the topic vector instead; with that by decision,
    1 / (1 + exp(-d)) of the classifier's decision d, which is positive from 1/2 on.
    """

    page: float
    #: Whether the page's relevance reaches the page threshold. Always by probability, whatever scores the links.
    is_relevant: bool
    #: Shape (n_blocks,).
    blocks: Floats
    #: For each link the best of its anchor texts, shape (n_links,).
    anchors: Floats
    #: Shape (n_links,).
    contexts: Floats
    #: From which value a unit of a kind is relevant.
    thresholds: Mapping[str, float]
    #: What a unit of a kind has in which the topic knows no word; 0 for kinds that are not named.
    nothing: Mapping[str, float] = field(default_factory=dict)
    #: The page's language, where that is why it is not relevant.
    other_language: str = ""


class Judge:
    """Judges pages by one topic: the page classifier. All units of a page are weighed in one sparse product.

    Another one can be plugged in: a subclass with this constructor, named by FOCUSED_PAGE_CLASSIFIER. Its `judge` returns
    relevances in [0, 1] of the page and of the kinds of units that the strategy asks for, one for each unit; it may leave the
    units to this class and replace ``page`` and ``is_relevant``. The same page must have the same relevance.

    ``threshold``: relevance in (0, 1] from which pages are relevant, instead of the one fitted when the topic was trained.
    ``similarity``: how blocks, anchors and contexts are compared with the topic: by the probability that the classifier
    gives, by the cosine with the topic vector [L16, eq. 13], or by the classifier's decision as it is [P13, Sect. 5].
    ``cosine_threshold``: in [0, 1]; with cosine similarity, from which value a unit is relevant. ``link_threshold``: relevance
    in (0, 1] from which blocks, anchor texts and contexts are relevant, instead of those fitted when the topic was trained;
    with calibrated similarity only. ``other_anchors``: whether link contexts keep the anchor texts of other links.
    ``max_terms``: bound on the terms of a page's link contexts.
    """

    #: Of relevant pages, by their codes; none: all. Who makes the judge sets them.
    languages: tuple[str, ...] = ()

    def __init__(
        self,
        topic: Topic,
        *,
        threshold: float | None = None,
        similarity: str = SIMILARITY.default,
        cosine_threshold: float = COSINE_THRESHOLD.default,
        link_threshold: float | None = None,
        other_anchors: bool = False,
        max_terms: int = MAX_UNIT_TERMS.default,
    ) -> None:
        self.topic = topic
        self.similarity = similarity
        self.other_anchors = other_anchors
        self.max_terms = max_terms
        fitted = {kind: topic.threshold(kind) for kind in (PAGE, BLOCK, ANCHOR, CONTEXT)}
        if link_threshold is not None:
            fitted = dict.fromkeys(fitted, link_threshold) | {PAGE: fitted[PAGE]}
        if threshold is not None:
            fitted[PAGE] = threshold
        self._numbers = np.stack(
            [topic.model.calibrations[kind].numbers(topic.model.intercept) for kind in KINDS], axis=1
        )
        self.thresholds = fitted
        nothing = calibrated(np.zeros(len(KINDS)), np.zeros(len(KINDS)), self._numbers)
        self._nothing = dict(zip(KINDS, nothing.tolist(), strict=True)) if similarity == "calibrated" else {}
        if similarity == "cosine":
            self.thresholds = {**dict.fromkeys((BLOCK, ANCHOR, CONTEXT), cosine_threshold), PAGE: fitted[PAGE]}
        elif similarity == "decision":
            self.thresholds = {**dict.fromkeys((BLOCK, ANCHOR, CONTEXT), 0.5), PAGE: fitted[PAGE]}
            self._nothing = dict.fromkeys(KINDS, float(expit(topic.model.intercept)))

    def with_settings(self, settings: Mapping[str, Any]) -> Self:
        """Return the judge ready to judge; called once. One that is plugged in reads its own settings here."""
        return self

    def relevance(self, page: Page, kinds: Collection[str] = ()) -> PageRelevance:
        """Return what `judge` says of a page; one in another language than ``languages`` is not relevant.

        Raises
        ------
        WrongRelevanceError
            If a judge that is plugged in returns no `PageRelevance`, or one whose page has no relevance in [0, 1].
        """
        found = self.judge(page, kinds)
        if type(self) is not Judge:  # of another package, whose types nobody has checked
            _check(found, type(self).__name__, page.url)
        if self.languages and (language := other_language(page, self.languages)):
            return replace(found, page=0.0, is_relevant=False, other_language=language)
        return found

    def judge(self, page: Page, kinds: Collection[str] = ()) -> PageRelevance:
        """Return the relevance of a page and of its units of some kinds."""
        known = self.topic.product.known(page.terms, page.chunk_start)
        units = page_units(
            page, kinds, chunk_start=known.chunk_start, page_text=self.topic.page_text,
            other_anchors=self.other_anchors, max_terms=self.max_terms,
        )  # fmt: skip
        is_cosine = self.similarity == "cosine"
        products = self.topic.product(known, units, 2 if is_cosine else 1)
        cosines = products.cosines()
        # All kinds in one go: on most pages the number of numpy's calls is what costs.
        n_judged, n_contexts = units.link_rows.stop, len(units.context_row)
        n_of_kind = (1, units.first_anchor_row - 1, n_judged - units.first_anchor_row, n_contexts)
        found = calibrated(cosines[0], products.n_known, self._numbers.repeat(n_of_kind, axis=1))
        whole = float(found[0])
        if is_cosine:
            found = cosines[1]
        elif self.similarity == "decision":
            found = expit(cosines[0] + self.topic.model.intercept)
        anchors = found[units.link_rows]
        if units.anchor_row is not None:
            anchors = page.best_of_anchors(found[units.anchor_row])
        return PageRelevance(
            page=whole,
            is_relevant=whole >= self.thresholds[PAGE],
            blocks=found[units.block_rows],
            anchors=anchors if ANCHOR in kinds else _NONE,
            contexts=found[n_judged:],
            thresholds=self.thresholds,
            nothing=self._nothing,
        )


def _check(found: Any, name: str, url: str) -> None:
    """Refuse what a page classifier of another package returned, if it is not what it must be."""
    page = getattr(found, "page", None)
    if not isinstance(found, PageRelevance):
        must, got = "a PageRelevance from judge()", found
    elif not isinstance(page, (int, float, np.number)) or not 0 <= page <= 1:
        must, got = "a relevance of the page from 0 to 1", page
    elif type(found.is_relevant) not in (bool, np.bool_):
        must, got = "True or False as is_relevant", found.is_relevant
    else:
        return
    raise WrongRelevanceError(f"Page classifier {name} must return {must}. Got {got!r:.60} on {url}.")
