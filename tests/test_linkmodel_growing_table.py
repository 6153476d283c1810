"""The columns of a growing table are as long as it is, before and after it has grown beyond what was reserved."""

from __future__ import annotations

import numpy as np

from focused.method.strategies.linkmodel.growing_table import GrowingTable


def test_a_column_has_all_rows_and_is_written_to_whenever_it_was_asked_for_last():
    table = GrowingTable(number=(np.int64, 7, 0), pair=(np.float64, 0, 2))
    for n_rows in (1, 3, 1_100, 0, 2_000):
        before = table["number"].tolist()
        added = table.add(n_rows)
        assert table["number"].tolist() == before + [7] * n_rows
        assert table["pair"].shape == (table.size, 2)
        table["number"][added] = added
        assert table["number"].tolist()[len(before) :] == added.tolist()


def test_rows_that_are_freed_and_taken_again_are_seen():
    table = GrowingTable(number=(np.int64, 7, 0))
    table.add(3, {"number": [1, 2, 3]})
    column = table["number"]
    table.free(np.array([1]))
    assert table["number"].tolist() == [1, 7, 3]
    assert table.add(1, {"number": [5]}).tolist() == [1]
    assert table["number"].tolist() == column.tolist() == [1, 5, 3]
