"""Train the topic of a group, as ``scrapy train`` does with words, examples, or examples and unlabelled pages."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from focused.crawl.reader_and_judge import learnt_texts, make_reader
from focused.evaluation.starts import WEB, WORDS
from focused.method.topic import MANIFEST_FILE, TOPIC_FILE, Analyzer, Topic
from focused.method.topic.presets import load_preset
from focused.method.topic.vectors import chosen_word_vectors
from focused.method.training.example_content import Refusals
from focused.method.training.example_selection import SeenExamples, examples
from focused.method.training.example_sources import OpenSources, candidates_in
from focused.method.training.page_set import ExampleReader, urls_of
from focused.utils.folder_settings import MODELS_DIR

if TYPE_CHECKING:
    from focused.evaluation.crawl_group import CrawlGroup
    from focused.method.training.example_content import PageContent
    from focused.method.training.from_keywords import Keywords
    from focused.method.training.general_background import Unlabeled
    from focused.method.training.page_set import PageSet

_DRAWN = "drawn"


class _NothingFetched:
    """Refuse to fetch: all example pages are in a recorded web."""

    def content(self, url: str) -> PageContent:
        raise LookupError(url)


def is_trained(group: CrawlGroup, settings: Any) -> bool:
    """Tell whether the group's topic has been trained on these pages."""
    directory = Path(MODELS_DIR.read(settings)) / group.name
    try:
        manifest = json.loads((directory / MANIFEST_FILE).read_text(encoding="utf-8"))
        return (directory / TOPIC_FILE).is_file() and manifest.get(_DRAWN) == _drawn(group)
    except (OSError, ValueError):
        return False


def _drawn(group: CrawlGroup) -> dict[str, Any]:
    drawn = {
        "web": group.web,
        "label": group.topic,
        "repeat": group.repeat,
        "random_state": group.random_state,
        "learner": group.learner,
        "n_positives": len(group.positives),
        "n_unlabeled": len(group.unlabeled),
    }
    if group.preset:
        drawn["preset"] = group.preset
    if group.examples:
        drawn |= {"examples_warc": group.examples_warc, "examples": group.examples}
    if group.start == WEB:
        return drawn
    return drawn | {"start": group.start, "background_without": group.background_without}


def words_of(group: CrawlGroup, settings: Any) -> list[str]:
    """Return the words that the group's topic was trained from; empty if it was trained from pages."""
    directory = Path(MODELS_DIR.read(settings)) / group.name
    manifest = json.loads((directory / MANIFEST_FILE).read_text(encoding="utf-8"))
    text: str = manifest["examples"].get("keywords", {}).get("text", "")
    return text.split()


def train(group: CrawlGroup, settings: Any) -> Path:
    """Train the topic of a group and return its directory.

    Raises ValueError if nothing can be learnt from the sample.
    """
    from focused.method.training.example_warnings import keyword_warnings, warnings_about
    from focused.method.training.from_keywords import learn_keywords, read_keywords
    from focused.method.training.from_pages import learn
    from focused.method.training.trained_topic import make_topic

    if group.preset:
        settings = settings.copy()
        settings.setdict(load_preset(group.preset).settings, priority="spider")
    topic = Topic(group.name, group.topic, "en", list(group.seeds), web=group.warc)
    reader = ExampleReader(
        reader_of=lambda language: make_reader(Analyzer(language), settings),
        **learnt_texts(settings, has_background=group.start != WEB),
    )
    positive, unlabeled, words = _read_examples(group, topic, reader, settings)
    vectors = chosen_word_vectors(settings, topic.language, is_from_words=bool(words))
    known: PageSet | Keywords = positive
    if words:
        known = read_keywords(" ".join(words), topic.language)
        topic.note = known.note
        learnt = learn_keywords(known, unlabeled, vectors=vectors, random_state=group.random_state)
        warnings = keyword_warnings(topic.language, known, unlabeled)
    else:
        learnt = learn(positive, unlabeled, vectors=vectors, learner=group.learner, random_state=group.random_state)
        warnings = warnings_about(topic.language, positive, unlabeled, learnt)
    make_topic(
        topic,
        learnt,
        known,
        unlabeled,
        page_text=reader.page_text,
        window_chars=reader.window_chars,
        command=group.command,
        warnings=warnings,
        random_state=group.random_state,
    )
    topic.manifest[_DRAWN] = _drawn(group)
    return topic.save(Path(MODELS_DIR.read(settings)))


def _read_examples(
    group: CrawlGroup, topic: Topic, reader: ExampleReader, settings: Any
) -> tuple[PageSet, Unlabeled, list[str]]:
    """Return the positives, the unlabelled pages, and words chosen from the positives if the group starts from words.

    The topic gets the language of the positives.
    """
    from focused.method.training.chosen_words import choose_words
    from focused.method.training.general_background import general_background

    with_web = group.start == WEB
    warc = [Path(group.warc)]
    unlabeled: Unlabeled
    refused = Refusals(), Refusals()
    with ExitStack() as stack:
        openings = [
            OpenSources(each, _NothingFetched(), stack, reader.limits.max_bytes, group.cache_folder) for each in refused
        ]
        examples_warc = [Path(group.examples_warc)] if group.examples else warc
        positives = candidates_in(examples_warc, openings[0], group.examples or group.positives)
        unlabeled_candidates = candidates_in(warc, openings[1], group.unlabeled) if with_web else []
        wanted = urls_of([*positives, *unlabeled_candidates])
        positive = reader.positives(positives, refused[0], wanted)
        if not positive:
            raise ValueError(f"None of the {len(positives)} positives has words to learn from.")
        assert reader.language is not None
        topic.language = reader.language
        if with_web:
            unlabeled = reader.unlabeled(unlabeled_candidates, refused[1], wanted, positive)
            if not unlabeled:
                raise ValueError(f"None of the {len(unlabeled_candidates)} unlabelled pages has words to learn from.")
        else:
            unlabeled = general_background(group.background_without)
        words: list[str] = []
        if group.start == WORDS:
            page_reader = make_reader(topic.analyzer, settings)
            contents = (example.content for example in examples(positives, SeenExamples(), Refusals()))
            pages = (page_reader.read(content.body, content.url, content.content_type) for content in contents)
            words = choose_words(pages, group.topic, topic.analyzer, general_background())
    return positive, unlabeled, words
