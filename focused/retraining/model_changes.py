"""Tells people what a training changed: terms that speak for and against the topic now, and pages that changed sides."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from focused.collection.page import unpack_terms
from focused.collection.schema import CollectionFileError
from focused.collection.view import CollectionView

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from focused.method.topic import Topic

N_TERMS, N_NAMED = 10, 20
MAX_PAGES = 5_000
"""Pages of a run that two models are compared on, the last ones."""
_LEAST_CHANGE = 0.02
"""Of the largest weight: changes below it are noise of the training."""
_PAGES = """SELECT url, title, terms FROM pages WHERE terms IS NOT NULL AND duplicate_of = '' AND NOT noindex
ORDER BY id DESC LIMIT ?"""


def changes(before: Topic, after: Topic, run_dir: Path) -> dict[str, Any]:
    """Return what a training changed, for a manifest.

    ``now_for`` and ``now_against``: terms, those first whose weight changed most. Of the run's last pages ``n_compared``; of
    these ``n_now_relevant`` and ``n_not_any_more``, by the models' own thresholds; the first of them as ``now_relevant`` and
    ``not_any_more``, each with ``url`` and ``title``. A run whose collection cannot be read has none.
    """
    pages = list(_pages(run_dir))
    was, now = (_accepted(topic, [terms for *_, terms in pages]) for topic in (before, after))
    sides = {"now_relevant": now & ~was, "not_any_more": was & ~now}
    found: dict[str, Any] = {**changed_terms(before, after), "n_compared": len(pages)}
    for name, chosen in sides.items():
        found[f"n_{name}"] = int(chosen.sum())
        rows = np.flatnonzero(chosen)[:N_NAMED].tolist()
        found[name] = [{"url": pages[row][0], "title": pages[row][1]} for row in rows]
    return found


def changed_terms(before: Topic, after: Topic) -> dict[str, list[str]]:
    """Return the terms that gained most and speak for the topic now, and those that lost most and speak against it."""
    old = dict(zip(before.terms, before.model.coef.tolist(), strict=True))
    new = dict(zip(after.terms, after.model.coef.tolist(), strict=True))
    least = _LEAST_CHANGE * max(map(abs, new.values()), default=0.0)
    moved = sorted((weight - old.get(term, 0.0), term) for term, weight in new.items())
    return {
        "now_for": [term for by, term in reversed(moved) if by > least and new[term] > 0][:N_TERMS],
        "now_against": [term for by, term in moved if by < -least and new[term] < 0][:N_TERMS],
    }


def lines(found: dict[str, Any]) -> Iterator[str]:
    """Yield the changes in words."""
    for name, what in (("now_for", "Now for"), ("now_against", "Now against")):
        if found[name]:
            yield f"{what}: {', '.join(found[name])}"
    if found["n_compared"]:
        yield (
            f"Of the last {found['n_compared']:,} pages of the run {found['n_now_relevant']:,} are relevant now that the "
            f"topic's former model called irrelevant, and {found['n_not_any_more']:,} are not any more that it called so."
        )
    for name, sign in (("now_relevant", "+"), ("not_any_more", "-")):
        yield from (f"  {sign} {page['url']}" for page in islice(found[name], 5))


def _pages(run_dir: Path) -> Iterator[tuple[str, str, dict[str, int]]]:
    try:
        with CollectionView(run_dir) as view:
            for row in view.rows(_PAGES, [MAX_PAGES]):
                try:
                    yield row["url"], row["title"] or "", unpack_terms(row["terms"])
                except ValueError:
                    continue  # damaged
    except CollectionFileError:
        return


def _accepted(topic: Topic, pages: Iterable[dict[str, int]]) -> np.ndarray:
    """Return for each page whether a topic calls it relevant, shape (n_pages,)."""
    from scipy import sparse

    from focused.method.topic.counted import relevance_of_counts

    column_of: dict[str, int] = {}
    columns, counts, ends = list[int](), list[int](), [0]
    for terms in pages:
        columns += [column_of.setdefault(term, len(column_of)) for term in terms]
        counts += terms.values()
        ends.append(len(columns))
    shape = (len(ends) - 1, len(column_of))
    rows = sparse.csr_matrix((np.array(counts, dtype=np.float64), columns, ends), shape=shape)
    accepted: np.ndarray = relevance_of_counts(topic, list(column_of), rows, "page") >= topic.threshold("page")
    return accepted
