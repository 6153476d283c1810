"""Write the page of a paper: what it says, what came out as printed and with today's parts, and the verdict."""

from __future__ import annotations

import math
import re
import subprocess
from importlib import import_module
from itertools import chain
from statistics import fmean
from typing import TYPE_CHECKING, Any

from common import table

from focused.utils.words import quantity
from paper_claims.crawls import Crawls
from paper_claims.plan import PLAN, STRATEGIES, WEBS
from paper_claims.running import commits
from paper_claims.verdicts import signed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from focused.utils.estimates import Estimate
    from paper_claims.plan import Evaluation
    from paper_claims.verdicts import Values

MEANING = (
    "*As printed*: by the paper's [preset](../method/presets.md). *Today's parts*: by `modern`, the project's "
    "defaults. Constants of today's parts were chosen on these webs, of the presets only L16's threshold (D81). "
    "HyperPhysics is a site by topic, WebKB has genres, the demo web has pages of mixed blocks, as the papers' "
    "directory pages had. *Share*: relevant pages found, as a share of the most that a crawl of its budget could "
    "find, by labels that no crawl sees, with its 95 % interval over topics. A crawl that drops links may run out of "
    "them; pages that it did not fetch count as misses. Differences are paired, with Student's 95 % interval over the "
    "topics of all webs. *Repeats*: over all topics the whole interval lies above 0, and on each web the mean does. "
    "*In part*: on the webs named only, or not on those. *The other way round*: on these webs the whole interval lies "
    "below 0. *Not decided*: the mean is higher, but the interval holds 0. A claim whose other side wins does *not "
    "repeat*. *P* are the positive documents, *U* the unlabelled ones; D1, D2, ... are our "
    "[departures](../method/departures.md)."
)

READINGS = tuple(
    f"## {title}"
    for title in (
        "Other anchors in a link context", "The threshold of LPE", "What being incremental is worth", "Lambda (fig. 5)",
        "Why `clustering` finds little", "Tables 3 and 4", "Reliable negatives", "Page classifier", "Clusters by themselves",
        "The incremental SVM beside other classifiers",
    )
)  # fmt: skip
"""Sections that stay on a page where they are not measured again: small comparisons that no crawl of a preset is part of."""
EARLIER = "*Of an earlier run, not made again:*"


def write_page(paper: str, output: Path, docs: Path, about: str, *, quick: bool) -> Path:
    """Write the page of a paper and its figures from what was measured; return its path."""
    module = import_module(f"paper_claims.{paper.lower()}")
    figures = docs.parent / "figures"
    docs.mkdir(parents=True, exist_ok=True)
    sections = module.sections(Crawls(output), output, figures)
    command = f"python benchmarks/papers.py --data ../shared/data --webs ../webs --paper {paper}{' --quick' * quick}"
    made = f"Written by `{command}`. {measured_at(PLAN[paper], output)}{about}."
    text = "\n\n".join([f"# {module.TITLE}", module.INTRODUCTION, made, MEANING, *filter(None, sections)])
    path = docs / f"{paper}.md"
    path.write_text("\n\n".join([text, *kept_readings(path, text)]) + "\n", encoding="utf-8")
    if hasattr(module, "classifier_sections"):
        _write_classifiers(paper, module, output, docs, f"Written by `{command}`.{about and f' {about}.'}")
    return path


def _write_classifiers(paper: str, module: Any, output: Path, docs: Path, made: str) -> None:
    """Write what a paper compares without a crawl as a page of its own: with it the paper's page would be too long."""
    path = docs / f"{paper}-classifiers.md"
    told = f"The crawlers, and what the words of verdicts mean, are in [{paper}]({paper}.md)."
    found = filter(None, module.classifier_sections(output, docs.parent / "figures"))
    text = "\n\n".join([f"# {module.TITLE}: classifiers", told, made, *found])
    path.write_text("\n\n".join([text, *kept_readings(path, text)]) + "\n", encoding="utf-8")


def kept_readings(path: Path, text: str) -> list[str]:
    """Return the comparisons of readings that a page has and its new text lacks, marked as those of an earlier run."""
    if not path.is_file():
        return []
    before = re.split(r"\n(?=## )", path.read_text(encoding="utf-8"))
    kept = [
        one.strip() for one in before if one.startswith(READINGS) and one.split("\n", 1)[0] not in text.splitlines()
    ]
    if not kept:
        return []
    log = ["git", "-C", str(path.parent), "log", "-1", "--format=%h", "--", path.name]
    commit = subprocess.run(log, capture_output=True, text=True, check=False).stdout.strip()
    mark = f"{EARLIER} this page at commit {commit or 'unknown'} says at which size."
    return [one if EARLIER in one else f"{one}\n\n{mark}" for one in kept]


def measured_at(plan: Iterable[Evaluation], output: Path) -> str:
    """Return at which commits the evaluations of a plan were made; empty where none has been."""
    known = commits(output / one.name for one in plan)
    return f"Crawls of commit{'s' * (len(known) > 1)} {', '.join(known)}. " if known else ""


