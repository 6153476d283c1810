"""The learners a topic can be trained with, by name.

scikit-learn is imported when a learner is made, not when the names are asked for: every ``scrapy`` command loads all
commands, and would take twice as long to start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from focused.learning.base import LinearCountClassifier


def _against_unlabeled(seed: int | None, **options: Any) -> LinearCountClassifier:
    from focused.learning.against_unlabeled import AgainstUnlabeled

    return AgainstUnlabeled(random_state=seed, **options)


def _wvc(seed: int | None, **options: Any) -> LinearCountClassifier:
    from focused.learning.wvc import WVC

    return WVC(sublinear_tf=True, random_state=seed, **options)


# The first one is the default; docs/method.md, D15 says why it is not the papers' WVC.
_FACTORIES: dict[str, Callable[[int | None], LinearCountClassifier]] = {
    "logistic": _against_unlabeled,
    "svm": lambda seed: _against_unlabeled(seed, loss="squared_hinge", C=1.0),
    "wvc": _wvc,
    "wvc_tfc": lambda seed: _wvc(seed, weighting="tfc"),
    "wvc_independent": lambda seed: _wvc(seed, weighting="tfipndf_independent"),
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
