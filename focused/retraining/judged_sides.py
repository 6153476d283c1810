"""Checks after a training that pages judged by people stand on their side of the threshold; others are named, with why."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from focused.method.learning.sides import MARGIN, correction, log_odds_needed, needed_decisions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt
    from scipy import sparse

    from focused.method.learning.trained_model import TrainedModel
    from focused.retraining.judged_pages import JudgedPage

MAX_NAMED = 50
"""Verdicts that a list names; of further ones the number is known."""
_SAME = 0.95
"""Cosine from which two pages have the same words."""
NO_WORD = "no known word"
ALIKE = "same words as {}, of which the contrary was said"
CONTRARY = "contrary verdicts on pages like it"
NOISE = "probably a slip, and not learnt from: all other examples speak against it"


@dataclass(frozen=True, slots=True)
class NotFollowed:
    """A verdict that a model does not follow. What is delivered follows it all the same."""

    url: str
    relevant: bool
    why: str


class ErrorsOnVerdicts(NamedTuple):
    """How many judged pages lie on the wrong side of the threshold, by a new model and by the topic's own.

    Neither has learnt from the page: the new model is cross-fitted. Slips, from which nothing is learnt, are errors, too.
    """

    n_judged: int
    new: int
    first: int
    #: Errors of the new model that the topic's own does not make, and the reverse.
    only_new: int
    only_first: int
    #: Of all three those on pages that people call relevant.
    n_yes: int
    only_new_yes: int
    only_first_yes: int


class Sides(NamedTuple):
    """A model that puts judged pages on their side of the threshold, and what there was to do."""

    model: TrainedModel
    not_followed: list[NotFollowed]
    #: Judged pages that were on the wrong side before.
    n_wrong: int
    errors: ErrorsOnVerdicts

    def described(self) -> dict[str, Any]:
        """Return for a manifest how many pages were put right, and which verdicts are not followed."""
        left = self.not_followed
        return {
            "n_put_right": max(self.n_wrong - len(left), 0),
            "n_not_followed": len(left),
            "not_followed": [asdict(each) for each in left[:MAX_NAMED]],
            "errors_on_verdicts": self.errors._asdict(),
        }


def slips_named(pages: Sequence[JudgedPage], said: Mapping[int, bool]) -> list[dict[str, Any]]:
    """Return the first of the verdicts that are probably slips, for a manifest."""
    return [asdict(NotFollowed(page.url, said[page.number], NOISE)) for page in pages[:MAX_NAMED]]


def correct_by_verdicts(
    model: TrainedModel,
    counts: sparse.csr_matrix,
    pages: Sequence[JudgedPage],
    verdicts: Mapping[int, bool],
    *,
    accepted_before: Mapping[int, bool],
    held_out_log_odds: npt.NDArray[np.float64],
    is_asked: npt.NDArray[np.bool_] | None = None,
) -> Sides:
    """Correct a model so that judged pages stand on their side of its threshold.

    Parameters
    ----------
    counts : CSR matrix of shape (n_pages, n_columns)
        Term counts of the judged pages, in the columns that the model was trained on.
    pages : sequence of JudgedPage
        The judged pages, in the order of the rows.
    verdicts : mapping
        Of a page's number: whether people call it relevant.
    accepted_before : mapping
        Of a page's number: whether the topic's own model calls it relevant.
    held_out_log_odds : ndarray of shape (n_pages,)
        By models that have not learnt from the page, as `TrainedModel.held_out_log_odds` has them; NaN of pages that the model
        itself has not learnt from.
    is_asked : ndarray of bool of shape (n_pages,), optional
        Which pages count for the errors: those that no model in question has learnt from. By default all.
    """
    if not pages:
        return Sides(model, [], 0, ErrorsOnVerdicts(*[0] * len(ErrorsOnVerdicts._fields)))
    rows = model.rows(counts)
    n_known = np.diff(rows.indptr).astype(np.int64)
    decisions = np.asarray(rows @ model.coef + model.intercept)
    relevant = np.array([verdicts[page.number] for page in pages], dtype=np.bool_)
    calibration = model.calibrations["page"]
    needed = needed_decisions(calibration, n_known, calibration.threshold)
    found = correction(rows, decisions, needed, relevant, MARGIN / calibration.slope)
    wrong = np.flatnonzero(~found.is_right)
    left = [
        NotFollowed(pages[row].url, bool(relevant[row]), _why(row, rows, n_known, pages, relevant))
        for row in wrong.tolist()
    ]
    is_relevant = held_out_log_odds >= log_odds_needed(calibration, calibration.threshold)
    new = np.where(np.isnan(held_out_log_odds), decisions >= needed, is_relevant) != relevant
    first = np.array([accepted_before.get(page.number, False) for page in pages], dtype=np.bool_) != relevant
    asked = np.ones(len(pages), dtype=np.bool_) if is_asked is None else is_asked
    new, first, relevant = new[asked], first[asked], relevant[asked]
    only_new, only_first = new & ~first, first & ~new
    counted = [asked.sum(), new.sum(), first.sum(), only_new.sum(), only_first.sum()]
    counted += [relevant.sum(), (only_new & relevant).sum(), (only_first & relevant).sum()]
    errors = ErrorsOnVerdicts(*map(int, counted))
    return Sides(replace(model, coef=model.coef + found.change), left, int((~found.was_right).sum()), errors)


def _why(
    row: int,
    rows: sparse.csr_matrix,
    n_known: npt.NDArray[np.int64],
    pages: Sequence[JudgedPage],
    relevant: npt.NDArray[np.bool_],
) -> str:
    if not n_known[row]:
        return NO_WORD
    others = np.flatnonzero(relevant != relevant[row])
    if len(others):
        cosines = np.asarray((rows[others] @ rows[row].T).todense()).ravel()
        nearest = int(np.argmax(cosines))
        if cosines[nearest] >= _SAME:
            return ALIKE.format(pages[int(others[nearest])].url)
    return CONTRARY
