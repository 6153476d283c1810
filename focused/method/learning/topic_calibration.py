"""The steps from held-out decisions to the calibrations of a topic: population, line, threshold, links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from focused.method.learning.calibration import Calibration, CalibrationExamples
from focused.method.learning.threshold import with_best_page_threshold, within_bounds
from focused.method.learning.unit_calibration import (
    background_population,
    calibrate_links,
    line_by_verdicts,
    page_line,
    population,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from focused.method.learning.held_out import Units
    from focused.method.learning.page_parts import PageParts
    from focused.method.learning.training_set import TrainingSet

    Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class DrawnPages:
    """The pages that represent the web at large; arrays of shape (n_drawn,)."""

    rows: NDArray[np.int64]
    """Their rows in the counts that were given."""
    decisions: Floats
    """Held-out."""
    n_known: Floats
    """Numbers of distinct known terms."""
    positive: NDArray[np.bool_]
    prior: float
    """Share of relevant pages among the unlabelled ones, in (0, 1)."""
    is_background: bool
    """Whether the unlabelled ones hold no relevant page, and the prior is assumed."""


@dataclass(frozen=True, slots=True)
class ThresholdRule:
    """How the threshold of pages comes from the best one for P and U. By default it is the best one."""

    least_threshold: float = 0.0
    """Relevance, in [0, 1), that a page must have to be called relevant, if the best threshold is lower."""
    least_recall: float = 0.0
    """Share of the positives, in [0, 1), each held out, that are called relevant at least: the threshold is lower if need
    be."""
    raises_threshold: Callable[[float, Floats], float] | None = None
    """Returns the threshold that counts instead, from the best one and the held-out log-odds of all pages, shape (n_pages,),
    NaN where a page was left out. `least_recall` bounds that, too."""
    kept_threshold: float | None = None
    """Relevance, in (0, 1), from which pages are relevant, whatever is best."""

    def chosen(self, page: Calibration, drawn: DrawnPages, held_out: Floats) -> float:
        """Return the threshold that counts; ``held_out``: log-odds of all given pages, NaN of those left out."""
        if self.kept_threshold:
            return self.kept_threshold
        best, _ = with_best_page_threshold(
            *(page, drawn.decisions, drawn.n_known, drawn.positive),
            prior=drawn.prior,
            is_background=drawn.is_background,
        )
        of_positives = page.relevance(drawn.decisions, drawn.n_known)[drawn.positive]
        threshold = within_bounds(best.threshold, of_positives, self.least_threshold, self.least_recall)
        if self.raises_threshold is None:
            return threshold
        raised = self.raises_threshold(threshold, held_out)
        return within_bounds(raised, of_positives, self.least_threshold, self.least_recall)


def line_of_pages(
    drawn: DrawnPages, decisions: Floats, n_known: Floats, verdicts: Floats | None, *, strength: float
) -> Calibration:
    """Return slope and offset of pages by the drawn ones, corrected by what people say of any page.

    ``decisions``, ``n_known``, ``verdicts``: of all training pages.
    """
    line = page_line(
        *(drawn.prior, drawn.decisions, drawn.n_known, drawn.positive),
        is_background=drawn.is_background,
        strength=strength,
    )
    return line if verdicts is None else line_by_verdicts(line, decisions, n_known, verdicts)


def examples_of_population(
    line: Calibration, drawn: DrawnPages, parts: PageParts, texts: list[Units], decisions: list[Floats]
) -> tuple[CalibrationExamples, CalibrationExamples]:
    """Return the training pages and the short texts drawn from them, each as a sample of the web at large.

    Pages that were not drawn have weight 0. The short texts of the sampled unlabelled pages represent all unlabelled pages.
    """
    pages, short = texts[:2]
    labels, weights = np.zeros(len(parts.drawn)), np.zeros(len(parts.drawn))
    labels[parts.drawn], weights[parts.drawn] = (
        background_population(drawn.positive, drawn.prior)
        if drawn.is_background
        else population(drawn.positive, line.relevance(drawn.decisions, drawn.n_known))
    )
    positive = np.zeros(len(parts.drawn), dtype=np.bool_)
    positive[parts.drawn] = drawn.positive
    n_shortened = len(np.unique(short.pages[~positive[short.pages]]))
    stands_for = np.where(positive, 1.0, (~drawn.positive).sum() / max(n_shortened, 1))
    return (
        CalibrationExamples(decisions[0], pages.n_known, labels, weights),
        CalibrationExamples(decisions[1], short.n_known, labels[short.pages], (weights * stands_for)[short.pages]),
    )


def calibrations_of_links(
    data: TrainingSet,
    page: Calibration,
    relevance: Floats,
    texts: list[Units],
    decisions: list[Floats],
    short: CalibrationExamples,
) -> dict[str, Calibration]:
    """Return the calibrations of anchor texts and link contexts, labelled by the targets of the links.

    ``relevance``: held-out, of all training pages. ``texts``, ``decisions``: of anchor texts, and of link contexts.
    """
    targets = data.links.target_rows
    labels, weights = population(data.positive[targets], relevance[targets])
    return {
        kind: calibrate_links(kind, page, CalibrationExamples(found, group.n_known, labels, weights), short)
        for kind, group, found in zip(("anchor", "context"), texts, decisions, strict=True)
    }
