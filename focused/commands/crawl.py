"""``scrapy crawl``, with the focused spider's arguments checked before anything starts."""

from __future__ import annotations

import argparse
import sys

from scrapy.commands.crawl import Command as ScrapyCrawl

from focused.extensions import quieten
from focused.plan import ARGUMENTS, plan_crawl
from focused.strategies import STRATEGIES

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
            strategies=", ".join(STRATEGIES),
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check the arguments, then crawl."""
        if args == ["focused"]:
            assert self.settings is not None
            try:
                plan = plan_crawl(opts.spargs, self.settings)
            except ValueError as error:
                sys.stderr.write(f"Error: {error}\n")
                self.exitcode = 1
                return
            # The folder that was made and tried is the one that is used.
            opts.spargs.setdefault("run_dir", str(plan.run_dir))
            quieten(self.settings.get("LOG_LEVEL"))
        super().run(args, opts)
