"""The first sentences of an evaluation's report: which strategy is best, by how much, and with what interval."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from focused.evaluation.report.colours import REFERENCES
from focused.evaluation.report.markup import MINUS, UNKNOWN, Markup, element, joined, name
from focused.evaluation.report.results import with_start
from focused.utils.estimates import Estimate
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from focused.evaluation.report.results import Results, WebResults

MEASURE = "share_of_bound"
_MAX_NAMED = 12
_MAX_TIES = 5


def default_of(results: Results) -> str:
    """Return the strategy that the others were compared with; empty if the files do not name it."""
    rows = results.run.get("significance")
    against = [row.get("against") for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return next((str(each) for each in against if each), "") or str(results.run.get("default_strategy") or "")


def significance_of(results: Results, web: WebResults, strategy: str, default: str) -> Estimate | None:
    """Return the paired difference to the default, from the evaluation's files or computed here; None for the default."""
    if strategy == default or not default:
        return None
    rows = results.run.get("significance")
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, dict) and _says(row, web.web, strategy, default):
            n = row.get("n")
            mean, low, high = (_float(row.get(key)) for key in ("difference", "low", "high"))
            return Estimate(mean, low, high, n if isinstance(n, int) else 0)
    difference = web.difference(strategy, default, MEASURE)
    return difference if difference.n else None


def answers(results: Results) -> Iterator[Markup]:
    """Write for each web which strategy is best."""
    default = default_of(results)
    for name_of_web in results.webs:
        yield element("p", *_answer(results, results.on(name_of_web), default), class_="answer")


def warnings(results: Results) -> Iterator[Markup]:
    """Write what a reader must know before believing a figure."""
    for web in results.run.get("webs") or []:
        if isinstance(web, dict) and web.get("labels_from"):
            yield _note(
                element("strong", "No evidence of quality: "), "the labels of ", name(web.get("name", "the web")),
                " come from a classifier (", _listed(web["labels_from"]), "), not from people. Strategies that judge "
                "like it "
                "look better than they are.",
            )  # fmt: skip
    failed = [crawl for crawl in results.crawls if crawl.is_failed]
    if failed:
        named = [
            element("li", joined(map(name, (crawl.strategy, crawl.topic, crawl.web)), ", "), f", repeat {crawl.repeat}: ",
                    name(crawl.finish_reason.removeprefix("failed:").strip() or "no reason given"))
            for crawl in failed[:_MAX_NAMED]
        ]  # fmt: skip
        if len(failed) > _MAX_NAMED:
            named.append(element("li", f"and {len(failed) - _MAX_NAMED:,} more, see finish_reason in results.csv"))
        yield _note(
            element("strong", f"{len(failed):,} of {len(results.crawls):,} crawls failed"),
            " and count nowhere; means of their strategies are over the rest, comparisons over the pairs that are "
            "whole.",
            element("ul", *named),
        )
    with_errors = [crawl for crawl in results.crawls if crawl.value("page_errors") > 0]
    if with_errors:
        n_errors = int(sum(crawl.value("page_errors") for crawl in with_errors))
        yield _note(
            f"{quantity(n_errors, 'pages')} of {quantity(len(with_errors), 'crawls')} raised an exception, and their "
            f"links are lost; the "
            "folder logs of the evaluation says which."
        )
    if results.n_bad_rows:
        yield _note(f"{results.n_bad_rows:,} rows of the files were not whole and are left out.")
    expected = results.run.get("n_crawls")
    if isinstance(expected, int) and expected > len(results.crawls):
        yield _note(
            f"This evaluation is not complete: {len(results.crawls):,} of {expected:,} crawls are done. "
            "The same command resumes it."
        )


def percent(value: float) -> str:
    """Return a share as text.

    >>> percent(0.5), percent(0.0423)
    ('50 %', '4.2 %')
    """
    if math.isnan(value):
        return UNKNOWN
    return f"{100 * value:.0f} %" if abs(value) >= 0.0995 or value == 0 else f"{100 * value:.1f} %"


def points(value: float, is_signed: bool = True) -> str:
    """Return a difference of shares in percentage points.

    >>> points(0.0123), points(-0.2).replace(MINUS, "-")
    ('+1.2', '-20.0')
    """
    if math.isnan(value):
        return UNKNOWN
    return f"{100 * value:{'+' if is_signed else ''}.1f}".replace("-", MINUS)


