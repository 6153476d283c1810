"""The page of P13."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common import table

from paper_claims.classifier_rows import classifiers_of
from paper_claims.classifier_tables import about_negatives
from paper_claims.crawls import FEWEST
from paper_claims.drawing import NO_NUMBERS, bar_chart, harvest_curves, length_curves
from paper_claims.kernel_jobs import read_kernels
from paper_claims.kernel_p13 import of_p13
from paper_claims.pages import crawlers, mean_over_topics, number, orders, ran_dry
from paper_claims.plan import STRATEGIES as OF_PAPERS
from paper_claims.plan import WEBS
from paper_claims.readings import context_rule
from paper_claims.verdicts import order, signed, verdict_of_counts

if TYPE_CHECKING:
    from pathlib import Path

    from paper_claims.crawls import Crawls
    from paper_claims.verdicts import Order

TITLE = "P13: focused crawling enhanced by CBP-SLC"
INTRODUCTION = (
    "Peng and Liu 2013. As printed ([preset `p13`](../method/presets.md)): blocks, anchor texts and contexts are relevant "
    "where the weighted voting classifier on 1-DNFC's reliable negatives says so, pages by its calibrated relevance "
    "(D36); links below are dropped; a link keeps what its first page says; contexts keep the texts of other anchors; "
    "blocks by the paper's tags. Not as printed: linear SVMs with balanced classes (D18; by LIBSVM's defaults every page "
    "is irrelevant, see below), features of most pages left out (D80), five seeds (WebKB: four) instead of 100, and human "
    "labels where the paper judges by its own classifier."
)
STRATEGIES = OF_PAPERS["P13"]
_PREFIXES = {"p13": "as printed", "modern": "today's parts"}
_PLACES = {
    "`breadth_first` is the least": [(other, "breadth_first") for other in STRATEGIES[1:]],
    "`cbp_slc` is the second": [(other, "cbp_slc") for other in STRATEGIES[1:-1]],
    "`best_first` is the longest": [("best_first", other) for other in STRATEGIES[2:]],
}
"""What P13 says of target lengths, and the longer and the shorter crawlers that it follows from [P13, fig. 13]."""
_CLAIMS = [
    ("`cbp_slc` over `cbp`", "cbp_slc", "cbp", "fig. 11, 12: better"),
    ("`cbp_slc` over `slc`", "cbp_slc", "slc", "fig. 11, 12: better"),
    ("`cbp_slc` over `link_context`", "cbp_slc", "link_context", "fig. 11, 12: better"),
    ("`cbp_slc` over `anchor_text`", "cbp_slc", "anchor_text", "fig. 11, 12: better"),
    ("`cbp_slc` over `best_first`", "cbp_slc", "best_first", "fig. 11, 12: better"),
    ("`cbp_slc` over `breadth_first`", "cbp_slc", "breadth_first", "fig. 11, 12: better"),
    *(
        (f"`breadth_first` is the worst: under `{other}`", other, "breadth_first", "fig. 11, 12: worst")
        for other in ("best_first", "anchor_text", "link_context", "cbp", "slc")
    ),
]


def sections(crawls: Crawls, output: Path, figures: Path) -> list[str]:
    """Return the sections of the page."""
    return [
        "## Crawlers (fig. 11 and 12)",
        orders(crawls, _CLAIMS, "p13"),
        ran_dry(crawls, "P13"),
        harvest_curves(crawls, "p13-harvest", _PREFIXES, STRATEGIES, figures),
        harvest_curves(crawls, "p13-recall", _PREFIXES, STRATEGIES, figures, "target_recall"),
        NO_NUMBERS,
        crawlers(crawls, _PREFIXES, STRATEGIES),
        _target_length(crawls, figures),
        _evidence(crawls, figures),
        context_rule(crawls),
        classifiers_of("P13", "fig. 6 to 9, table 1", output),
    ]


def classifier_sections(output: Path, figures: Path) -> list[str]:
    """Return the sections of the page of its classifiers."""
    return [about_negatives(output, figures), of_p13(read_kernels("P13", output), figures)]


def _target_length(crawls: Crawls, figures: Path) -> str:
    rows, found = [], {}
    pairs = list(dict.fromkeys(pair for of in _PLACES.values() for pair in of))
    for prefix, title in _PREFIXES.items():
        of_web = {web: crawls.lengths(f"{prefix}-{web}", list(STRATEGIES)) for web in WEBS}
        for web, of in of_web.items():
            if crawls.of(f"{prefix}-{web}").crawls:
                means = [mean_over_topics(lengths, ".2f") for lengths in of.values()]
                rows.append([web, title, len({topic for topic, _ in of["cbp_slc"]}), *means])
        found[title] = {
            pair: order(*({web: of[name] for web, of in of_web.items()} for name in pair)) for pair in pairs
        }
    told = [
        [
            f"`{longer}` has longer paths than `{shorter}`",
            *(f"{signed(of[longer, shorter].on_all)}, {of[longer, shorter].verdict}" for of in found.values()),
        ]
        for longer, shorter in pairs
    ]
    places = [
        [place, *(_verdict_of_place([of[pair] for pair in needed]) for of in found.values())]
        for place, needed in _PLACES.items()
    ]
    return "\n\n".join([
        "## Target length (eq. 10, fig. 13)",
        "P13: `breadth_first` is the least, `cbp_slc` the second, `best_first` the longest. Ours: the mean "
        "number of links from a seed to a relevant page, along the path on which it was first found. Crawlers are compared "
        f"after as many relevant pages as all of them reached on that topic and repeat; those with fewer than {FEWEST} are "
        "left out (WebKB, as printed: all). The curves end where half of the crawls found no more.",
        table(["web", "", "topics", *(f"`{strategy}`" for strategy in STRATEGIES)], rows),
        table(["claim (fig. 13)", *_PREFIXES.values()], places),
        "Which hang on:",
        table(["", *_PREFIXES.values()], told),
        length_curves(crawls, "p13-length", _PREFIXES, STRATEGIES, figures),
    ])  # fmt: skip


def _verdict_of_place(found: list[Order]) -> str:
    """Return whether a crawler has a place, which needs all of some orders."""
    verdicts = [one.verdict for one in found]
    if all(one == "repeats" for one in verdicts):
        return "repeats"
    return "does not repeat" if any(one.startswith("does not repeat") for one in verdicts) else "not decided"


def _evidence(crawls: Crawls, figures: Path) -> str:
    kinds = {"anchor": "anchor text", "context": "link context", "block": "block"}
    rows, bars = [], {}
    verdicts: dict[str, list[str]] = {title: [] for title in _PREFIXES.values()}
    for prefix, title in _PREFIXES.items():
        for web in WEBS:
            name = f"{prefix}-{web}"
            if not crawls.of(name).crawls:
                continue
            found = [crawls.mean(name, "cbp_slc", f"relevant_by_{kind}") for kind in kinds]
            deferred = crawls.mean(name, "cbp_slc", "relevant_deferred")
            rows.append([web, title, *(number(value, ".1f") for value in found), number(deferred, ".1f")])
            verdicts[title].append(_most_through_blocks(crawls, name, web))
            if prefix == "p13":
                columns = {f"relevant_by_{kind}": words for kind, words in kinds.items()}
                bars |= {f"{web}, {topic}": of for topic, of in crawls.by_topic(name, "cbp_slc", columns).items()}
    return "\n\n".join([
        "## What found the relevant pages (fig. 14)",
        "P13: some relevant pages are found by their anchor text alone, most by blocks and selective contexts. Ours, "
        "relevant pages of `cbp_slc` by what admitted their links, means over topics; the figure has each topic, as printed:",
        table(["web", "", *kinds.values(), "deferred links"], rows),
        bar_chart("p13-evidence", bars, figures, x_label="relevant pages", alt="Relevant pages by what admitted their links"),
        _some_by_anchor_text(crawls),
        *(
            f"More through blocks and contexts than by anchor text, {title}: {'; '.join(of)}."
            for title, of in verdicts.items()
            if of
        ),
    ])  # fmt: skip


def _some_by_anchor_text(crawls: Crawls) -> str:
    """Return on how many topics a relevant page was found by its anchor text alone, as printed."""
    found = [
        of["n"] for web in WEBS for of in crawls.by_topic(f"p13-{web}", "cbp_slc", {"relevant_by_anchor": "n"}).values()
    ]
    if not found:
        return ""
    some = sum(value > 0 for value in found)
    verdict = verdict_of_counts(some, len(found))
    return f"Some by anchor text alone, as printed: on {some} of {len(found)} topics, {verdict}."


def _most_through_blocks(crawls: Crawls, name: str, web: str) -> str:
    """Return whether more relevant pages came through blocks and contexts than by anchor text, over the topics of a web."""
    by_anchor, by_context, by_block = (
        crawls.values(name, "cbp_slc", f"relevant_by_{kind}") for kind in ("anchor", "context", "block")
    )
    if sum(by_anchor.values()) + sum(by_context.values()) + sum(by_block.values()) < len(by_anchor):
        return f"{web}, not decided: fewer than one page a crawl was found so"
    others = {key: by_context[key] + by_block[key] for key in by_anchor}
    found = order({web: others}, {web: by_anchor})
    return f"{web} {signed(found.on_all)}, {found.verdict}"
