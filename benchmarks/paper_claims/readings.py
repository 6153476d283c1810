"""Readings that the papers leave open, each compared on the webs that constants are chosen on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common import table

from paper_claims.pages import number
from paper_claims.plan import CHOSEN_ON, WEBS
from paper_claims.verdicts import order, signed

if TYPE_CHECKING:
    from paper_claims.crawls import Crawls

_STRATEGIES = ("slc", "cbp_slc", "link_context")


def context_rule(crawls: Crawls) -> str:
    """Return what it is worth to leave the texts of other anchors out of a link context, by P13's preset and today."""
    of_presets = ("p13-exclude", "p13"), tuple(WEBS)
    of_today = ("context-exclude", "context-include"), CHOSEN_ON
    parts = []
    for title, ((without, kept), known) in (
        ("By the preset `p13`, all topics, three repeats", of_presets),
        ("Today's parts, two topics a web, one repeat", of_today),
    ):  # fmt: skip
        webs = [web for web in known if all(crawls.of(f"{name}-{web}").crawls for name in (without, kept))]
        if webs:
            parts += [f"{title}:", _compared(crawls, webs, without, kept)]
    if not parts:
        return ""
    return "\n\n".join([
        "## Other anchors in a link context",
        "L14 (sect. 3.1) leaves the texts of other anchors out of a link context; P13 and P15 say nothing of it, so they keep "
        "all. Share of the bound without / with them.",
        *parts,
        f"With today's parts the mean is higher without them for `slc` on {_n_higher(crawls, 'slc')} and for "
        f"`link_context` on {_n_higher(crawls, 'link_context')} of {len(CHOSEN_ON)} webs, most of all on the web of many "
        "small sites, where lists of links fill the context; no interval excludes 0. "
        "So L14's rule is the default for all strategies (D79); `FOCUSED_CONTEXT_OTHER_ANCHORS=include` keeps all.",
    ])  # fmt: skip


def _compared(crawls: Crawls, webs: list[str], without: str, kept: str) -> str:
    """Return a row for each strategy: its shares on each web, and the paired difference."""
    rows = []
    for strategy in _STRATEGIES:
        of = [{web: crawls.values(f"{name}-{web}", strategy) for web in webs} for name in (without, kept)]
        found = order(*of)
        means = [" / ".join(number(crawls.mean(f"{name}-{web}", strategy)) for name in (without, kept)) for web in webs]
        rows.append(
            [
                f"`{strategy}`",
                *means,
                signed(found.on_all),
                found.verdict.replace("repeats", "pays").replace("not repeat", "not pay"),
            ]
        )
    return table(["crawler", *webs, "difference", "leaving them out"], rows)


def _n_higher(crawls: Crawls, strategy: str) -> int:
    """Return on how many webs a strategy finds more without the texts of other anchors."""
    return sum(
        crawls.mean(f"context-exclude-{web}", strategy) > crawls.mean(f"context-include-{web}", strategy)
        for web in CHOSEN_ON
    )
