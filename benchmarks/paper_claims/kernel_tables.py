"""What the tables of P13's and P15's classifiers by kernel have in common."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paper_claims.claims_table import Row

KERNELS_TOLD = (
    "*Linear* SVMs with balanced classes, as all of the project's. *LIBSVM's defaults* (P13 used LIBSVM; P15 names no "
    "package and no kernel): gamma is one over the number of terms, classes as they are. *Gamma by variance*: "
    "scikit-learn's default, about 1 on these rows; balanced classes. C = 1, hinge loss; weights from term frequencies "
    "as they are, rows of length 1."
)
"""What the kernels are."""


def collapse(rows: list[Row]) -> str:
    """Return on how many topics LIBSVM's defaults find nothing, and on how many any SVM found something on the way."""
    best, last = defaultdict(float), defaultdict(float)
    for row in rows:
        if row["kernel"] == "libsvm" and not str(row.get("system", "")).startswith("OCS"):
            key = row["corpus"], row["topic"]
            of_rounds = row["f1"] if isinstance(row["f1"], list) else [row["f1"]]
            best[key], last[key] = max(best[key], *of_rounds), max(last[key], of_rounds[-1])
    n, n_never = (sum(value == 0 for value in of.values()) for of in (last, best))
    on_the_way = f" (on {len(best) - n_never} of them an SVM before the last found something)" if n > n_never else ""
    return (
        f"With LIBSVM's defaults F of SVMs of two classes is 0 in every draw of {n} of {len(best)} topics{on_the_way}: on "
        "rows of length 1 so small a gamma leaves a linear SVM with C = 2 / n, which calls every document irrelevant. "
        "Either the papers' rows were not of length 1 or their SVMs were not LIBSVM's defaults."
    )
