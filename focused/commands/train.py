"""``scrapy train``: train a topic for crawls from example pages."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from focused.commands.progress import Progress
from focused.commands.train_examples import read_examples
from focused.commands.train_fetching import FetchError
from focused.commands.train_from_run import check_alone, train_from_run
from focused.commands.train_judging_again import is_to_be_judged, judge_run_again
from focused.commands.train_learning import learn_pages, learn_words
from focused.commands.train_looking_around import link_reading, pages_around_seeds, with_looked_at, with_own_settings
from focused.commands.train_options import (
    add_options,
    check_options,
    command_line,
    take_preset,
    topic_name,
    written_words,
)
from focused.commands.train_put_in_place import NothingNewError
from focused.commands.train_report import keyword_report, report
from focused.crawl.declared_settings import check_settings
from focused.crawl.followed_run import local_runs
from focused.crawl.presets import check_text_learnt
from focused.crawl.reader_and_judge import learnt_texts, make_reader
from focused.method.text.analyzer import Analyzer
from focused.method.text.languages import language_of_words
from focused.method.topic import TOPIC_FILE, Topic, TopicError, read_topic_file
from focused.method.topic.presets import load_preset
from focused.method.topic.vectors import chosen_word_vectors, why_without
from focused.method.training.page_set import ExampleReader
from focused.method.training.seeds import read_seeds
from focused.retraining.options import VERDICTS, RetrainingOptions
from focused.utils.parameters import parameters_of
from focused.utils.places import own_models_dir
from focused.utils.program import as_typed
from focused.utils.project_command import ProjectCommand
from focused.webs import open_web

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from scrapy.settings import Settings

    from focused.commands.train_examples import Examples

EXAMPLES = """\
A PATH is a folder of HTML or text files, a WARC, a JSON Lines file (field html or text, and url if it has one), or a
text file of URLs, which are fetched politely. TOPIC comes first, because an option takes all values that follow it.

Examples:
  scrapy train solar --positive solar-pages/ --seeds https://solar.example/
      thirty saved pages, against the general background that ships with the project
  scrapy train solar --positive urls.txt --unlabeled crawl.warc.gz --unlabeled-sample 2000
      pages fetched from the web, against 2,000 pages of a recorded crawl
  scrapy train stars --positive site.warc.gz --positive-urls stars.txt --unlabeled site.warc.gz --title "Stars"
      pages of a recorded web against all its other pages
  scrapy train tides --keywords "tide moon gravity ocean" --seeds https://tides.example/
      words alone, without pages: a first model; the crawl looks the words up in the pages it meets
  scrapy train bees --title "Bee-keeping" --describe "How people keep bees, and what honey is." --seeds https://bees.example/
      the same from a title and a sentence
  scrapy train solar --positive urls.txt --unlabeled crawl.warc.gz --quick
      several times faster: 3 folds instead of 10, 1,000 unlabelled pages, no learning curve
  scrapy train solar --preset p13 --positive solar-pages/ --unlabeled crawl.warc.gz
      as P13 does it, for crawls with -a preset=p13
  scrapy train solar --from-run runs/solar/20260102-030405
      learn from people's verdicts on the pages of that crawl, and keep what it has learnt
