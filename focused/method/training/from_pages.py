"""Train a model from example pages, and diagnose the examples."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import sparse

from focused.method.learning.diagnosis import Diagnosis, diagnose
from focused.method.learning.learners import LEARNERS, knows_vectors
from focused.method.learning.learning_curve import LearningCurve, learning_curve
from focused.method.learning.trained_model import TrainingFigures
from focused.method.learning.training import LinkExamples, ShareRule, TermRule, train_topic
from focused.method.learning.training_set import MIN_PAGES
from focused.method.text.background import Background
from focused.method.topic.weak_model import why_weak
from focused.method.training.term_counting import Columns, links_between
from focused.method.training.untitled import unusable_titles, without_columns
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from numpy.typing import NDArray

    from focused.method.learning.trained_model import TrainedModel
    from focused.method.text.word_vectors import WordVectors
    from focused.method.training.page_set import PageSet
    from focused.method.training.term_counting import CountedPage

BACKGROUND_PRIOR = 0.1
"""Share of relevant pages assumed for a crawl if the unlabelled pages cannot tell it."""

N_FOLDS = 10
QUICK_FOLDS = 3
QUICK_POSITIVES = 20
"""From this number of positives on."""
QUICK_UNLABELED = 1000
"""Unlabelled pages used with ``quick``."""

# From this size on, several processes are faster than one in spite of their start.
_MANY_PAGES = 10_000
# An estimated prior up to this means that there is no relevant page, whatever the number of pages.
_LEAST_PRIOR = 2e-4


@dataclass(frozen=True)
class LearntModel:
    """A model, the term of each of its columns, and the diagnosis of the examples."""

    model: TrainedModel
    terms: list[str]
    diagnosis: Diagnosis = field(default_factory=Diagnosis)
    curve: LearningCurve | None = None
    """None if it was not computed."""
    vectors: WordVectors | None = None
    """Those that it was learnt with."""

    @property
    def weakness(self) -> str:
        """Why the model can hardly tell the topic from the rest; empty if it can, or has no figures (a topic from words)."""
        return why_weak(asdict(self.model.figures))

    @property
    def prior(self) -> float | None:
        """Estimated share of relevant pages among the unlabelled ones; None if it was assumed."""
        figures = self.model.figures
        return figures.prior if isinstance(figures, TrainingFigures) and not figures.prior_is_assumed else None

    def strongest(self) -> tuple[list[tuple[str, float]], list[tuple[str, float]]]:
        """Return the strongest terms for the topic and the strongest against it, with their weights."""
        model, terms = self.model, self.terms
        return (
            [(terms[column], weight) for column, weight in model.positive_terms],
            [(terms[column], weight) for column, weight in model.negative_terms],
        )


def linked(columns: Columns, pages: Sequence[CountedPage]) -> LinkExamples | None:
    """Return the links among the given pages; None if there are none."""
    found = links_between(pages)
    if not found:
        return None
    sources, targets, links = zip(*found, strict=True)
    return LinkExamples(
        np.array(sources, dtype=np.int64),
        np.array(targets, dtype=np.int64),
        columns.counts([link.anchor for link in links]),
        columns.counts([link.context for link in links]),
    )


class _Counted(NamedTuple):
    """The examples of a topic as counts, the positives first."""

    columns: Columns
    counts: sparse.csr_matrix
    y: NDArray[np.bool_]
    links: LinkExamples | None


def _counted(
    positive: PageSet, unlabeled: PageSet | Background, terms: Sequence[str], quick: bool, random_state: int
) -> _Counted:
    """Count the examples; ``terms`` get columns whether a page holds them or not."""
    pages, background = list(positive.pages), None
    if isinstance(unlabeled, Background):
        columns = Columns(pages, [*unlabeled.terms, *terms])
        background = columns.of_background(unlabeled)
        if quick and background.shape[0] > QUICK_UNLABELED:
            rng = np.random.default_rng(random_state)
            background = background[np.sort(rng.choice(background.shape[0], QUICK_UNLABELED, replace=False))]
    else:
        pages += unlabeled.pages
        columns = Columns(pages, terms)
    counts = columns.counts([page.terms for page in pages])
    if background is not None:
        counts = sparse.vstack([counts, background], format="csr")
    y = np.arange(counts.shape[0]) < len(positive)
    if (unusable := unusable_titles(counts, y, columns.terms)).any():
        counts = without_columns(counts, unusable)
    return _Counted(columns, counts, y, linked(columns, pages))


def learn(
    positive: PageSet,
    unlabeled: PageSet | Background,
    *,
    words: Collection[str] = (),
    vectors: WordVectors | None = None,
    learner: str = LEARNERS[0],
    quick: bool = False,
    draws_curve: bool = True,
    random_state: int = 0,
    say: Callable[[str], None] = lambda _: None,
) -> LearntModel:
    """Learn a topic's model.

    If the unlabelled pages hold no relevant page (the general background, or pages about something else), they do not tell
    how frequent relevant pages are in a crawl: an estimated prior would be 0, and so would every relevance.
    `BACKGROUND_PRIOR` is assumed instead.

    ``words``: terms that name the topic, beside its pages. ``vectors``: those of the words of its language, if they are to be
    used. ``learner``: one of `focused.method.learning.learners.LEARNERS`. ``quick``: judge held-out pages by 3 models instead
    of 10, draw no learning curve, and learn from a sample of 1,000 pages of a background. Of other unlabelled pages the
    caller draws the sample, before they are read. ``draws_curve``: not where another training follows, against other pages:
    what more examples would add there this one cannot tell. ``say``: called with one line of text when a step begins. Raises
    ValueError if nothing can be learnt from them; one line that says why.
    """
    if not knows_vectors(learner):
        vectors = None
    known_terms = [*words, *([] if vectors is None else vectors.terms)]
    columns, counts, y, links = _counted(positive, unlabeled, known_terms, quick, random_state)

    def train(prior: float | None) -> tuple[TrainedModel, TrainingFigures]:
        model = train_topic(
            counts,
            y,
            link_examples=links if prior is None else None,  # pages of a background are no targets of the topic's links
            learner=learner,
            terms=TermRule(
                words=[columns.column_of[term] for term in words] or None,
                vectors=None if vectors is None else vectors.of_terms(columns.terms),
            ),
            share=ShareRule(assumed=prior),
            random_state=random_state,
            n_jobs=-1 if counts.shape[0] >= _MANY_PAGES else None,
            # With few positives, a third less is too few.
            n_folds=QUICK_FOLDS if quick and len(positive) >= QUICK_POSITIVES else N_FOLDS,
        )
        assert isinstance(model.figures, TrainingFigures)
        return model, model.figures

    n_others = counts.shape[0] - len(positive)
    if len(positive) < MIN_PAGES and positive.refusals.total:
        few = f"At least {MIN_PAGES} positive pages are needed. Got {quantity(len(positive), 'pages')}"
        raise ValueError(f"{few} and {positive.refusals.total:,} that were refused: {positive.refusals.summary()}.")
    say(f"Learning from {quantity(len(positive), 'positives')} and {quantity(n_others, 'unlabelled pages')}")
    is_background = isinstance(unlabeled, Background)
    model, figures = train(BACKGROUND_PRIOR if is_background else None)
    if not is_background and figures.prior_high < max(1 / int((~y).sum()), _LEAST_PRIOR):
        say("No unlabelled page looks relevant; training again with an assumed prior")
        model, figures = train(BACKGROUND_PRIOR)
    say("Looking at the positives")
    diagnosis = diagnose(counts, y, is_background=is_background, random_state=random_state)
    if quick or not draws_curve:
        return LearntModel(model, columns.terms, diagnosis, vectors=vectors)
    say("Computing the learning curve (--quick leaves it out)")
    prior, is_assumed = figures.prior, figures.prior_is_assumed
    curve = learning_curve(
        counts, y, prior=prior, prior_is_assumed=is_assumed, learner=learner, random_state=random_state
    )
    return LearntModel(model, columns.terms, diagnosis, curve, vectors)
