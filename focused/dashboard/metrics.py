"""Serves figures of the runs to a monitoring system as Prometheus text, at ``/metrics``.

Each figure is a gauge with the labels ``topic`` and ``run`` (the run directory, as seen from the folder that is shown): a
run's figures come from its files, also when it has ended or was resumed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily
from prometheus_client.registry import Collector, CollectorRegistry
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.routing import Route

from focused.dashboard.live import stats_of
from focused.dashboard.runs import read_json
from focused.utils.file_names import PROGRESS_FILE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from starlette.requests import Request

    from focused.dashboard.runs import Runs, RunState

MOST_RUNS = 200
"""Runs of which figures are given: those that go on, then the latest."""
_ALERTS = ("harvest", "hosts", "disk", "no_page", "saturated")
_OF_STATE = {
    "running": "1 while a process crawls",
    "pages": "pages fetched and judged",
    "relevant_pages": "pages judged relevant and delivered",
    "waiting_links": "links that wait",
    "max_pages": "the budget of pages; 0: none",
    "run_bytes": "size of the run directory",
    "harvest_estimate": "share of relevant pages, as the model reckons it",
}
_OF_PROGRESS = {
    "progress_timestamp_seconds": "when the figures below were written",
    "harvest_recent": "share of relevant pages among the last ones",
    "spent_seconds": "time that the crawl has taken, all its starts together",
    "forecast_relevant_pages": "relevant pages by the end of the budgets",
    "forecast_relevant_pages_low": "lower end of the 80 % interval",
    "forecast_relevant_pages_high": "upper end of the 80 % interval",
    "active_hosts": "hosts that have links and answer",
    "failing_hosts": "hosts that do not answer, or were given up",
}
_OF_STATS = {
    "requests": ("downloader/request_count", "requests sent"),
    "responses": ("downloader/response_count", "responses received"),
    "response_bytes": ("downloader/response_bytes", "bytes of responses received"),
    "failed_pages": (
        "focused/pages/failed_count",
        "pages that could not be fetched; HTTP errors and what robots.txt forbids are no such pages",
    ),
    "http_errors": ("httperror/response_ignored_count", "responses with an HTTP error"),
    "copies": ("focused/pages/copy_count", "pages that repeat others"),
    "trainings": ("focused/retraining/trainings_finished_count", "trainings of the model in this crawl"),
    "errors": ("log_count/ERROR", "errors in the log"),
    "memory_bytes": ("memusage/max", "most memory of the crawl's process"),
}
_ALERT = "alert"
_PREFIX = "focused_"
_MEANINGS = {
    **_OF_STATE, **_OF_PROGRESS, **{name: what for name, (_, what) in _OF_STATS.items()},
    _ALERT: "1 while the alert of the label `alert` holds",
}  # fmt: skip
METRICS = {_PREFIX + name: what for name, what in _MEANINGS.items()}
"""Name and meaning of each figure."""


class Metrics:
    """The view of the figures."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs

    def routes(self) -> list[Route]:
        """Return what is answered here."""
        return [Route("/metrics", self.metrics)]

    async def metrics(self, request: Request) -> Response:
        """Return the figures of all runs."""
        return Response(await run_in_threadpool(self._text), media_type=CONTENT_TYPE_LATEST)

    def _text(self) -> bytes:
        registry = CollectorRegistry(auto_describe=False)
        registry.register(_OfRuns(self._runs))
        return generate_latest(registry)


class _OfRuns(Collector):
    """Reads the runs when it is asked."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """Return a family for each figure."""
        labels = ("topic", "run")
        found = {
            name: GaugeMetricFamily(_PREFIX + name, what, labels=(*labels, "alert") if name == _ALERT else labels)
            for name, what in _MEANINGS.items()
        }
        runs = sorted(self._runs.all(), key=lambda run: not run.is_live)[:MOST_RUNS]
        for run in runs:
            named = (run.topic, _name(run.path, self._runs.folder))
            for name, value in (*_of_state(run), *_of_files(run.path)):
                if not math.isnan(value):
                    found[name].add_metric(named, value)
            if run.is_live:
                holding = read_json(run.path / PROGRESS_FILE).get("alerts")
                for alert in _ALERTS:
                    found[_ALERT].add_metric((*named, alert), float(isinstance(holding, dict) and alert in holding))
        return found.values()


def _of_state(run: RunState) -> Iterator[tuple[str, float]]:
    values = (run.is_live, run.n_pages, run.n_relevant, run.n_waiting, run.max_pages, run.n_bytes)
    estimate = math.nan if run.estimate is None else run.estimate[0]
    yield from zip(_OF_STATE, (*map(float, values), estimate), strict=True)


def _of_files(run_dir: Path) -> Iterator[tuple[str, float]]:
    said, stats = read_json(run_dir / PROGRESS_FILE), stats_of(run_dir)
    if not said:
        return
    forecast, hosts = said.get("forecast"), said.get("hosts")
    values = [said.get(name) for name in ("at", "recent_rate", "spent_secs")]
    values += [forecast.get(name) if isinstance(forecast, dict) else None for name in ("n_relevant", "low", "high")]
    values += [hosts.get(name) if isinstance(hosts, dict) else None for name in ("active", "failing")]
    yield from zip(_OF_PROGRESS, map(_value, values), strict=True)
    for name, (stat, _) in _OF_STATS.items():
        yield name, stats.get(stat, 0.0)


def _name(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.name


def _value(value: Any) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and abs(value) < 1e15 else math.nan
