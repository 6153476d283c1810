"""P15's clusters and its SVM beside other methods: what the paper says, what is found, the verdict."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from common import table
from comparisons import clusters
from comparisons.plotting import NAMES

from focused.utils.words import quantity
from paper_claims.claims_table import Claims, claims_table, corpora_in, extent, figures_of, values_of
from paper_claims.classifier_jobs import OF_P15, read_classifiers
from paper_claims.verdicts import order

if TYPE_CHECKING:
    from pathlib import Path

    from paper_claims.verdicts import Values

NOT_COMPARED = "not compared"
"""What a paper says of a comparison that is only ours."""
_PAGES = "pages"
"""Comparisons of the links of one page; the others are of samples from a whole web."""


def claims_about_clusters(output: Path) -> Claims:
    """Return P15's claims about its clusters [P15, fig. 6]: each page whose links are clustered is a draw."""
    rows = [row for row in read_classifiers("clusters", output) if row["job"][1] == _PAGES]
    if not rows:
        return {}

    def of(method: str) -> dict[str, Values]:
        return {
            NAMES[name]: {
                (f"{row['job'][2]} {number}", 0): units["methods"][method]["f"]
                for row in rows
                if row["corpus"] == name
                for number, units in enumerate(row["sets"])
            }
            for name in corpora_in(rows)
        }

    rivals = {
        "HAC true": "HAC, told the number of classes", "K-means true": "K-means, likewise",
        "HAC found": "HAC, with as many clusters", "K-means found": "K-means, likewise with as many",
    }  # fmt: skip
    trees = of("smaller 3")
    return {
        f"CFu-trees over {title}": ("fig. 6: above HAC and K-means", order(trees, of(rival)))
        for rival, title in rivals.items()
    }


def about_clusters(output: Path, figures: Path) -> str:
    """Return the section on P15's fig. 6."""
    rows = read_classifiers("clusters", output)
    of_pages = [row for row in rows if row["job"][1] == _PAGES]
    if not of_pages:
        return ""
    names = corpora_in(of_pages)
    units = {name: [one for row in of_pages if row["corpus"] == name for one in row["sets"]] for name in names}
    lines = [
        [
            title,
            *(
                f"{fmean(one['methods'][method]['f'] for one in of):.3f} / "
                f"{fmean(one['methods'][method]['rand'] for one in of):.3f}"
                for of in units.values()
            ),
        ]
        for method, title in clusters.METHODS.items()
    ]
    is_whole = len({(row["corpus"], row["job"][1]) for row in rows}) == 2 * len(names)  # pages and samples
    head = [f"{NAMES[name]}, {quantity(len(of), 'pages')}" for name, of in units.items()]
    return "\n\n".join([
        "## Clusters by themselves (fig. 6)",
        "Link contexts of a page, clustered; the classes are the topics of their targets. Cluster F-measure / adjusted "
        "Rand index, means over pages; lambda = 3. The paper's F-measure is given for one cluster (eq. 7 to 10); ours "
        "is its mean over clusters, weighted by size (D84). Today's default, `adaptive`, uses no clusters.",
        table(["method", *head], lines),
        figures_of(clusters.COMPARISON, rows, figures) if is_whole else "",
        claims_table(claims_about_clusters(output)),
        "Verdict of fig. 6: does not repeat; with the same number of clusters CFu-trees are ahead by some hundredths.",
        "The measure rewards few clusters, so those that are told the number of classes are ahead, and one cluster for "
        "all beats every method. The Rand index, which is 0 for that, is low for all: contexts of a page tell the "
        "topics of its targets apart only weakly. More: "
        "[papers: incremental SVM and clusters](../results/papers-incremental-svm-and-clusters.md).",
    ])  # fmt: skip


def claims_about_classifiers(output: Path) -> Claims:
    """Return P15's claims about its SVM beside others [P15, fig. 7]."""
    rows = read_classifiers("classifiers", output)
    if not rows:
        return {}
    of = {name: values_of(rows, lambda row, name=name: row["classifiers"][name].get("f1", 0.0)) for name in OF_P15}
    own = next(iter(OF_P15))
    return {
        f"{own} over {rival}": ("fig. 7: above" if "today" not in rival else NOT_COMPARED, order(of[own], of[rival]))
        for rival in list(OF_P15)[1:]
    }


def about_classifiers(output: Path) -> str:
    """Return the section on P15's fig. 7."""
    rows = read_classifiers("classifiers", output)
    if not rows:
        return ""
    lines, seconds = [], {}
    for name in OF_P15:
        cells = []
        for corpus in corpora_in(rows):
            of = [row["classifiers"][name] for row in rows if row["corpus"] == corpus]
            cells.append(" / ".join(f"{fmean(one.get(key, 0.0) for one in of):.3f}" for key in ("f1", "ap")))
        seconds[name] = fmean(row["classifiers"][name].get("seconds", 0.0) for row in rows)
        lines.append([name, *cells, f"{seconds[name]:.2f}"])
    return "\n\n".join([
        "## The incremental SVM beside other classifiers (fig. 7)",
        f"{extent(rows)}: 30 positives of a web, 30 % of the class of a text corpus, the rest is unlabelled; 1-DNFII's "
        "negatives, or the next best documents where it finds too few (D14); term frequencies as they are. F at the "
        "classifier's own decision / average precision, means over draws. The plain SVM takes U for negatives.",
        table(["classifier", *(NAMES[name] for name in corpora_in(rows)), "CPU seconds"], lines),
        claims_table(claims_about_classifiers(output)),
        _cost(seconds["PSOC"], seconds["SVM"]),
    ])  # fmt: skip


def _cost(of_psoc: float, of_svm: float) -> str:
    """Return how much longer PSOC takes than a plain SVM."""
    if not of_svm:
        return ""
    ratio = of_psoc / of_svm
    verdict = (
        "repeats"
        if 7 <= ratio <= 8
        else "repeats in part: longer, by another factor"
        if ratio > 1
        else "does not repeat"
    )
    return f"P15: PSOC takes seven or eight times as long as an SVM. Ours: {ratio:.1f} times. Verdict: {verdict}."
