"""``scrapy crawl``: checks the focused spider's arguments before anything starts."""

from __future__ import annotations

import argparse
import logging
import os
import shlex
import sys
from contextlib import contextmanager, nullcontext
from threading import Timer
from typing import TYPE_CHECKING

from scrapy.commands.crawl import Command as ScrapyCrawl
from scrapy.utils.conf import get_config
from scrapy.utils.misc import load_object
from scrapy.utils.project import ENVVAR, get_project_settings

from focused.commands.crawl_workers import crawl_with_workers
from focused.crawl.arguments import ARGUMENTS
from focused.crawl.planning import plan_crawl
from focused.crawl.reader_and_judge import CLASSIFIERS, READERS
from focused.crawl.scrapy_settings import readable_tables, wrong_at_start
from focused.crawl.scrapyd_client import classes_of_client, is_client
from focused.method.strategies import CHOICES, PLUG_IN
from focused.utils.close_names import did_you_mean
from focused.utils.log_filters import quieten
from focused.utils.program import as_typed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)

_EPILOG = """Arguments of the focused spider (-a NAME=VALUE):
{arguments}

Strategies: {strategies}, or the path of a class such as mypackage.MyStrategy
{installed}
Examples:
  scrapy crawl focused -a topic=demo
  scrapy crawl focused -a topic=astrophysics -a max_pages=500 -s FOCUSED_CONTACT=you@example.org
  scrapy crawl focused -a topic=astrophysics -a web=hyperphysics.warc.gz -a strategy=best_first -O relevant.jsonl
"""

_SLOW_SECS = 1.5
"""From the start of the program that makes some 1.5 s, most of it for imports."""
_PLACES = (PLUG_IN, READERS, CLASSIFIERS)


class Command(ScrapyCrawl):
    """Run a spider; a bad argument gives one clear line and exit code 1."""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the focused spider's arguments to the help."""
        super().add_options(parser)
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
        parser.usage = as_typed(parser.usage or "")
        arguments = (f"  {name:21} {a.meaning}: {a.values} (default: {a.default})" for name, a in ARGUMENTS.items())
        installed = {place.group: ", ".join(place.installed()) for place in _PLACES}
        parser.epilog = as_typed(_EPILOG).format(
            arguments="\n".join(arguments),
            strategies=", ".join(CHOICES),
            installed="".join(f"Installed {group}: {names}\n" for group, names in installed.items() if names),
        )

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check the settings that Scrapy reads first, and quieten Scrapy's log until the arguments are checked."""
        assert self.settings is not None
        opts.set, wrong_tables = readable_tables(opts.set, self.settings)
        super().process_options(args, opts)
        wrong = list(wrong_at_start(self.settings))
        if is_client(opts.spargs):
            usual = get_project_settings()
            wrong += [(name, usual.get(name), message) for name, message in classes_of_client(self.settings)]
        for name, usable, _ in wrong:
            self.settings.set(name, usable, priority="cmdline")
        self._wrong = [*wrong_tables, *(message for *_, message in wrong), *_wrong_names(args, self.settings)]
        if args == ["focused"] or self._wrong:
            quieten(self.settings.get("LOG_LEVEL"))

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check the arguments, then crawl."""
        if self._wrong:
            self._refuse(self._wrong[0])
            return
        if args == ["focused"] and "workers" in opts.spargs:
            self._run_workers(opts)
            return
        if args == ["focused"]:
            assert self.settings is not None
            try:
                watched = not is_client(opts.spargs)  # Scrapyd's processes have no screen
                topic = opts.spargs.get("topic", "of the crawl in the database")
                with _said_if_slow(f"Loading topic {topic}") if watched else nullcontext():
                    plan = plan_crawl(opts.spargs, self.settings)
            except (ValueError, OSError) as error:
                self._refuse(" ".join(str(error).split()))
                return
            except KeyboardInterrupt:  # from now on Scrapy minds it
                self._refuse("Interrupted before the first request.")
                return
            opts.spargs["plan"] = plan
        super().run(args, opts)
        if args == ["focused"] and plan.error:
            self.exitcode = 1

    def _run_workers(self, opts: argparse.Namespace) -> None:
        """Crawl with several processes; errors are one line."""
        assert self.settings is not None
        try:
            if is_client(opts.spargs):
                raise ValueError(
                    "A client of Scrapyd starts workers one by one: schedule the crawl as often, with crawl=NAME."
                )
            quieten("INFO" if opts.loglevel is None else opts.loglevel)
            self.exitcode = crawl_with_workers(opts, self.settings)
        except (ValueError, OSError) as error:
            self._refuse(" ".join(str(error).split()))
        except KeyboardInterrupt:
            self._refuse("Interrupted before the first request.")

    def _refuse(self, message: str) -> None:
        """Print in one line why there is no crawl."""
        assert self.settings is not None
        message = as_typed(message)
        if self.settings.get("LOG_FILE"):
            logger.error(message)  # under Scrapyd a client sees only the log
        sys.stderr.write(f"Error: {message}\n")
        self.exitcode = 1


@contextmanager
def _said_if_slow(what: str) -> Iterator[None]:
    """Log what is done: on a terminal at once, so that a person need not wonder. Elsewhere only if it takes a moment.

    So a refusal that a program reads is one line.
    """
    timer = Timer(0.0 if sys.stderr.isatty() else _SLOW_SECS, logger.info, ["%s ...", what])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _wrong_names(args: list[str], settings: BaseSettings) -> Iterator[str]:
    """Yield errors that Scrapy would answer with a traceback or its help: unknown options and unknown spiders."""
    unknown = [arg for arg in args if arg.startswith("-")]
    if unknown:
        yield f"There is no option {unknown[0]}. See scrapy crawl -h."
    if len(args) != 1:
        yield f"Name one spider: scrapy crawl focused -a topic=demo. Got {shlex.join(args) or 'none'}."
        return
    loader = load_object(settings["SPIDER_LOADER_CLASS"])  # Scrapy's own get_spider_loader copies all settings for it
    names = loader.from_settings(settings).list()
    if args[0] not in names:
        known = f"There are: {', '.join(sorted(names))}. Example: scrapy crawl focused -a topic=demo"
        own = get_config().get("settings", "default", fallback="")
        if own and own != os.environ.get(ENVVAR, own):  # `focused` was called in the folder of another project
            known += f". Spiders of the project here ({own}) are run by its own command, scrapy"
        yield f"There is no spider {args[0]!r}.{did_you_mean(args[0], names)} {known}"
