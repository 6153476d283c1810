"""The learners a topic can be trained with, by name.

scikit-learn is imported when a learner is made, not for the names: every ``scrapy`` command imports all commands, and would
take twice as long to start.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from focused.utils.plugins import PlugInPlace

if TYPE_CHECKING:
    from focused.method.learning.estimators.base import LinearCountClassifier


class _Learner(NamedTuple):
    path: str
    options: dict[str, Any]


def _learner(path: str, **options: Any) -> _Learner:
    return _Learner(f"focused.method.learning.{path}", {"sublinear_tf": True, **options})


def _printed(path: str, **options: Any) -> _Learner:
    return _learner(path, **options)._replace(options={"sublinear_tf": False, **options})


# The first one is the default; docs/method/, D29 says why it is not the papers' WVC, which fails where 1-DNFC finds too
# few reliable negatives (D13). On most real pages 1-DNF and 1-DNFII find too few reliable negatives, so learners that
# use them take the next best documents (D14).
_LEARNERS = {
    "screened_svm": _learner("estimators.screened_svm.ScreenedSVM"),
    "joined_svm": _learner("estimators.joined_svm.JoinedSVM"),
    "logistic": _learner("estimators.against_unlabeled.AgainstUnlabeled"),
    "svm": _learner("estimators.against_unlabeled.AgainstUnlabeled", loss="squared_hinge", C=1.0),
    "wvc": _learner("two_step.wvc.WVC", too_few="error"),
    "wvc_tfc": _learner("two_step.wvc.WVC", weighting="tfc", too_few="error"),
    "wvc_tfidf": _learner("two_step.wvc.WVC", weighting="tfidf", too_few="error"),
    "wvc_independent": _learner("two_step.wvc.WVC", weighting="tfipndf_independent", too_few="error"),
    # As printed, for the papers' presets (preset_files): term frequencies as they are. What is left of D13 to D28 stands
    # in the presets' files.
    "wvc_p13": _printed("two_step.wvc.WVC", reliable="1-dnfc-rare", too_few="error", guard=None),
    "wvc_libsvm": _printed("two_step.wvc.WVC", kernel="libsvm", reliable="1-dnfc-rare", too_few="error", guard=None),
    "psoc_l14": _printed("two_step.psoc.PSOC", weighting="tfipndf", reliable="1-dnfii", guard=None),
    "naive_bayes_l16": _printed(
        "two_step.naive_bayes.NaiveBayes", prior=None, term_share=0.5, reliable="1-dnfc-rare", too_few="error"
    ),
    "incremental_svm_p15": _printed("two_step.incremental_svm.IncrementalSVM"),
    "svm_i18": _printed("estimators.plain_svm.PlainSVM", weighting="tfidf"),
    "pebl": _learner("two_step.iterated_svm.IteratedSVM", weighting="tfc", reliable="1-dnf", guard=None),
    "iterated_svm": _learner("two_step.iterated_svm.IteratedSVM", weighting="tfc"),
    "psoc": _learner("two_step.psoc.PSOC", weighting="tfc", reliable="1-dnfii"),
    "one_class_svm": _learner("estimators.one_class.OneClass"),
    "incremental_svm": _learner("two_step.incremental_svm.IncrementalSVM"),
    "batch_svm": _learner("two_step.batch_svm.BatchSVM"),
    "naive_bayes": _learner("two_step.naive_bayes.NaiveBayes"),
    "naive_bayes_tfidf": _learner("two_step.naive_bayes.NaiveBayes", weighting="tfidf"),
    "elkan_noto": _learner("estimators.elkan_noto.ElkanNoto", c_estimator="fitted"),
    "nnpu": _learner("estimators.nnpu.NonNegativePU", loss="logistic", balanced=True, C=5.0),
    "biased_svm": _learner("estimators.biased_svm.BiasedSVM"),
    "weighted_logistic": _learner("estimators.biased_svm.WeightedLogistic"),
}
LEARNERS = tuple(_LEARNERS)

PLUG_IN = PlugInPlace(
    "learner", "focused.learners", "focused.method.learning.estimators.base.LinearCountClassifier", ("fit",)
)


def check_learner(name: str) -> None:
    """Refuse an unknown name, and a class path without a learner.

    Raises
    ------
    ValueError
        If there is no such learner; the message lists the names.
    """
    if name not in _LEARNERS:
        PLUG_IN.load(name, LEARNERS)


def may_lack_negatives(name: str) -> bool:
    """Return whether a learner refuses pages among which it finds too few reliable negatives; False for those from outside."""
    return name in _LEARNERS and _LEARNERS[name].options.get("too_few") == "error"


def takes_logarithms(name: str) -> bool:
    """Return whether one of ``LEARNERS`` weighs a term by the logarithm of its frequency."""
    return bool(_LEARNERS[name].options["sublinear_tf"])


def knows_vectors(name: str) -> bool:
    """Return whether a learner can use word vectors; parameters and errors as of `make_learner`."""
    return "term_vectors" in make_learner(name).get_params(deep=False)


def knows_hidden_share(name: str) -> bool:
    """Return whether a learner takes the share of positives that U is expected to hold; parameters and errors as above."""
    return "hidden_share" in make_learner(name).get_params(deep=False)


def make_learner(
    name: str, random_state: int | None = None, term_vectors: Any = None, hidden_share: float | None = None
) -> LinearCountClassifier:
    """Return a new, unfitted estimator.

    Parameters
    ----------
    name : str
        One of ``LEARNERS``, the name of an installed one, or the path of a class from outside.
    random_state : int, optional
        Given to a learner that has such a parameter.
    term_vectors : array-like of shape (n_terms, n_dimensions), optional
        Word vectors of the terms; given to a learner that has such a parameter.
    hidden_share : float, optional
        Expected share of positives in U, in (0, 1); given to a learner that has such a parameter.

    Raises
    ------
    ValueError
        If there is no such learner; the message names those there are.
    """
    if name in _LEARNERS:
        path, options = _LEARNERS[name]
        module, _, estimator = path.rpartition(".")
        made = getattr(import_module(module), estimator)(**options)
    else:
        made = PLUG_IN.make(PLUG_IN.load(name, LEARNERS))
    given = {"random_state": random_state, "term_vectors": term_vectors, "hidden_share": hidden_share}
    for parameter, value in given.items():
        if parameter in made.get_params(deep=False):
            made.set_params(**{parameter: value})
    return cast("LinearCountClassifier", made)
