"""Which things are alike: those that share what few others have. Pages of a web link to each other by it."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet


def alike(values: Sequence[AbstractSet[str]], n_alike: int, *, most: int) -> list[list[int]]:
    """Return for each thing the numbers of those that share most with it, at most ``n_alike``.

    A value that n things have counts 1 / n; one that more than ``most`` have counts nothing.
    """
    having: defaultdict[str, list[int]] = defaultdict(list)
    for number, found in enumerate(values):
        for value in sorted(found):
            having[value].append(number)
    result = []
    for number, found in enumerate(values):
        score: Counter[int] = Counter()
        for value in sorted(found):
            for other in having[value] if len(having[value]) <= most else ():
                score[other] += 1 / len(having[value])
        del score[number]
        result.append([other for other, _ in score.most_common(n_alike)])
    return result
