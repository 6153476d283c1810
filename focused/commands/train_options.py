"""The arguments of ``scrapy train``: declare them, check them, and rebuild the command that makes the topic."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from focused.method.learning.learners import LEARNERS, PLUG_IN, check_learner
from focused.method.text.languages import LANGUAGES, detectable_languages
from focused.method.topic import TOPIC_FILE, check_topic_name
from focused.method.topic.presets import PRESETS, load_preset
from focused.utils.project_command import whole_number

if TYPE_CHECKING:
    import argparse

# Equal to QUICK_UNLABELED of focused.method.training.from_pages, whose import would load scikit-learn.
QUICK_SAMPLE = 1000
N_LOOKED_AT = 50
"""Pages that are asked for to look around: a minute on one host that is asked once a second."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command, in groups."""
    pages = parser.add_argument_group("example pages").add_argument
    pages("--positive", nargs="*", metavar="PATH", help="pages about the topic; a few dozen are enough")
    help_ = "half a dozen words, beside pages or instead of them (a first model, which the crawl improves)"
    pages("--keywords", nargs="*", metavar="WORD", help=help_)
    pages(
        "--describe",
        nargs="*",
        metavar="TEXT",
        help="a sentence or two, in place of words or beside them; --title counts",
    )
    pages("--positive-urls", metavar="FILE", help="of a WARC, only the pages of these URLs are positive")
    pages("--unlabeled", nargs="*", metavar="PATH", help="any pages (default: the general background, English)")
    pages("--unlabeled-urls", metavar="FILE", help="of a WARC, only the pages of these URLs")
    pages("--unlabeled-sample", metavar="N", help="draw N of the unlabelled pages")
    help_ = (
        "with --seeds, but not --unlabeled: ask for up to N pages spread from the seeds, to learn what there is not the "
        f"topic (default: {N_LOOKED_AT}; 0: none)"
    )
    pages("--look-around", metavar="N", help=help_)
    pages("--web", default="live", metavar="WEB", help="where URLs are fetched: live (default), demo, or a WARC")
    topic = parser.add_argument_group("topic").add_argument
    topic("--seeds", nargs="*", metavar="FILE|URL", help="where crawls start (default: URLs of the positives)")
    topic("--title", metavar="TEXT", help="what the topic is called (default: its name)")
    topic("--note", metavar="TEXT", help="what users should know about it")
    topic(
        "--language",
        metavar="CODE",
        help="ISO 639-1 code (default: that of most positives, of the words, or of the pages around the seeds)",
    )
    learning = parser.add_argument_group("learning").add_argument
    learners = f"{', '.join(PLUG_IN.names(LEARNERS))}, or the path of a class"
    learning("--learner", metavar="NAME", help=f"{learners} (default: the preset's, else {LEARNERS[0]})")
    help_ = f"train as a paper does, for crawls with -a preset=NAME: {', '.join(PRESETS)}"
    learning("--preset", metavar="NAME", help=help_)
    help_ = "for small machines: 3 folds, not 10, no learning curve, 1,000 unlabelled pages unless --unlabeled-sample differs"
    learning("--quick", action="store_true", help=help_)
    learning("--random-state", default="0", metavar="N", help="seed of all random draws (default: 0)")
    help_ = (
        "retrain the topic with the pages of a crawl that people judged or that joined, or against those met; the former is "
        "in TOPIC/previous"
    )
    learning("--from-run", metavar="RUN_DIR", help=help_)
    learning("--force", action="store_true", help="replace a topic of that name; with --from-run: even by a worse one")
    learning(
        "--dry-run",
        action="store_true",
        help="with --from-run: say what the new model would be and change; write nothing",
    )
    learning("--quiet", action="store_true", help="no progress on stderr")


def topic_name(args: list[str]) -> str:
    """Return the only positional argument: the topic's name."""
    if len(args) != 1:
        got = f"Got {shlex.join(args)}." if args else "Got none; an option before it takes all that follows."
        raise ValueError(f"Name one topic, before the options: scrapy train TOPIC --positive PATH. {got}")
    return check_topic_name(args[0])


def check_options(opts: argparse.Namespace) -> tuple[int | None, int]:
    """Check the options; return the size of the sample and the random state."""
    if opts.keywords is None and opts.describe is None and not opts.positive:
        raise ValueError(
            "--positive is missing: name pages about the topic. Example: --positive solar-pages/. If you have none, begin "
            'with words: --keywords "solar panel photovoltaic inverter"'
        )
    opts.learner = _learner(opts)
    for option in ("keywords", "describe"):
        if getattr(opts, option) is not None:
            _check_words(opts, option)
    for option in ("unlabeled", "seeds"):
        if getattr(opts, option) == []:
            raise ValueError(f"--{option} must be followed by at least one value.")
    _check_look_around(opts)
    for option in () if opts.unlabeled else ("unlabeled_urls", "unlabeled_sample"):
        if getattr(opts, option) is not None:
            raise ValueError(f"--{option.replace('_', '-')} needs --unlabeled PATH.")
    if opts.language is not None:
        opts.language = opts.language.lower()
        if opts.language not in LANGUAGES and opts.language not in detectable_languages():
            known = f"With stopwords or a stemmer: {', '.join(LANGUAGES)}."
            raise ValueError(f"--language must be an ISO 639-1 code. Got {opts.language!r}. {known}")
    n_sample = None
    if opts.unlabeled_sample is not None:
        n_sample = whole_number("--unlabeled-sample", opts.unlabeled_sample, 1)
    elif opts.quick and opts.unlabeled:
        n_sample = QUICK_SAMPLE
    return n_sample, whole_number("--random-state", opts.random_state, 0)


