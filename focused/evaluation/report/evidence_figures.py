"""Figures of the evidence that led to relevant pages and admitted links [P13, fig. 14; L14, fig. 9]."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from focused.evaluation.report.colours import style_of_reason
from focused.evaluation.report.figures import draw_bars
from focused.evaluation.report.markup import Markup, element, figure, joined, legend, name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from focused.evaluation.report.results import CrawlResult, WebResults

_MAX_TOPICS = 60


def evidence_figures(web: WebResults, key: str, ranked: list[str], default: str) -> Iterator[Markup]:
    """Draw bars of every strategy, and of every topic for the default."""
    crawls = [web.of(strategy) for strategy in ranked]
    relevant = _parts(crawls, "relevant_by_", "relevant_deferred", "relevant")
    admitted = _parts(crawls, "by_", "deferred", None)
    figures = []
    if relevant:
        figures.append(
            _bars(
                f"{key}-relevant", ranked, relevant, "relevant pages a crawl",
                "Relevant pages fetched through each kind of evidence",
                "Means over crawls. Other: seeds, and what the strategy rests on besides (page, order of discovery, a model).",
            )
        )  # fmt: skip
    if admitted:
        figures.append(
            _bars(
                f"{key}-admitted", ranked, admitted, "links a crawl", "Links admitted through each kind of evidence",
                "Means over crawls. Deferred: below the threshold, ranked under all others.",
            )
        )  # fmt: skip
    focus = default if default in ranked else next(iter(ranked), "")
    by_topic = _parts([web.of(focus, topic) for topic in web.topics], "relevant_by_", "relevant_deferred", "relevant")
    if by_topic and 1 < len(web.topics) <= _MAX_TOPICS:
        figures.append(
            _bars(
                f"{key}-by-topic", web.topics, by_topic, "relevant pages a crawl",
                joined(("Relevant pages of each topic, strategy ", name(focus))), "Means over repeats.", label_px=150,
            )
        )  # fmt: skip
    if figures:
        yield element("div", *figures, class_="grid")
    else:
        yield element("p", "The evaluation did not count this.")


def _bars(
    key: str,
    names: list[str],
    parts: dict[str, NDArray[np.float64]],
    x_label: str,
    head: object,
    note: str,
    label_px: float = 110,
) -> Markup:
    own = [part for part in parts if part not in ("block", "anchor", "context", "deferred")]
    looks = {part: style_of_reason(part, own.index(part) if part in own else 0) for part in parts}
    svg = draw_bars(
        key, names, parts, looks, title=f"{x_label.capitalize()} by what their links rested on",
        x_label=x_label, label_px=label_px,
    )  # fmt: skip
    return figure(svg, joined((legend(looks), note)), head=head)


def _parts(
    groups: list[list[CrawlResult]], prefix: str, deferred: str, total: str | None
) -> dict[str, NDArray[np.float64]]:
    """Return the mean of each count over the crawls of each group, by kind of evidence; empty kinds are left out."""
    known = {column for group in groups for crawl in group for column in crawl.figures if column.startswith(prefix)}
    columns = {column.removeprefix(prefix): column for column in known}
    order: list[str] = [reason for reason in ("block", "anchor", "context") if reason in columns]
    order += sorted(reason for reason in columns if reason not in order)
    columns["deferred"] = deferred
    parts = {reason: _means(groups, columns[reason]) for reason in (*order, "deferred") if reason != "other"}
    if total is None:
        parts["other"] = _means(groups, columns.get("other", ""))
    else:
        parts["other"] = np.maximum(_means(groups, total) - sum(parts.values(), np.zeros(len(groups))), 0)
    return {reason: values for reason, values in parts.items() if values.max(initial=0) > 0}


def _means(groups: list[list[CrawlResult]], column: str) -> NDArray[np.float64]:
    values = [[crawl.value(column) for crawl in group if not math.isnan(crawl.value(column))] for group in groups]
    return np.array([math.fsum(of_group) / len(of_group) if of_group else 0.0 for of_group in values])
