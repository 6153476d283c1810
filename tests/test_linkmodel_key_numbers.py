"""Numbers of keys are what a dictionary would say, whatever is added, asked for and removed in whatever order."""

from __future__ import annotations

import random
import sys

import numpy as np
import pytest

from focused.method.strategies.linkmodel import key_numbers
from focused.method.strategies.linkmodel.key_numbers import UNKNOWN, KeyNumbers


@pytest.mark.parametrize("max_recent", [0, 7, 16_384])
def test_numbers_are_those_of_a_dictionary(monkeypatch, max_recent):
    monkeypatch.setattr(key_numbers, "MAX_RECENT", max_recent)
    source = random.Random(max_recent)
    found, expected = KeyNumbers(), {}
    every = [*(source.randrange(-(2**63), 2**63) for _ in range(300)), -(2**63), 2**63 - 1, 0, UNKNOWN]
    for turn in range(400):
        new = [key for key in source.sample(every, 9) if key not in expected]
        numbers = source.sample(range(1_000_000), len(new))
        found.add(new, np.array(numbers, dtype=np.int64))
        expected.update(zip(new, numbers, strict=True))
        asked = source.choices(every, k=turn % 20)
        assert found.numbers(asked).tolist() == [expected.get(key, UNKNOWN) for key in asked]
        assert found.get(every[turn % len(every)]) == expected.get(every[turn % len(every)])
        removed = source.sample(sorted(expected), min(len(expected), source.randrange(9)))
        found.remove(np.array(removed, dtype=np.int64))
        for key in removed:
            del expected[key]
        assert len(found) == len(expected)
        keys, numbers_of_keys = found.items()
        assert dict(zip(keys.tolist(), numbers_of_keys.tolist(), strict=True)) == expected


def test_a_hundred_thousand_keys_take_a_quarter_of_a_dictionary():
    source = random.Random(0)
    keys = [source.randrange(2**60) for _ in range(100_000)]
    found = KeyNumbers()
    for first in range(0, len(keys), 100):
        found.add(keys[first : first + 100], np.arange(first, first + 100))
    size = found._keys.nbytes + found._numbers.nbytes + sys.getsizeof(found._recent) + 80 * len(found._recent)
    assert size < (sys.getsizeof(dict.fromkeys(keys)) + 80 * len(keys)) / 4
    assert found.numbers(keys).tolist() == list(range(100_000))
