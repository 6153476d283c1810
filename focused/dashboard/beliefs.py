"""What a topic believes, as its files say: they may come from a stranger."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.dashboard.learning import texts
from focused.dashboard.runs import read_json
from focused.method.topic import MANIFEST_FILE, TopicError, load_topic, topic_names

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_N_TERMS, _N_SEEDS, _N_DOUBTFUL = 30, 20, 20
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
        "folder": topic.directory,
        "figures": {key: figures[key] for key in _FIGURES if isinstance(figures.get(key), int | float)},
        "terms_for": _terms(manifest.get("terms_for")),
        "terms_against": _terms(manifest.get("terms_against")),
        "warnings": texts(manifest.get("warnings")),
        "command": str(manifest.get("command", ""))[:1000],
        #: Verdicts that the model does not follow: URL, what people say, and why.
        "not_followed": [
            texts([each.get("url"), "yes" if each.get("relevant") else "no", each.get("why")])
            for each in (not_followed if isinstance(not_followed, list) else [])[:_N_DOUBTFUL]
            if isinstance(each, dict)
        ],
    }


def _terms(pairs: Any) -> list[str]:
    found = pairs[:_N_TERMS] if isinstance(pairs, list) else []
    return texts([pair[0] for pair in found if isinstance(pair, list) and pair])


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
