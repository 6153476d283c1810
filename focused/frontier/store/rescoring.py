"""Scores all links that wait anew, in slices, so that the crawl continues meanwhile."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from focused.frontier.store.ranks import moved_to
from focused.method.scoring.priority import to_priorities

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from focused.frontier.store.waiting_scores import WaitingScores

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class WaitingSlice:
    """What is known of some of the links that wait: one row each, in the order of discovery; arrays of shape (n_links,)."""

    urls: list[str]
    #: In [0, 1].
    scores: Floats
    reasons: npt.NDArray[np.int64]
    depths: npt.NDArray[np.int64]
    n_referrers: npt.NDArray[np.int64]
    #: What the scores were computed from, shape (n_links, n_parts); of a link with another number of parts: NaN.
    parts: Floats


@dataclass(frozen=True, slots=True)
class NewScores:
    """What a slice's links are worth now; arrays of shape (n_links,)."""

    scores: Floats
    reasons: npt.NDArray[np.int64]
    admitted: npt.NDArray[np.bool_]


def rescore(
    waiting: WaitingScores,
    last_id: int,
    score: Callable[[WaitingSlice], NewScores],
    *,
    slice_links: int = 2_000,
    model_version: int = 1,
) -> Iterator[int]:
    """Score all waiting links up to a number anew; yields after each slice how many links it had, some 10 us each.

    The caller takes the next slice when it likes: between two, links may come and go. Links found after the start have
    been scored by the new model already and are left out. Links that get another score name the version of the model from
    then on. A commit makes it durable.
    """
    at = 0
    while at < last_id:
        rows = waiting.rows(at, last_id, slice_links)
        if not rows:
            return
        at = rows[-1][0]
        new = score(_slice(rows))
        priorities = to_priorities(new.scores, new.admitted)
        changes = []
        for row, value, reason, admitted, priority in zip(
            rows, new.scores.tolist(), new.reasons.tolist(), new.admitted.tolist(), priorities.tolist(), strict=True
        ):
            rank = moved_to(row[2], priority + row[3])
            if rank != row[2] or value != row[5]:
                waiting.moved(row[1], row[2], rank)
                changes.append((rank, value, reason, admitted, model_version, row[0]))
        waiting.change(changes, {row[1] for row in rows})
        yield len(rows)


def rescore_for(work: Iterator[int], seconds: float) -> bool:
    """Do slices for at most ``seconds``; return whether there is more to do."""
    end = time.perf_counter() + seconds
    return any(time.perf_counter() >= end for _ in work)


def _slice(rows: list[tuple[Any, ...]]) -> WaitingSlice:
    _, _, _, _, urls, scores, reasons, depths, n_referrers, blobs = zip(*rows, strict=True)
    lengths = [len(blob) if blob else 0 for blob in blobs]
    n_parts = max(lengths) // 8
    if min(lengths) == max(lengths):
        parts = np.frombuffer(b"".join(blobs) if n_parts else b"", dtype="<f8").reshape(len(rows), n_parts)
    else:
        parts = np.full((len(rows), n_parts), np.nan)
        for number, blob in enumerate(blobs):
            if blob and len(blob) == n_parts * 8:
                parts[number] = np.frombuffer(blob, dtype="<f8")
    return WaitingSlice(
        list(urls), np.array(scores, float), np.array(reasons), np.array(depths), np.array(n_referrers), parts
    )
