"""Made-up pages of a topic and of everything else, as term counts."""

from __future__ import annotations

import numpy as np
from scipy import sparse

N_TERMS = 160
COMMON = np.arange(0, 60)
TOPICAL = np.arange(60, 85)
OTHER = np.arange(85, N_TERMS)


def pages(
    n_positive: int = 20, n_unlabeled: int = 200, *, hidden: float = 0.1, words: int = 40, seed: int = 0
) -> tuple[sparse.csr_matrix, np.ndarray, np.ndarray]:
    """Counts of positives, then unlabelled pages of which a share is hidden positives; labels; the truth."""
    rng = np.random.default_rng(seed)
    relevant = np.concatenate([np.ones(n_positive, bool), rng.random(n_unlabeled) < hidden])
    labels = np.arange(len(relevant)) < n_positive
    return texts(relevant, words, rng), labels, relevant


def texts(relevant: np.ndarray, words: int, rng: np.random.Generator) -> sparse.csr_matrix:
    """One text a flag: half common words, the rest from the topic (relevant, two thirds) or from other things."""
    rows = np.zeros((len(relevant), N_TERMS))
    for row, is_relevant in zip(rows, relevant, strict=True):
        n_common = rng.binomial(words, 0.5)
        n_topical = rng.binomial(words - n_common, 0.66 if is_relevant else 0.06)
        drawn = [
            rng.choice(COMMON, n_common),
            rng.choice(TOPICAL, n_topical),
            rng.choice(OTHER, words - n_common - n_topical),
        ]
        row += np.bincount(np.concatenate(drawn), minlength=N_TERMS)
    return sparse.csr_matrix(rows)
