"""Keep training pages with a topic, for strategies that learn from them and for retraining."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from focused.method.page.link_context import url_terms
from focused.method.page.url_features import place_key, url_features
from focused.method.text.analyzer import TERMS
from focused.method.text.background import Background
from focused.method.topic.examples import N_PLACES, TopicExamples
from focused.method.topic.page_keys import gathered, page_keys
from focused.method.training.example_sources import FILES_ORIGIN
from focused.method.training.term_counting import Columns, count, links_between

if TYPE_CHECKING:
    from collections.abc import Sequence

    from focused.method.text.analyzer import Analyzer
    from focused.method.training.page_set import PageSet
    from focused.method.training.term_counting import CountedLink, CountedPage, Counts

MAX_PAGES = 2000
"""Limit of the positives, and of the unlabelled pages."""
MAX_BACKGROUND = 1000
MAX_LINKS = 20_000


def kept_examples(
    positive: PageSet | None, unlabeled: PageSet | Background, analyzer: Analyzer, *, random_state: int = 0
) -> TopicExamples:
    """Choose the examples that stay with a topic, and put them into matrices.

    Beyond the limits a random sample is kept. Links to positives get up to half of the limit for links. A term of a single
    unlabelled page, and of no link, is left out. ``positive``: None for a topic made from words. ``analyzer``: of the pages'
    language; it counts the words of windows and URLs.
    """
    rng = np.random.default_rng(random_state)
    pages = [] if positive is None else _drawn(positive.pages, MAX_PAGES, rng)
    n_positive = len(pages)
    background = None
    if isinstance(unlabeled, Background):
        background = _rows_drawn(unlabeled.counts, MAX_BACKGROUND, rng)
    else:
        pages = pages + _drawn(unlabeled.pages, MAX_PAGES, rng)
    sources, targets, links = _links_among(pages, n_positive, rng)
    texts = {
        "anchors": [link.anchor for link in links],
        "contexts": [link.context for link in links],
        "windows": [count(analyzer.ids(link.window)) for link in links],
        "urls": [count(analyzer.ids(url_terms(link.url))) for link in links],
    }
    more = unlabeled.terms if isinstance(unlabeled, Background) else ()
    columns = Columns(pages, more, [text for kind in texts.values() for text in kind])
    matrices = {
        name: columns.counts(kind) for name, kind in (("pages", [page.terms for page in pages]), *texts.items())
    }
    if isinstance(unlabeled, Background):
        matrices["pages"] = sparse.vstack(
            [matrices["pages"], columns.of_background(unlabeled, background)], format="csr"
        )
    is_kept = _worth_keeping(matrices, n_positive)
    kept = {name: matrix[:, is_kept] for name, matrix in matrices.items()}
    flags = np.arange(kept["pages"].shape[0]) < n_positive
    return TopicExamples(
        [columns.terms[column] for column in np.flatnonzero(is_kept)],
        kept.pop("pages"),
        flags,
        sources,
        targets,
        **kept,
        places=_places(links),
        keys=gathered([page_keys(_addresses(page), _by_term(page.terms)) for page in pages]),
    )


def _addresses(page: CountedPage) -> list[str]:
    """Return a page's URLs. A file has none: its path concerns this machine only, and no crawl meets it."""
    return [url for url in page.urls if not url.startswith(f"{FILES_ORIGIN}/")]


def _by_term(counts: Counts) -> dict[str, int]:
    return dict(zip(TERMS.terms(counts.ids), counts.counts.tolist(), strict=True))


def _places(links: list[CountedLink]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return hashes of the features of the links' URLs."""
    found = np.zeros((len(links), N_PLACES), dtype=np.int64)
    for row, link in enumerate(links):
        features = url_features(link.url)
        found[row, :2] = place_key(features.folder), place_key(features.host)
        found[row, 2 : 2 + len(features.columns)] = features.columns
    return found


def _worth_keeping(matrices: dict[str, Any], n_positive: int) -> np.ndarray[Any, np.dtype[np.bool_]]:
    pages = matrices["pages"]
    n_holding = np.bincount(pages.indices, minlength=pages.shape[1])
    is_kept: np.ndarray[Any, np.dtype[np.bool_]] = n_holding > 1
    is_kept[pages[:n_positive].indices] = True
    for name, matrix in matrices.items():
        if name != "pages":
            is_kept[matrix.indices] = True
    return is_kept


def _drawn(items: list[CountedPage], limit: int, rng: np.random.Generator) -> list[CountedPage]:
    if len(items) <= limit:
        return items
    return [items[i] for i in np.sort(rng.choice(len(items), limit, replace=False)).tolist()]


def _rows_drawn(rows: sparse.csr_matrix, limit: int, rng: np.random.Generator) -> sparse.csr_matrix:
    n = rows.shape[0]
    return rows if n <= limit else rows[np.sort(rng.choice(n, limit, replace=False))]


def _links_among(
    pages: Sequence[CountedPage], n_positive: int, rng: np.random.Generator
) -> tuple[Any, Any, list[CountedLink]]:
    """Return sources, targets and links between pages of the set; a random sample if there are too many."""
    found = links_between(pages)
    sources = np.array([source for source, _, _ in found], dtype=np.int64)
    targets = np.array([target for _, target, _ in found], dtype=np.int64)
    chosen = np.arange(len(found))
    if len(found) > MAX_LINKS:
        to_positive, to_unlabeled = np.flatnonzero(targets < n_positive), np.flatnonzero(targets >= n_positive)
        n_first = max(min(len(to_positive), MAX_LINKS // 2), MAX_LINKS - len(to_unlabeled))
        drawn = ((to_positive, n_first), (to_unlabeled, MAX_LINKS - n_first))
        chosen = np.sort(np.concatenate([rng.choice(rows, n, replace=False) for rows, n in drawn]))
    return sources[chosen], targets[chosen], [found[i][2] for i in chosen.tolist()]
