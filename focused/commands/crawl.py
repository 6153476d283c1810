"""``scrapy crawl``, with the focused spider's arguments checked before anything starts."""

from __future__ import annotations

import argparse
import logging
import sys

from scrapy.commands.crawl import Command as ScrapyCrawl

from focused.arguments import ARGUMENTS
from focused.extensions import quieten
from focused.plan import plan_crawl
from focused.strategies import CHOICES

logger = logging.getLogger(__name__)

_EPILOG = """Arguments of the focused spider (-a NAME=VALUE):
{arguments}

Strategies: {strategies}

Examples:
  scrapy crawl focused -a topic=demo
  scrapy crawl focused -a topic=astrophysics -a max_pages=500 -s FOCUSED_CONTACT=you@example.org
  scrapy crawl focused -a topic=astrophysics -a web=hyperphysics.warc.gz -a strategy=best_first -O relevant.jsonl
"""


class Command(ScrapyCrawl):
    """Run a spider; a bad argument is one clear line and exit code 1."""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add what the focused spider knows to the help."""
        super().add_options(parser)
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
        parser.epilog = _EPILOG.format(
            arguments="\n".join(f"  {name:14}{meaning}" for name, meaning in ARGUMENTS.items()),
            strategies=", ".join(CHOICES),
        )

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Keep Scrapy from talking before the arguments are checked."""
        super().process_options(args, opts)
        assert self.settings is not None
        if args == ["focused"]:
            quieten(self.settings.get("LOG_LEVEL"))

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check the arguments, then crawl."""
        if args == ["focused"]:
            assert self.settings is not None
            try:
                plan = plan_crawl(opts.spargs, self.settings)
            except (ValueError, OSError) as error:
                self._refuse(" ".join(str(error).split()))
                return
            # The folder that was made and tried is the one that is used.
            opts.spargs["run_dir"] = str(plan.run_dir)
        super().run(args, opts)

    def _refuse(self, message: str) -> None:
        """Say in one line why there is no crawl."""
        assert self.settings is not None
        if self.settings.get("LOG_FILE"):
            logger.error(message)  # under Scrapyd the log is all that a client gets to see
        sys.stderr.write(f"Error: {message}\n")
        self.exitcode = 1
