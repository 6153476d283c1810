"""Weights that the model of links begins with, before the crawl's first page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from focused.method.page.url_features import N_COLUMNS
from focused.method.strategies.linkmodel.memory_tables import EVIDENCE_GROUPS, LINK_GROUPS
from focused.method.strategies.linkmodel.training_matrix import DENSE

if TYPE_CHECKING:
    from collections.abc import Mapping

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

# Where nothing has been learnt yet: the relevances count, in equal parts; rates, once there are any, nearly as much.
_DENSE = np.array(
    [0.25 if name.endswith(" mean") else 0.3 if name in (*LINK_GROUPS, *EVIDENCE_GROUPS) else 0.0 for name in DENSE]
)
_PENALTY = np.array([0.01] + [1.0] * (len(DENSE) - 1))
_SPARSE_PENALTY = 3.0


@dataclass(frozen=True, slots=True)
class Weights:
    """What features count for."""

    #: Shape (n_dense,).
    dense: Floats
    #: Of hashed terms of URLs and of anchor texts, shape (N_COLUMNS,).
    urls: Floats
    anchors: Floats

    def of(self, name: str) -> float:
        """Return the weight of one of the ``DENSE`` features."""
        return float(self.dense[DENSE.index(name)])


@dataclass(frozen=True, eq=False)
class Prior:
    """Weights that a fit is drawn to, and how strongly; rates of groups that were known before."""

    #: Shape (n_dense,).
    dense: Floats = field(default_factory=_DENSE.copy)
    dense_penalty: Floats = field(default_factory=_PENALTY.copy)
    #: Columns of terms (of URLs; of anchor texts ``N_COLUMNS`` further on), in ascending order, with weight and penalty;
    #: the others have weight 0.
    columns: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    sparse: Floats = field(default_factory=lambda: np.zeros(0))
    sparse_penalty: Floats = field(default_factory=lambda: np.zeros(0))
    #: Of each kind of group, by key: by how much the logit of its rate differs from the mean's, and how many outcomes
    #: that counts as.
    groups: Mapping[str, Mapping[int, tuple[float, float]]] = field(default_factory=dict)

    def terms(self) -> Floats:
        """Return the weights of all terms, shape (2 N_COLUMNS,)."""
        found = np.zeros(2 * N_COLUMNS)
        found[self.columns] = self.sparse
        return found

    def weights(self) -> Weights:
        """Return all weights."""
        terms = self.terms()
        return Weights(self.dense.copy(), terms[:N_COLUMNS], terms[N_COLUMNS:])

    def of(self, columns: Integers) -> tuple[Floats, Floats]:
        """Return weights and penalties of the dense features and of some terms."""
        weights, penalties = np.zeros(len(columns)), np.full(len(columns), _SPARSE_PENALTY)
        places = np.searchsorted(self.columns, columns)
        places[places == len(self.columns)] = 0
        known = np.flatnonzero(self.columns[places] == columns) if len(self.columns) else places[:0]
        weights[known], penalties[known] = self.sparse[places[known]], self.sparse_penalty[places[known]]
        return np.concatenate((self.dense, weights)), np.concatenate((self.dense_penalty, penalties))


NO_PRIOR = Prior()
