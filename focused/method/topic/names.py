"""What topics and their files may be called."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from focused.method.text.analyzer import COUNTING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

TOPIC_FILE, MANIFEST_FILE, MODEL_FILE, EXAMPLES_FILE = "topic.toml", "manifest.json", "model.npz", "examples.npz"
LOOKED_AROUND = "looked_around"
"""What a manifest calls pages around the seeds that were looked at before the first crawl, among the topic's examples."""

SHIPPED = ("astrophysics", "demo", "nuclear-physics", "ordered", "ordered-lpe", "university-courses")
"""Topics that come with the project; scripts/train_shipped_topics.py makes them."""
_SHIPPED_EXAMPLES = "runs/shipped-topics/"
"""Where that script writes what they are learnt from: nobody else has it."""

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


class TopicError(ValueError):
    """A topic cannot be used; the message says why and what to do."""


def check_topic_name(name: str) -> str:
    """Return a topic's name if it is one.

    Raises TopicError if it could not be the name of a directory of the models folder.
    """
    if not is_topic_name(name):
        shown = name if len(name) <= 80 else f"{name[:80]}... ({len(name)} characters)"
        raise TopicError(
            f"A topic's name must be 1 to 64 lower-case letters, digits, '-' and '_', the first a letter or digit. "
            f"Got {shown!r}. Example: solar-energy."
        )
    return name


def is_topic_name(name: str) -> bool:
    """Tell whether a text may name a topic; no path is made of others."""
    return _NAME.fullmatch(name) is not None


def topic_names(*models_dirs: Path) -> list[str]:
    """Return the names of the topics in models folders."""
    found = {path.parent.name for folder in models_dirs for path in folder.glob(f"*/{TOPIC_FILE}")}
    return sorted(filter(is_topic_name, found))


def retrain_advice(name: str, manifest: Mapping[str, Any]) -> str:
    """Return how to get a topic that can be used: by the command that made it, if it is one; one that ships, from git."""
    command = manifest.get("command")
    if name in SHIPPED and (not command or _SHIPPED_EXAMPLES in str(command)):
        return (
            f"It came with the project; put it back: git checkout -- models/{name} (an installed package: install it again; "
            f"or make it anew: python scripts/train_shipped_topics.py {name})"
        )
    # A manifest may come from a stranger: what it says must not become lines of its own.
    if not isinstance(command, str) or not command.startswith(f"scrapy train {name} ") or not command.isprintable():
        command = f"scrapy train {name} --positive PATH"
    return f"Retrain it: {command.removesuffix(' --force')} --force"


def check_counting(name: str, manifest: Mapping[str, Any]) -> None:
    """Refuse a topic whose examples were counted otherwise than pages are now, where the two would be joined.

    A crawl judges with such a topic as it always did: what is counted beside is in no vocabulary of it. Raises TopicError,
    which says how to retrain it.
    """
    counting = manifest.get("counting", COUNTING)
    if counting != COUNTING:
        raise TopicError(
            f"Topic {name!r} was trained by another version, which counted other terms of a page (counting {counting}, now "
            f"{COUNTING}): crawls go on with it, but no page can join its examples. {retrain_advice(name, manifest)}"
        )
