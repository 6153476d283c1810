"""``scrapy train``: example pages to a topic that a crawl can be started with."""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand

from focused.commands.fetching import FetchedPages, FetchError, fetch
from focused.commands.progress import Progress
from focused.commands.train_report import report
from focused.examples.gather import shuffled
from focused.examples.page_set import ExampleReader, PageSet, urls_of
from focused.examples.refusals import Refusals
from focused.examples.seeds import read_seeds, seeds_from
from focused.examples.sources import Candidate, Opening, SourceError, candidates_in
from focused.examples.urllist import url_lines
from focused.learning.learners import LEARNERS
from focused.plan import make_reader
from focused.text.background import Background, load_background
from focused.text.languages import LANGUAGES, detectable_languages
from focused.topic import TOPIC_FILE, Topic, TopicError, check_topic_name, read_topic_file
from focused.webs import open_web

if TYPE_CHECKING:
    from scrapy.settings import Settings

EXAMPLES = """\
A PATH is a folder of HTML or text files, a WARC, a JSON Lines file (field html or text, and url if it has one), or a
text file of URLs, which are fetched politely. TOPIC comes first: an option takes all that follows it.

Examples:
  scrapy train solar --positive solar-pages/ --seeds https://solar.example/
      thirty saved pages, against the general background that ships with the project
  scrapy train solar --positive urls.txt --unlabeled crawl.warc.gz --unlabeled-sample 2000
      pages fetched from the web, against 2,000 pages of a recorded crawl
  scrapy train stars --positive site.warc.gz --positive-urls stars.txt --unlabeled site.warc.gz --title "Stars"
      pages of a recorded web against all others of it
"""


