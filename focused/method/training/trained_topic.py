"""Put a trained model into its topic, and its origin into the manifest."""

from __future__ import annotations

import platform
from dataclasses import asdict
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from focused.method.page.link_context import WINDOW_CHARS
from focused.method.page.own_text import WHOLE
from focused.method.text.background import Background
from focused.method.training.example_selection import digest_of
from focused.method.training.kept_examples import kept_examples
from focused.method.training.page_set import PageSet
from focused.utils.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from focused.method.topic import Topic
    from focused.method.training.from_keywords import Keywords
    from focused.method.training.from_pages import LearntModel

_LIBRARIES = ("scikit-learn", "numpy", "scipy", "PyStemmer")


def make_topic(
    topic: Topic,
    learnt: LearntModel,
    positive: PageSet | Keywords,
    unlabeled: PageSet | Background,
    *,
    words: Keywords | None = None,
    page_text: str = WHOLE,
    window_chars: int = WINDOW_CHARS.default,
    command: str,
    warnings: Sequence[str] = (),
    random_state: int = 0,
) -> Topic:
    """Put a trained model into a topic, and its origin into the manifest.

    ``words``: those that name the topic beside its pages. The result does not depend on the clock or on paths of the machine:
    the same examples give the same files.
    """
    topic.model = model = learnt.model
    topic.terms = [learnt.terms[column] for column in model.term_indices.tolist()]
    topic.examples = kept_examples(
        positive if isinstance(positive, PageSet) else None, unlabeled, topic.analyzer, random_state=random_state
    )
    strongest = [[[term, round(weight, 4)] for term, weight in terms] for terms in learnt.strongest()]
    topic.manifest = {
        "kind": "examples" if isinstance(positive, PageSet) else "keywords",
        "command": command,
        "page_text": page_text,
        **({} if window_chars == WINDOW_CHARS.default else {"window_chars": window_chars}),
        "versions": versions(),
        "learner": model.learner,
        **({} if learnt.vectors is None else {"word_vectors": {"sha256": learnt.vectors.sha256}}),
        "random_state": random_state,
        "examples": _described(positive, unlabeled)
        | ({} if words is None else {"words": {"text": words.text, "terms": list(words.terms)}}),
        "warnings": list(warnings),
        "figures_of": _figures_of(positive, unlabeled),
        "figures": {
            name: value for name, value in asdict(model.figures).items() if (name, value) != ("most_common", None)
        },
        "learning_curve": None if learnt.curve is None else asdict(learnt.curve) | {"advice": learnt.curve.advice},
        "terms_for": strongest[0],
        "terms_against": strongest[1],
    }
    return topic


def _figures_of(positive: PageSet | Keywords, unlabeled: PageSet | Background) -> str:
    """Return what the figures are an estimate from."""
    others = "pages of the general background" if isinstance(unlabeled, Background) else "the unlabelled pages"
    return f"held-out positives against {others}" if isinstance(positive, PageSet) else f"words, looked up in {others}"


def versions() -> dict[str, str]:
    """Return the versions of the software that a model depends on."""
    libraries = {name: version(name) for name in _LIBRARIES}
    return {"focused": __version__, "python": platform.python_version(), **libraries}


def _described(positive: PageSet | Keywords, unlabeled: PageSet | Background) -> dict[str, Any]:
    about_unlabeled: dict[str, Any]
    if isinstance(unlabeled, Background):
        digests: list[bytes] = []
        about_unlabeled = {"background": {"background_sha256": unlabeled.sha256, "n_pages": unlabeled.n_pages}}
    else:
        digests, about_unlabeled = unlabeled.digests, {"unlabeled": _described_set(unlabeled)}
    if isinstance(positive, PageSet):
        return {"sha256": digest_of(positive.digests, digests), "positive": _described_set(positive), **about_unlabeled}
    return {"sha256": digest_of([], digests), "keywords": _described_words(positive, unlabeled), **about_unlabeled}


def _described_words(keywords: Keywords, unlabeled: PageSet | Background) -> dict[str, Any]:
    return {
        "text": keywords.text,
        "terms": list(keywords.terms),
        "ignored": list(keywords.ignored),
        "unknown": keywords.unknown(unlabeled),
    }


def _described_set(pages: PageSet) -> dict[str, Any]:
    return {
        "n_pages": len(pages),
        "languages": dict(sorted(pages.languages.items())),
        "refused": dict(sorted(pages.refusals.counts.items())),
        "n_cut": pages.n_cut,
    }
