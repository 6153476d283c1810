"""PSOC: the vote of iterated SVMs with weights found by particle swarm optimisation (Peng, Zuo and He 2008)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils import check_random_state

from focused.method.learning.two_step.particle_swarm import maximize
from focused.method.learning.two_step.wvc import WVC

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

    from focused.method.learning.two_step.svm_rounds import Rounds, Train

_FOLDS = 3


def pu_fitness(
    weights: NDArray[np.float64], of_positive: NDArray[np.float64], of_unlabeled: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the largest r^2 / Pr(f = 1) over all thresholds for each set of vote weights (Lee and Liu 2003).

    r is the share of P whose vote reaches the threshold, Pr(f = 1) that of U. The ratio is high where precision and
    recall are both high, and needs no labelled negatives. One extra document of U counts as accepted, so that no ratio
    is infinite. From weights of shape (n_sets, n_voters) and decisions of shape (n_voters, n_documents), shape (n_sets,).
    """
    n_unlabeled = of_unlabeled.shape[1]
    thresholds = np.sort(weights @ of_positive, axis=1)[:, ::-1]
    votes = np.sort(weights @ of_unlabeled, axis=1)
    recall = np.arange(1, thresholds.shape[1] + 1) / thresholds.shape[1]
    below = np.vstack([np.searchsorted(row, at) for row, at in zip(votes, thresholds, strict=True)])
    accepted = (n_unlabeled - below + 1) / (n_unlabeled + 1)
    return np.asarray((recall**2 / accepted).max(axis=1), dtype=np.float64)


class PSOC(WVC):
    """WVC whose vote weights are found by particle swarm optimisation (Peng, Zuo and He 2008).

    The source rates weights on labelled documents. Here `pu_fitness` rates them on P and U alone, and each document is
    judged by SVMs that have not seen it: the SVMs of all rounds are trained three more times, on two thirds of P and of
    their negatives (docs/method/, D22). The swarm starts from WVC's weights, so its result is never rated below them.

    Parameters as in `WVC`; the source uses `reliable="1-dnfii"`. `random_state` also seeds the swarm and the thirds.

    Attributes
    ----------
    swarm_position_ : ndarray of shape (n_iter_,)
        `voter_weights_` before they are divided by their sum.
    swarm_fitness_ : ndarray
        The fitness of WVC's weights, then the best so far: after placing the swarm and after each move.
    swarm_termination_ : {"stalled", "max_iterations"}
        Why the swarm stopped.
    """

    def _weigh_voters(self, train: Train, rows: sparse.csr_matrix, positive: NDArray[np.bool_], rounds: Rounds) -> None:
        decisions = self._unseen_decisions(train, rows, positive, rounds)
        swarm = maximize(
            lambda weights: pu_fitness(weights, decisions[:, positive], decisions[:, ~positive]),
            super()._stage_weights(len(rounds.recalls)),
            random_state=self.random_state,
        )
        self.swarm_position_ = swarm.position
        self.swarm_fitness_, self.swarm_termination_ = swarm.fitness, swarm.termination

    def _unseen_decisions(
        self, train: Train, rows: sparse.csr_matrix, positive: NDArray[np.bool_], rounds: Rounds
    ) -> NDArray[np.float64]:
        """Return for each round the decision on each document by an SVM that was not trained on it."""
        decisions = rounds.coefs @ rows.T + rounds.intercepts[:, np.newaxis]
        reliable = rounds.joined == 0
        n_folds = min(_FOLDS, int(positive.sum()), int(reliable.sum()))
        if n_folds < 2:
            return np.asarray(decisions)
        # The folds are stratified by reliable negatives too, so that the SVMs of the first round have some.
        rng = check_random_state(self.random_state)
        fold = np.empty(len(positive), dtype=np.intp)
        for members in (positive, reliable, ~(positive | reliable)):
            fold[members] = rng.permutation(int(members.sum())) % n_folds
        for left_out in range(n_folds):
            seen, unseen = fold != left_out, np.flatnonzero(fold == left_out)
            for i in range(len(rounds.recalls)):
                svm = train(positive & seen, (rounds.joined <= i) & seen)
                decisions[i, unseen] = rows[unseen] @ svm.coef + svm.intercept
        return np.asarray(decisions)

    def _stage_weights(self, n_voters: int) -> NDArray[np.float64]:
        weights = self.swarm_position_[:n_voters]
        return weights / weights.sum() if weights.any() else np.full(n_voters, 1 / n_voters)
