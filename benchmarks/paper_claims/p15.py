"""The page of P15."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any

from common import table

from paper_claims.classifier_rows import classifiers_of
from paper_claims.cluster_tables import about_classifiers, about_clusters
from paper_claims.drawing import NO_NUMBERS, harvest_curves, sweep_curves
from paper_claims.kernel_jobs import read_kernels
from paper_claims.kernel_p15 import of_p15
from paper_claims.link_texts import read_link_texts
from paper_claims.pages import crawlers, number, orders, ran_dry
from paper_claims.plan import LAMBDAS, WEBS
from paper_claims.plan import STRATEGIES as OF_PAPERS
from paper_claims.verdicts import order, signed

if TYPE_CHECKING:
    from pathlib import Path

    from paper_claims.crawls import Crawls
    from paper_claims.verdicts import Values

TITLE = "P15: clustering-based crawling guided by an incremental classifier"
INTRODUCTION = (
    "Peng and Liu 2015. As printed ([preset `p15`](../method/presets.md)): links are relevant where the incremental SVM "
    "says so, those below are dropped, a link keeps what its first page says; contexts keep the texts of other anchors "
    "and are inserted into CFu-trees while the crawl goes on; after every 14 fetched links the SVM goes on with alg. 1 on "
    "what they led to (the paper names no number: D85). Not as printed: linear SVMs whose classes weigh the same (D18), a "
    "sigmoid from decisions to scores (D53), the next best negatives where 1-DNFII finds too few (D14), the share that "
    "SVM 0 learns from (D82)."
)
STRATEGIES = OF_PAPERS["P15"]
_PREFIXES = {"p15": "as printed", "modern": "today's parts"}
_CLAIMS = [
    *((f"`incremental` over `{other}`", "incremental", other, "fig. 8, 9: better") for other in STRATEGIES[:-1]),
    ("`clustering` over `link_context`", "clustering", "link_context", "fig. 8, 9"),
    ("`link_context` over `anchor_text`", "link_context", "anchor_text", "fig. 8, 9: better"),
    ("`anchor_text` over `best_first`", "anchor_text", "best_first", "fig. 8, 9: better"),
]
_KINDS = {
    "alone": "no clusters, no learning",
    "afresh": "clusters of each page, no learning",
    "learning-alone": "no clusters, learning",
    "learning": "clusters of all pages, learning (P15)",
}
_NOTHING = 0.002


def sections(crawls: Crawls, output: Path, figures: Path) -> list[str]:
    """Return the sections of the page."""
    return [
        "## Crawlers (fig. 8 and 9)",
        orders(crawls, _CLAIMS, "p15"),
        ran_dry(crawls, "P15"),
        harvest_curves(crawls, "p15-harvest", _PREFIXES, STRATEGIES, figures),
        harvest_curves(crawls, "p15-recall", _PREFIXES, STRATEGIES, figures, "target_recall"),
        NO_NUMBERS,
        crawlers(crawls, _PREFIXES, STRATEGIES),
        _incremental(crawls),
        _lambdas(crawls, figures),
        _why(read_link_texts(output)),
        classifiers_of("P15", "fig. 6 and 7, tables 1 to 4", output),
    ]


def classifier_sections(output: Path, figures: Path) -> list[str]:
    """Return the sections of the page of its classifiers and clusters."""
    return [of_p15(read_kernels("P15", output), figures), about_clusters(output, figures), about_classifiers(output)]


def _incremental(crawls: Crawls) -> str:
    """Return what clusters and learning are worth, as printed and with today's parts."""
    parts = []
    for title, webs, name_of in (
        ("As printed (the preset; all topics, three repeats)", tuple(WEBS), _part_as_printed),
        (
            "Links below the threshold deferred, evidence merged (`modern`; two topics a web, one repeat)",
            ("hyperphysics", "sites", "wiki"),
            "incremental-{kind}-{web}".format,
        ),
    ):
        known = [web for web in webs if all(crawls.of(name_of(kind=kind, web=web)).crawls for kind in _KINDS)]
        if not known:
            continue
        of = {
            kind: {web: crawls.values(name_of(kind=kind, web=web), "incremental") for web in known} for kind in _KINDS
        }
        rows = [[_KINDS["alone"], *(_mean(of["alone"][web]) for web in known), "-", "-"]]
        for kind in list(_KINDS)[1:]:
            found = order(of[kind], of["alone"])
            means = [_mean(of[kind][web]) for web in known]
            rows.append(
                [
                    _KINDS[kind],
                    *means,
                    signed(found.on_all),
                    found.verdict.replace("repeats", "holds").replace("not repeat", "not hold"),
                ]
            )
        head = ["", *known, "against no clusters, no learning", "is worth something"]
        both = order(of["learning"], of["learning-alone"])
        parts += [
            f"{title}:", table(head, rows),
            f"With clusters against the classifier alone, both learning: {signed(both.on_all)}. Verdict: {both.verdict}.",
        ]  # fmt: skip
    if not parts:
        return ""
    told = (
        "P15 says that clusters and classifier together are much better than the classifier alone. Share of the bound "
        "of `incremental` with and without its parts."
    )
    return "\n\n".join(["## What being incremental is worth (sect. 6.2, alg. 1)", told, *parts])


def _mean(values: Values) -> str:
    return f"{fmean(values.values()):.3f}" if values else "-"


def _part_as_printed(*, kind: str, web: str) -> str:
    return f"p15-{web}" if kind == "learning" else f"p15-{kind}-{web}"