def _check_look_around(opts: argparse.Namespace) -> None:
    """Make a number of the pages to look at; None: as many as usual, where the topic looks around at all."""
    if opts.look_around is None:
        return
    opts.look_around = whole_number("--look-around", opts.look_around, 0)
    for option in ("unlabeled", "preset"):
        if opts.look_around and getattr(opts, option):
            raise ValueError(f"--look-around and --{option} exclude each other: {_NOT_AROUND[option]}. Leave one out.")
    if opts.look_around and not opts.seeds:
        raise ValueError("--look-around needs --seeds: pages to begin at. Example: --seeds https://solar.example/")


_NOT_AROUND = {
    "unlabeled": "the unlabelled pages are those that you name",
    "preset": "the preset is trained as its paper does",
}


def take_preset(opts: argparse.Namespace, name: str, preset: str) -> None:
    """Train by the preset that a topic's file names, where no other learner is asked for.

    A ValueError says that another one is: crawls by the preset, which the file keeps, would refuse the model.
    """
    if opts.preset is None and opts.learner in (None, load_preset(preset).learner):
        opts.preset, opts.learner = preset, None
    elif opts.preset != preset:
        got = f"--learner {opts.learner}" if opts.preset is None else f"--preset {opts.preset}"
        raise ValueError(
            f"{TOPIC_FILE} of topic {name!r} says preset = {preset!r}, whose crawls take a model of "
            f"{load_preset(preset).learner} only. Got {got}. Leave it out, or change that line first."
        )


def _learner(opts: argparse.Namespace) -> str:
    """Return the learner that the options name, or the preset's; a ValueError says that they do not go together."""
    if opts.preset is None:
        check_learner(opts.learner or LEARNERS[0])
        return opts.learner or LEARNERS[0]
    preset = load_preset(opts.preset)
    if opts.learner is not None:
        raise ValueError(
            f"--learner and --preset {preset.name} both name a learner, {opts.learner} and {preset.learner}. Leave one out."
        )
    return preset.learner


def written_words(opts: argparse.Namespace) -> str:
    """Return the words that a topic is made from: those named, and those of its title and description."""
    described = [opts.title or "", *opts.describe] if opts.describe else []
    return " ".join(filter(None, [*(opts.keywords or ()), *described]))


_WORDS_EXAMPLES = {
    "keywords": '"star galaxy planet telescope"',
    "describe": '"How stars and galaxies are born, and how telescopes watch them."',
}


def _check_words(opts: argparse.Namespace, option: str) -> None:
    if not " ".join(getattr(opts, option)).strip():
        raise ValueError(f"--{option} must be followed by words. Example: --{option} {_WORDS_EXAMPLES[option]}")
    if opts.positive_urls is not None and not opts.positive:
        raise ValueError("--positive-urls needs --positive PATH.")
    if opts.learner != LEARNERS[0] and not opts.positive:
        given = "--learner" if opts.preset is None else f"--preset {opts.preset}"
        raise ValueError(f"{given} needs --positive PATH: words alone are not learnt by a classifier.")


def command_line(name: str, opts: argparse.Namespace) -> str:
    """Return the command that makes this topic. What does not change the topic is left out."""
    words = ["scrapy", "train", name]
    for option in ("keywords", "describe"):
        if getattr(opts, option) is not None:
            words += [f"--{option}", " ".join(getattr(opts, option))]
    for option in ("positive", "positive_urls", "unlabeled", "unlabeled_urls", "unlabeled_sample", "seeds",
                   "look_around", "title", "note", "language"):  # fmt: skip
        value = getattr(opts, option)
        if value is not None:
            words += [f"--{option.replace('_', '-')}", *(map(str, value) if isinstance(value, list) else [str(value)])]
    learner = LEARNERS[0] if opts.preset is None else load_preset(opts.preset).learner
    for option, default in (("preset", None), ("learner", learner), ("web", "live"), ("random_state", "0")):
        if getattr(opts, option) != default:
            words += [f"--{option.replace('_', '-')}", getattr(opts, option)]
    return shlex.join([*words, "--quick"] if opts.quick else words)
