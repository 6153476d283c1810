"""Train the topic of a group, as ``scrapy train`` does."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from focused.crawl.reader_and_judge import make_reader
from focused.method.topic import MANIFEST_FILE, TOPIC_FILE, Analyzer, Topic
from focused.method.training.example_content import Refusals
from focused.method.training.example_sources import Opening, candidates_in
from focused.method.training.page_set import ExampleReader, urls_of

if TYPE_CHECKING:
    from focused.evaluation.crawl_group import CrawlGroup
    from focused.method.training.example_content import Content

_DRAWN = "drawn"


class _NothingFetched:
    """Refuses to fetch: all example pages are in a recorded web."""

    def content(self, url: str) -> Content:
        raise LookupError(url)


def is_trained(group: CrawlGroup, settings: Any) -> bool:
    """Tell whether the group's topic has been trained on these pages."""
    directory = Path(settings.get("FOCUSED_MODELS_DIR")) / group.name
    try:
        manifest = json.loads((directory / MANIFEST_FILE).read_text(encoding="utf-8"))
        return (directory / TOPIC_FILE).is_file() and manifest.get(_DRAWN) == _drawn(group)
    except (OSError, ValueError):
        return False


def _drawn(group: CrawlGroup) -> dict[str, Any]:
    return {
        "web": group.web,
        "label": group.topic,
        "repeat": group.repeat,
        "random_state": group.random_state,
        "learner": group.learner,
        "n_positives": len(group.positives),
        "n_unlabeled": len(group.unlabeled),
    }


def train(group: CrawlGroup, settings: Any) -> Path:
    """Train the topic of a group and return its directory.

    Raises ValueError if nothing can be learnt from the sample.
    """
    from focused.method.training.example_warnings import warnings_about
    from focused.method.training.from_pages import learn
    from focused.method.training.trained_topic import make_topic

    topic = Topic(group.name, group.topic, "en", list(group.seeds), web=group.warc)
    reader = ExampleReader(
        reader_of=lambda language: make_reader(Analyzer(language), settings),
        other_anchors=settings.get("FOCUSED_CONTEXT_OTHER_ANCHORS") == "include",
    )
    warc = [Path(group.warc)]
    refused = Refusals(), Refusals()
    with ExitStack() as stack:
        openings = [
            Opening(each, _NothingFetched(), stack, reader.limits.max_bytes, group.cache_folder) for each in refused
        ]
        positives = candidates_in(warc, openings[0], group.positives)
        unlabeled_candidates = candidates_in(warc, openings[1], group.unlabeled)
        wanted = urls_of([*positives, *unlabeled_candidates])
        positive = reader.positives(positives, refused[0], wanted)
        if not positive:
            raise ValueError(f"None of the {len(positives)} positives has words to learn from.")
        unlabeled = reader.unlabeled(unlabeled_candidates, refused[1], wanted, positive)
        if not unlabeled:
            raise ValueError(f"None of the {len(unlabeled_candidates)} unlabelled pages has words to learn from.")
    assert reader.language is not None
    topic.language = reader.language
    learnt = learn(positive, unlabeled, learner=group.learner, random_state=group.random_state)
    warnings = warnings_about(
        *(topic.language, positive, unlabeled, learnt.diagnosis, learnt.terms),
        f1=learnt.f1,
        prior=learnt.prior,
        left_out=learnt.model.left_out,
    )
    make_topic(
        *(topic, learnt, positive, unlabeled),
        command=group.command,
        warnings=warnings,
        random_state=group.random_state,
    )
    topic.manifest[_DRAWN] = _drawn(group)
    return topic.save(Path(settings.get("FOCUSED_MODELS_DIR")))
