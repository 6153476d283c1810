"""P13's reliable negatives and L16's page classifier: what the paper says, what is found, the verdict."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from common import table
from comparisons import itfidf, reliable_negatives
from comparisons.plotting import NAMES

from paper_claims.claims_table import Claims, claims_table, corpora_in, extent, figures_of, values_of
from paper_claims.classifier_jobs import read_classifiers
from paper_claims.verdicts import order

if TYPE_CHECKING:
    from pathlib import Path

    from paper_claims.verdicts import Values

_SHOWN_LAMBDAS = (0.0, 0.1, 0.2, 0.4, 0.8)


def claims_about_negatives(output: Path) -> Claims:
    """Return P13's claims about 1-DNFC [P13, fig. 6, 7]."""
    rows = read_classifiers("reliable_negatives", output)
    if not rows:
        return {}

    def share(what: str, of: str, value: float) -> dict[str, Values]:
        return values_of(rows, lambda row: row[what][row["lambdas"].index(value)] / max(row[of], 1))

    found, wrong = ("reliable", "n_unlabeled"), ("wrong", "n_hidden")
    return {
        "1-DNFC at lambda = 0.2 finds more than 1-DNF": (
            "fig. 6: significantly more", order(share(*found, 0.2), share(*found, 0.0)),
        ),
        "1-DNFC errs less at lambda = 0.2 than at 0.8": (
            "fig. 7: very low at 0.1 and 0.2", order(share(*wrong, 0.8), share(*wrong, 0.2)),
        ),
    }  # fmt: skip


def about_negatives(output: Path, figures: Path) -> str:
    """Return the section on P13's fig. 6 and 7."""
    rows = read_classifiers("reliable_negatives", output)
    if not rows:
        return ""
    lines = []
    for name in corpora_in(rows):
        of = [row for row in rows if row["corpus"] == name]
        cells = []
        for value in _SHOWN_LAMBDAS:
            at = of[0]["lambdas"].index(value)
            found, wrong = (
                fmean(row[what][at] / max(row[out_of], 1) for row in of)
                for what, out_of in (("reliable", "n_unlabeled"), ("wrong", "n_hidden"))
            )
            cells.append(f"{found:.1%} / {wrong:.1%}")
        few = fmean(bool(reliable_negatives.is_too_few(row)[of[0]["lambdas"].index(0.2)]) for row in of)
        lines.append([NAMES[name], *cells, f"{few:.0%}"])
    return "\n\n".join([
        "## Reliable negatives (fig. 6 and 7)",
        f"{extent(rows)}. Share of U that is found / share of the positives in U among them (ERR), means over draws; "
        "how many draws have too few at lambda = 0.2 to train on, fewer than |P| or than 5 % of U. Today's parts need "
        "no reliable negatives: they learn from all of U.",
        table(["corpus", "1-DNF", *(f"1-DNFC, {value:g}" for value in _SHOWN_LAMBDAS[1:]), "too few at 0.2"], lines),
        figures_of(reliable_negatives.COMPARISON, rows, figures),
        claims_table(claims_about_negatives(output)),
        "The order repeats, the size does not: P13's constant 0.2 leaves most draws with too few negatives. A term that "
        "is commoner in P by any margin is a positive feature, so words of navigation count as well. Ours lets lambda "
        "rise (D13). More: [papers: negatives and weights](../results/papers-negatives-and-weights.md).",
    ])  # fmt: skip


def claims_about_itfidf(output: Path) -> Claims:
    """Return L16's claim about ITFIDF [L16, fig. 2], by three measures."""
    rows = [row for row in read_classifiers("itfidf", output) if row["share"] == 1]
    if not rows:
        return {}
    measures = {"f1_one_topic": "F, one topic a document", "best_f1": "F, best threshold", "ap": "average precision"}

    def of(form: str, key: str) -> dict[str, Values]:
        return {
            NAMES[row["corpus"]]: {(topic, 0): value for topic, value in zip(row["topics"], row[key], strict=True)}
            for row in rows
            if row["form"] == form
        }

    return {
        f"ITFIDF over TFIDF: {title}": (
            "fig. 2: +0.053, +0.020, +0.056, +0.011",
            order(of("ITFIDF", key), of("TFIDF", key)),
        )
        for key, title in measures.items()
    }


def about_itfidf(output: Path, figures: Path) -> str:
    """Return the section on L16's fig. 2."""
    rows = read_classifiers("itfidf", output)
    whole = [row for row in rows if row["share"] == 1]
    if not whole:
        return ""
    lines = [
        [NAMES[row["corpus"]], itfidf.FORM_NAMES[row["form"]], *(f"{fmean(row[key]):.3f}" for key in itfidf.MEASURES)]
        for row in whole
    ]
    return "\n\n".join([
        "## Page classifier (fig. 2)",
        "Naive Bayes on all labels of ten topics of two corpora, means over topics on the test split. One topic a "
        "document is L16's decision. *Best threshold*: the one with the highest F on the test labels, so it measures the "
        "ranking alone. L16 prints four gains, one for each of its data sets. Today's parts judge pages by "
        "`screened_svm`, which the [table of learners](../results/learners.md) has beside `naive Bayes, itfidf`.",
        table(["corpus", "weighting", *itfidf.MEASURES.values()], lines),
        figures_of(itfidf.COMPARISON, rows, figures) if len({row["share"] for row in rows}) > 1 else "",
        claims_table(claims_about_itfidf(output)),
        "More: [papers: negatives and weights](../results/papers-negatives-and-weights.md).",
    ])  # fmt: skip
