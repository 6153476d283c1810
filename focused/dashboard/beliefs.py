"""Reads what a topic believes from its files: they may come from a stranger."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.dashboard.learning import texts
from focused.dashboard.runs import read_json
from focused.dashboard.topic_threshold import threshold_of
from focused.method.topic import MANIFEST_FILE, TopicError, load_topic, topic_names

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_N_TERMS, _N_SEEDS, _N_DOUBTFUL = 30, 20, 20
_MAX_WARNING_CHARS = 3_000
_FIGURES = ("precision", "recall", "f1", "n_positive", "n_unlabeled")


def beliefs(name: str, models_dirs: Sequence[Path]) -> dict[str, Any]:
    """Return a topic's terms for and against, threshold, figures and doubtful examples; empty if there is none of that name.

    Of one that cannot be used there is an ``error``.
    """
    if name not in topic_names(*models_dirs):
        return {}
    try:
        topic = load_topic(name, *models_dirs)
    except (TopicError, OSError) as error:
        return {"error": str(error)}
    assert topic.directory is not None
    manifest = read_json(topic.directory / MANIFEST_FILE)
    figures, retraining = (_object(manifest.get(key)) for key in ("figures", "retraining"))
    not_followed = retraining.get("not_followed")
    return {
        "title": topic.title,
        "note": topic.note,
        "language": topic.language,
        "seeds": topic.seeds[:_N_SEEDS],
        "n_seeds": len(topic.seeds),
        "threshold": topic.threshold("page"),
        **_set_threshold(topic.settings),
        "figures": {key: figures[key] for key in _FIGURES if isinstance(figures.get(key), int | float)},
        "terms_for": _terms(manifest.get("terms_for")),
        "terms_against": _terms(manifest.get("terms_against")),
        "command": str(manifest.get("command", ""))[:1000],
        #: Warnings about examples, and verdicts that the model does not follow.
        "doubtful": [
            *(str(each)[:_MAX_WARNING_CHARS] for each in _list(manifest.get("warnings"))[:_N_DOUBTFUL]),
            *map(_not_followed, _list(not_followed)[:_N_DOUBTFUL]),
        ],
    }


def _not_followed(verdict: Any) -> str:
    """Return a verdict that the model does not follow: what people say of which page, and why it does not."""
    said = _object(verdict)
    url, why = (str(said.get(name))[:300] for name in ("url", "why"))
    return f"{url} : people say {'yes' if said.get('relevant') else 'no'}; {why}"


def _set_threshold(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the threshold that a person has set, and what is wrong with it."""
    try:
        return {"set_threshold": threshold_of(settings), "threshold_error": ""}
    except ValueError as error:
        return {"set_threshold": None, "threshold_error": str(error)[:500]}


def _terms(pairs: Any) -> list[str]:
    return texts([pair[0] for pair in _list(pairs)[:_N_TERMS] if isinstance(pair, list) and pair])


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
