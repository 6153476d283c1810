"""The report of an evaluation: which strategy is best, and the evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.evaluation.report.conclusions import answers, warnings
from focused.evaluation.report.files import write_page
from focused.evaluation.report.json_facts import command, facts
from focused.evaluation.report.markup import Markup, element, folded, html, joined, name, page, soft
from focused.evaluation.report.results import Results, read_results
from focused.evaluation.report.web_section import web_section
from focused.utils.file_names import CURVES_FILE, RESULTS_FILE, RUN_FILE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

REPORT_FILE = "report.html"


def write_evaluation_report(directory: Path, output: Path | None = None) -> Path:
    """Write the report of an evaluation from its files, and return its path (default: ``report.html`` beside them).

    Raises ReportError if the folder holds no evaluation, or one without a crawl, OSError if a file cannot be read or written.
    """
    results = read_results(directory)
    text = page(f"Strategies compared on {' and '.join(results.webs)}", _sections(results))
    return write_page(output or directory / REPORT_FILE, text)


def _sections(results: Results) -> Iterator[Markup]:
    yield element("h1", "Which strategy is best on ", joined([name(web) for web in results.webs], " and "), "?")
    yield from warnings(results)
    yield from answers(results)
    yield soft(
        "Relevant is a page that the labels call so; the crawler sees no label of a page that it was not trained on. "
        "Each crawl ran offline through the real spider. ",
        element("b", "Share of bound"), ": relevant pages found / the most that the page budget and the links allow (the "
        "smaller of the budget and of the relevant pages that can be reached from the seeds). ",
        element("b", "Harvest rate"), ": share of the fetched pages that are relevant. ",
        element("b", "Target recall"), ": share of the reachable relevant pages that were fetched. ",
        element("b", "Area"), ": mean of the harvest rate over the crawl. ",
        element("b", "F-measure"), ": harmonic mean of harvest rate and target recall. ",
        element("b", "Target length"), ": links on the paths from the seeds to the relevant pages, summed.",
    )  # fmt: skip
    for number, web in enumerate(results.webs):
        yield from web_section(results, web, f"w{number}")
    yield from _provenance(results)


def _provenance(results: Results) -> Iterator[Markup]:
    run = results.run
    yield element("h2", "How to get the same again")
    yield command(run.get("command"))
    yield soft(
        f"The figures of every crawl are in {RESULTS_FILE}, the curves in {CURVES_FILE}, everything below in {RUN_FILE} "
        "beside this file."
    )
    names = ("random_state", "strategies", "starts", "n_crawls", "n_failed", "seconds")
    few: dict[str, Any] = {key: run[key] for key in names if key in run}
    parts = {"options": "Options", "webs": "Webs", "versions": "Versions"}
    shown = {"command", "topics", "significance", *few, *parts}
    rest = {key: value for key, value in run.items() if key not in shown}
    if few or rest:
        yield facts({**few, **rest})
    for key, title in parts.items():
        if run.get(key):
            yield element("h3", title)
            value = run[key]
            yield facts(value) if isinstance(value, dict) else joined(map(_web_facts, value))
    if run.get("topics"):
        topics = run["topics"]
        topics = (
            topics if isinstance(topics, dict) else {_topic_name(topic, i): topic for i, topic in enumerate(topics)}
        )
        yield folded("Seeds and training pages of each topic and repeat", facts(topics))


def _web_facts(value: Any) -> Markup:
    return facts(value) if isinstance(value, dict) else element("p", html(value))


def _topic_name(topic: Any, number: int) -> str:
    if not isinstance(topic, dict):
        return f"{number + 1}"
    known = [str(topic[key]) for key in ("web", "topic", "name", "repeat") if key in topic]
    return ", ".join(known) or f"{number + 1}"
