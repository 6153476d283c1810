"""Measures how much new text a page brings, compared with the usual page of the crawl. Pure: no Scrapy, no file."""

from __future__ import annotations

import math

from focused.method.scoring.stored_text import new_triples

_FULL = 0.5
"""A page with this part of the new text of a usual page, or more, counts as wholly new."""
_PRIOR_PAGES = 4.0
"""Pages without new text that the mean begins with: while few pages are known, little new text counts as usual."""


class NewText:
    """Compares the new text of a page with that of a usual one, the geometric mean: a few long pages do not count much.

    A log-in, a basket, a page that shows who links to another one may say something that no page said before, but next to
    nothing.
    """

    def __init__(self) -> None:
        self._n_pages = 0
        self._logs = 0.0

    def amount(self, sketch: bytes) -> float | None:
        """Return how much new text a page brought, in [0, 1]; None where that is not known.

        ``sketch``: what was stored of its text. A copy has nothing new, and is not to be given.
        """
        n_new = new_triples(sketch)
        if n_new is None:
            return None
        self._n_pages += 1
        self._logs += math.log1p(n_new)
        usual = math.expm1(self._logs / (self._n_pages + _PRIOR_PAGES))
        return min(1.0, n_new / (_FULL * usual)) if usual else 1.0
