"""The learners a topic can be trained with, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.learning.against_unlabeled import AgainstUnlabeled
from focused.learning.wvc import WVC

if TYPE_CHECKING:
    from collections.abc import Callable

    from focused.learning.base import LinearCountClassifier

# The first one is the default; docs/method.md, D15 says why it is not the papers' WVC.
_FACTORIES: dict[str, Callable[[int | None], LinearCountClassifier]] = {
    "logistic": lambda seed: AgainstUnlabeled(random_state=seed),
    "svm": lambda seed: AgainstUnlabeled(loss="squared_hinge", C=1.0, random_state=seed),
    "wvc": lambda seed: WVC(sublinear_tf=True, random_state=seed),
    "wvc_tfc": lambda seed: WVC(weighting="tfc", sublinear_tf=True, random_state=seed),
    "wvc_independent": lambda seed: WVC(weighting="tfipndf_independent", sublinear_tf=True, random_state=seed),
}
LEARNERS = tuple(_FACTORIES)


def make_learner(name: str, random_state: int | None = None) -> LinearCountClassifier:
    """Return a new, unfitted estimator.

    Raises
    ------
    ValueError
        If there is no learner of that name; the message names those there are.
    """
    if name not in _FACTORIES:
        raise ValueError(f"No learner {name!r}. There are: {', '.join(LEARNERS)}.")
    return _FACTORIES[name](random_state)
