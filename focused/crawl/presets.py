"""Applies a preset to a crawl: sets its settings, and checks that the topic was trained as the preset says."""

from __future__ import annotations

import shlex
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from focused.crawl.arguments import PlanError
from focused.crawl.declared_settings import DECLARED
from focused.method.page.own_text import AUTO, OWN, PAGE_TEXT, SECTIONS, WHOLE
from focused.method.topic.names import SHIPPED
from focused.method.topic.presets import MODERN, PRESETS, load_preset

if TYPE_CHECKING:
    from focused.method.topic import Topic
    from focused.method.topic.presets import Preset


_TEXTS = {WHOLE: "the whole text of pages", OWN: "the own text of pages", SECTIONS: "the sections of pages"}
_SHIPPED_BY = {"p13": "-a topic=ordered"}
"""The preset by which shipped topics were trained, and how to crawl for one."""
_COUNTS = {False: "term frequencies as they are", True: "logarithms of term frequencies"}


def preset_settings(preset: Preset) -> dict[str, Any]:
    """Return the settings that a preset brings; the first of its strategies is its crawl's."""
    return {"FOCUSED_STRATEGY": preset.strategies[0], **preset.settings}


def check_text_learnt(preset: Preset, settings: Any) -> None:
    """Refuse to train on another text of pages than a preset says, by a PlanError: its crawls would refuse the topic."""
    must, got = preset.settings[PAGE_TEXT.name], PAGE_TEXT.read(settings)
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
    elif preset.settings[PAGE_TEXT.name] not in (AUTO, topic.page_text):
        must, got = (
            f"trained on {_TEXTS[preset.settings[PAGE_TEXT.name]]}",
            f"trained on {_TEXTS[topic.page_text]}",
        )
    elif topic.model is not None and topic.model.sublinear_tf != preset.takes_logarithms:
        must, got = (
            f"trained on {_COUNTS[is_log]}" for is_log in (not topic.model.sublinear_tf, topic.model.sublinear_tf)
        )
    else:
        return
    raise PlanError(
        f"Preset {preset.name!r} needs a topic that was {must}. Topic {topic.name!r} was {got}. "
        f"{_train_line(preset.name, topic)}"
    )


def about_preset(preset: str, topic: Topic, settings: Any) -> str:
    """Return what a crawl does otherwise than its preset says, or than the preset of its topic's training; "" if nothing."""
    if preset:
        printed = load_preset(preset).settings
        pairs = [(name, DECLARED[name].read(settings), DECLARED[name].read(printed)) for name in printed]
        changed = [f"{name}={now} (preset: {then})" for name, now, then in pairs if now != then]
        return f"Not as preset {preset} says: {', '.join(changed)}" if changed else ""
    words = _training_words(topic)
    trained_by = next((after for word, after in pairwise(words) if word == "--preset"), "")
    if trained_by not in PRESETS or trained_by == MODERN:
        return ""
    return (
        f"Topic {topic.name} was trained by preset {trained_by}, and this crawl goes by today's defaults. "
        f"-a preset={trained_by} crawls as the paper prints it"
    )


def _training_words(topic: Topic) -> list[str]:
    """Return the words of the command that trained a topic; none where a stranger's manifest has no such command."""
    command = str(topic.manifest.get("command") or "")
    try:
        return shlex.split(command) if command.isprintable() else []  # a line break would begin a line of the error
    except ValueError:  # a quotation mark that is not closed
        return []


def _train_line(preset: str, topic: Topic) -> str:
    """Return the command that trains a topic by a preset: the one that made it, with the preset, if that can be repeated."""
    words = _training_words(topic)
    own = f"scrapy train NAME --preset {preset} --positive PATH --unlabeled PATH"
    if topic.name in SHIPPED:
        at_work = f"To see it at work: scrapy evaluate --web demo --largest 1 --preset {preset} --output runs/{preset}"
        ready = f"One that is ready: {_SHIPPED_BY[preset]}" if preset in _SHIPPED_BY else at_work
        return f"It came without its pages. {ready}. One of your own: {own}"
    if words[:3] != ["scrapy", "train", topic.name]:
        return f"Train one: {own}"
    kept = []
    for word, before in zip(words[3:], ["", *words[3:]], strict=False):
        if word not in ("--learner", "--preset", "--force") and before not in ("--learner", "--preset"):
            kept.append(word)
    return f"Train it: {shlex.join([*words[:3], '--preset', preset, *kept, '--force'])}"
