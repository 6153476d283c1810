"""A topic that has been trained again: its new model, examples and manifest; and which positives taught it nothing."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from focused.method.training.example_warnings import no_known_word
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from focused.method.learning.trained_model import TrainedModel
    from focused.method.topic import Topic, TopicExamples

_N_NAMED = 3
_OF_MODEL = ("intercept", "sublinear_tf", "calibrations")
"""Keys of the manifest that saving a topic fills in from its model: those of the former model must not stay."""


def without_words(rows: Sequence[int], n_own: int, urls: Sequence[str]) -> str:
    """Return which positives hold no known word; of a topic's own examples no addresses are kept."""
    joined = [urls[row - n_own] for row in rows if row >= n_own]
    of_topic = len(rows) - len(joined)
    named = [*joined[:_N_NAMED], *([f"{quantity(of_topic, 'pages')} of the topic's own examples"] if of_topic else [])]
    if len(joined) > _N_NAMED:
        named.append(f"{len(joined) - _N_NAMED} more of the crawl")
    return no_known_word(len(rows), ", ".join(named))


def with_model(topic: Topic, model: TrainedModel, examples: TopicExamples, about: dict[str, Any]) -> Topic:
    """Return a topic with a new model, the examples that it was trained on, and what its manifest says of both."""
    strongest = [
        [[examples.terms[column], round(weight, 4)] for column, weight in terms]
        for terms in (model.positive_terms, model.negative_terms)
    ]
    manifest = {
        **{key: value for key, value in topic.manifest.items() if key not in _OF_MODEL},
        "figures": asdict(model.figures),
        "learning_curve": None,
        "terms_for": strongest[0],
        "terms_against": strongest[1],
        "retraining": {**about, "from_model_sha256": topic.model_sha256},
    }
    terms = [examples.terms[column] for column in model.term_indices.tolist()]
    made = replace(topic, terms=terms, model=model, manifest=manifest, directory=None)
    made.examples = examples
    return made
