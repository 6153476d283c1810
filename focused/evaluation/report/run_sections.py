"""Sections of a crawl's report beside its curves: hosts, referrers, paths, links, losses."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from focused.evaluation.report.colours import style_of_reason
from focused.evaluation.report.figures import draw_bars
from focused.evaluation.report.markup import (
    UNKNOWN,
    Markup,
    element,
    figure,
    folded,
    joined,
    legend,
    link,
    name,
    soft,
    table,
)
from focused.method.scoring.reasons import kind_of
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from focused.evaluation.report.run import FetchedPage, Run

_TOP, _MOST_NAMED = 20, 5
_MAX_STEPS = 30


def hosts(run: Run, key: str) -> Iterator[Markup]:
    """Draw the hosts with the most pages, relevant and irrelevant."""
    if not run.pages:
        return
    every = Counter(host_of(page.url) for page in run.pages)
    if len(every) == 1:
        yield element("p", "All pages are on one host: ", name(next(iter(every))), ".")
        return
    relevant = Counter(host_of(page.url) for page in run.pages if page.is_relevant)
    top = [host for host, _ in sorted(every.items(), key=lambda item: (-item[1], item[0]))[:_TOP]]
    parts = {"relevant": np.array([float(relevant[host]) for host in top])}
    if run.lists_all_pages:
        parts["irrelevant"] = np.array([float(every[host] - relevant[host]) for host in top])
    looks = {part: style_of_reason(part) for part in parts}
    more = f" The {_TOP} with most pages of {len(every):,}." if len(every) > _TOP else ""
    svg = draw_bars(f"{key}-hosts", top, parts, looks, title="Pages of each host", x_label="pages", label_px=185)
    yield element("h3", "Hosts")
    yield figure(svg, joined((legend(looks), f"{len(every):,} host{'s' if len(every) != 1 else ''}.{more}")))


def failed_hosts(run: Run) -> Iterator[Markup]:
    """Name the hosts that did not answer: those that were given up, more than a few as a table that opens, and the others."""
    yield from _failing_hosts(run)
    found = _objects(run.run.get("hosts_given_up"))
    if not found:
        return
    n_given_up = run.stats.get("focused/hosts/given_up_count")
    n_hosts = max(n_given_up, len(found)) if isinstance(n_given_up, int) else len(found)
    rows = [[name(str(each.get(key, "unknown"))) for key in ("host", "why", "links")] for each in found[:_TOP]]
    named = [
        joined((host, " (", why, f"; {quantity(_count(each.get('links')), 'links')})"))
        for (host, why, _), each in zip(rows[:_MOST_NAMED], found, strict=False)
    ]
    more = f" and {n_hosts - len(named):,} more" if n_hosts > len(named) else ""
    parts = [element("strong", f"{quantity(n_hosts, 'hosts')} did not answer"), ": ", joined(named, ", "), more]
    yield element("p", *parts, ". They were given up; a resumed crawl tries their links again.", class_="note")
    if len(rows) > _MOST_NAMED:
        caption = f"The {_TOP} with most links of {n_hosts:,}." if n_hosts > _TOP else ""
        shown = table("Given up", caption, ("host", "why", "links"), rows, n_text=2)
        yield folded("Hosts that did not answer", shown)


def _failing_hosts(run: Run) -> Iterator[Markup]:
    """Name the hosts that did not answer when the crawl ended, and were not given up."""
    if not (found := _objects(run.run.get("hosts_failing"))):
        return
    named = [
        joined((name(str(each.get("host", "unknown"))), " (", name(str(each.get("why", "unknown"))), ")"))
        for each in found[:_MOST_NAMED]
    ]
    more = f" and {len(found) - len(named):,} more" if len(found) > len(named) else ""
    parts = [element("strong", f"{quantity(len(found), 'hosts')} did not answer in the end"), ": ", joined(named, ", ")]
    yield element("p", *parts, more, ". Their links wait; a resumed crawl asks for them.", class_="note")


def _objects(known: Any) -> list[dict[str, Any]]:
    """Return the objects of a list in a run's file, which may hold anything."""
    return [each for each in (known if isinstance(known, list) else []) if isinstance(each, dict)]


def referrers(run: Run) -> Iterator[Markup]:
    """List the pages whose links led to the most relevant pages."""
    led: Counter[str] = Counter(page.referrer for page in run.pages if page.is_relevant and page.referrer)
    if len(led) < 2:
        return
    followed: Counter[str] = Counter(page.referrer for page in run.pages if page.referrer)
    top = sorted(led.items(), key=lambda item: (-item[1], followed[item[0]], item[0]))[:_TOP]
    rows = []
    for url, n_relevant in top:
        page = run.by_url.get(url)
        judged = UNKNOWN if page is None or math.isnan(page.relevance) else f"{page.relevance:.2f}"
        n_followed = [f"{followed[url]:,}"] if run.lists_all_pages else []
        rows.append([_page(run, url), judged, *n_followed, f"{n_relevant:,}"])
    heads = ["page", "its relevance", *(["links followed"] if run.lists_all_pages else []), "relevant pages"]
    yield element("h3", "Most productive referrers")
    caption = f"Pages whose own links led to most relevant pages: {len(top):,} of {len(led):,}."
    yield table("Referrers", caption, heads, rows, class_="wide-text")