"""


_ASSUMED = "assumed, for these words do not show theirs; another: --language CODE"


class Command(ProjectCommand):
    """Train a topic; a bad argument gives one clear line and exit code 1."""

    usage = "TOPIC --positive PATH... | --keywords WORDS | --describe TEXT [options]"
    summary = "Train a topic from example pages, or from words"
    examples = EXAMPLES
    errors = (ValueError, FetchError)
    interrupted = "Interrupted; no topic was written"

    def add_options(self, parser: ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        add_options(parser)

    def work(self, args: list[str], opts: Namespace) -> None:
        """Train."""
        check_settings(self.settings)
        models_dir = own_models_dir(self.settings)
        self.refuse_options(args)
        name = topic_name(args)
        if opts.from_run is not None:
            check_alone(opts)
            self._learn_from_run(name, models_dir, opts)
            return
        if opts.dry_run:
            raise ValueError("--dry-run says what --from-run would change: name a run with it.")
        of_file = _named_preset(name, models_dir) if opts.force else ""
        if of_file:
            take_preset(opts, name, of_file)
        n_sample, random_state = check_options(opts)
        if opts.preset is not None:
            # Below -s: how the preset's paper reads pages and contexts.
            self.settings.setdict(load_preset(opts.preset).settings, priority="spider")
            check_text_learnt(load_preset(opts.preset), self.settings)
        topic = _topic(name, models_dir, opts, self.settings)
        if opts.seeds:
            topic.seeds = read_seeds(opts.seeds)
        _check_writable(models_dir)
        progress = Progress(opts.quiet)
        if of_file:
            progress.say(f"Training by preset {of_file}, which {TOPIC_FILE} names")
        reader = ExampleReader(
            opts.language or (None if opts.positive else language_of_words(written_words(opts))),
            reader_of=lambda language: make_reader(Analyzer(language), self.settings),
            **learnt_texts(self.settings, has_background=not opts.unlabeled),
            track=progress.track,
        )
        print(as_typed(self._train_topic(topic, opts, reader, progress, n_sample, random_state)))

    def _learn_from_run(self, name: str, models_dir: Path, opts: Namespace) -> None:
        """Learn from the verdicts on the pages of a run, judge its collection again, and print what came of both."""
        run_dir = local_runs([opts.from_run], self.settings)[0]
        named = VERDICTS.read(self.settings)
        verdicts = [Path(named)] if named else []
        try:
            learnt = train_from_run(
                name,
                run_dir,
                models_dir,
                say=Progress(opts.quiet).say,
                tolerance=parameters_of(RetrainingOptions)["tolerance"].read(self.settings),
                force=opts.force,
                verdicts=verdicts,
                dry_run=opts.dry_run,
            )
        except NothingNewError as nothing:
            # What is left to do may be what could not be done when it was learnt: the collection was in use.
            if opts.dry_run or not is_to_be_judged(name, run_dir, models_dir):
                raise
            again = judge_run_again(name, run_dir, models_dir, self.settings, verdicts)
            if is_to_be_judged(name, run_dir, models_dir):
                raise ValueError(f"{nothing} {again}".strip()) from None
            print(again)
            return
        print(learnt)
        if opts.dry_run:
            return
        if again := judge_run_again(name, run_dir, models_dir, self.settings, verdicts):
            print(again)

    def _train_topic(
        self, topic: Topic, opts: Namespace, reader: ExampleReader, progress: Progress, n_sample: int | None, state: int
    ) -> str:
        """Train a topic from example pages or from words, save it, and return the report."""
        # Imported here: scikit-learn would double the time that every scrapy command takes to start.
        from focused.method.training.from_keywords import read_keywords
        from focused.method.training.trained_topic import make_topic

        written = written_words(opts)
        keywords = read_keywords(written, reader.language or "en") if written else None
        around = pages_around_seeds(opts, topic, self.settings, state)
        examples = read_examples(
            opts,
            reader,
            with_own_settings(topic, self.settings),
            progress,
            n_sample=n_sample,
            random_state=state,
            around=around,
            links=None if around is None else link_reading(topic, self.settings),
        )
        positive, unlabeled = examples.positive, examples.unlabeled
        assert reader.language is not None
        keywords = read_keywords(written, reader.language) if written else None  # now that their language is known
        topic.language, say = reader.language, progress.say
        from_words = None if positive else keywords
        is_from_words = from_words is not None
        if why := why_without(self.settings, topic.language, is_from_words=is_from_words, learner=opts.learner):
            say(f"FOCUSED_WORD_VECTORS changes nothing: {why}")
        vectors = chosen_word_vectors(self.settings, topic.language, is_from_words=is_from_words)
        if from_words is None:
            learnt, warnings = learn_pages(topic, opts, examples, keywords, vectors=vectors, state=state, say=say)
        else:
            learnt, warnings = learn_words(topic, opts, from_words, unlabeled, vectors=vectors, state=state, say=say)
        make_topic(
            topic,
            learnt,
            positive if from_words is None else from_words,
            unlabeled,
            words=None if is_from_words else keywords,
            warnings=warnings,
            page_text=reader.page_text,
            window_chars=reader.window_chars,
            command=command_line(topic.name, opts),
            random_state=state,
        )
        if around is not None:
            topic = with_looked_at(topic, examples.looked_at, examples.is_drawn, state, say)
        directory = topic.save(own_models_dir(self.settings))
        if from_words is not None:
            how_known = _how_language_is_known(opts, written, examples)
            return keyword_report(topic, from_words, unlabeled, directory, language=how_known)
        is_given = opts.language is not None
        return report(topic, learnt, positive, unlabeled, directory, language_is_given=is_given, is_quick=opts.quick)


def _how_language_is_known(opts: Namespace, written: str, examples: Examples) -> str:
    """Say how the language of a topic made from words is known."""
    if opts.language:
        return "as asked"
    return "that of the words" if language_of_words(written) else examples.language_of_most or _ASSUMED


def _named_preset(name: str, models_dir: Path) -> str:
    """Return the preset that the file of a topic names; empty if it names none, or is not there."""
    is_there = (models_dir / name / TOPIC_FILE).exists()
    return read_topic_file(name, models_dir).preset if is_there else ""


def _topic(name: str, models_dir: Path, opts: Namespace, settings: Settings) -> Topic:
    """Return a topic without model: a new one, or the texts of the one to be replaced."""
    is_there = (models_dir / name / TOPIC_FILE).exists()
    if is_there and not opts.force:
        raise TopicError(f"There is a topic {name!r} in {models_dir} already. Replace it with --force.")
    topic = read_topic_file(name, models_dir) if is_there else Topic(name, name, "en", [])
    topic.title = topic.title if opts.title is None else opts.title
    topic.note = topic.note if opts.note is None else opts.note
    if opts.web != "live":
        open_web(opts.web, settings).close()
    topic.web = "demo" if opts.web == "demo" else topic.web  # only the demo web has its pages
    return topic


def _check_writable(models_dir: Path) -> None:
    """Check that a topic can be written, before minutes of reading."""
    try:
        models_dir.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=models_dir):
            pass
    except OSError as error:
        another = "Choose another folder: -s FOCUSED_MODELS_DIR=PATH"
        raise TopicError(f"Nothing can be written in {models_dir}: {error.strerror}. {another}") from None
