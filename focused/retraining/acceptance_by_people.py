"""Accepts or refuses a new model by people's verdicts, or by held-out examples if they do not tell (D64)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from focused.method.topic import Topic

_LEAST_APART = 3
"""Judged pages that one model must have right more than the other, if verdicts are to decide between them."""
_LEAST_OF_RECALL = 0.5
"""Share of the examples, of those that the topic's own model calls relevant, from which another model may be used."""
_TIMES_ERROR = 2.0
"""Standard errors by which it must tell them apart better: of verdicts by a coin few do."""


def verdicts_decide(errors: Mapping[str, int], *, is_assumed: bool = False) -> bool | None:
    """Return whether people's verdicts accept a new model (True) or refuse it (False); None if they do not tell.

    Compared are the pages that only the new model errs about, b, and those that only the topic's own does, c; neither has
    learnt from the page it is asked about. The difference accepts if it is at least its standard error, sqrt(b + c)
    (McNemar 1947), and three pages; it refuses from twice as much on, for the models that are asked know fewer verdicts than
    the new one, and of a new subtopic perhaps none.

    Who says no to most pages agrees more with any model that calls fewer relevant, whichever they are. So a model is accepted
    only if it also tells wanted pages from the others better: by the difference of the errors in shares of both kinds, which
    must be at least twice its standard error. (That of a mean of -1, 0 and 1, to which half an error of each model is added,
    for no share of a few pages is certain.)

    >>> def decided(b, c, n_yes, b_yes, c_yes):
    ...     names = ("only_new", "only_first", "n_judged", "n_yes", "only_new_yes", "only_first_yes")
    ...     return verdicts_decide(dict(zip(names, (b, c, 40, n_yes, b_yes, c_yes))))
    >>> [decided(b, c, 20, 0, 0) for b, c in ((0, 5), (1, 8), (2, 3), (5, 2), (7, 0))]
    [True, True, None, None, False]
    >>> decided(3, 15, 10, 3, 0), decided(3, 15, 0, 0, 0)  # fewer pages called relevant, wanted ones among them; all refused
    (None, None)
    >>> decided(4, 42, 8, 4, 0)  # half of the wanted pages are lost, and all others are called rightly now
    True

    With ``is_assumed`` the examples are those that somebody's words found, and tell little: one error more refuses.

    >>> verdicts_decide({"only_new": 3, "only_first": 2}, is_assumed=True)
    False

    Parameters
    ----------
    errors : mapping
        Of `focused.retraining.judged_sides.ErrorsOnVerdicts`, by the names of its fields; empty without verdicts.
    """
    only_new, only_first = errors.get("only_new", 0), errors.get("only_first", 0)
    apart = only_first - only_new
    needed = max(_LEAST_APART, math.sqrt(only_new + only_first))
    if apart >= needed:
        return True if _tells_apart(errors) else None
    return False if apart <= (-1 if is_assumed else -2 * needed) else None


def _tells_apart(errors: Mapping[str, int]) -> bool:
    """Tell whether a model tells wanted pages from the others better than the topic's own; not if there is only one kind."""
    n_yes = errors.get("n_yes", 0)
    n_no = errors.get("n_judged", 0) - n_yes
    if not (n_yes and n_no):
        return False
    b_yes, c_yes = errors["only_new_yes"], errors["only_first_yes"]
    b_no, c_no = errors["only_new"] - b_yes, errors["only_first"] - c_yes
    better = (c_yes - b_yes) / n_yes + (c_no - b_no) / n_no
    return better >= _TIMES_ERROR * math.sqrt(_variance(b_yes, c_yes, n_yes) + _variance(b_no, c_no, n_no))


def _variance(b: int, c: int, n: int) -> float:
    """Return the variance of (c - b) / n over n pages: one model alone errs on b of them, the other alone on c."""
    mean = (c - b) / (n + 1)
    return ((b + c + 1) / (n + 1) - mean**2) / (n + 1)


def why_met_refused(made: Topic, topic: Topic, in_use: Topic, *, is_for_good: bool = False) -> str:
    """Return why a model that was trained against the pages met is not to be used; empty if it may be.

    People decide first. Where their verdicts do not tell, the examples do, each held out: of those that the topic's own model
    calls relevant the new one must call half so, or as many as the model in use. In a crawl nothing is asked without a
    verdict: how many pages a model calls relevant is put right at its end. A topic trained ``is_for_good`` has no such end.
    """
    about = made.manifest["retraining"]
    errors = about.get("errors_on_verdicts", {})
    decided = verdicts_decide(errors)
    if decided is not None:
        return "" if decided else errors_in_words(errors)
    if not errors.get("n_judged") and not is_for_good:
        return ""
    new, own, used = ((each.manifest.get("figures") or {}).get("recall") for each in (made, topic, in_use))
    if new is None or own is None or new >= min(_LEAST_OF_RECALL * own, own if used is None else used):
        return ""
    of_examples = f"of the examples, each held out, it would call {new:.0%} relevant; the topic's own model {own:.0%}"
    if not errors.get("n_judged"):
        return f"{of_examples}. No verdict of this run says that it is better"
    return f"{of_examples}. What people say does not tell that it is better: {errors_in_words(errors)}{_missed(errors)}"


def _missed(errors: Mapping[str, int]) -> str:
    """Return which wanted pages a new model would miss, and what to do; empty if none."""
    n_missed, n_yes = errors.get("only_new_yes", 0), errors.get("n_yes", 0)
    if not n_missed:
        return ""
    return (
        f". But it misses {n_missed} of {quantity(n_yes, 'pages')} that people said yes to. Say yes to more of them (scrapy "
        "judge --order top), then train again"
    )


def errors_in_words(errors: Mapping[str, int]) -> str:
    """Return how a new model compares by people's verdicts.

    >>> errors_in_words({"n_judged": 40, "new": 4, "first": 13})
    "of 40 pages that people judged, each held out, it has 4 wrong; the topic's own model 13"
    """
    return (
        f"of {quantity(errors['n_judged'], 'pages')} that people judged, each held out, it has {errors['new']} wrong; the "
        f"topic's own model {errors['first']}"
    )
