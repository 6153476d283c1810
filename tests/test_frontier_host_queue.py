"""Which host is next, and how far it stands behind a better one that has to wait."""

from __future__ import annotations

import random

import pytest

from focused.frontier.dispatch import PASSED_OVER, PASSED_OVER_LEVELS, about_passed_over
from focused.frontier.store.host_queue import BUSY, HostQueue
from focused.frontier.store.ranks import Ranks
from focused.frontier.store.schema import RANK_BITS


@pytest.mark.parametrize(("n_hosts", "delay"), [(5, 0.0), (5, 3.0), (40, 3.0), (40, 50.0)])
def test_the_best_host_that_may_be_asked_is_taken_and_how_far_it_stands_behind_the_best_that_waits_is_known(
    n_hosts, delay
):
    draw, queue, ranks = random.Random(0), HostQueue(), Ranks()
    standing: dict[int, int] = {}  # by host, the rank of its best link ...
    sunk = dict.fromkeys(range(n_hosts), 0)  # ... and how far it stands back
    ready = dict.fromkeys(range(n_hosts), 0.0)
    n_behind = 0

    def ready_at(host: int) -> float:
        return ready[host]

    for turn in range(3000):
        now = turn / 10
        for host in [host for host in ready if ready[host] == BUSY and draw.random() < 0.3]:
            ready[host] = now + delay
        host, rank = draw.randrange(n_hosts), ranks.rank(draw.randrange(20), turn)
        what = draw.random()
        if what < 0.6:
            queue.offer(host, rank)
            standing[host] = min(standing.get(host, rank), rank)
        elif what < 0.7:
            queue.set_best(host, rank)
            standing[host] = rank
        elif what < 0.75:
            sunk[host] = draw.randrange(5) << RANK_BITS
            queue.sink(host, sunk[host])
        elif what < 0.8 and 0 < ready[host] < BUSY:
            ready[host] = 0.0
            queue.recheck(host)
        keys = {host: rank + sunk[host] for host, rank in standing.items()}
        may_be_asked = [host for host in keys if ready[host] <= now]
        taken = queue.next_host(ready_at, now)
        assert taken == min(may_be_asked, key=keys.__getitem__, default=None)
        if taken is not None:
            behind = (keys[taken] >> RANK_BITS) - (min(keys.values()) >> RANK_BITS)
            assert queue.levels_below == behind
            n_behind += behind > 0
            ready[taken] = BUSY if draw.random() < 0.5 else now + delay
            del standing[taken]
            queue.set_best(taken, None)
    assert n_behind > 100


@pytest.mark.parametrize(
    ("n_passed_over", "levels", "n_requests", "is_said"),
    [(26, 5200, 100, True), (25, 5200, 100, False), (90, 200, 100, False), (10, 5200, 19, False), (0, 0, 0, False)],
)
def test_links_passed_over_are_spoken_of_where_they_are_many_and_much_better(
    n_passed_over, levels, n_requests, is_said
):
    said = about_passed_over({PASSED_OVER: n_passed_over, PASSED_OVER_LEVELS: levels, "scheduler/dequeued": n_requests})
    assert bool(said) is is_said
    if is_said:
        assert said.startswith("26 of 100 requests were for links of lower scores ")
        assert "by 0.20 of score in the mean" in said
        assert "DOWNLOAD_DELAY" in said
