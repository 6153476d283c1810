"""Pages to a topic: learn the classifier, and write down what it was made from. No Scrapy."""

from __future__ import annotations

import platform
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

import focused
from focused.examples.counting import count_matrix, used_ids
from focused.examples.gather import digest_of
from focused.examples.page_set import PageSet
from focused.learning.training import LinkExamples, train_topic
from focused.text.analyzer import TERMS
from focused.text.background import Background

if TYPE_CHECKING:
    from focused.examples.counting import CountedLink, Counts
    from focused.learning.model import TopicModel
    from focused.topic import Topic

BACKGROUND_PRIOR = 0.1
"""Share of relevant pages assumed among those that a crawl meets, where the unlabelled pages cannot tell."""

# From here down an estimated prior says that there is no relevant page, however many pages were looked at.
_LEAST_PRIOR = 2e-4

_LIBRARIES = {"scikit-learn": "scikit-learn", "numpy": "numpy", "scipy": "scipy", "PyStemmer": "PyStemmer"}


@dataclass(frozen=True)
class Learnt:
    """A model, and the term of each of its columns."""

    model: TopicModel
    terms: list[str]

    def strongest(self) -> tuple[list[tuple[str, float]], list[tuple[str, float]]]:
        """Return the terms that speak most for the topic, and those that speak most against it, with their weights."""
        model, terms = self.model, self.terms
        return (
            [(terms[column], weight) for column, weight in model.positive_terms],
            [(terms[column], weight) for column, weight in model.negative_terms],
        )


def learn(
    positive: PageSet,
    unlabeled: PageSet | Background,
    *,
    learner: str = "logistic",
    random_state: int = 0,
) -> Learnt:
    """Learn a topic's model.

    Where the unlabelled pages hold no relevant page, be they the general background or pages of something else
    altogether, they do not tell how frequent such pages are in a crawl: `BACKGROUND_PRIOR` is assumed. Estimated
    there, the prior would be zero, and so would be the relevance of every page.

    Parameters
    ----------
    positive : PageSet
    unlabeled : PageSet or Background
    learner : str
        One of `focused.learning.learners.LEARNERS`.
    random_state : int

    Raises
    ------
    ValueError
        If nothing can be learnt from them; one line that says why.
    """
    pages = [*positive.pages, *(unlabeled.pages if isinstance(unlabeled, PageSet) else [])]
    others = unlabeled.terms if isinstance(unlabeled, Background) else []
    # Columns are in the order of the terms themselves, not of the ids: those depend on what the process read before.
    ids = used_ids([page.terms for page in pages])
    terms = sorted({*(TERMS.term(i) for i in ids.tolist()), *others})
    column_of = {term: column for column, term in enumerate(terms)}
    columns = np.full(len(TERMS), -1, dtype=np.int64)
    columns[ids] = [column_of[TERMS.term(i)] for i in ids.tolist()]

    def matrix(texts: list[Counts]) -> sparse.csr_matrix:
        return count_matrix(texts, columns, len(terms))

    counts = matrix([page.terms for page in pages])
    if isinstance(unlabeled, Background):
        counts = sparse.vstack([counts, _in_columns(unlabeled, column_of, len(terms))], format="csr")
    y = np.arange(counts.shape[0]) < len(positive)
    sources, targets, links = _links_among(positive, unlabeled)
    link_examples = LinkExamples(
        np.array(sources, dtype=np.int64),
        np.array(targets, dtype=np.int64),
        matrix([link.anchor for link in links]),
        matrix([link.context for link in links]),
    )

    def train(prior: float | None) -> TopicModel:
        return train_topic(
            counts,
            y,
            link_examples=link_examples if links else None,
            learner=learner,
            background_prior=prior,
            random_state=random_state,
        )

    if isinstance(unlabeled, Background):
        return Learnt(train(BACKGROUND_PRIOR), terms)
    model = train(None)
    if model.figures.prior_high < max(1 / len(unlabeled), _LEAST_PRIOR):
        model = train(BACKGROUND_PRIOR)
    return Learnt(model, terms)


def _in_columns(background: Background, column_of: dict[str, int], n_columns: int) -> sparse.csr_matrix:
    column = np.array([column_of[term] for term in background.terms], dtype=np.int64)
    rows = background.counts
    moved = sparse.csr_matrix((rows.data, column[rows.indices], rows.indptr), shape=(rows.shape[0], n_columns))
    moved.sort_indices()
    return moved


def _links_among(positive: PageSet, unlabeled: PageSet | Background) -> tuple[list[int], list[int], list[CountedLink]]:
    """Return the links between pages: rows of their pages, rows of their targets, and themselves."""
    pages = [*positive.pages, *(unlabeled.pages if isinstance(unlabeled, PageSet) else [])]
    row_of = {url: row for row, page in enumerate(pages) for url in page.urls}
    found = [
        (row, row_of[link.target], link)
        for row, page in enumerate(pages)
        for link in page.links
        if link.target in row_of
    ]
    if not found:
        return [], [], []
    sources, targets, links = zip(*found, strict=True)
    return list(sources), list(targets), list(links)


def make_topic(
    topic: Topic,
    learnt: Learnt,
    positive: PageSet,
    unlabeled: PageSet | Background,
    *,
    command: str,
    random_state: int = 0,
) -> Topic:
    """Put a model into a topic, and into its manifest what the model was made from.

    Nothing of it depends on the clock or on the machine's paths: the same examples give the same files.
    """
    model = learnt.model
    topic.terms = [learnt.terms[column] for column in model.term_indices.tolist()]
    topic.idf, topic.coef, topic.topic_vector = model.term_weights, model.coef, model.topic_vector
    topic.intercept, topic.sublinear_tf = model.intercept, model.sublinear_tf
    topic.calibrations = dict(model.calibrations)
    strongest = [[[term, round(weight, 4)] for term, weight in terms] for terms in learnt.strongest()]
    topic.manifest = {
        "command": command,
        "versions": versions(),
        "learner": model.learner,
        "random_state": random_state,
        "examples": _described(positive, unlabeled),
        "figures": asdict(model.figures),
        "terms_for": strongest[0],
        "terms_against": strongest[1],
    }
    return topic


def versions() -> dict[str, str]:
    """Return the versions of what a model depends on."""
    libraries = {name: version(package) for name, package in _LIBRARIES.items()}
    return {"focused": focused.__version__, "python": platform.python_version(), **libraries}


def _described(positive: PageSet, unlabeled: PageSet | Background) -> dict[str, Any]:
    is_background = isinstance(unlabeled, Background)
    others: dict[str, Any] = (
        {"background_sha256": unlabeled.sha256, "n_pages": unlabeled.n_pages}
        if isinstance(unlabeled, Background)
        else _described_set(unlabeled)
    )
    return {
        "sha256": digest_of(positive.digests, [] if isinstance(unlabeled, Background) else unlabeled.digests),
        "positive": _described_set(positive),
        "background" if is_background else "unlabeled": others,
    }


def _described_set(pages: PageSet) -> dict[str, Any]:
    return {
        "n_pages": len(pages),
        "languages": dict(sorted(pages.languages.items())),
        "refused": dict(sorted(pages.refusals.counts.items())),
        "n_cut": pages.n_cut,
    }
