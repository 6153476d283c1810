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

    ``sums[d]`` is the sum of the unit's term weights times direction d, still to be divided by the Euclidean length
    of the term weights, shape (n_directions, n_rows); ``square_norm`` the square of that length; ``n_known`` the
    number of different vocabulary terms.
    """

    sums: list[Floats]
    square_norm: Floats
    n_known: Integers

    def cosine(self, direction: int) -> Floats:
        """Return the product of the normalised rows with a direction; 0 for a row without known terms."""
        # Of a row without known terms the sum is 0, so it does not matter what it is divided by.
        quotient: Floats = self.sums[direction] / np.sqrt(np.maximum(self.square_norm, 1e-300))
        return quotient


class UnitProduct:
    """The sparse product of tfc rows [P13, eq. 3] with a few fixed directions.

    It counts, weighs and multiplies in one go, for a matrix object of a few hundred short rows costs more to make
    than to use. On most pages the number of numpy's calls is what costs, not the length of its arrays.

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
        self._shift = max(1, len(idf).bit_length())
        self._mask = (1 << self._shift) - 1
        self._square_idf = idf * idf
        self._weighted = directions * idf
        counts = np.arange(_MAX_TABLED_COUNT + 1, dtype=np.float64)
        self._tf = np.where(counts > 0, 1 + np.log(np.maximum(counts, 1)), 0) if sublinear_tf else counts

    def __call__(self, units: PageUnits, n_directions: int | None = None) -> tuple[UnitProducts, UnitProducts]:
        """Return the products of a page's rows, and those of its link contexts (one for each link).

        Parameters
        ----------
        units : PageUnits
        n_directions : int, optional
            How many of the directions are wanted; all if not given.
        """
        weighted = self._weighted[:n_directions]
        entries, counts = _count(self._keys(units))
        row, column = entries >> self._shift, entries & self._mask
        tf = self._tf.take(counts, mode="clip")
        n_rows = units.n_rows
        rows = UnitProducts(
            [_totals(row, tf * weights.take(column), n_rows) for weights in weighted],
            _totals(row, tf * tf * self._square_idf.take(column), n_rows),
            np.bincount(row, minlength=n_rows),
        )
        of_link = units.context_row
        contexts = UnitProducts([sums[of_link] for sums in rows.sums], rows.square_norm[of_link], rows.n_known[of_link])
        if units.pure is not None:
            # Entries are in the order of rows.
            own = slice(*row.searchsorted((units.link_rows.start, units.link_rows.stop)))
            link, column = row[own] - units.link_rows.start, column[own]
            self._add_own_anchors(contexts, of_link, entries, counts, link, column, counts[own], tf[own])
        return rows, contexts

    def _keys(self, units: PageUnits) -> Integers:
        """Return row and column, as one number, of each known term in each row's text."""
        columns = self._columns.take(units.terms, mode="clip")
        known = columns >= 0
        stream = columns[known]
        start, end, row = _places(known, units.whole)
        if units.pure is not None:
            # The stream without anchors lies behind the whole one.
            pure = known & ~units.in_anchor
            pure_start, pure_end, pure_row = _places(pure, units.pure)
            start = np.concatenate((start, pure_start + len(stream)))
            end = np.concatenate((end, pure_end + len(stream)))
            row = np.concatenate((row, pure_row))
            stream = np.concatenate((stream, columns[pure]))
        lengths = end - start
        behind = lengths.cumsum()
        positions = (end - behind).repeat(lengths)
        positions += np.arange(len(positions))
        keys: Integers = (row << self._shift).repeat(lengths)
        keys |= stream.take(positions)
        return keys

    def _add_own_anchors(
        self,
        contexts: UnitProducts,
        context_row: Integers,
        entries: Integers,
        counts: Integers,
        link: Integers,
        column: Integers,
        own_counts: Integers,
        own_tf: Floats,
    ) -> None:
        """Add to each context the terms of its own anchors: only what they change is computed anew.

        ``link``, ``column``, ``own_counts`` and ``own_tf`` describe the entries of the own anchors.
        """
        if not len(link):
            return
        wanted = (context_row[link] << self._shift) | column
        found = entries.searchsorted(wanted)
        before = counts.take(found, mode="clip") * (entries.take(found, mode="clip") == wanted)
        tf_before = self._tf.take(before, mode="clip")
        tf_after = self._tf.take(before + own_counts, mode="clip")
        n_links = len(context_row)
        change = tf_after - tf_before
        contexts.square_norm += _totals(link, change * (tf_after + tf_before) * self._square_idf.take(column), n_links)
        contexts.n_known += np.bincount(link[before == 0], minlength=n_links)
        for sums, weights in zip(contexts.sums, self._weighted, strict=False):
            sums += _totals(link, change * weights.take(column), n_links)


def _places(is_kept: npt.NDArray[np.bool_], stretches: Stretches) -> tuple[Integers, Integers, Integers]:
    """Return where stretches begin and end in a stream of which only some positions are kept, and their rows."""
    place = np.zeros(len(is_kept) + 1, dtype=np.int64)
    is_kept.cumsum(out=place[1:])
    return place[stretches.start], place[stretches.end], stretches.row


def _totals(row: Integers, weights: Floats, n_rows: int) -> Floats:
    return np.asarray(np.bincount(row, weights, n_rows), dtype=np.float64)


def _count(keys: Integers) -> tuple[Integers, Integers]:
    """Return the different keys in ascending order, and how often each occurs."""
    keys.sort()
    is_last = np.ones(len(keys), dtype=np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=is_last[:-1])
    last = is_last.nonzero()[0]
    counts = last.copy()
    counts[1:] -= last[:-1]
    counts[:1] += 1
    return keys[last], counts
