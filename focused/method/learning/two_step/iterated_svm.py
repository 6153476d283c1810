"""The last SVM of the rounds decides: PEBL, and the same with a guard."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from focused.method.learning.two_step.wvc import WVC

if TYPE_CHECKING:
    from numpy.typing import NDArray


class IteratedSVM(WVC):
    """The last SVM before the iteration runs away from the positives; parameters and attributes as in `WVC`.

    With `weighting="tfc"`, `reliable="1-dnf"` and `guard=None`, the last SVM decides even if it has lost the positives. That
    is PEBL (Yu, Han and Chang 2002), the baseline of [P13, Table 1], but with balanced classes (docs/method/, D18), and it
    does not train on too few reliable negatives (D13).
    """

    def _stage_weights(self, n_voters: int) -> NDArray[np.float64]:
        weights = np.zeros(n_voters)
        weights[-1] = 1.0
        return weights
