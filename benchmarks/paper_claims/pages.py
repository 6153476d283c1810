"""Write the page of a paper: what it says, what came out as printed and with today's parts, and the verdict."""

from __future__ import annotations

import math
from importlib import import_module
from typing import TYPE_CHECKING

from common import table

from paper_claims.crawls import Crawls
from paper_claims.plan import PLAN, WEBS
from paper_claims.running import commits
from paper_claims.verdicts import signed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from paper_claims.plan import Evaluation

MEANING = (
    "*As printed*: by the paper's [preset](../method/presets.md). *Today's parts*: by `modern`, the project's "
    "defaults. Webs: "
    "HyperPhysics is a site by topic, WebKB has genres, the demo web has pages of mixed blocks, as the papers' "
    "directory pages "
    "had. *Share*: relevant pages found, as a share of the most that a crawl of its budget could find, by labels that "
    "no crawl "
    "sees; a crawl that drops links may end early, and counts against its full budget. Differences are paired, with "
    "Student's "
    "95 % interval over the topics of all webs. *Repeats*: the interval lies above 0, and the mean on each web does. "
    "*In "
    "part*: it does on the webs named. *Not decided*: higher, but the interval holds 0. A claim whose other side wins "
    "does "
    "*not repeat*."
)


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
    path.write_text(text + "\n", encoding="utf-8")
    return path


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


def crawlers(crawls: Crawls, prefixes: Mapping[str, str], strategies: Sequence[str]) -> str:
    """Return the table of crawlers: share of the bound, harvest rate, recall and pages, on each kind of web."""
    parts = []
    for web, kind in WEBS.items():
        names = {f"{prefix}-{web}": title for prefix, title in prefixes.items()}
        rows = []
        for strategy in strategies:
            row = [f"`{strategy}`"]
            for name in names:
                columns = ("share_of_bound", "harvest_rate", "target_recall")
                row.append(" / ".join(number(crawls.mean(name, strategy, column)) for column in columns))
                row.append(number(crawls.mean(name, strategy, "pages"), ".0f"))
            rows.append(row)
        parts += [
            f"{web} ({kind}), {title}: {why}" for name, title in names.items() if (why := crawls.why_failed(name))
        ]
        if any(crawls.of(name).crawls for name in names):
            head = [what for title in prefixes.values() for what in (f"{title}: share / harvest / recall", "pages")]
            run = "; ".join(
                f"{title}, {crawls.extent(name)}" for name, title in names.items() if crawls.of(name).crawls
            )
            parts += [f"{web} ({kind}). What was run: {run}.", table(["crawler", *head], rows)]
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
