"""All text units of a page against all directions of a topic: one sparse product."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from focused.page.units import PageUnits, Stretches

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_MAX_TABLED_COUNT = 4096


@dataclass(slots=True)
class UnitProducts:
    """What the product gives for each row of a page's units.

    ``sums[d]`` is the sum of the unit's term weights times direction d, still to be divided by ``norm``, shape
    (n_directions, n_rows); ``norm`` the Euclidean length of the term weights; ``n_known`` the number of different
    vocabulary terms.
    """

    sums: Floats
    norm: Floats
    n_known: Integers

    def cosine(self, direction: int) -> Floats:
        """Return the product of the normalised rows with a direction; 0 for a row without known terms."""
        quotient: Floats = np.divide(self.sums[direction], self.norm, out=np.zeros_like(self.norm), where=self.norm > 0)
        return quotient


class UnitProduct:
    """The sparse product of tfc rows [P13, eq. 3] with a few fixed directions.

    It counts, weighs and multiplies in one go, for a matrix object of a few hundred short rows costs more to make
    than to use.

    Parameters
    ----------
    columns : ndarray of shape (n_ids,)
        The vocabulary column of each term id, -1 for terms that are in no vocabulary. Larger ids are in none.
    idf : ndarray of shape (n_terms,)
    directions : ndarray of shape (n_directions, n_terms)
    sublinear_tf : bool
        Whether a count f weighs 1 + ln f instead of f.
    """

    def __init__(self, columns: npt.NDArray[np.int32], idf: Floats, directions: Floats, sublinear_tf: bool) -> None:
        self._columns = np.append(columns, np.int32(-1))
        self._last_id = len(columns)
        self._shift = max(1, len(idf).bit_length())
        self._mask = (1 << self._shift) - 1
        self._idf = idf
        self._weighted = directions * idf
        counts = np.arange(_MAX_TABLED_COUNT + 1, dtype=np.float64)
        self._tf = np.where(counts > 0, 1 + np.log(np.maximum(counts, 1)), 0) if sublinear_tf else counts

    def __call__(self, units: PageUnits) -> tuple[UnitProducts, UnitProducts]:
        """Return the products of a page's rows, and those of its link contexts (one for each link)."""
        columns = self._columns[np.minimum(units.terms, self._last_id)]
        known = columns >= 0
        place = np.zeros(len(known) + 1, dtype=np.int64)
        np.cumsum(known, out=place[1:])
        stream = columns[known].astype(np.int64)
        keys = self._keys(stream, place, units.whole)
        if len(units.pure.row):
            pure = known & ~units.in_anchor
            pure_place = np.zeros(len(pure) + 1, dtype=np.int64)
            np.cumsum(pure, out=pure_place[1:])
            keys = np.concatenate((keys, self._keys(columns[pure].astype(np.int64), pure_place, units.pure)))
        entries, counts = _count(keys)
        rows = self._sum(entries, self._tf[np.minimum(counts, _MAX_TABLED_COUNT)], units.n_rows)
        context_row = units.context_row
        contexts = UnitProducts(rows.sums[:, context_row], rows.norm[context_row], rows.n_known[context_row])
        if len(units.own_anchors.row):
            own, own_counts = _count(self._keys(stream, place, units.own_anchors))
            self._add_own_anchors(contexts, context_row, entries, counts, own, own_counts)
        return rows, contexts

    def _keys(self, stream: Integers, place: Integers, stretches: Stretches) -> Integers:
        """Return row and column, as one number, of each known term in each stretch."""
        start, end = place[stretches.start], place[stretches.end]
        lengths = end - start
        behind = np.cumsum(lengths)
        total = int(behind[-1]) if len(behind) else 0
        positions = np.arange(total) + np.repeat(start - behind + lengths, lengths)
        keys: Integers = np.repeat(stretches.row << self._shift, lengths) | stream[positions]
        return keys

    def _sum(self, entries: Integers, tf: Floats, n_rows: int) -> UnitProducts:
        row, column = entries >> self._shift, entries & self._mask
        weight = tf * self._idf[column]
        sums: Floats = np.stack([np.bincount(row, tf * weights[column], n_rows) for weights in self._weighted])
        norm: Floats = np.sqrt(np.bincount(row, weight * weight, n_rows))
        n_known: Integers = np.bincount(row, minlength=n_rows)
        return UnitProducts(sums, norm, n_known)

    def _add_own_anchors(
        self,
        contexts: UnitProducts,
        context_row: Integers,
        entries: Integers,
        counts: Integers,
        own: Integers,
        own_counts: Integers,
    ) -> None:
        """Add to each context the terms of its own anchors: only what they change is computed anew."""
        if not len(own):
            return
        link, column = own >> self._shift, own & self._mask
        n_links = len(context_row)
        wanted = (context_row[link] << self._shift) | column
        if len(entries):
            found = np.minimum(np.searchsorted(entries, wanted), len(entries) - 1)
            before = np.where(entries[found] == wanted, counts[found], 0)
        else:
            before = np.zeros(len(own), dtype=np.int64)
        tf_before = self._tf[np.minimum(before, _MAX_TABLED_COUNT)]
        tf_after = self._tf[np.minimum(before + own_counts, _MAX_TABLED_COUNT)]
        idf = self._idf[column]
        more = np.bincount(link, (tf_after**2 - tf_before**2) * idf**2, n_links)
        contexts.norm = np.sqrt(contexts.norm**2 + more)
        contexts.n_known = contexts.n_known + np.bincount(link, before == 0, n_links).astype(np.int64)
        change = tf_after - tf_before
        for direction, weights in enumerate(self._weighted):
            contexts.sums[direction] += np.bincount(link, change * weights[column], n_links)


def _count(keys: Integers) -> tuple[Integers, Integers]:
    """Return the different keys in ascending order, and how often each occurs."""
    keys.sort()
    is_first = np.empty(len(keys), dtype=np.bool_)
    if len(keys):
        is_first[0] = True
        np.not_equal(keys[1:], keys[:-1], out=is_first[1:])
    first = np.flatnonzero(is_first)
    return keys[first], np.diff(np.append(first, len(keys)))
