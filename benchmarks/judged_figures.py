"""Do the intervals of precision and recall hold the truth? Simulated sessions of people who judge pages in the queue's order.

Each session has a collection of its own: pages with relevances, a truth that the relevances say more or less of, a crawl that
goes on adding pages, and people who answer what the project's queue shows them, always rightly. At the end the figures are
compared with the truth about the pages that they speak of. Written are, for precision: in what share of sessions the 95 %
interval holds the truth, its width in units of Wilson's interval for as many verdicts, and, for comparison, how often Wilson's
interval holds it if all verdicts on delivered pages are taken for a random sample. Then the same for recall.

Examples
--------
  python benchmarks/judged_figures.py
  python benchmarks/judged_figures.py --sessions 100 --no-write
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass, field
from multiprocessing import Pool
from statistics import fmean

import numpy as np
import numpy.typing as npt
from common import machine, table
from provenance import now, write_blocks

from focused.collection.figures import Figures, figures
from focused.collection.page_table import QueuedPage
from focused.collection.queue import Queue
from focused.collection.queue_kinds import RANDOM
from focused.collection.random_order import place
from focused.collection.sample import Group, Share

THRESHOLD = 0.5
MAX_LOOKED = 150
"""The pages have no words here, so those nearest to the threshold are enough to choose from."""
_Z = 1.959964


@dataclass(frozen=True)
class Plan:
    """One kind of session."""

    name: str
    n_verdicts: int
    orders: tuple[str, ...] = ("mixed",)
    n_pages: int = 1000
    #: Pages that the crawl adds between two verdicts.
    growth: float = 0.0
    #: Share of pages that look relevant.
    share: float = 0.5
    #: Log odds by which relevances are too low (above 0) or too high.
    bias: float = 0.0
    #: Share of pages that a person cannot judge.
    skipped: float = 0.0
    #: After so many verdicts the model learns from them, and has the judged pages on their side.
    learns_after: int = 0


PLANS = (
    Plan("random, ten verdicts", 10, ("random",)),
    Plan("random", 60, ("random",)),
    Plan("random, nearly all are relevant", 60, ("random",), bias=2.0),
    Plan("mixed, the first figure", 34),
    Plan("mixed", 150),
    Plan("mixed, the model is too sure", 100, bias=-1.0),
    Plan("mixed, a small collection", 100, n_pages=300),
    Plan("mixed, a running crawl", 100, n_pages=300, growth=5),
    Plan("mixed, a crawl that is faster", 100, n_pages=100, growth=20),
    Plan("a rare topic, a tenth is skipped", 120, growth=3, share=0.1, skipped=0.1),
    Plan("three people, three orders", 100, ("mixed", "random", "uncertain"), growth=2),
    Plan("random, and the model learns half-way", 90, ("random",), learns_after=45),
    Plan("mixed, and the model learns half-way", 160, growth=1, learns_after=80),
)


@dataclass
class Tally:
    """What many sessions of one kind came to."""

    held: list[bool] = field(default_factory=list)
    n: list[int] = field(default_factory=list)
    true: list[float] = field(default_factory=list)
    error: list[float] = field(default_factory=list)
    width: list[float] = field(default_factory=list)
    to_wilson: list[float] = field(default_factory=list)
    wilson_width: list[float] = field(default_factory=list)
    covered: list[float] = field(default_factory=list)
    naive_held: list[bool] = field(default_factory=list)

    def add(self, share: Share, true: float) -> None:
        """Add a figure beside its truth."""
        self.held.append(share.low - 1e-9 <= true <= share.high + 1e-9)
        self.n.append(share.n)
        self.true.append(true)
        self.error.append(share.value - true)
        self.width.append(share.high - share.low)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=2000, help="of each kind (default: 2000)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: 1)")
    parser.add_argument("--no-write", action="store_true", help="print the tables only")
    options = parser.parse_args()
    with Pool(options.jobs) as pool:
        found = pool.starmap(tallies, [(plan, options.sessions) for plan in PLANS], chunksize=1)
    precision = [precision_row(plan, tally) for plan, (tally, _) in zip(PLANS, found, strict=True)]
    recall = [recall_row(plan, tally) for plan, (_, tally) in zip(PLANS, found, strict=True) if tally.n]
    heads = [
        "sessions",
        "pages, added between verdicts",
        "verdicts",
        "of them in the sample",
        "true precision",
        "mean error",
    ]
    heads += ["held", "width / Wilson's", "95th percentile", "pages spoken of", "held, if all verdicts were random"]
    blocks = {
        "judged precision": f"{table(heads, precision)}\n\n{machine()}.",
        "judged recall": table(["sessions", "in the sample", "true recall", "mean error", "held", "width"], recall),
    }
    if options.no_write:
        print("\n\n".join(blocks.values()))
        return
    rooms = [f"focused/collection/{name}.py" for name in ("figures", "queue", "random_order", "sample")]
    write_blocks(blocks, now("python benchmarks/judged_figures.py", rooms, {"sessions": options.sessions}))


def tallies(plan: Plan, n_sessions: int) -> tuple[Tally, Tally]:
    """Simulate sessions of one kind; return what they came to for precision, and for recall."""
    precision, recall = Tally(), Tally()
    for seed in range(n_sessions):
        found, accepted, relevant, verdict = session(plan, seed)
        if (share := found.precision) is not None:
            n = share.of_pages
            delivered = np.where(np.isnan(verdict[:n]), accepted[:n], verdict[:n] > 0.5)
            precision.add(share, float(relevant[:n][delivered].mean()))
            low, high = wilson(share.value, share.n)
            precision.wilson_width.append(high - low)
            precision.to_wilson.append((share.high - share.low) / (high - low))
            precision.covered.append(n / len(accepted))
            said = verdict[accepted & ~np.isnan(verdict)]
            low, high = wilson(float(said.mean()), len(said))
            precision.naive_held.append(low <= precision.true[-1] <= high)
        if (share := found.recall) is not None:
            n = share.of_pages
            delivered = np.where(np.isnan(verdict[:n]), accepted[:n], verdict[:n] > 0.5)
            recall.add(share, float((relevant[:n] & delivered).sum() / relevant[:n].sum()))
    return precision, recall


def session(
    plan: Plan, seed: int
) -> tuple[Figures, npt.NDArray[np.bool_], npt.NDArray[np.bool_], npt.NDArray[np.float64]]:
    """Return the figures after one session; of each page what the model says, the truth, and the verdict (NaN: none)."""
    rng = np.random.default_rng(seed)
    n_most = plan.n_pages + round(plan.growth * plan.n_verdicts)
    relevance = np.where(rng.random(n_most) < plan.share, rng.beta(6, 1.5, n_most), rng.beta(1, 4, n_most)).clip(
        0.001, 0.999
    )
    odds = np.exp(plan.bias) * relevance / (1 - relevance)
    relevant = rng.random(n_most) < odds / (1 + odds)
    accepted = relevance >= THRESHOLD
    name = str(seed)
    queues = [Queue(order, name, lambda url: {}, max_looked=MAX_LOOKED) for order in plan.orders]
    verdicts: dict[str, bool] = {}
    drawn_at = np.zeros(n_most, dtype=np.int64)
    learnt = np.zeros(n_most, dtype=np.bool_)
    n_there = 0
    for turn in range(plan.n_verdicts):
        if plan.learns_after and turn == plan.learns_after:
            for url, said in verdicts.items():
                learnt[int(url)], accepted[int(url)] = True, said
            name, n_there = f"{seed} learnt", 0
            drawn_at[:] = 0
            queues = [Queue(order, name, lambda url: {}, max_looked=MAX_LOOKED) for order in plan.orders]
        n_pages = plan.n_pages + round(plan.growth * turn)
        for queue in queues:
            for row in range(n_there, n_pages):
                queue.add(QueuedPage(row + 1, str(row), float(relevance[row]), THRESHOLD, bool(accepted[row])))
        n_there = n_pages
        queue = queues[turn % len(queues)]
        queue.learn(verdicts)
        pick = queue.next()
        if pick is None:
            break
        row = pick.page.number - 1
        if pick.kind == RANDOM:
            drawn_at[row] = n_there
        queue.count(pick.page.url, pick.kind)
        if rng.random() < plan.skipped:
            queue.set_aside(pick.page.url)
        else:
            verdicts[pick.page.url] = bool(relevant[row])
    verdict = np.full(n_there, np.nan)
    for url, said in verdicts.items():
        verdict[int(url)] = said
    places = np.array([place(str(row), name) for row in range(n_there)])
    number, known = np.arange(1, n_there + 1), learnt[:n_there]
    pages = Group(number[~known], places[~known], verdict[~known], drawn_at[:n_there][~known])
    found = figures(pages, accepted[:n_there][~known], number[known & (verdict == 1)])
    return found, accepted[:n_there], relevant[:n_there], verdict


def wilson(share: float, n: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval."""
    centre = share + _Z**2 / (2 * n)
    half = _Z * math.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
    return (centre - half) / (1 + _Z**2 / n), (centre + half) / (1 + _Z**2 / n)


def precision_row(plan: Plan, tally: Tally) -> list[str]:
    return [
        plan.name,
        f"{plan.n_pages:,}, {plan.growth:g}",
        str(plan.n_verdicts),
        f"{fmean(tally.n):.1f}",
        f"{fmean(tally.true):.3f}",
        f"{fmean(tally.error):+.4f}",
        f"{fmean(tally.held):.3f}",
        f"{fmean(tally.width) / fmean(tally.wilson_width):.2f}",
        f"{np.quantile(tally.to_wilson, 0.95):.2f}",
        f"{fmean(tally.covered):.0%}",
        f"{fmean(tally.naive_held):.3f}",
    ]


def recall_row(plan: Plan, tally: Tally) -> list[str]:
    return [
        plan.name,
        f"{fmean(tally.n):.1f}",
        f"{fmean(tally.true):.3f}",
        f"{fmean(tally.error):+.4f}",
        f"{fmean(tally.held):.3f}",
        f"{fmean(tally.width):.3f}",
    ]


if __name__ == "__main__":
    main()
