"""A topic: one directory of the models folder, with what to crawl for and how to tell. No pickle, no HTML, no Scrapy.

``topic.toml`` is written by people, ``manifest.json`` says what the model was made from, ``model.npz`` holds its
numbers, ``examples.npz`` what strategies with a model of their own learn from. A topic may come from a stranger: its
name cannot leave the folder, its settings are an allow-list, and its model and examples are arrays of numbers that are
checked against the manifest before they are used.

- The directory: `topic`, `files`, `names`, `settings`, `presets`, `examples`, `archive`, `parcel`.
- The judge: `judge`, `product`, `counted` (texts that are there as counts), `vectors`, `weak_model`, `harvest_estimate`,
  `page_keys`.
"""

from __future__ import annotations

from focused.method.text.analyzer import COUNTING, FIRST_TERM, TERMS, Analyzer
from focused.method.topic.examples import TopicExamples
from focused.method.topic.files import load_topic, read_topic_file
from focused.method.topic.names import (
    EXAMPLES_FILE,
    MANIFEST_FILE,
    MODEL_FILE,
    TOPIC_FILE,
    TopicError,
    check_counting,
    check_topic_name,
    is_topic_name,
    retrain_advice,
    topic_names,
)
from focused.method.topic.settings import is_topic_setting
from focused.method.topic.topic import FORMAT, Topic

__all__ = [
    "COUNTING", "EXAMPLES_FILE", "FIRST_TERM", "FORMAT", "MANIFEST_FILE", "MODEL_FILE", "TERMS", "TOPIC_FILE",
    "Analyzer", "Topic", "TopicError", "TopicExamples", "check_counting", "check_topic_name", "is_topic_name",
    "is_topic_setting", "load_topic", "read_topic_file", "retrain_advice", "topic_names",
]  # fmt: skip
