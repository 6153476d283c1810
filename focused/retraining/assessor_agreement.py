"""Decides whether the verdicts of a program count, by how often people agree with them."""

from __future__ import annotations

from collections import defaultdict

LEAST_COMMON, LEAST_OF_KIND = 10, 3
"""Pages that both have judged, from which anything is concluded; pages of a kind, from which kinds count alike."""
LEAST_AGREEMENT = 0.6
"""A coin agrees on half of the pages. Chosen, not measured."""


class AssessorAgreement:
    """Counts how often a program agrees with people, on the pages that both have judged."""

    def __init__(self) -> None:
        self._common: defaultdict[bool, int] = defaultdict(int)
        self._agreed: defaultdict[bool, int] = defaultdict(int)

    def count(self, by_people: bool, by_program: bool, n: int = 1) -> None:
        """Count a page, or with ``n`` = -1 take it out."""
        self._common[by_people] += n
        self._agreed[by_people] += n * (by_people is by_program)

    @property
    def is_believed(self) -> bool:
        """Whether the program is believed: also as long as too few pages say anything of it.

        Where people have judged several pages of either kind, both kinds count alike: who always says yes agrees with people
        who mostly do, and knows nothing.

        >>> found = AssessorAgreement()
        >>> for _ in range(9):
        ...     found.count(True, True)
        >>> found.count(False, True), found.is_believed
        (None, True)
        >>> found.count(False, True), found.count(False, True), found.is_believed
        (None, None, False)
        """
        n_common = sum(self._common.values())
        if n_common < LEAST_COMMON:
            return True
        if min(self._common[True], self._common[False]) >= LEAST_OF_KIND:
            return sum(self._agreed[kind] / self._common[kind] for kind in (True, False)) / 2 >= LEAST_AGREEMENT
        return sum(self._agreed.values()) / n_common >= LEAST_AGREEMENT

    def __str__(self) -> str:
        return f"it agrees with people on {sum(self._agreed.values())} of {sum(self._common.values())} pages"
