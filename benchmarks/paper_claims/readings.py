"""Readings that the papers leave open, each compared on the webs that constants are chosen on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common import table

from paper_claims.pages import number
from paper_claims.plan import CHOSEN_ON
from paper_claims.verdicts import order, signed

if TYPE_CHECKING:
    from paper_claims.crawls import Crawls

_STRATEGIES = ("slc", "cbp_slc", "link_context")


def context_rule(crawls: Crawls) -> str:
    """Return what it is worth to leave the texts of other anchors out of a link context."""
    rows = []
    webs = [
        web
        for web in CHOSEN_ON
        if crawls.of(f"context-exclude-{web}").crawls and crawls.of(f"context-include-{web}").crawls
    ]
    for strategy in _STRATEGIES:
        of = {
            rule: {web: crawls.values(f"context-{rule}-{web}", strategy) for web in webs}
            for rule in ("exclude", "include")
        }
        found = order(of["exclude"], of["include"])
        means = [
            f"{number(crawls.mean(f'context-exclude-{web}', strategy))} / "
            f"{number(crawls.mean(f'context-include-{web}', strategy))}"
            for web in webs
        ]
        rows.append([f"`{strategy}`", *means, signed(found.on_all), found.verdict.replace("repeats", "pays")])
    if not webs:
        return ""
    return "\n\n".join([
        "## Other anchors in a link context",
        "L14 (sect. 3.1) leaves the texts of other anchors out of a link context; P13 and P15 say nothing of it, so "
        "they keep all. "
        "Share of the bound without / with them, today's parts, two topics a web:",
        table(["crawler", *webs, "difference", "leaving them out"], rows),
        f"Without them the mean is higher for `slc` on {_n_higher(crawls, webs, 'slc')} and for `link_context` on "
        f"{_n_higher(crawls, webs, 'link_context')} of {len(webs)} webs, most of all on the web of many small sites, where "
        "lists of links fill the context. `cbp_slc` asks the context seldom. So L14's rule is the default for all "
        "strategies (D79); `FOCUSED_CONTEXT_OTHER_ANCHORS=include` keeps all.",
    ])  # fmt: skip


def _n_higher(crawls: Crawls, webs: list[str], strategy: str) -> int:
    """Return on how many webs a strategy finds more without the texts of other anchors."""
    return sum(
        crawls.mean(f"context-exclude-{web}", strategy) > crawls.mean(f"context-include-{web}", strategy)
        for web in webs
    )
