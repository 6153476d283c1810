"""A topic's examples and, under them, the pages of a crawl that joined [I18, Sect. 3.2]."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import sparse

from focused.method.learning.training_set import LinkExamples
from focused.method.topic.examples import TopicExamples
from focused.method.topic.page_keys import gathered, under
from focused.retraining.judged_pages import that_join
from focused.retraining.known_examples import keys_among, keys_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from focused.retraining.judged_pages import JudgedPage, LinkTexts, TermCounts

_TEXTS = ("anchors", "contexts", "windows", "urls")


def enlarge(examples: TopicExamples, pages: Sequence[JudgedPage], labels: Mapping[int, bool]) -> TopicExamples:
    """Return the examples with those pages of a crawl that have a label.

    Positives join the positives. Negatives join the unlabelled pages, from which the learners choose their reliable
    negatives (docs/method/, D63). Of the links that led to pages that joined, those join that stand on a page that
    did, too (D65).

    Parameters
    ----------
    examples : TopicExamples
    pages : sequence of JudgedPage
    labels : mapping
        Of a page's number: whether it is relevant.

    Returns
    -------
    TopicExamples
        The rows of `examples` first, then the pages in their order.
    """
    chosen = that_join(pages, labels)
    row_of = {page.number: examples.pages.shape[0] + row for row, page in enumerate(chosen)}
    links = [(page, page.link) for page in chosen if page.link is not None and page.link.source in row_of]
    terms = _all_terms(examples, chosen, [link for _, link in links])
    column_of = {term: column for column, term in enumerate(terms)}
    n_terms = len(terms)
    joined = {
        "anchors": _rows([link.anchor for _, link in links], column_of),
        "contexts": _rows([link.context for _, link in links], column_of),
        "windows": _rows([link.window for _, link in links], column_of),
        "urls": _rows([link.url for _, link in links], column_of),
    }
    texts = {name: _under(getattr(examples, name), joined[name], n_terms) for name in _TEXTS}
    return TopicExamples(
        terms=terms,
        pages=_under(examples.pages, _rows([page.terms for page in chosen], column_of), n_terms),
        positive=np.concatenate(
            [examples.positive, np.array([labels[page.number] for page in chosen], dtype=np.bool_)]
        ),
        sources=_with(examples.sources, [row_of[link.source] for _, link in links]),
        targets=_with(examples.targets, [row_of[page.number] for page, _ in links]),
        # Of pages that joined no URLs are kept.
        places=None if examples.places is None else np.pad(examples.places, ((0, len(links)), (0, 0))),
        keys=under(keys_among(examples), gathered([keys_of(page) for page in chosen], examples.pages.shape[0])),
        **texts,
    )


def links_of(examples: TopicExamples) -> LinkExamples | None:
    """Return the links among examples as training wants them, None where there are none."""
    if not examples.n_links:
        return None
    return LinkExamples(examples.sources, examples.targets, examples.anchors, examples.contexts)


def _all_terms(examples: TopicExamples, pages: list[JudgedPage], links: list[LinkTexts]) -> list[str]:
    """Return the known terms, then the new ones in alphabetical order."""
    found: set[str] = set()
    for page in pages:
        found.update(page.terms)
    for link in links:
        for text in (link.anchor, link.context, link.window, link.url):
            found.update(text)
    return [*examples.terms, *sorted(found.difference(examples.terms))]


def _rows(texts: list[TermCounts], column_of: Mapping[str, int]) -> sparse.csr_matrix:
    columns = [column_of[term] for text in texts for term in text]
    counts = [float(n) for text in texts for n in text.values()]
    ends = np.concatenate([[0], np.cumsum([len(text) for text in texts], dtype=np.int64)])
    rows = sparse.csr_matrix((counts, columns, ends), shape=(len(texts), len(column_of)), dtype=np.float64)
    rows.sort_indices()
    return rows


def _under(known: sparse.csr_matrix, new: sparse.csr_matrix, n_terms: int) -> sparse.csr_matrix:
    wide = sparse.csr_matrix((known.data, known.indices, known.indptr), shape=(known.shape[0], n_terms))
    return sparse.vstack([wide, new], format="csr")


def _with(known: npt.NDArray[np.int64], new: list[int]) -> npt.NDArray[np.int64]:
    return np.concatenate([known, np.array(new, dtype=np.int64)])
