"""Makes the topic that a retrained model belongs to: its manifest, its terms, its examples."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from focused.method.learning.trained_model import TrainedModel
    from focused.method.topic import Topic, TopicExamples

_OF_MODEL = ("intercept", "sublinear_tf", "calibrations")
"""Keys of the manifest that saving a topic fills in from its model: those of the former model must not stay."""


def with_model(
    topic: Topic, model: TrainedModel, terms: Sequence[str], examples: TopicExamples, about: dict[str, Any]
) -> Topic:
    """Return a topic with a new model, the examples that it was trained on, and what its manifest says of both.

    ``terms``: those of the columns that the model was trained on.
    """
    strongest = [
        [[terms[column], round(weight, 4)] for column, weight in strong]
        for strong in (model.positive_terms, model.negative_terms)
    ]
    manifest = {
        **{key: value for key, value in topic.manifest.items() if key not in _OF_MODEL},
        "figures": asdict(model.figures),
        "learning_curve": None,
        "terms_for": strongest[0],
        "terms_against": strongest[1],
        "retraining": {**about, "from_model_sha256": topic.model_sha256},
    }
    made = replace(
        topic,
        terms=[terms[column] for column in model.term_indices.tolist()],
        model=model,
        manifest=manifest,
        directory=None,
    )
    made.examples = examples
    return made
