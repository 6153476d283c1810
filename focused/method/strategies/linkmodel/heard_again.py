"""Tells when a session that learns anew has heard enough again from other workers to move waiting links.

It has its own pages at once; those of the others come one by one, when they have been judged by the new model. By the part
that it knows meanwhile it would send the crawl elsewhere for some seconds. So links keep the scores of the former model until
then.
"""

from __future__ import annotations

import math

_ENOUGH = 0.9
"""Share of the pages known before. Copies are not kept, so nobody tells of them again."""
_MOST_OWN_MEANWHILE, _OF_KNOWN = 10, 100
"""Own pages after which it does not wait any longer, or a hundredth of the pages known before if these are more: another
worker may have ended, and tells nothing any more."""


class HeardAgain:
    """Compares the pages that a session knows, since it learns anew, with those that the former one knew."""

    def __init__(self) -> None:
        self._n_at_first = 0
        self.n_enough = 0

    def begin(self, n_pages: int, n_known_before: int, former: HeardAgain) -> None:
        """Begin with some pages, of those that the former session knew; it may itself have waited for more."""
        self._n_at_first = n_pages
        self.n_enough = max(math.ceil(_ENOUGH * n_known_before), former.n_enough)

    def waits(self, n_pages: int, n_of_others: int) -> bool:
        """Tell whether it is too early to move links; ``n_of_others``: pages of other workers since it began.

        >>> heard = HeardAgain()
        >>> heard.begin(25, n_known_before=100, former=HeardAgain())
        >>> heard.waits(89, n_of_others=64), heard.waits(90, n_of_others=65), heard.waits(60, n_of_others=25)
        (True, False, False)
        """
        n_own_meanwhile = n_pages - self._n_at_first - n_of_others
        return n_pages < self.n_enough and n_own_meanwhile < max(_MOST_OWN_MEANWHILE, self.n_enough // _OF_KNOWN)