def _answer(results: Results, web: WebResults, default: str) -> Iterator[object]:
    ranked = [strategy for strategy in web.ranked() if strategy not in REFERENCES]
    ranked = [strategy for strategy in ranked if not math.isnan(web.estimate(strategy, MEASURE).mean)]
    yield joined(("On ", name(web.web), ", "))
    if not ranked:
        yield element("strong", "no crawl has a result.")
        return
    best = ranked[0]
    found, harvest = web.estimate(best, MEASURE), web.estimate(best, "harvest_rate")
    equals = [other for other in ranked[1:] if math.isclose(web.estimate(other, MEASURE).mean, found.mean)]
    standing = joined((" is no better than ", _some(equals))) if equals else " is best"
    yield element("strong", name(best))
    yield standing if len(ranked) > 1 else " was the only strategy"
    yield f": in {web.max_pages:,} pages it found "
    yield element("strong", percent(found.mean))
    yield (
        f" of what a perfect crawl could have found{_interval(found)}, and {percent(harvest.mean)} of the pages that "
        f"it "
        f"fetched were relevant ({_sample(web)})."
    )
    if len(ranked) > 1:
        yield from _lead(web, best, ranked[1:])
    yield from _about_default(results, web, best, default)
    references = {each: web.estimate(each, MEASURE).mean for each in (*REFERENCES, "breadth_first") if each != best}
    known = [f"{strategy} {percent(mean)}" for strategy, mean in references.items() if not math.isnan(mean)]
    if known:
        yield f" For comparison: {', '.join(known)}."
    yield from _about_oracle(results, web, ranked)


def _lead(web: WebResults, best: str, others: list[str]) -> Iterator[object]:
    differences = {other: web.difference(best, other, MEASURE) for other in others}
    second = others[0]
    lead = differences[second]
    yield joined((" Next is ", name(second), f" with {percent(web.estimate(second, MEASURE).mean)}"))
    if not lead.n:
        yield ", without a crawl to compare."
    elif math.isnan(lead.low):
        yield f", {points(lead.mean, False)} points less; one pair of crawls says nothing of chance."
    else:
        yield f", {points(lead.mean, False)} points less{_interval(lead, is_points=True)}"
        ties = [other for other in others if differences[other].verdict == "tie" and differences[other].n > 1]
        if not ties:
            yield ": better than every other strategy beyond chance."
        elif lead.verdict == "tie":
            more = [other for other in ties if other != second]
            tied = joined(("; so is " if len(more) == 1 else "; so are ", _some(more)))
            yield joined((": ", element("strong", "a tie"), tied if more else "", "."))
        else:
            yield joined((": better beyond chance, but a tie with ", _some(ties), ", whose differences vary more."))


def _about_default(results: Results, web: WebResults, best: str, default: str) -> Iterator[object]:
    if not default or default not in web.strategies:
        return
    if best == default:
        yield joined((" ", name(best), " is the default."))
        return
    difference = significance_of(results, web, best, default)
    yield joined((" The default, ", name(default), f", found {percent(web.estimate(default, MEASURE).mean)}"))
    if difference is None or math.isnan(difference.mean):
        yield "."
        return
    verdict = {"tie": "a tie", "better": "worse than the best beyond chance", "worse": "better than the best in pairs"}
    certainty = "" if math.isnan(difference.low) else f": {verdict[difference.verdict]}"
    yield f", {points(difference.mean, False)} points less{_interval(difference, is_points=True)}{certainty}."


def _about_oracle(results: Results, web: WebResults, ranked: list[str]) -> Iterator[object]:
    """Write which strategies found more than the oracle, and why that is possible."""
    found = web.estimate("oracle", MEASURE).mean
    above = [other for other in ranked if web.estimate(other, MEASURE).mean > found + 1e-9]
    if not above:
        return
    options = results.run.get("options")
    n = options.get("concurrency") if isinstance(options, dict) else None
    why = " found more than oracle, which is greedy: the optimum cannot be computed, and oracle is no bound"
    yield joined((" ", _some(above), why))
    if isinstance(n, int) and n > 1:
        yield f", and with {n} requests at a time it cannot always wait for the best page"
    yield ". The share of bound is relative to the pages that can be reached, not to oracle."


def _sample(web: WebResults) -> str:
    topics = "1 topic" if len(web.topics) == 1 else f"{len(web.topics)} topics"
    return f"{topics}, {web.n_repeats} repeat{'s' if web.n_repeats != 1 else ''} each"


def _interval(estimate: Estimate, is_points: bool = False) -> str:
    if math.isnan(estimate.low):
        return ""
    if is_points:
        return f" (95 % interval {points(estimate.low)} to {points(estimate.high)})"
    return f" (95 % interval {100 * max(0.0, estimate.low):.0f} to {100 * min(1.0, estimate.high):.0f} %)"


def _some(strategies: list[str]) -> Markup:
    more = len(strategies) - _MAX_TIES
    named = joined(map(name, strategies[:_MAX_TIES]), ", ")
    return joined((named, f" and {more} more")) if more > 0 else named


def _listed(value: object) -> Markup:
    return joined(map(name, value), ", ") if isinstance(value, list) else name(value)


def _note(*content: object) -> Markup:
    return element("div", *content, class_="note", role="note")


def _says(row: dict[str, Any], web: str, strategy: str, default: str) -> bool:
    named = with_start(str(row.get("web")), str(row.get("start") or "web"))
    known = (named, row.get("strategy"), row.get("against"), row.get("measure"))
    return known == (web, strategy, default, MEASURE)


def _float(value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return math.nan