def number(value: float, form: str = ".3f") -> str:
    """Return a number, or a dash for none.

    >>> number(0.25), number(math.nan)
    ('0.250', '-')
    """
    return "-" if math.isnan(value) else format(value, form)


def mean_over_topics(values: Values, form: str = ".3f") -> str:
    """Return the mean over topics, each the mean of its repeats; a dash for none.

    >>> mean_over_topics({("stars", 1): 0.2, ("stars", 2): 0.4, ("food", 1): 0.6}), mean_over_topics({})
    ('0.450', '-')
    """
    by_topic: dict[str, list[float]] = {}
    for (topic, _), value in values.items():
        by_topic.setdefault(topic, []).append(value)
    return format(fmean(map(fmean, by_topic.values())), form) if by_topic else "-"


def interval(found: Estimate) -> str:
    """Return a mean with its interval, if it has one.

    >>> from focused.utils.estimates import Estimate
    >>> interval(Estimate(0.25, 0.2, 0.3, 4)), interval(Estimate(0.25, math.nan, math.nan, 1))
    ('0.250 [0.200, 0.300]', '0.250')
    """
    if math.isnan(found.mean) or math.isnan(found.low):
        return number(found.mean)
    return f"{found.mean:.3f} [{max(found.low, 0.0):.3f}, {min(found.high, 1.0):.3f}]"


def crawlers(crawls: Crawls, prefixes: Mapping[str, str], strategies: Sequence[str]) -> str:
    """Return the table of crawlers: share of the bound, harvest rate, recall and pages, on each kind of web."""
    parts = []
    for web, kind in WEBS.items():
        names = {f"{prefix}-{web}": title for prefix, title in prefixes.items()}
        parts += [
            f"{web} ({kind}), {title}: {why}" for name, title in names.items() if (why := crawls.why_failed(name))
        ]
        names = {name: title for name, title in names.items() if crawls.of(name).crawls}
        rows = []
        for strategy in strategies:
            row = [f"`{strategy}`"]
            for name in names:
                columns = ("harvest_rate", "target_recall")
                share = interval(crawls.of(name).estimate(strategy, "share_of_bound"))
                row.append(" / ".join([share, *(number(crawls.mean(name, strategy, column)) for column in columns)]))
                row.append(number(crawls.mean(name, strategy, "pages"), ".0f"))
            rows.append(row)
        if names:
            head = [what for title in names.values() for what in (f"{title}: share / harvest / recall", "pages")]
            run = "; ".join(f"{title}, {crawls.extent(name)}" for name, title in names.items())
            parts += [f"{web} ({kind}). What was run: {run}.", table(["crawler", *head], rows)]
        else:
            parts.append(f"{web} ({kind}): not run.")
    return "\n\n".join(parts)


def ran_dry(crawls: Crawls, paper: str) -> str:
    """Return on how many topics a paper's own crawler ran out of links, and how it stands to `best_first` elsewhere."""
    own, told = STRATEGIES[paper][-1], []
    for web in WEBS:
        name = f"{paper.lower()}-{web}"
        done = crawls.of(name).of(own)
        dry = {crawl.topic for crawl in done if crawl.value("pages") < crawl.value("budget")}
        if not done:
            continue
        line = f"{web}: {len(dry)} of {quantity(len({crawl.topic for crawl in done}), 'topics')}"
        elsewhere = [
            [value for (topic, _), value in crawls.values(name, crawler).items() if topic not in dry]
            for crawler in (own, "best_first")
        ]
        if dry and all(elsewhere):
            shares = " and ".join(f"{fmean(values):.3f}" for values in elsewhere)
            line += f" (on the others it and `best_first` have shares of {shares})"
        told.append(line)
    if not told:
        return ""
    return f"Topics on which `{own}` ran out of links before its budget: {'; '.join(told)}."


def orders(
    crawls: Crawls,
    claims: Iterable[tuple[str, str, str, str]],
    printed: str,
    *,
    word: str = "repeat",
    share: str = "share, as printed",
    baselines: str = "",
) -> str:
    """Return the table of orders: the claim, the better and the worse crawler, the paper's figures; and what we found.

    Harvest rate and target recall are what the papers draw; a crawl that ended early has the harvest rate of what it
    fetched. ``word``: what a claim does, or does not. ``share``: how the column of the paper's own way is called.
    ``baselines``: the evaluations of the worse crawlers, where they are others.
    """
    columns = {"harvest_rate": "harvest rate of what was fetched", "target_recall": "target recall"}
    rows = []
    for claim, better, worse, in_paper in claims:
        by_figure = [crawls.order(printed, better, worse, baselines, column) for column in columns]
        by_share = [crawls.order(prefix, better, worse, baselines) for prefix in (printed, "modern")]
        cells = [[signed(found.on_all) if found.on_web else "-", found.verdict] for found in (*by_figure, *by_share)]
        row = [*map(", ".join, cells[: len(columns)]), *chain.from_iterable(cells[len(columns) :])]
        rows.append([claim, in_paper, *(cell.replace("repeat", word) for cell in row)])
    head = ["claim", "paper", *columns.values(), share, "verdict", "share, today's parts", "verdict"]
    return table(head, rows)
