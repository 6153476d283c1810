"""Whether crawls find as many relevant pages as was foretold: on all recorded and made webs, and the demo web.

`adaptive` crawls 300 pages for all topics of the plan, twice each, as a user starts: 30 example pages, general background.
What forecasts are made from is recorded once, in the folders of the crawls; then forecasts after 30, 75 and 150 pages are made
from the files, so constants can be tried. The outcome is the count that a crawl itself shows: pages judged relevant. Beside it
stands the naive forecast: the harvest so far, plus or minus its standard deviation between stretches of the crawl times 1.28;
and the same stretched by one factor, so that it holds as many outcomes as it should, 80 %. A last table says how far this
count is from the truth between the trainings of a crawl.

Examples
--------
  python benchmarks/forecast.py --webs ../webs
  python benchmarks/forecast.py --only foldoc,demo --no-write
"""

from __future__ import annotations

import csv
import json
import os
import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import fmean, stdev
from typing import NamedTuple

import numpy as np
from common import chosen_names, machine, table
from evaluations.plan import web_arguments
from evaluations.running import adaptive_crawls, evaluate
from forecast_recorder import FILE
from known_webs import DEMO, KNOWN, RECORDED, folder_of, labels_of, web_parser
from provenance import CRAWL_ROOMS, now, write_blocks

from focused.crawl.forecast import Forecaster
from focused.settings import EXTENSIONS

WEBS = (*KNOWN, DEMO)
PAGES, REPEATS = 300, 2
MOMENTS = (30, 75, 150)
CHOSEN_ON = ("sites", "wiki", "forum", "wire", "demo")
"""Webs that the constants of the forecast were chosen on."""
TRAININGS = (0, 20, 40, 80, 160, PAGES)
"""After so many pages another version of the model judges."""
_DEVIATIONS = 1.2816
_STRETCH = 5


Pages = list[bool]


class Interval(NamedTuple):
    """Shares of relevant pages in the rest of a crawl."""

    share: float
    low: float
    high: float

    def holds(self, outcome: float) -> bool:
        """Tell whether the interval holds an outcome, as whole pages."""
        return self.low - 1e-9 <= outcome <= self.high + 1e-9


@dataclass(frozen=True)
class Told:
    """What is foretold of the rest of a crawl at a moment, and what came."""

    web: str
    at: int
    forecast: Interval
    #: Share and standard deviation between stretches, so far.
    naive: tuple[float, float]
    outcome: float
    #: The share that labels call relevant; None of the demo web.
    true: float | None

    def naive_interval(self, factor: float = 1.0) -> Interval:
        """Return the naive forecast, its interval stretched."""
        share, deviation = self.naive
        half = factor * _DEVIATIONS * deviation
        return Interval(share, max(share - half, 0.0), min(share + half, 1.0))


def main() -> None:
    options = web_parser(__doc__, "forecast", WEBS).parse_args()
    found: list[Told] = []
    by_version: list[tuple[Pages, Pages]] = []
    for name in chosen_names(options.only, WEBS):
        folder = folder_of(name, options.data, options.webs)
        output = options.output.resolve() / name
        if not list(output.glob(f"runs/*/adaptive/{FILE}")):
            record(name, folder, output, options.jobs)
        labels = {} if name == DEMO else labels_of(folder / f"{name}.labels.tsv")
        for path in sorted(output.glob(f"runs/*/adaptive/{FILE}")):
            relevant, true, rows = read(name, path, labels)
            found += told(name, relevant, true, rows)
            if true is not None and len(rows) == PAGES:
                by_version.append((relevant, true))
    tables = "\n\n".join((by_moment(found), by_web(found), by_training(by_version)))
    text = f"{tables}\n\n\\* constants were chosen on this web. {machine()}."
    if options.no_write:
        print(text)
        return
    settings = {"pages": PAGES, "repeats": REPEATS, "moments": list(MOMENTS)}
    write_blocks({"forecast": text}, now("python benchmarks/forecast.py", CRAWL_ROOMS, settings))


def record(name: str, folder: Path, output: Path, jobs: int) -> None:
    """Crawl a web with the recorder beside the project's own extensions."""
    os.environ["PYTHONPATH"] = str(Path(__file__).parent)
    extensions = json.dumps({**EXTENSIONS, "forecast_recorder.ForecastRecorder": 950})
    chosen = adaptive_crawls(PAGES, "examples", repeats=REPEATS)
    evaluate([*web_arguments(name, folder), *chosen, "-s", f"EXTENSIONS={extensions}"], output, jobs)