def reasons(run: Run) -> Iterator[Markup]:
    """Show by which evidence links were admitted, and with what result."""
    stats = run.stats
    admitted = {
        key.removeprefix("focused/links/by_").removesuffix("_count").replace("_", " "): value
        for key, value in stats.items()
        if key.startswith("focused/links/by_") and isinstance(value, int)
    }
    for kind in ("deferred", "dropped"):
        if isinstance(value := stats.get(f"focused/links/{kind}_count"), int):
            admitted[kind] = value
    fetched: Counter[str] = Counter(_reason(page) for page in run.pages)
    relevant: Counter[str] = Counter(_reason(page) for page in run.pages if page.is_relevant)
    learns = run.text("strategy")
    if told := fetched.keys() - admitted.keys() - {"seed"} if learns in admitted.keys() - fetched.keys() else set():
        for counts in (fetched, relevant):
            counts[learns] = sum(counts[kind] for kind in told)
    names = sorted({*admitted, *fetched}, key=lambda reason: (-relevant[reason], -admitted.get(reason, 0), reason))
    if len(names) < 2:
        return
    rows = [
        [
            name(reason),
            f"{admitted[reason]:,}" if reason in admitted else UNKNOWN,
            f"{fetched[reason]:,}" if run.lists_all_pages else UNKNOWN,
            f"{relevant[reason]:,}",
            f"{relevant[reason] / fetched[reason]:.2f}" if run.lists_all_pages and fetched[reason] else UNKNOWN,
        ]
        for reason in names
    ]
    caption = "Deferred links are those below the threshold; they are ranked under all others."
    if told:
        caption += f" Those of {learns} stand below it once more, by their strongest evidence."
    if not admitted:
        caption += " How many links there were is counted at the end of a crawl."
    heads = ("their score rests on", "links", "pages fetched through them", "relevant pages", "share relevant")
    yield element("h3", "Links")
    yield table("Links", caption, heads, rows)


def paths(run: Run, n_most: int) -> Iterator[Markup]:
    """Show the path from a seed to each of the first relevant pages, folded up."""
    relevant = [page for page in run.pages if page.is_relevant]
    if not relevant:
        return
    yield element("h3", "The path to each relevant page")
    n_all = len(relevant)
    more = f" The first {n_most:,} of {n_all:,}; the others are in fetched.csv." if n_all > n_most else ""
    yield soft(f"From a seed, in the order in which they were found; open one to see its path.{more}")
    shown = [_path(run, page) for page in relevant[:n_most]]
    # Hundreds of lines would hide everything below.
    yield from [folded(f"Show {len(shown):,} relevant pages", *shown)] if n_all > 10 else shown


def losses(run: Run, meanings: Mapping[str, str]) -> Iterator[Markup]:
    """List the counted losses of the crawl."""
    if not run.is_finished or not meanings:
        return
    yield element("h3", "What was lost")
    lost = [quantity(value, meaning) for key, meaning in meanings.items() if (value := _count(run.stats.get(key)))]
    items = [element("li", each) for each in lost]
    yield element("ul", *items, class_="plain") if lost else element("p", "Nothing that was counted.")


def host_of(url: str) -> str:
    """Return the host of a URL.

    >>> host_of("http://a.example:8080/b")
    'a.example:8080'
    """
    try:
        return urlsplit(url).netloc.rpartition("@")[2] or "(no host)"
    except ValueError:
        return "(no host)"


def _path(run: Run, page: FetchedPage) -> Markup:
    path = run.path_to(page)
    left_out = len(path) - _MAX_STEPS
    steps = path if left_out <= 0 else [*path[: _MAX_STEPS // 2], *path[-_MAX_STEPS // 2 :]]
    items = []
    for number, step in enumerate(steps):
        if left_out > 0 and number == _MAX_STEPS // 2:
            items.append(element("li", f"… {left_out:,} more pages …"))
        items.append(element("li", _page(run, step.url), element("span", _judgement(step), class_="soft")))
    if path[0].referrer:
        items.insert(0, element("li", link(path[0].referrer), element("span", ", not listed", class_="soft")))
    title, n_links = name(run.titles.get(page.url) or page.url), quantity(page.depth, "links")
    summary = element("summary", title, element("span", f", {n_links} from a seed", class_="soft"))
    return element("details", summary, element("ol", *items, class_="path"))


def _judgement(page: FetchedPage) -> str:
    relevance = "" if math.isnan(page.relevance) else f"relevance {page.relevance:.2f}"
    verdict = "" if page.is_relevant else ", irrelevant"
    if page.link_reason == "seed":
        return f": seed; {relevance}{verdict}"
    score = "" if math.isnan(page.link_score) else f" {page.link_score:.2f}"
    return f": link score{score} by {page.link_reason}; {relevance}{verdict}"


def _page(run: Run, url: str) -> Markup:
    title, address = run.titles.get(url), element("span", link(url), class_="url")
    return joined((name(title), Markup("<br>"), address)) if title else address


def _reason(page: FetchedPage) -> str:
    kind = kind_of(page.link_reason)
    return "deferred" if kind == "below threshold" else kind


def _count(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0
