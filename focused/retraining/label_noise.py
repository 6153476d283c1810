"""Finds label noise among verdicts: those that contradict all other examples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from focused.method.learning.learners import make_learner
from focused.retraining.acceptance import N_PARTS

if TYPE_CHECKING:
    from scipy import sparse

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

MIN_VERDICTS = 10
"""Of each label; with fewer it cannot be said which of them are typical."""
MIN_SHARE = 0.15
"""Estimated share of wrong verdicts on relevant pages, and on others, from which verdicts are left out. Below it they are
hard cases, which teach most, or somebody wants more, or less, than the examples show.

The smaller of the two is estimated at 0.02 to 0.10 for feeds without a fault, at 0.05 to 0.15 for a tenth of wrong verdicts,
at 0.21 to 0.34 for three tenths (docs/results/retraining.md).
"""

_N_STEPS = 100
_MOST_WRONG = 0.45
_AT_FIRST = 0.75
"""How probably a page that looks relevant is, before anything is known."""
_NARROWEST = 0.15
"""Spread of each of the two kinds of page, as a share of that of all decisions."""


def probably_wrong(
    learner: str, counts: sparse.csr_matrix, positive: Flags, part: npt.NDArray[np.int64], random_state: int
) -> Flags:
    """Return which verdicts are more probably wrong than right, shape (n_examples,).

    Each verdict is judged by a model of all other examples and of the verdicts of the other parts; `probably_relevant`
    weighs this decision against the verdict. So the right verdicts find out a minority of wrong ones. They do not find out
    verdicts for a new subtopic: it has several pages, which support each other.

    No verdict is left out where less than 0.15 of the relevant pages are estimated to be refused, or less than 0.15 of the
    others to be wanted: people who make mistakes make them both ways, people who want something else than the examples
    show differ one way. A verdict that is probably wrong changes nothing: it is neither learnt nor reversed.

    Parameters
    ----------
    learner : str
        A name of `focused.method.learning.learners.LEARNERS`.
    counts : CSR matrix of shape (n_examples, n_terms)
    positive : ndarray of bool of shape (n_examples,)
    part : ndarray of int of shape (n_examples,)
        The part of each verdict, below `N_PARTS`; -1 of what is no verdict.
    """
    found = np.zeros(len(positive), dtype=np.bool_)
    is_verdict = part >= 0
    said = positive[is_verdict]
    if min(said.sum(), (~said).sum()) < MIN_VERDICTS:
        return found
    decisions = np.full(len(positive), np.nan)
    for number in range(N_PARTS):
        judged = part == number
        if judged.any():
            model = make_learner(learner, random_state).fit(counts[~judged], positive[~judged])
            decisions[judged] = model.decision_function(counts[judged])
    relevant, _ = probably_relevant(decisions[is_verdict], said)
    wrong = np.where(said, 1 - relevant, relevant)
    errs_of_no = wrong[~said].sum() / max(relevant.sum(), 1.0)
    errs_of_yes = wrong[said].sum() / max((1 - relevant).sum(), 1.0)
    if min(errs_of_no, errs_of_yes) >= MIN_SHARE:
        found[is_verdict] = wrong > 0.5
    return found


def probably_relevant(decisions: Floats, said: Flags) -> tuple[Floats, float]:
    """Return how probably pages are relevant, and the share e of wrong verdicts, at most 0.45.

    By a model's decisions, which has not learnt from the verdicts on these pages, and by what people say of them; arrays of
    shape (n_pages,). A mixture, fitted by expectation maximisation: the decisions on relevant pages and those on others are
    normally distributed with one spread, and people err with one probability, whatever the page:
    P(d, said) = sum_y P(y) N(d; mu_y, sigma) e^[said != y] (1 - e)^[said = y].
    """
    lowest, highest = np.percentile(decisions, [1, 99])
    values = np.clip(decisions, lowest, highest)  # a single page far out would be a kind of its own
    # From the verdicts, and from the decisions: where many verdicts are wrong, their pages' decisions may run against them.
    starts = [said] if values.std() == 0 else [said, values > values.mean()]
    _, relevant, errs = max((_fit(values, said, start) for start in starts), key=lambda each: each[0])
    return relevant, errs


def _fit(values: Floats, said: Flags, start: Flags) -> tuple[float, Floats, float]:
    """Return the log-likelihood that is reached from a first opinion, the relevances, and the share of wrong verdicts."""
    narrowest = (_NARROWEST * values.std()) ** 2 + 1e-12
    relevant = np.where(start, _AT_FIRST, 1 - _AT_FIRST)
    n, errs, likelihood = len(values), 0.0, -np.inf
    for _ in range(_N_STEPS):
        n_yes = relevant.sum() + 1e-9
        n_no = n - relevant.sum() + 1e-9
        mean_yes, mean_no = (relevant * values).sum() / n_yes, ((1 - relevant) * values).sum() / n_no
        if mean_yes < mean_no:  # decisions that say nothing, or the contrary
            mean_yes = mean_no = values.mean()
        apart_yes, apart_no = (values - mean_yes) ** 2, (values - mean_no) ** 2
        spread = max(float((relevant * apart_yes + (1 - relevant) * apart_no).sum()) / n, narrowest)
        n_wrong = float(np.where(said, 1 - relevant, relevant).sum())
        errs = min((n_wrong + 0.5) / (n + 2), _MOST_WRONG)
        share = (n_yes + 1) / (n + 2)
        for_yes = np.log(share) - apart_yes / (2 * spread) + np.log(np.where(said, 1 - errs, errs))
        for_no = np.log(1 - share) - apart_no / (2 * spread) + np.log(np.where(said, errs, 1 - errs))
        either = np.logaddexp(for_yes, for_no)
        likelihood = float((either - 0.5 * np.log(spread)).sum())
        relevant = np.exp(for_yes - either)
    return likelihood, relevant, errs