def read(web: str, path: Path, labels: dict[str, set[str]]) -> tuple[Pages, Pages | None, list[list[str]]]:
    """Return which pages of a crawl were judged relevant, which are (None: nobody knows), and the rows of its file."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[:PAGES]
    is_true = truth_of(web, path.parents[1].name, labels)
    return [row[0] == "1" for row in rows], [is_true(row[3]) for row in rows] if is_true else None, rows


def told(web: str, relevant: Pages, true: Pages | None, rows: list[list[str]]) -> list[Told]:
    """Return what is foretold of one crawl at each moment; nothing of one that ended before the last."""
    if len(rows) <= MOMENTS[-1]:
        return []
    forecaster, found = Forecaster(), []
    for number, (_, score, kind, _, waiting) in enumerate(rows[: MOMENTS[-1]], 1):
        level = None if kind == "seed" else float(score) - (kind == "below threshold")
        forecaster.add(level, is_relevant=relevant[number - 1])
        if number not in MOMENTS:
            continue
        levels = [each.split(":") for each in waiting.split(",") if each]
        # A crawl that runs out of links before has fewer pages than were foretold; the outcome is what it found.
        n_left, so_far = PAGES - number, forecaster.n_relevant
        forecast = forecaster.forecast([(float(level), int(n)) for level, n in levels], n_left)
        assert forecast is not None
        shares = [fmean(relevant[begin : begin + _STRETCH]) for begin in range(0, number, _STRETCH)]
        found.append(
            Told(
                web, number, Interval(*((each - so_far) / n_left for each in forecast)),
                (so_far / number, stdev(shares)), sum(relevant[number:]) / n_left,
                None if true is None else sum(true[number:]) / n_left,
            )
        )  # fmt: skip
    return found


def truth_of(web: str, name: str, labels: dict[str, set[str]]):
    """Return what tells whether a URL has the label of a crawl's topic; None where nothing is known."""
    named = re.match(rf"{web}-(.*)-r\d+", name)
    topics = {each for topics in labels.values() for each in topics}
    topic = next((each for each in topics if named and re.sub("[^a-z0-9]+", "-", each.lower()) == named[1]), None)
    return None if topic is None else lambda url: topic in labels.get(url, ())


def by_moment(found: list[Told]) -> str:
    """Return the table of what held, and how wide intervals were, as shares of the pages left."""
    groups = {
        "chosen on": [each for each in found if each.web in CHOSEN_ON],
        "others": [each for each in found if each.web not in CHOSEN_ON],
        "recorded": [each for each in found if each.web in RECORDED],
        "all": found,
    }
    rows = []
    for at in MOMENTS:
        factor = _factor([each for each in found if each.at == at])
        for title, members in groups.items():
            some = [each for each in members if each.at == at]
            if not some:
                continue
            naive, fair = [each.naive_interval() for each in some], [each.naive_interval(factor) for each in some]
            forecasts, outcomes = [each.forecast for each in some], [each.outcome for each in some]
            rows.append(
                [
                    f"{at / PAGES:.0%}", title, str(len(some)),
                    *(f"{_held(forecasts, outcomes):.2f}", f"{_width(forecasts):.2f}", f"{_error(forecasts, outcomes):.2f}"),
                    *(f"{_held(naive, outcomes):.2f}", f"{_width(naive):.2f}", f"{_error(naive, outcomes):.2f}"),
                    f"{_width(fair):.2f} ({_held(fair, outcomes):.2f})",
                    _of_true(some),
                ]
            )  # fmt: skip
    heads = ["of the budget", "webs", "crawls", "held", "width", "error", "naive: held", "width", "error"]
    return table([*heads, "naive stretched: width (held)", "true: held, bias"], rows)


def by_web(found: list[Told]) -> str:
    """Return the table of single webs: held and width at each moment, and the naive ones."""
    rows = []
    for web in dict.fromkeys(each.web for each in found):
        cells = []
        for at in MOMENTS:
            some = [each for each in found if (each.web, each.at) == (web, at)]
            outcomes = [each.outcome for each in some]
            for intervals in ([each.forecast for each in some], [each.naive_interval() for each in some]):
                cells.append(f"{_held(intervals, outcomes):.1f} in {_width(intervals):.2f}")
        n = sum(each.web == web and each.at == MOMENTS[0] for each in found)
        rows.append([f"{web}{' *' if web in CHOSEN_ON else ''}", str(n), *cells])
    heads = [f"{at / PAGES:.0%}{what}" for at in MOMENTS for what in ("", ", naive")]
    return table(["web", "crawls", *heads], rows)


def by_training(crawls: list[tuple[Pages, Pages]]) -> str:
    """Return the table of what each version of the model called relevant, beside what is: shares of the pages it judged."""
    rows, before = [], None
    for first, last in pairwise(TRAININGS):
        judged, true = (np.array([fmean(each[which][first:last]) for each in crawls]) for which in (0, 1))
        changes = (
            ["-", "-"]
            if before is None
            else [f"{abs(now - then).mean():.2f}" for now, then in zip((judged, true), before, strict=True)]
        )
        rows.append(
            [
                f"{first + 1} to {last}",
                f"{judged.mean():.2f}",
                f"{true.mean():.2f}",
                f"{abs(judged - true).mean():.2f}",
                *changes,
            ]
        )
        before = judged, true
    heads = ["pages", "judged relevant", "relevant", "mean distance", "judged: mean change", "relevant: mean change"]
    return table(heads, rows)


def _factor(some: list[Told]) -> float:
    """Return by what naive intervals must be stretched to hold 80 % of the outcomes."""
    for factor in np.arange(0.05, 20, 0.05):
        if np.mean([each.naive_interval(factor).holds(each.outcome) for each in some]) >= 0.8:
            return float(factor)
    return 20.0


def _of_true(some: list[Told]) -> str:
    known = [each for each in some if each.true is not None]
    if not known:
        return "-"
    held = np.mean([each.forecast.holds(each.true) for each in known])
    return f"{held:.2f}, {np.mean([each.forecast.share - each.true for each in known]):+.2f}"


def _held(intervals: list[Interval], outcomes: list[float]) -> float:
    return float(np.mean([each.holds(outcome) for each, outcome in zip(intervals, outcomes, strict=True)]))


def _width(intervals: list[Interval]) -> float:
    return float(np.mean([each.high - each.low for each in intervals]))


def _error(intervals: list[Interval], outcomes: list[float]) -> float:
    return float(np.mean([abs(each.share - outcome) for each, outcome in zip(intervals, outcomes, strict=True)]))


if __name__ == "__main__":
    main()
