"""All text units of a page against all directions of a topic: one sparse product."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from focused.method.page.text_units import PageUnits

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_MAX_TABLED_COUNT = 4096


@dataclass(slots=True)
class KnownTerms:
    """The terms of a page that are in the vocabulary."""

    #: Their columns, in the order of the text.
    columns: npt.NDArray[np.int32]
    #: Where the page's chunks begin among them, shape (n_chunks + 2,).
    chunk_start: Integers


@dataclass(slots=True)
class UnitProducts:
    """What the product gives for each text unit.

    Units are the rows of a page's units up to those of links, and behind them the link contexts, one for each link.
    ``sums[d]`` is the sum of the unit's term weights times direction d, still to be divided by the Euclidean length
    of the term weights, shape (n_directions, n_units); ``square_norm`` the square of that length; ``n_known`` the
    number of different vocabulary terms.
    """

    sums: list[Floats]
    square_norm: Floats
    n_known: Integers

    def cosines(self) -> list[Floats]:
        """Return the product of the normalised units with each direction; 0 for a unit without known terms."""
        # Of a unit without known terms the sum is 0, so it does not matter what it is divided by.
        norm = np.sqrt(np.maximum(self.square_norm, 1e-300))
        return [sums / norm for sums in self.sums]


class UnitProduct:
    """The sparse product of tfc rows [P13, eq. 3] with a few fixed directions.

    It counts, weighs and multiplies in one go, for a matrix object of a few hundred short rows costs more to make than to
    use. On most pages the number of numpy's calls is what costs, not the length of its arrays.

    ``columns`` of shape (n_ids,): the vocabulary column of each term id, -1 for terms that are in no vocabulary. Larger ids
    are in none. ``idf`` of shape (n_terms,). ``directions`` of shape (n_directions, n_terms). ``sublinear_tf``: whether a
    count f weighs 1 + ln f instead of f.
    """

    def __init__(self, columns: npt.NDArray[np.int32], idf: Floats, directions: Floats, sublinear_tf: bool) -> None:
        self._columns = np.append(columns, np.int32(-1))
        self._shift = max(1, len(idf).bit_length())
        self._mask = (1 << self._shift) - 1
        self._square_idf = idf * idf
        self._weighted = directions * idf
        counts = np.arange(_MAX_TABLED_COUNT + 1, dtype=np.float64)
        self._tf = np.where(counts > 0, 1 + np.log(np.maximum(counts, 1)), 0) if sublinear_tf else counts

    def known(self, terms: npt.NDArray[np.int32], chunk_start: Integers) -> KnownTerms:
        """Return a page's known terms: nothing else is looked at from here on."""
        columns = self._columns.take(terms, mode="clip")
        is_known = columns >= 0
        place = np.zeros(len(terms) + 1, dtype=np.int64)
        is_known.cumsum(out=place[1:])
        return KnownTerms(columns[is_known], place[chunk_start])

    def __call__(self, known: KnownTerms, units: PageUnits, n_directions: int | None = None) -> UnitProducts:
        """Return the products of a page's units.

        ``units``: of those terms. ``n_directions``: how many of the directions are wanted; all if not given.
        """
        weighted = self._weighted[:n_directions]
        entries, counts = _count(self._keys(known.columns, units))
        row, column = entries >> self._shift, entries & self._mask
        tf = self._tf.take(counts, mode="clip")
        n_rows, n_judged = units.n_rows, units.link_rows.stop
        n_known = np.bincount(row, minlength=n_rows)
        square_norm = _totals(row, tf * tf * self._square_idf.take(column), n_rows)
        sums = [_totals(row, tf * weights.take(column), n_rows) for weights in weighted]
        if not len(units.context_row):
            return UnitProducts(sums, square_norm, n_known)
        wanted = np.concatenate((np.arange(n_judged), units.context_row))
        products = UnitProducts([total.take(wanted) for total in sums], square_norm.take(wanted), n_known.take(wanted))
        if units.in_anchor is not None:
            # Entries are in the order of rows.
            first = int(n_known[: units.link_rows.start].sum())
            own = slice(first, first + int(n_known[units.link_rows].sum()))
            if own.stop > own.start:
                link, column = row[own] - units.link_rows.start, column[own]
                self._add_own_anchors(products, n_judged, units.context_row, entries, counts, link, column, own)
        return products

    def _keys(self, columns: npt.NDArray[np.int32], units: PageUnits) -> Integers:
        """Return row and column, as one number, of each known term in each row's text."""
        lengths = units.end - units.start
        behind = lengths.cumsum()
        positions = (units.end - behind).repeat(lengths)
        positions += np.arange(len(positions))
        keys: Integers = (units.row << self._shift).repeat(lengths)
        keys |= columns.take(positions)
        if units.in_anchor is not None:
            first = int(behind[units.n_with_anchors - 1])
            is_pure = ~units.in_anchor.take(positions[first:])
            keys = np.concatenate((keys[:first], keys[first:][is_pure]))
        return keys

    def _add_own_anchors(
        self, products: UnitProducts, first_context: int, context_row: Integers, entries: Integers, counts: Integers,
        link: Integers, column: Integers, own: slice,
    ) -> None:  # fmt: skip
        """Add to each context the terms of its own anchors: only what they change is computed anew.

        The entries ``own`` are those of the own anchors; ``link`` and ``column`` say of which link and term.
        """
        wanted = (context_row[link] << self._shift) | column
        found = entries.searchsorted(wanted)
        before = counts.take(found, mode="clip") * (entries.take(found, mode="clip") == wanted)
        tf_before = self._tf.take(before, mode="clip")
        tf_after = self._tf.take(before + counts[own], mode="clip")
        n_links = len(context_row)
        change = tf_after - tf_before
        contexts = slice(first_context, None)
        square = change * (tf_after + tf_before) * self._square_idf.take(column)
        products.square_norm[contexts] += _totals(link, square, n_links)
        products.n_known[contexts] += np.bincount(link[before == 0], minlength=n_links)
        for sums, weights in zip(products.sums, self._weighted, strict=False):
            sums[contexts] += _totals(link, change * weights.take(column), n_links)


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
