"""A preset in a crawl: its settings, and whether the topic was trained as the preset says."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from focused.crawl.arguments import PlanError
from focused.method.learning.learners import takes_logarithms
from focused.method.page.own_text import AUTO, OWN, PAGE_TEXT, SECTIONS, WHOLE
from focused.method.topic.names import SHIPPED
from focused.method.topic.presets import MODERN

if TYPE_CHECKING:
    from focused.method.topic import Topic
    from focused.method.topic.presets import Preset


_TEXTS = {WHOLE: "the whole text of pages", OWN: "the own text of pages", SECTIONS: "the sections of pages"}
_COUNTS = {False: "term frequencies as they are", True: "logarithms of term frequencies"}


def preset_settings(preset: Preset) -> dict[str, Any]:
    """Return the settings that a preset brings; the first of its strategies is its crawl's."""
    return {"FOCUSED_STRATEGY": preset.strategies[0], **preset.settings}


def check_text_learnt(preset: Preset, settings: Any) -> None:
    """Refuse to train on another text of pages than a preset says, by a PlanError: its crawls would refuse the topic."""
    must, got = preset.settings["FOCUSED_PAGE_TEXT"], PAGE_TEXT.read(settings)
    if must not in (AUTO, got):
        raise PlanError(
            f"--preset {preset.name} trains on {_TEXTS[must]} (FOCUSED_PAGE_TEXT={must}), and crawls for no other topic. Got "
            f"FOCUSED_PAGE_TEXT={got}. Leave it out, or train without --preset."
        )


def check_trained_for(preset: Preset, topic: Topic) -> None:
    """Refuse a topic that was trained otherwise than a preset says, by a PlanError with the command that trains it so.

    A preset never becomes another one: by a model of another learner or weighting, its paper's crawl would be something else.
    A topic from words has no learner. Only today's defaults crawl for it.
    """
    of_words, learner = bool(topic.keyword_terms), topic.manifest.get("learner")
    if preset.name == MODERN and of_words:
        return
    if of_words:
        raise PlanError(
            f"Preset {preset.name!r} needs a topic from example pages. Topic {topic.name!r} was made from words. Train one: "
            f"scrapy train NAME --preset {preset.name} --positive PATH --unlabeled PATH, or leave the preset out."
        )
    if learner != preset.learner:
        must, got = f"trained with {preset.learner}", f"trained with {learner}"
    elif preset.settings["FOCUSED_PAGE_TEXT"] not in (AUTO, topic.page_text):
        must, got = (
            f"trained on {_TEXTS[preset.settings['FOCUSED_PAGE_TEXT']]}",
            f"trained on {_TEXTS[topic.page_text]}",
        )
    elif topic.model is not None and topic.model.sublinear_tf != takes_logarithms(preset.learner):
        must, got = (
            f"trained on {_COUNTS[is_log]}" for is_log in (not topic.model.sublinear_tf, topic.model.sublinear_tf)
        )
    else:
        return
    raise PlanError(
        f"Preset {preset.name!r} needs a topic that was {must}. Topic {topic.name!r} was {got}. "
        f"{_train_line(preset.name, topic)}"
    )


def _train_line(preset: str, topic: Topic) -> str:
    """Return the command that trains a topic by a preset: the one that made it, with the preset, if that can be repeated."""
    words = shlex.split(str(topic.manifest.get("command") or ""))
    if topic.name in SHIPPED or words[:3] != ["scrapy", "train", topic.name]:
        # What a shipped topic was learnt from is with the project only.
        return f"Train one: scrapy train NAME --preset {preset} --positive PATH --unlabeled PATH"
    kept = []
    for word, before in zip(words[3:], ["", *words[3:]], strict=False):
        if word not in ("--learner", "--preset", "--force") and before not in ("--learner", "--preset"):
            kept.append(word)
    return f"Train it: {shlex.join([*words[:3], '--preset', preset, *kept, '--force'])}"
