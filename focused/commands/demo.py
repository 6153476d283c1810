"""``scrapy demo``: look at the demo web, serve it, or write it to files."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from focused.utils.output_files import check_output
from focused.utils.program import as_typed
from focused.utils.project_command import ProjectCommand
from focused.webs import GENERATED, DemoServer, DemoWeb, HostileWeb
from focused.webs import export as demo_export

if TYPE_CHECKING:
    import argparse

EXAMPLES = """\
Examples:
  scrapy demo --list
      topics with their pages and seeds
  scrapy demo --serve 8000
      look at the web in a browser: http://127.0.0.1:8000/
  scrapy demo --examples astronomy training/ --positive 30 --unlabeled 1500
      pages to train a topic from: training/positive.jsonl, training/unlabeled.jsonl
  scrapy demo --hostile --serve 8000
      the same web with traps: endless, or saying nothing new
  scrapy demo --warc demo.warc.gz --labels demo.labels.tsv --pages 20000 --seed 1
      a recorded web with labels, for evaluations
"""


class Command(ProjectCommand):
    """Show, serve or export the demo web of the FOCUSED_DEMO_* settings, which --pages and the like override."""

    requires_project = False
    usage = "[options] --list | --serve PORT | --warc FILE | --labels FILE | --examples TOPIC DIR"
    summary = "List, serve or export the generated demo web"
    examples = EXAMPLES

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        what = parser.add_argument_group("what to do (one or more)").add_argument
        what("--list", action="store_true", help="print topics, pages per topic and seeds")
        what("--serve", type=int, metavar="PORT", help="serve it on 127.0.0.1 (0: any free port)")
        what("--warc", type=Path, metavar="FILE", help="write all pages; compressed if FILE ends in .gz")
        what("--labels", type=Path, metavar="FILE", help="write the topic of every page (TSV)")
        what("--examples", nargs=2, metavar=("TOPIC", "DIR"), help="write pages to train a topic from")
        web = parser.add_argument_group("which demo web (default: the FOCUSED_DEMO_* settings)").add_argument
        web("--pages", type=int, metavar="N", help="pages, up to 1,000,000")
        web("--hosts", type=int, metavar="N", help="hosts")
        web("--topics", type=int, metavar="N", help="topics, 2 to 8")
        web("--seed", type=int, metavar="N", help="another seed is another web")
        web(
            "--hostile",
            action="store_true",
            help="with the traps of FOCUSED_DEMO_TRAPS: look at it, or crawl it with -a web=hostile",
        )
        train = parser.add_argument_group("which examples").add_argument
        train("--positive", type=int, default=30, metavar="N", help="pages about TOPIC (default: 30)")
        train("--unlabeled", type=int, default=1500, metavar="N", help="any pages (default: 1500)")
        train("--random-state", type=int, default=0, metavar="N", help="another number draws others")

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        """Do what the options say."""
        self.refuse_arguments(args)
        if not (opts.list or opts.warc or opts.labels or opts.examples or opts.serve is not None):
            raise ValueError("Say what to do: --list, --serve, --warc, --labels or --examples (see scrapy demo -h).")
        if opts.serve is not None and not 0 <= opts.serve < 1 << 16:
            raise ValueError(f"--serve must be a port, 0 to 65535. Got {opts.serve}.")
        for path, option in ((opts.warc, "--warc"), (opts.labels, "--labels")):
            if path is not None:
                check_output(path, option)
        if opts.warc and opts.hostile:
            raise ValueError("--warc cannot write the hostile web: its traps have no end. Crawl it: -a web=hostile.")
        web = self._web(opts)
        if opts.examples:
            _write_examples(web, opts)
        if opts.warc:
            n_records = demo_export.write_warc(web, opts.warc)
            print(f"{opts.warc}: {n_records} answers, {web.n_pages} of them pages")
        if opts.labels:
            print(f"{opts.labels}: {demo_export.write_labels(web, opts.labels)} pages")
        if opts.list:
            _print_topics(web)
        if opts.serve is not None:
            _serve(web, opts.serve)

    def _web(self, opts: argparse.Namespace) -> DemoWeb:
        given = {"n_pages": opts.pages, "n_hosts": opts.hosts, "n_topics": opts.topics, "seed": opts.seed}
        options = GENERATED["hostile" if opts.hostile else "demo"]
        said = {option: each.read(self.settings) for option, each in options.items() if given.get(option) is None}
        return HostileWeb(**given | said) if opts.hostile else DemoWeb(**given | said)


def _write_examples(web: DemoWeb, opts: argparse.Namespace) -> None:
    topic, folder = opts.examples[0], Path(opts.examples[1])
    for name in ("positive", "unlabeled"):
        if getattr(opts, name) < 1:
            raise ValueError(f"--{name} must be at least 1. Got {getattr(opts, name)}.")
    demo_export.write_examples(web, topic, folder, opts.positive, opts.unlabeled, opts.random_state)
    positive, unlabeled = folder / "positive.jsonl", folder / "unlabeled.jsonl"
    print(f"{positive}: {opts.positive} pages\n{unlabeled}: {opts.unlabeled} pages")
    train = ["scrapy", "train", topic, "--positive", str(positive), "--unlabeled", str(unlabeled), "--seeds"]
    print(as_typed(f"Next: {shlex.join([*train, *web.seeds(topic)])}"))


def _print_topics(web: DemoWeb) -> None:
    traps = f", and traps: {', '.join(web.traps)}" if isinstance(web, HostileWeb) else ""
    print(f"{web.n_pages} pages on {len(web.origins)} hosts{traps}")
    for topic in web.topics:
        n_relevant = web.relevant_count(topic)
        print(f"\n{topic}: {n_relevant} pages ({n_relevant / web.n_pages:.1%})")
        for url in web.seeds(topic):
            print(f"  {url}")


def _serve(web: DemoWeb, port: int) -> None:
    with DemoServer(web, port) as server:
        print(f"http://127.0.0.1:{server.server_port}/ (Ctrl-C to stop)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print(file=sys.stderr)
