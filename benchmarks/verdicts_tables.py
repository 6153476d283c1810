"""The tables of verdicts.py: F1 of the collection by order and number of verdicts, by web, and with wrong verdicts."""

from __future__ import annotations

from typing import Any

import numpy as np
from common import machine, table

STEPS = (10, 20, 50, 100)
"""Numbers of verdicts."""
STARTS = {"met": "examples", "web": "web"}
"""What topics are trained against, and the start of ``scrapy evaluate`` for it."""
ORDERS = ("mixed", "random", "top")


def chosen(found: list[dict[str, Any]], **values: Any) -> list[dict[str, Any]]:
    return [each for each in found if all(each[name] == value for name, value in values.items())]


def mean(found: list[dict[str, Any]], what: str, place: int) -> float:
    return float(np.mean([each[what][place] for each in found]))


def of_orders(found: list[dict[str, Any]]) -> str:
    """F1 of the collection and of the pages without a verdict, by order and number of verdicts; honest verdicts."""
    rows = []
    for start in STARTS:
        for order in ORDERS:
            some = chosen(found, start=start, order=order, share=0.0)
            if not some:
                continue
            cells = [f"{np.mean([each['before'] for each in some]):.3f}"]
            for place in range(len(STEPS)):
                both = [np.mean([each[what][place] for each in some]) for what in ("f1", "rest")]
                cells.append(f"{both[0]:.3f} ({both[1]:.3f})")
            alls = [each["all"] for each in chosen(found, start=start, order="random", share=0.0)]
            sides = np.mean([each["side"] for each in some])
            rows.append([start, order, *cells, f"{np.mean(alls):.3f}", f"{sides:.3f}"])
    header = ["start", "order", "before", *(f"{step} verdicts" for step in STEPS), "all labels", "on their side"]
    n = len(chosen(found, order="random", share=0.0))
    return f"{table(header, rows)}\n\n{n} crawls. In brackets: pages without a verdict. {machine()}."


def of_webs(found: list[dict[str, Any]]) -> str:
    """The queue with 50 verdicts against random order with 100, and half of the way to all labels."""
    rows = []
    for start in STARTS:
        for random in chosen(found, start=start, order="random", share=0.0):
            [mixed] = chosen(found, start=start, order="mixed", share=0.0, name=random["name"])
            half = random["before"] + (random["all"] - random["before"]) / 2
            fifty = mixed["f1"][STEPS.index(50)]
            rows.append(
                [
                    *(random["web"], random["name"], start, random["n"], f"{random['true']:.2f}"),
                    *(f"{value:.3f}" for value in (random["before"], fifty, random["f1"][-1], random["all"])),
                    *("yes" if fifty >= bar - 0.005 else "no" for bar in (random["f1"][-1], half)),
                    f"{mixed['side'][STEPS.index(50)]:.2f}",
                ]
            )
    header = ["web", "topic", "start", "pages", "relevant", "before", "queue, 50", "random, 100", "all labels"]
    header += ["as good as random, 100", "half of the way", "on their side"]
    met = [sum(row[place] == "yes" for row in rows) for place in (9, 10)]
    gaps = np.array([float(row[6]) - float(row[7]) for row in rows])
    return f"{table(header, rows)}\n\nMet, within 0.005: {met[0]} and {met[1]} of {len(rows)}. {_gap(gaps)}"


def _gap(gaps: np.ndarray[Any, Any]) -> str:
    """The mean difference over topics, with its interval."""
    half = 1.645 * float(gaps.std(ddof=1)) / len(gaps) ** 0.5 if len(gaps) > 1 else float("nan")
    mean_gap = float(gaps.mean())
    return (
        f"Queue, 50, less random, 100: {mean_gap:+.3f} in the mean (90 % interval over topics {mean_gap - half:+.3f} to "
        f"{mean_gap + half:+.3f}), {gaps.min():+.3f} at worst, {gaps.max():+.3f} at best."
    )


def of_wrong(found: list[dict[str, Any]], shares: list[float]) -> str:
    """F1 of the collection where a share of the verdicts is wrong."""
    rows = []
    for start in STARTS:
        for share in shares:
            some = chosen(found, start=start, order="mixed", share=share)
            cells = [f"{mean(some, 'f1', place):.3f} ({mean(some, 'rest', place):.3f})" for place in range(len(STEPS))]
            before = f"{np.mean([each['before'] for each in some]):.3f}"
            rows.append([start, f"{share:.0%}", before, *cells])
    return table(["start", "wrong", "before", *(f"{step} verdicts" for step in STEPS)], rows)
