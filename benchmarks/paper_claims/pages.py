"""Write the page of a paper: what it says, what came out as printed and with today's parts, and the verdict."""

from __future__ import annotations

import math
from importlib import import_module
from typing import TYPE_CHECKING

from common import table

from paper_claims.crawls import Crawls
from paper_claims.plan import WEBS
from paper_claims.verdicts import signed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

MEANING = (
    "*As printed*: the paper's settings, as far as it gives them. *Today's parts*: the project's defaults. Webs: "
    "HyperPhysics is "
    "a site by topic, WebKB has genres, the demo web has pages of mixed blocks, as the papers' directory pages had. "
    "Differences are "
    "paired, with Student's 95 % interval over the topics of all webs. *Repeats*: the interval lies above 0, and the "
    "mean on each "
    "web does. *In part*: it does on the webs named. *Not decided*: higher, but the interval holds 0. A claim whose "
    "other side "
    "wins does *not repeat*. Crawls that drop links may end early, so the share of the bound is compared, which holds "
    "each against "
    "its full budget; their curves are drawn on with the last value."
)


def write_page(paper: str, output: Path, docs: Path, about: str, *, quick: bool) -> Path:
    """Write the page of a paper and its figures from what was measured; return its path."""
    module = import_module(f"paper_claims.{paper.lower()}")
    figures = docs.parent / "figures"
    docs.mkdir(parents=True, exist_ok=True)
    sections = module.sections(Crawls(output), output, figures)
    size = "Two topics a web, one repeat, 300 pages" if quick else "All topics, three repeats, 600 pages"
    command = f"python benchmarks/papers.py --data ../shared/data --paper {paper}{' --quick' if quick else ''}"
    made = f"Written by `{command}`. {size}."
    text = "\n\n".join([f"# {module.TITLE}", module.INTRODUCTION, f"{made} {about}", MEANING, *filter(None, sections)])
    path = docs / f"{paper}.md"
    path.write_text(text + "\n", encoding="utf-8")
    return path


def number(value: float, form: str = ".3f") -> str:
    """Return a number, or a dash for none.

    >>> number(0.25), number(math.nan)
    ('0.250', '-')
    """
    return "-" if math.isnan(value) else format(value, form)


def crawlers(crawls: Crawls, prefixes: Mapping[str, str], strategies: Sequence[str]) -> str:
    """Return the table of crawlers: share of the bound, harvest rate, recall and pages, on each kind of web."""
    parts = []
    for web, kind in WEBS.items():
        rows = []
        for strategy in strategies:
            row = [f"`{strategy}`"]
            for prefix in prefixes:
                name = f"{prefix}-{web}"
                columns = ("share_of_bound", "harvest_rate", "target_recall")
                row += [number(crawls.mean(name, strategy, column)) for column in columns]
                row.append(number(crawls.mean(name, strategy, "pages"), ".0f"))
            rows.append(row)
        for prefix, title in prefixes.items():
            if why := crawls.why_failed(f"{prefix}-{web}"):
                parts.append(f"{web} ({kind}), {title}: no crawl. {why}")
        if any(cell != "-" for row in rows for cell in row[1:]):
            head = [
                f"{what}, {title}"
                for title in prefixes.values()
                for what in ("share of bound", "harvest", "recall", "pages")
            ]
            parts += [f"{web} ({kind}):", table(["crawler", *head], rows)]
    return "\n\n".join(parts)


def orders(crawls: Crawls, claims: Iterable[tuple[str, str, str, str]], printed: str, *, word: str = "repeat") -> str:
    """Return the table of orders: the claim, the better and the worse crawler, the paper's figures; and what we found.

    ``word``: what a claim does, or does not.
    """
    rows = []
    for claim, better, worse, in_paper in claims:
        row = [claim, in_paper]
        for prefix in (printed, "modern"):
            found = crawls.order(prefix, better, worse)
            row += [signed(found.on_all) if found.on_web else "-", found.verdict.replace("repeat", word)]
        rows.append(row)
    head = ["claim", "paper", "as printed", "verdict", "today's parts", "verdict"]
    return table(head, rows)
