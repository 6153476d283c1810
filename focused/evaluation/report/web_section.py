"""The figures of one web in the report of an evaluation."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from focused.evaluation.report.colours import REFERENCES, style_of
from focused.evaluation.report.conclusions import default_of
from focused.evaluation.report.evidence_figures import evidence_figures
from focused.evaluation.report.figures import Curve, draw_curves
from focused.evaluation.report.markup import Markup, element, figure, joined, name, soft
from focused.evaluation.report.tables import strategies_table, topics_table
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    from focused.evaluation.report.results import CrawlResult, Results, WebResults

_MAX_TOPICS = 60  # most small multiples
_MAX_OUTLIERS = 2  # most curves that may leave a figure
_MANY = 9  # from this number of curves on, most are drawn as background
_N_BEST = 4
_CARRIED = "A crawl that ended early carries its last value forward."


@dataclass(frozen=True)
class WebCurves:
    """The strategies of a web, best first; ``key`` begins the ids of its figures."""

    web: WebResults
    key: str
    ranked: list[str]
    default: str

    def strength(self, strategy: str) -> str:
        """Return the strength of a strategy's curve: if there are many, only the best and the default stand out."""
        if len(self.ranked) <= _MANY:
            return "strong"
        best = [each for each in self.ranked if each not in (*REFERENCES, "breadth_first")][:_N_BEST]
        if strategy == self.default or strategy in best:
            return "strong"
        return "plain" if strategy in (*REFERENCES, "breadth_first") else "thin"

    def curves(
        self, of: Callable[[CrawlResult], NDArray[np.float64]], topic: str | None = None, has_error: bool = True
    ) -> list[Curve]:
        """Return the curve of each strategy: means against pages fetched."""
        found = {strategy: self.web.curve(strategy, of, topic) for strategy in self.ranked}
        return [
            Curve(strategy, style_of(strategy), x, y, error if has_error else None, self.strength(strategy))
            for strategy, (x, y, error) in found.items()
        ]


def web_section(results: Results, web_name: str, key: str) -> Iterator[Markup]:
    """Return the figures and tables of one web; ``key`` is the prefix of its figures' ids."""
    web = results.on(web_name)
    default = default_of(results)
    web_curves = WebCurves(web, key, web.ranked(), default)
    yield element("h2", "Web: ", name(web_name))
    yield from _about(results, web)
    if not web.crawls:
        yield element("p", "No crawl on this web has a result.")
        return
    has_curves = any(len(crawl.curve["pages"]) for crawl in web.crawls)
    if has_curves:
        yield from _curves(web_curves)
    else:
        yield element("p", "The evaluation left no curves of this web (curves.csv).")
    yield element("h3", "Strategies")
    yield strategies_table(results, web, web_curves.ranked, default)
    yield element("h3", "What the links rested on")
    yield from evidence_figures(web, key, web_curves.ranked, default)
    yield element("h3", "Topics")
    yield topics_table(web, web_curves.ranked, default)
    if has_curves:
        yield from _small_multiples(web_curves)


def _about(results: Results, web: WebResults) -> Iterator[Markup]:
    """Write the size of the web, the number of pages without labels, and which crawls ended before their budget."""
    webs = results.run.get("webs")
    webs = webs if isinstance(webs, list) else []
    told: list[object] = []
    for each in [each for each in webs if isinstance(each, dict) and each.get("name") == web.web][:1]:
        n_pages, n_unlabelled = each.get("n_pages"), each.get("n_unlabelled_pages")
        if isinstance(n_pages, int):
            told.append(f"{n_pages:,} pages.")
        if isinstance(n_unlabelled, int) and n_unlabelled:
            told.append(f"{n_unlabelled:,} have no label and count as irrelevant.")
    early = Counter(crawl.strategy for crawl in web.crawls if crawl.value("pages") < crawl.value("budget"))
    if early:
        named = joined((joined((name(strategy), f" {count:,}")) for strategy, count in early.most_common()), ", ")
        told.append(
            joined((f"{quantity(sum(early.values()), 'crawls')} ran out of links before their budget (", named, ")."))
        )
    if told:
        yield soft(joined(told, " "))


def _curves(web_curves: WebCurves) -> Iterator[Markup]:
    n_topics = len(web_curves.web.topics)
    if n_topics > 1:
        sample = f"Means over {n_topics} topics, each the mean of its repeats; bars: ± one standard error over topics"
    elif web_curves.web.n_repeats > 1:
        sample = f"Means over {web_curves.web.n_repeats} repeats; bars: ± one standard error over repeats"
    else:
        sample = "One crawl each"
    note = f"{sample}. {_CARRIED}"
    if len(web_curves.ranked) > _MANY:
        faint = " (of the strong curves)" if web_curves.web.n_repeats * n_topics > 1 else ""
        note = f"{sample}{faint}. Strong: the best and the default. {_CARRIED}"
    quantities = (
        ("harvest", "Harvest rate", "harvest rate", lambda crawl: crawl.curve["harvest_rate"]),
        ("recall", "Target recall", "target recall", lambda crawl: crawl.curve["target_recall"]),
        ("f", "F-measure", "F-measure", _f_measures),
    )
    figures = []
    for key, title, label, of in quantities:
        svg = draw_curves(
            f"{web_curves.key}-{key}", web_curves.curves(of), title=f"{title} against pages fetched, one curve a strategy",
            x_label="pages fetched", y_label=label,
        )  # fmt: skip
        figures.append(figure(svg, note, head=f"{title} against pages fetched"))
    figures.insert(2, _target_length(web_curves))
    if any(not np.isnan(crawl.curve["virtual_hours"]).all() for crawl in web_curves.web.crawls):
        figures.append(_against_time(web_curves))
    yield element("div", *figures, class_="grid")


