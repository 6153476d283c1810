"""The terms of a text with their counts, by id; the words themselves are computed only when asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from focused.method.text.analyzer import TERMS

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class CountedTerms(Mapping[str, int]):
    """The different terms of a text with their counts.

    Each word lies somewhere else in memory: to look at all of a page's words costs more than to count them. Whoever wants a
    few hundred of them at once takes `words`.

    Parameters
    ----------
    ids : ndarray of shape (n_terms,)
        Different term ids.
    counts : ndarray of shape (n_terms,)
        At least 1 each.

    Examples
    --------
    >>> import numpy as np
    >>> ids = np.array([TERMS.intern(term) for term in ("star", "gas")])
    >>> counts = CountedTerms(ids, np.array([3, 1]))
    >>> counts.words, counts == {"star": 3, "gas": 1}
    (['star', 'gas'], True)
    """

    def __init__(self, ids: npt.NDArray[np.integer], counts: npt.NDArray[np.integer]) -> None:
        self.ids, self.counts = ids, counts

    @property
    def words(self) -> list[str]:
        """The terms, in the order of the ids."""
        return TERMS.terms(self.ids)

    @cached_property
    def _count_of(self) -> dict[str, int]:
        return dict(zip(self.words, self.counts.tolist(), strict=False))  # as many; the check costs a third

    def __getitem__(self, term: str) -> int:
        return self._count_of[term]

    def __iter__(self) -> Iterator[str]:
        return iter(self._count_of)

    def __len__(self) -> int:
        return len(self.ids)
