"""The figures of one web in the report of an evaluation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from focused.report.answer import default_of
from focused.report.colours import REFERENCES, Look, look_of, look_of_reason
from focused.report.figures import Curve, draw_bars, draw_curves
from focused.report.markup import Markup, element, figure, joined, legend, name
from focused.report.tables import strategies_table, topics_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from focused.report.results import Crawl, Results, WebResults

_MANY = 9  # curves from which on the ordinary ones step back
_N_BEST = 4
_MAX_TOPICS = 60  # small multiples
_CARRIED = "A crawl that ended early carries its last value forward."


@dataclass(frozen=True)
class _Drawing:
    """What all figures of a web share."""

    web: WebResults
    key: str
    ranked: list[str]
    default: str

    def strength(self, strategy: str) -> str:
        """Return how strongly a strategy is drawn: where there are many, only the best and the default stand out."""
        if len(self.ranked) <= _MANY:
            return "strong"
        best = [each for each in self.ranked if each not in (*REFERENCES, "breadth_first")][:_N_BEST]
        if strategy == self.default or strategy in best:
            return "strong"
        return "plain" if strategy in (*REFERENCES, "breadth_first") else "thin"

    @property
    def has_background(self) -> bool:
        """Whether some curves step back."""
        return len(self.ranked) > _MANY

    def curves(
        self, of: Callable[[Crawl], NDArray[np.float64]], topic: str | None = None, has_error: bool = True
    ) -> list[Curve]:
        """Return the curve of every strategy: means against pages fetched."""
        curves = []
        for strategy in self.ranked:
            x, y, error = self.web.curve(strategy, of, topic)
            curves.append(
                Curve(strategy, look_of(strategy), x, y, error if has_error else None, self.strength(strategy))
            )
        return curves


def web_section(results: Results, web_name: str, key: str) -> Iterator[Markup]:
    """Return figures and tables of one web; ``key`` begins the ids of its figures."""
    web = results.on(web_name)
    default = default_of(results)
    drawing = _Drawing(web, key, web.ranked(), default)
    yield element("h2", "Web: ", name(web_name))
    if not web.crawls:
        yield element("p", "No crawl on this web has a result.")
        return
    if not any(len(crawl.curve["pages"]) for crawl in web.crawls):
        yield element("p", "The evaluation left no curves of this web (curves.csv).")
    else:
        yield from _curves(drawing)
    yield element("h3", "Strategies")
    yield strategies_table(results, web, drawing.ranked, default)
    yield element("h3", "What the links rested on")
    yield from _reasons(drawing)
    yield element("h3", "Topics")
    yield topics_table(web, drawing.ranked, default)
    if any(len(crawl.curve["pages"]) for crawl in web.crawls):
        yield from _small_multiples(drawing)


def _curves(drawing: _Drawing) -> Iterator[Markup]:
    n_topics = len(drawing.web.topics)
    if n_topics > 1:
        sample = f"Means over {n_topics} topics, each the mean of its repeats; bars: ± one standard error over topics"
    elif drawing.web.n_repeats > 1:
        sample = f"Means over {drawing.web.n_repeats} repeats; bars: ± one standard error over repeats"
    else:
        sample = "One crawl each"
    faint = " (of the strong curves)" if drawing.has_background and drawing.web.n_repeats * n_topics > 1 else ""
    strong = " Strong: the best and the default." if drawing.has_background else ""
    note = f"{sample}{faint}.{strong} {_CARRIED}"
    quantities = (
        ("harvest", "Harvest rate", "harvest rate", lambda crawl: crawl.curve["harvest_rate"]),
        ("recall", "Target recall", "target recall", lambda crawl: crawl.curve["target_recall"]),
        ("f", "F-measure", "F-measure", _f_measures),
    )
    figures = []
    for key, title, label, of in quantities:
        svg = draw_curves(
            f"{drawing.key}-{key}", drawing.curves(of), title=f"{title} against pages fetched, one curve a strategy",
            x_label="pages fetched", y_label=label,
        )  # fmt: skip
        figures.append(figure(svg, note, head=f"{title} against pages fetched"))
    figures.insert(2, _target_length(drawing))
    yield element("div", *figures, class_="grid")


def _f_measures(crawl: Crawl) -> NDArray[np.float64]:
    """Return the harmonic mean of harvest rate and target recall [P15, eq. 6]; 0 where both are."""
    rate, recall = crawl.curve["harvest_rate"], crawl.curve["target_recall"]
    total = rate + recall
    return np.divide(2 * rate * recall, total, out=np.zeros_like(total), where=total > 0)


def _target_length(drawing: _Drawing) -> Markup:
    """Return target length against relevant pages [P13, fig. 13].

    Both are means after the same number of pages: all topics stand behind each point of a curve. The mean at a
    number of relevant pages would be over those topics that have so many.
    """
    curves = []
    for strategy in drawing.ranked:
        _, relevant, _ = drawing.web.curve(strategy, lambda crawl: crawl.curve["relevant"])
        _, length, error = drawing.web.curve(strategy, lambda crawl: crawl.curve["target_length"])
        curves.append(Curve(strategy, look_of(strategy), relevant, length, error, drawing.strength(strategy)))
    svg = draw_curves(
        f"{drawing.key}-length", curves, title="Target length against relevant pages, one curve a strategy",
        x_label="relevant pages found", y_label="target length (links)",
    )  # fmt: skip
    return figure(
        svg,
        "Links on the paths to the relevant pages, summed; both means after the same number of pages, bars as beside. Lower: "
        f"shorter ways. {_CARRIED}",
        head="Target length against relevant pages",
    )


def _reasons(drawing: _Drawing) -> Iterator[Markup]:
    web = drawing.web
    shown = [strategy for strategy in drawing.ranked if web.of(strategy)]
    relevant = _parts([web.of(strategy) for strategy in shown], "relevant_by_", "relevant_deferred", "relevant")
    admitted = _parts([web.of(strategy) for strategy in shown], "by_", "deferred", None)
    figures = []
    if relevant:
        figures.append(
            _bars(
                drawing, "relevant", shown, relevant, "relevant pages a crawl",
                "Relevant pages fetched through each kind of evidence", "Means over crawls. Other: seeds, and what the strategy rests "
                "on besides (page, order of discovery, a model).",
            )
        )  # fmt: skip
    if admitted:
        figures.append(
            _bars(
                drawing, "admitted", shown, admitted, "links a crawl", "Links admitted through each kind of evidence",
                "Means over crawls. Deferred: below the threshold, ranked under all others.",
            )
        )  # fmt: skip
    focus = drawing.default if drawing.default in shown else next(iter(shown), "")
    by_topic = _parts([web.of(focus, topic) for topic in web.topics], "relevant_by_", "relevant_deferred", "relevant")
    if by_topic and 1 < len(web.topics) <= _MAX_TOPICS:
        figures.append(
            _bars(
                drawing, "by-topic", web.topics, by_topic, "relevant pages a crawl",
                joined(("Relevant pages of each topic, strategy ", name(focus))), "Means over repeats.", label_px=150,
            )
        )  # fmt: skip
    if figures:
        yield element("div", *figures, class_="grid")
    else:
        yield element("p", "The evaluation did not count this.")


def _bars(
    drawing: _Drawing,
    key: str,
    names: list[str],
    parts: dict[str, NDArray[np.float64]],
    x_label: str,
    head: object,
    note: str,
    label_px: float = 110,
) -> Markup:
    looks = _looks(parts)
    svg = draw_bars(
        f"{drawing.key}-{key}", names, parts, looks, title=f"{x_label.capitalize()} by what their links rested on",
        x_label=x_label, label_px=label_px,
    )  # fmt: skip
    return figure(svg, joined((legend(looks), note)), head=head)


def _looks(parts: dict[str, NDArray[np.float64]]) -> dict[str, Look]:
    own = [part for part in parts if part not in ("block", "anchor", "context", "deferred")]
    return {part: look_of_reason(part, own.index(part) if part in own else 0) for part in parts}


def _parts(groups: list[list[Crawl]], prefix: str, deferred: str, total: str | None) -> dict[str, NDArray[np.float64]]:
    """Return the mean of each count over the crawls of each group, by what was counted; parts without any are left out."""
    columns = {
        column.removeprefix(prefix): column
        for group in groups
        for crawl in group
        for column in crawl.figures
        if column.startswith(prefix)
    }
    order: list[str] = [reason for reason in ("block", "anchor", "context") if reason in columns]
    order += sorted(reason for reason in columns if reason not in order)
    columns["deferred"] = deferred
    parts = {reason: _means(groups, columns[reason]) for reason in (*order, "deferred")}
    if total is not None:
        other = _means(groups, total) - sum(parts.values(), np.zeros(len(groups)))
        parts["other"] = np.maximum(other, 0)
    return {reason: values for reason, values in parts.items() if values.max(initial=0) > 0}


def _means(groups: list[list[Crawl]], column: str) -> NDArray[np.float64]:
    values = [[crawl.value(column) for crawl in group if not math.isnan(crawl.value(column))] for group in groups]
    return np.array([math.fsum(of_group) / len(of_group) if of_group else 0.0 for of_group in values])


def _small_multiples(drawing: _Drawing) -> Iterator[Markup]:
    topics = drawing.web.topics[:_MAX_TOPICS]
    drawn = {
        topic: drawing.curves(lambda crawl: crawl.curve["harvest_rate"], topic, has_error=False) for topic in topics
    }
    top = max((float(curve.y.max()) for curves in drawn.values() for curve in curves if len(curve.y)), default=1.0)
    figures = []
    for number, (topic, curves) in enumerate(drawn.items()):
        svg = draw_curves(
            f"{drawing.key}-topic{number}", curves, title=f"Harvest rate against pages fetched, topic {topic}",
            x_label="pages fetched", y_label="harvest rate", y_limit=min(1.0, top * 1.04) or 1.0, height=250,
        )  # fmt: skip
        figures.append(figure(svg, "", head=name(topic)))
    yield element(
        "p", f"Harvest rate of each topic, mean over its repeats; all on the same scale. {_CARRIED}", class_="soft"
    )
    yield element("div", *figures, class_="grid small")
    if len(drawing.web.topics) > _MAX_TOPICS:
        yield element("p", f"{len(drawing.web.topics) - _MAX_TOPICS} more topics are not drawn; the table has all.")