class Command(ScrapyCommand):
    """Train a topic; a bad argument is one clear line and exit code 1."""

    requires_project = True
    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}
    settings: Settings

    def syntax(self) -> str:
        """Arguments, for the usage line."""
        return "TOPIC --positive PATH... [options]"

    def short_desc(self) -> str:
        """One line."""
        return "Learn a topic from example pages"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
        parser.epilog = EXAMPLES
        pages = parser.add_argument_group("example pages")
        pages.add_argument(
            "--positive", nargs="*", metavar="PATH", help="pages about the topic; a few dozen are enough"
        )
        pages.add_argument(
            "--positive-urls", metavar="FILE", help="of a WARC, only the pages of these URLs are positive"
        )
        pages.add_argument(
            "--unlabeled", nargs="*", metavar="PATH", help="any pages (default: the general background, English)"
        )
        pages.add_argument("--unlabeled-urls", metavar="FILE", help="of a WARC, only the pages of these URLs")
        pages.add_argument("--unlabeled-sample", metavar="N", help="draw N of the unlabelled pages")
        pages.add_argument(
            "--web", default="live", metavar="WEB", help="where URLs are fetched: live (default), demo, or a WARC"
        )
        topic = parser.add_argument_group("topic")
        topic.add_argument(
            "--seeds", nargs="*", metavar="FILE|URL", help="where crawls start (default: URLs of the positives)"
        )
        topic.add_argument("--title", metavar="TEXT", help="what the topic is called (default: its name)")
        topic.add_argument("--note", metavar="TEXT", help="what users should know about it")
        topic.add_argument("--language", metavar="CODE", help="ISO 639-1 code (default: that of most positives)")
        learning = parser.add_argument_group("learning")
        learning.add_argument(
            "--learner", default=LEARNERS[0], metavar="NAME", help=f"{', '.join(LEARNERS)} (default: {LEARNERS[0]})"
        )
        learning.add_argument("--random-state", default="0", metavar="N", help="seed of all that is drawn (default: 0)")
        learning.add_argument("--force", action="store_true", help="replace a topic of that name")
        learning.add_argument("--quiet", action="store_true", help="no progress on stderr")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Train; an error is one line on stderr and exit code 1."""
        try:
            self._run(args, opts)
        except (ValueError, FetchError) as error:
            self._fail(str(error))
        except OSError as error:
            self._fail(f"{error.filename or 'A file'} cannot be used: {error.strerror or error}")
        except KeyboardInterrupt:
            self._fail("Interrupted; no topic was written")

    def _fail(self, message: str) -> None:
        sys.stdout.flush()
        print(f"Error: {' '.join(message.split())}", file=sys.stderr)
        self.exitcode = 1

    def _run(self, args: list[str], opts: argparse.Namespace) -> None:
        # Not before: scikit-learn would double the time that every scrapy command takes to start.
        from focused.train import learn, make_topic

        models_dir = Path(self.settings.get("FOCUSED_MODELS_DIR"))
        name = _topic_name(args)
        n_sample, random_state = _check_options(opts)
        topic = _topic(name, models_dir, opts, self.settings)
        if opts.seeds:
            topic.seeds = read_seeds(opts.seeds)
        _check_writable(models_dir)
        progress = Progress(opts.quiet)
        reader = ExampleReader(
            opts.language,
            limits=make_reader(topic, self.settings).limits,
            other_anchors=self.settings.get("FOCUSED_CONTEXT_OTHER_ANCHORS") == "include",
            track=progress.track,
        )
        positive, unlabeled = self._read(opts, reader, progress, n_sample, random_state)
        assert reader.language is not None
        topic.language = reader.language
        topic.seeds = topic.seeds or seeds_from(positive.urls)
        progress.say(f"Learning from {len(positive)} positives")
        learnt = learn(positive, unlabeled, learner=opts.learner, random_state=random_state)
        command = _command(name, opts)
        make_topic(topic, learnt, positive, unlabeled, command=command, random_state=random_state)
        directory = topic.save(models_dir)
        print(report(topic, learnt, positive, unlabeled, directory, language_is_given=opts.language is not None))

    def _read(
        self,
        opts: argparse.Namespace,
        reader: ExampleReader,
        progress: Progress,
        n_sample: int | None,
        random_state: int,
    ) -> tuple[PageSet, PageSet | Background]:
        """Read the examples that the options name; fetch what has to be fetched."""
        refused = Refusals(), Refusals()
        cache_dir = self.settings.get("FOCUSED_CACHE_DIR")
        with ExitStack() as stack:
            fetched = stack.enter_context(FetchedPages())

            def candidates(paths: list[str], refusals: Refusals, urls: str | None) -> list[Candidate]:
                opening = Opening(
                    *(refusals, fetched, stack, reader.limits.max_bytes, Path(cache_dir) if cache_dir else None)
                )
                return candidates_in([Path(path) for path in paths], opening, _urls_in(urls) if urls else None)

            positive = candidates(opts.positive, refused[0], opts.positive_urls)
            others = candidates(opts.unlabeled or [], refused[1], opts.unlabeled_urls)
            if n_sample is not None:
                others = shuffled(others, random_state)
                # What has to be fetched is fetched at once, before it is known which pages are refused.
                others = [page for n, page in enumerate(others) if n < n_sample or not page.is_remote]
            remote = list(dict.fromkeys(page.url for page in (*positive, *others) if page.is_remote))
            if remote:
                progress.say(f"Fetching {len(remote)} pages")
                counter = progress.counter(len(remote), "Fetching pages")
                fetch(remote, fetched, self.settings, opts.web, counter)
            wanted = urls_of([*positive, *others])
            positives = reader.positives(positive, refused[0], wanted)
            if not positives:
                raise SourceError(_none_left("--positive", opts.positive, refused[0]))
            if not opts.unlabeled:
                return positives, load_background()
            unlabeled = reader.unlabeled(others, refused[1], wanted, positives, limit=n_sample)
            if not unlabeled:
                raise SourceError(_none_left("--unlabeled", opts.unlabeled, refused[1]))
            return positives, unlabeled


def _topic_name(args: list[str]) -> str:
    """Return the only positional argument; what looks like an option is one that is not known."""
    unknown = [arg for arg in args if arg.startswith("-") and len(arg) > 1]
    if unknown:
        raise ValueError(f"There is no option {unknown[0]}. See scrapy train -h.")
    if len(args) != 1:
        got = f"Got {shlex.join(args)}." if args else "Got none; an option before it takes all that follows."
        raise ValueError(f"Name one topic, before the options: scrapy train TOPIC --positive PATH. {got}")
    return check_topic_name(args[0])


def _check_options(opts: argparse.Namespace) -> tuple[int | None, int]:
    """Return the size of the sample and the random state; complain of what cannot be."""
    if not opts.positive:
        raise ValueError("--positive is missing: name pages about the topic. Example: --positive solar-pages/")
    for option in ("unlabeled", "seeds"):
        if getattr(opts, option) == []:
            raise ValueError(f"--{option} must be followed by at least one value.")
    if not opts.unlabeled:
        for option in ("unlabeled_urls", "unlabeled_sample"):
            if getattr(opts, option) is not None:
                raise ValueError(f"--{option.replace('_', '-')} needs --unlabeled PATH.")
    if opts.learner not in LEARNERS:
        raise ValueError(f"--learner must be one of {', '.join(LEARNERS)}. Got {opts.learner!r}.")
    if opts.language is not None:
        opts.language = opts.language.lower()
        if opts.language not in LANGUAGES and opts.language not in detectable_languages():
            known = ", ".join(LANGUAGES)
            raise ValueError(
                f"--language must be an ISO 639-1 code. Got {opts.language!r}. With stopwords or a stemmer: {known}."
            )
    n_sample = None
    if opts.unlabeled_sample is not None:
        n_sample = _whole("--unlabeled-sample", opts.unlabeled_sample, 1)
    return n_sample, _whole("--random-state", opts.random_state, 0)


def _whole(option: str, value: str, lowest: int) -> int:
    if not (value.isascii() and value.isdigit()) or not lowest <= int(value) < 2**32:
        raise ValueError(f"{option} must be a whole number from {lowest} to {2**32 - 1}. Got {value!r}.")
    return int(value)


def _topic(name: str, models_dir: Path, opts: argparse.Namespace, settings: Settings) -> Topic:
    """Return a topic without model: a new one, or what people wrote into the one that is to be replaced."""
    topic = Topic(name, name, "en", [])
    if (models_dir / name / TOPIC_FILE).exists():
        if not opts.force:
            raise TopicError(f"There is a topic {name!r} in {models_dir} already. Replace it with --force.")
        topic = read_topic_file(name, models_dir)
    if opts.title is not None:
        topic.title = opts.title
    if opts.note is not None:
        topic.note = opts.note
    if opts.web != "live":
        open_web(opts.web, settings).close()
    if opts.web == "demo":
        topic.web = "demo"  # its pages are nowhere else
    return topic


def _check_writable(models_dir: Path) -> None:
    """Find out now, not after minutes of reading, whether a topic can be written."""
    try:
        models_dir.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=models_dir):
            pass
    except OSError as error:
        raise TopicError(
            f"Nothing can be written in {models_dir}: {error.strerror}. Choose another folder: -s FOCUSED_MODELS_DIR=PATH"
        ) from None


def _urls_in(name: str) -> list[str]:
    try:
        lines = url_lines(Path(name))
    except (OSError, ValueError) as error:
        raise SourceError(f"{name} cannot be read as a list of URLs: {error}. Write one URL a line.") from None
    urls = list(dict.fromkeys(url for _, _, url in lines if url))
    if not urls:
        raise SourceError(f"{name} holds no http or https URL. Write one URL a line.")
    return urls


def _none_left(option: str, paths: list[str], refusals: Refusals) -> str:
    where = shlex.join(paths)
    if refusals.total:
        return f"No page is left of {option} {where}: {refusals.summary()}."
    return f"There is no page in {option} {where}. Name a folder of HTML or text files, a WARC or a JSON Lines file."


def _command(name: str, opts: argparse.Namespace) -> str:
    """Return the command that makes this topic. What does not change the topic is left out."""
    words = ["scrapy", "train", name]
    for option in ("positive", "positive_urls", "unlabeled", "unlabeled_urls", "unlabeled_sample", "seeds", "title",
                   "note", "language"):  # fmt: skip
        value = getattr(opts, option)
        if value is not None:
            words += [f"--{option.replace('_', '-')}", *([value] if isinstance(value, str) else value)]
    for option, default in (("learner", LEARNERS[0]), ("web", "live"), ("random_state", "0")):
        if getattr(opts, option) != default:
            words += [f"--{option.replace('_', '-')}", getattr(opts, option)]
    return shlex.join(words)
