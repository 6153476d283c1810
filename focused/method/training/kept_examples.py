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
from focused.method.training.term_counting import Counts, count, count_matrix, used_ids

if TYPE_CHECKING:
    from collections.abc import Sequence

    from focused.method.text.analyzer import Analyzer
    from focused.method.training.page_set import PageSet
    from focused.method.training.term_counting import CountedLink, CountedPage

MAX_PAGES = 2000
"""Limit of the positives, and of the unlabelled pages."""
MAX_BACKGROUND = 1000
MAX_LINKS = 20_000


def kept_examples(
    positive: PageSet | None, unlabeled: PageSet | Background, analyzer: Analyzer, *, random_state: int = 0
) -> TopicExamples:
    """Choose the examples that stay with a topic, and put them into matrices.

    Beyond the limits a random sample is kept. Links to positives get up to half of the limit for links. A term of a single
    unlabelled page, and of no link, is left out.

    Parameters
    ----------
    positive : PageSet, optional
        None for a topic made from words.
    unlabeled : PageSet or Background
    analyzer : Analyzer
        Of the pages' language. It counts the words of windows and URLs.
    random_state : int
        Seed of the draws.
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
    of_pages = [page.terms for page in pages]
    ids = used_ids([*of_pages, *(text for kind in texts.values() for text in kind)])
    of_ids = {TERMS.term(i): i for i in ids.tolist()}
    terms = sorted({*of_ids, *(unlabeled.terms if isinstance(unlabeled, Background) else ())})
    column_of = {term: column for column, term in enumerate(terms)}
    columns = np.full(len(TERMS), -1, dtype=np.int64)
    columns[list(of_ids.values())] = [column_of[term] for term in of_ids]

    def rows(counted: Sequence[Counts]) -> sparse.csr_matrix:
        return count_matrix(counted, columns, len(terms))

    matrices = {"pages": rows(of_pages), **{name: rows(kind) for name, kind in texts.items()}}
    if background is not None:
        # A background's terms are the columns of its rows.
        moved = np.array([column_of[term] for term in unlabeled.terms], dtype=np.int64)  # type: ignore[union-attr]
        shape = (background.shape[0], len(terms))
        background_rows = sparse.csr_matrix(
            (background.data, moved[background.indices], background.indptr), shape=shape
        )
        matrices["pages"] = sparse.vstack([matrices["pages"], background_rows], format="csr")
    is_kept = _worth_keeping(matrices, n_positive)
    kept = {name: matrix[:, is_kept] for name, matrix in matrices.items()}
    flags = np.arange(kept["pages"].shape[0]) < n_positive
    return TopicExamples(
        *([terms[column] for column in np.flatnonzero(is_kept)], kept.pop("pages"), flags, sources, targets),
        **kept,
        places=_places(links),
        keys=gathered([page_keys(_addresses(page), _by_term(page.terms)) for page in pages]),
    )


def _addresses(page: CountedPage) -> list[str]:
    """Return a page's URLs. A file has none: its path concerns this machine only, and no crawl meets it."""
    return [url for url in page.urls if not url.startswith(f"{FILES_ORIGIN}/")]


def _by_term(counts: Counts) -> dict[str, int]:
    return {TERMS.term(number): n for number, n in zip(counts.ids.tolist(), counts.counts.tolist(), strict=True)}


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
    row_of = {url: row for row, page in enumerate(pages) for url in page.urls}
    found = [
        (row, row_of[link.target], link)
        for row, page in enumerate(pages)
        for link in page.links
        if link.target in row_of
    ]
    sources = np.array([source for source, _, _ in found], dtype=np.int64)
    targets = np.array([target for _, target, _ in found], dtype=np.int64)
    chosen = np.arange(len(found))
    if len(found) > MAX_LINKS:
        to_positive, to_unlabeled = np.flatnonzero(targets < n_positive), np.flatnonzero(targets >= n_positive)
        n_first = max(min(len(to_positive), MAX_LINKS // 2), MAX_LINKS - len(to_unlabeled))
        chosen = np.sort(
            np.concatenate(
                [
                    rng.choice(to_positive, n_first, replace=False),
                    rng.choice(to_unlabeled, MAX_LINKS - n_first, replace=False),
                ]
            )
        )
    return sources[chosen], targets[chosen], [found[i][2] for i in chosen.tolist()]
