"""One learner on the training pages of a topic: the final model, and its decisions on texts that it has not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from focused.method.learning.estimators.class_prior import estimate_prior
from focused.method.learning.held_out import Units, held_out_decisions, short_texts
from focused.method.learning.learners import knows_hidden_share, make_learner

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from focused.method.learning.estimators.base import LinearCountClassifier
    from focused.method.learning.page_parts import PageParts
    from focused.method.learning.training_set import TrainingSet

# Short texts are drawn from at most this many unlabelled pages: enough to fit a few numbers.
_MAX_SHORTENED = 3000


@dataclass(frozen=True, slots=True)
class FinalModel:
    """The estimator that is fitted on all pages, and what was estimated on the way to it."""

    estimator: LinearCountClassifier
    hidden_share: float | None = None
    """Expected share of positives among the unlabelled pages, in (0, 1), where the learner was told one."""
    first_decisions: NDArray[np.float64] | None = None
    """Held-out decisions on all pages that this share comes from, shape (n_pages,)."""


@dataclass(frozen=True, slots=True)
class CrossFitting:
    """A learner, by name, with the pages that it learns from."""

    learner: str
    data: TrainingSet
    parts: PageParts
    term_vectors: NDArray[np.floating[Any]] | None
    """Word vectors of the vocabulary, shape (n_terms, n_dimensions)."""
    n_folds: int
    random_state: int
    n_jobs: int | None

    def final(self, *, estimates_share: bool) -> FinalModel:
        """Return the learner, fitted on all pages that train it.

        With ``estimates_share`` a learner that takes the hidden share is fitted twice: unlabelled pages that join the
        positives make others like them likely, so their share is estimated by a model without them.
        """
        model = FinalModel(self._fitted(None))
        if not estimates_share or not knows_hidden_share(self.learner):
            return model
        (first,) = self.decisions(model, [whole_pages(self.data)])
        positive, drawn = self.data.positive, self.parts.drawn
        share = estimate_prior(first[drawn & positive], first[drawn & ~positive]).prior
        return FinalModel(self._fitted(share), share, first)

    def decisions(self, model: FinalModel, texts: list[Units]) -> list[NDArray[np.float64]]:
        """Return the decisions on each group of texts, on the scale of the model, without the texts' own pages."""
        return held_out_decisions(
            self.learner,
            model.estimator,
            self.data.counts,
            self.data.positive,
            texts,
            n_folds=self.n_folds,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
            learnt_only=~self.parts.drawn if self.parts.others_are_crawled else None,
            learnt=self.parts.trains,
            term_vectors=self.term_vectors,
            hidden_share=model.hidden_share,
            # What people refuse is learnt, however like the positives it is: perhaps nothing is left that is not.
            scale_by_classes=self.parts.verdicts is not None,
        )

    def _fitted(self, hidden_share: float | None) -> LinearCountClassifier:
        estimator = make_learner(self.learner, self.random_state, self.term_vectors, hidden_share)
        trains = self.parts.trains
        counts = self.data.counts[trains]
        return _checked(estimator.fit(counts, self.data.positive[trains]), self.learner, counts.shape[1])


def whole_pages(data: TrainingSet) -> Units:
    """Return all training pages as texts to be judged."""
    return Units(data.counts, np.arange(len(data.positive)))


def texts_to_judge(data: TrainingSet, drawn: NDArray[np.bool_], rng: np.random.Generator) -> list[Units]:
    """Return the texts to be judged: pages, short texts of the `drawn` pages, anchor texts, link contexts."""
    positive, unlabeled = np.flatnonzero(data.positive & drawn), np.flatnonzero(~data.positive & drawn)
    sample = np.sort(rng.choice(unlabeled, min(len(unlabeled), _MAX_SHORTENED), replace=False))
    return [
        whole_pages(data),
        short_texts(data.counts, np.concatenate([positive, sample]), rng),
        Units(data.links.anchor_counts, data.links.source_rows),
        Units(data.links.context_counts, data.links.source_rows),
    ]


def _checked(fitted: Any, learner: str, n_terms: int) -> LinearCountClassifier:
    """Return what a learner's ``fit`` returned: the fitted estimator, whose numbers judge pages without it.

    Raises
    ------
    ValueError
        If it is no fitted estimator, or its numbers are not what they must be; the message names the learner.
    """
    shapes = {"coef_": (1, n_terms), "intercept_": (1,), "term_weights_": (n_terms,)}
    for name, shape in shapes.items():
        values = getattr(fitted, name, None)
        got = f"{type(fitted).__name__} without {name}" if values is None else ""
        if values is not None and np.shape(values) != shape:
            got = f"{name} of shape {np.shape(values)}, which must be {shape}"
        elif values is not None and not np.isfinite(values).all():
            got = f"{name} with numbers that are not finite"
        if got:
            raise ValueError(f"The learner {learner} must return itself from fit, with {', '.join(shapes)}. Got {got}.")
    return cast("LinearCountClassifier", fitted)