def _f_measures(crawl: CrawlResult) -> NDArray[np.float64]:
    """Return the harmonic mean of harvest rate and target recall [P15, eq. 6]; 0 where both are."""
    rate, recall = crawl.curve["harvest_rate"], crawl.curve["target_recall"]
    total = rate + recall
    return np.divide(2 * rate * recall, total, out=np.zeros_like(total), where=total > 0)


def _target_length(web_curves: WebCurves) -> Markup:
    """Return target length against relevant pages [P13, fig. 13].

    Both are means after the same number of pages, so each point of a curve is a mean over all topics. A mean at a number of
    relevant pages would cover only the topics that reach it.
    """
    curves = []
    for strategy in web_curves.ranked:
        _, relevant, _ = web_curves.web.curve(strategy, lambda crawl: crawl.curve["relevant"])
        _, length, error = web_curves.web.curve(strategy, lambda crawl: crawl.curve["target_length"])
        curves.append(Curve(strategy, style_of(strategy), relevant, length, error, web_curves.strength(strategy)))
    limit, beyond = _without_outliers({curve.label: float(curve.y.max()) for curve in curves if len(curve.y)})
    svg = draw_curves(
        f"{web_curves.key}-length", curves, title="Target length against relevant pages, one curve a strategy",
        x_label="relevant pages found", y_label="target length (links)", y_limit=limit,
    )  # fmt: skip
    left = f" Beyond the figure: {', '.join(f'{name} ({top:,.0f})' for name, top in beyond.items())}." if beyond else ""
    return figure(
        svg,
        "Links on the paths to the relevant pages, summed; both means after the same number of pages, bars as beside. Lower: "
        f"shorter ways. {_CARRIED}{left}",
        head="Target length against relevant pages",
    )


def _against_time(web_curves: WebCurves) -> Markup:
    """Return relevant pages against virtual time; both are means after the same number of pages."""
    curves = []
    for strategy in web_curves.ranked:
        _, hours, _ = web_curves.web.curve(strategy, lambda crawl: crawl.curve["virtual_hours"])
        _, relevant, error = web_curves.web.curve(strategy, lambda crawl: crawl.curve["relevant"])
        curves.append(Curve(strategy, style_of(strategy), hours, relevant, error, web_curves.strength(strategy)))
    svg = draw_curves(
        f"{web_curves.key}-time", curves, title="Relevant pages against virtual time, one curve a strategy",
        x_label="virtual hours", y_label="relevant pages found",
    )  # fmt: skip
    note = (
        "Virtual time: the hours that a polite crawl of the live web takes. Both means after the same number of pages"
    )
    return figure(svg, f"{note}, bars as beside. {_CARRIED}", head="Relevant pages against virtual time")


def _without_outliers(tops: Mapping[str, float]) -> tuple[float | None, dict[str, float]]:
    """Return the end of an axis at which the other curves can be distinguished, and the curves that leave it.

    A curve may leave if it rises three times as high as the next.

    >>> _without_outliers({"a": 800.0, "deep": 8000.0, "b": 700.0})
    (960.0, {'deep': 8000.0})
    >>> _without_outliers({"a": 800.0, "b": 700.0})
    (None, {})
    """
    ordered = sorted(tops.items(), key=lambda item: -item[1])
    for number, ((_, top), (_, following)) in enumerate(pairwise(ordered[: _MAX_OUTLIERS + 1]), 1):
        if following > 0 and top > 3 * following:
            return following * 1.2, dict(ordered[:number])
    return None, {}


def _small_multiples(web_curves: WebCurves) -> Iterator[Markup]:
    topics = web_curves.web.topics[:_MAX_TOPICS]
    drawn = {
        each: web_curves.curves(lambda crawl: crawl.curve["harvest_rate"], each, has_error=False) for each in topics
    }
    top = max((float(curve.y.max()) for curves in drawn.values() for curve in curves if len(curve.y)), default=1.0)
    figures = []
    for number, (topic, curves) in enumerate(drawn.items()):
        svg = draw_curves(
            f"{web_curves.key}-topic{number}", curves, title=f"Harvest rate against pages fetched, topic {topic}",
            x_label="pages fetched", y_label="harvest rate", y_limit=min(1.0, top * 1.04) or 1.0, height=250,
        )  # fmt: skip
        figures.append(figure(svg, "", head=name(topic)))
    yield soft(f"Harvest rate of each topic, mean over its repeats; all on the same scale. {_CARRIED}")
    yield element("div", *figures, class_="grid small")
    if len(web_curves.web.topics) > _MAX_TOPICS:
        yield element("p", f"{len(web_curves.web.topics) - _MAX_TOPICS} more topics are not drawn; the table has all.")