def _lambdas(crawls: Crawls, figures: Path) -> str:
    parts = []
    for title, webs, name_of in (
        ("as printed", tuple(WEBS), _lambda_as_printed),
        ("today's parts", ("hyperphysics", "sites"), "lambda-{value}-{web}".format),
    ):
        for web in webs:
            names = [name_of(value=value, web=web) for value in LAMBDAS]
            if all(crawls.of(name).crawls for name in names):
                parts += [
                    f"{web}, {title} ({crawls.extent(names[0])}):",
                    *_lambda_on(crawls, web, title, names, figures),
                ]
    if not parts:
        return ""
    told = (
        "P15: with lambda from 0.2 to 6, harvest falls, recall rises slowly, and F is highest at about 3 (its text; it "
        "prints no number). At one budget of pages harvest and recall mostly rise and fall together. "
        "`clustering`; as printed links below the threshold are dropped, with today's parts deferred. Differences "
        "between lambda = 3 and the others are paired over topics."
    )
    return "\n\n".join(["## Lambda (fig. 5)", told, *parts])


def _lambda_as_printed(*, value: str, web: str) -> str:
    return f"p15-{web}" if value == "3" else f"p15-lambda-{value}-{web}"


def _lambda_on(crawls: Crawls, web: str, title: str, names: list[str], figures: Path) -> list[str]:
    """Return table, figure and verdict of a web."""
    columns = {"harvest rate": "harvest_rate", "target recall": "target_recall", "F": "f_measure"}
    found = {words: [crawls.mean(name, "clustering", column) for name in names] for words, column in columns.items()}
    rows = [[words, *(number(value) for value in values)] for words, values in found.items()]
    drawn = sweep_curves(
        f"p15-lambda-{web}-{'printed' if title == 'as printed' else 'today'}", [float(value) for value in LAMBDAS],
        found, figures, x_label="lambda", y_label="harvest rate, recall, F", title=f"clustering on {web}, {title}",
    )  # fmt: skip
    own = {web: crawls.values(names[LAMBDAS.index("3")], "clustering", "f_measure")}
    others = {
        value: order(own, {web: crawls.values(name, "clustering", "f_measure")})
        for value, name in zip(LAMBDAS, names, strict=True)
        if value != "3"
    }
    told = "; ".join(f"{value}: {signed(of.on_all)}" for value, of in others.items())
    best = LAMBDAS[max(range(len(LAMBDAS)), key=lambda n: found["F"][n])]
    if max(found["F"]) - min(found["F"]) <= _NOTHING:
        verdict = "does not repeat: lambda changes nothing here"
    elif all(of.on_all.verdict == "better" for of in others.values()):
        verdict = "repeats"
    elif all(of.on_all.verdict == "tie" for of in others.values()):
        verdict = f"not decided: F is highest at {best}, and no difference is larger than its interval"
    else:
        verdict = f"does not repeat: F is highest at {best}"
    lines = table(["", *(f"lambda = {value}" for value in LAMBDAS)], rows)
    ends = []
    for words, column, is_up in (("harvest falls", "harvest_rate", False), ("recall rises", "target_recall", True)):
        first, last = ({web: crawls.values(name, "clustering", column)} for name in (names[0], names[-1]))
        change = order(last, first) if is_up else order(first, last)
        ends.append(f"{words} from 0.2 to 6: {change.verdict} ({signed(change.on_all)})")
    return [lines, drawn, f"F at lambda = 3 less F at {told}. Verdict: {verdict}; {'; '.join(ends)}."]


def _why(rows: list[dict[str, Any]]) -> str:
    if not rows:
        return ""
    kinds = dict.fromkeys(("page", "context", "cosine", "clusters"), ".3f") | {"alone": ".2f", "wordless": ".2f"}
    lines = [
        [row["topic"], row["web"], f"{row['links']:,}", *(f"{row[kind]:{form}}" for kind, form in kinds.items())]
        for row in rows
    ]
    loss = [fmean(row[name] for row in rows) for name in ("context", "cosine", "clusters")]
    return "\n\n".join([
        "## Why `clustering` finds little with today's parts",
        "With today's parts `incremental` and `link_context` are above `clustering` (first table). As printed, where "
        "links are judged by the SVM of alg. 1 and not by a calibrated classifier, they are not.\n\nLinks of 400 pages "
        "drawn from each web, and how well they are ranked by what they lead to (average precision, human labels): by the "
        "relevance of their page, the calibrated relevance of their context, the cosine of their context with the mean of "
        "the positives, and that of the cluster they fall into (lambda = 3). *Alone*: share of links whose context is in "
        "no cluster of several contexts. *Without words*: share whose context holds no term of the topic's vocabulary.",
        table(["topic", "web", "links", "page", "context", "cosine", "cluster's cosine", "alone", "without words"], lines),
        "Three reasons: (1) but for the wiki, the text around a link says less of its target than its page does; (2) the "
        f"cosine with the mean page says less than the classifier ({loss[0]:.3f} and {loss[1]:.3f} in the mean): this is "
        f"what `clustering` loses; (3) clusters change little ({loss[1]:.3f} and {loss[2]:.3f}): most contexts of a page "
        "share too few words to be merged (a cosine of 0.53 is needed), so they are judged alone. Where contexts have few "
        "words, on the web of many small sites, clusters rank a little better.",
    ])  # fmt: skip
