"""``scrapy frontier``: the links in the frontier of a crawl, running or ended, and their evidence."""

from __future__ import annotations

import os
import shlex
import sqlite3
import time
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from focused.collection.recovery import recover_collection
from focused.crawl.followed_run import Mark, shared_frontier
from focused.frontier.store.recovery import recover
from focused.frontier.store.schema import advice, lock
from focused.frontier.store.view import FrontierView, LinkView, file_of
from focused.method.strategies import BY_ADAPTIVE, BY_FEED, BY_SITEMAP, REASONS
from focused.utils.database import is_database_url
from focused.utils.file_names import COLLECTION_FILE, VERSIONS_FILE
from focused.utils.output_files import check_output, check_regular
from focused.utils.output_settings import CSV_SAFE
from focused.utils.project_command import ProjectCommand, whole_number
from focused.utils.scope import Scope
from focused.utils.words import quantity

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from scrapy.settings import BaseSettings

_LEARNS = REASONS[BY_ADAPTIVE]
_MOST_WITH_PORTS, _MOST_PORTS = 500, 5
_SOURCES = (REASONS[BY_SITEMAP], REASONS[BY_FEED])

EXAMPLES = """\
The crawl may be running: it is not disturbed, and the links are those after its last page.

Examples:
  scrapy frontier runs/astrophysics/20260101-120000
      links by state and host, and the next 20 with the evidence of their scores
  scrapy frontier runs/astrophysics/20260101-120000 --top 5 --hosts 0
      fewer links, all hosts
  scrapy frontier runs/astrophysics/20260101-120000 --why http://stars.example/a.html
      where a URL is, how it got there, and how many come before it
  scrapy frontier runs/astrophysics/20260101-120000 --csv links.csv
      every link, for a program to read
  scrapy frontier runs/astrophysics/20260101-120000 --recover
      save what can be read of a damaged frontier; the crawl can then go on
"""


class Command(ProjectCommand):
    """Show a frontier; an error is one line on stderr and exit code 1."""

    usage = "RUN_DIR [options]"
    summary = "Show the links in a crawl's frontier, and their evidence"
    examples = EXAMPLES

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        add = parser.add_argument_group("what to show").add_argument
        add("--top", default="20", metavar="N", help="links that come next; 0: all (default: 20)")
        add("--hosts", default="10", metavar="N", help="hosts with most links; 0: all (default: 10)")
        add("--why", metavar="URL", help="say where this URL is and why")
        add("--csv", metavar="FILE", help="write every link to a file instead")
        add(
            "--recover",
            action="store_true",
            help="save what can be read of a damaged frontier or collection into a new one",
        )

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        """Show."""
        try:
            for line in self._show(args, opts):
                print(line)
        except sqlite3.Error as error:
            raise ValueError(advice(file_of(Path(args[0])), error)) from None

    def _show(self, args: list[str], opts: argparse.Namespace) -> Iterator[str]:
        self.refuse_options(args)
        if len(args) != 1:
            raise ValueError(f"Name the folder of a run: scrapy frontier RUN_DIR. Got {shlex.join(args) or 'none'}.")
        if opts.why is not None and opts.csv is not None:
            raise ValueError("--csv writes every link and --why explains one. Use them one after the other.")
        if opts.why is not None and not opts.why.strip():
            raise ValueError("--why must be a URL. Got an empty text.")
        if opts.recover:
            if opts.why is not None or opts.csv is not None:
                raise ValueError("--recover shows nothing. Look at the frontier afterwards: --why URL, --csv FILE.")
            yield from _recover(file_of(Path(args[0])))
            yield from _recover_collection(file_of(Path(args[0])))
            return
        export_to = None if opts.csv is None else _csv_path(opts.csv, file_of(Path(args[0])))
        n_links = whole_number("--top", opts.top, meaning="0: all")
        n_hosts = whole_number("--hosts", opts.hosts, meaning="0: all")
        with _opened(args[0]) as view:
            if export_to is not None:
                yield _export(view, export_to, is_safe=CSV_SAFE.read(self.settings or {}))
            elif opts.why is not None:
                yield from _why(view, opts.why, self.settings)
            else:
                yield from _overview(view, n_hosts, n_links)


@contextmanager
def _opened(named: str) -> Iterator[FrontierView]:
    """Yield the frontier of a run directory, or of a crawl in a database."""
    if is_database_url(named) or (Path(named).is_dir() and Mark.of(Path(named)) is not None):
        with shared_frontier(named) as shared:
            yield shared
    else:
        with FrontierView(Path(named)) as view:
            yield view


def _recover(path: Path) -> Iterator[str]:
    try:
        found = recover(path)
    except OSError as error:
        raise ValueError(f"{path} cannot be recovered: {error}. Nothing was changed.") from None
    if found is None:
        yield f"{path} is not damaged; nothing was changed."
        return
    n_links = sum(found.counts.values())
    states = ", ".join(f"{count:,} {state}" for state, count in found.counts.items())
    yield f"{quantity(n_links, 'links')} saved, {_lost(found.n_before, n_links)}: {states}"
    if found.n_unsound:
        yield f"{quantity(found.n_unsound, 'links')} dropped for values that no link has"
    yield f"{quantity(found.n_records, 'pages')} saved that a strategy with a memory learns from"
    if found.lost:
        yield f"Lost of what the crawl remembered: {', '.join(found.lost)}"
    yield f"{path} is the new frontier, {found.kept} the damaged one. The crawl's command goes on with what was saved."


def _recover_collection(frontier: Path) -> Iterator[str]:
    path = frontier.with_name(COLLECTION_FILE)
    if not path.is_file():
        return
    try:
        with closing(lock(frontier)):
            found = recover_collection(path)
    except OSError as error:
        raise ValueError(f"{path} cannot be recovered: {error}. Nothing of it was changed.") from None
    if found is None:
        yield f"{path} is not damaged; nothing was changed."
        return
    lost = _lost(found.n_before, found.n_pages)
    yield f"{quantity(found.n_pages, 'pages')} saved, {lost}; {found.n_without_text:,} without their text"
    yield f"{path} is the new collection, {found.kept} the damaged one."


def _lost(n_before: int | None, n_saved: int) -> str:
    return "how many there were cannot be read" if n_before is None else f"{max(0, n_before - n_saved):,} lost"


def _export(view: FrontierView, path: Path, *, is_safe: bool) -> str:
    part = path.with_name(path.name + ".part")
    try:
        with part.open("w", encoding="utf-8", newline="") as file:
            n_links = view.write_csv(file, is_safe=is_safe)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return f"{quantity(n_links, 'links')} in {path}"


def _csv_path(value: str, frontier: Path) -> Path:
    path = Path(value)
    if not value.strip() or value.endswith(("/", os.sep)) or path.is_dir():
        raise ValueError(f"--csv must be the name of a file, not of a folder: --csv links.csv. Got {value!r}.")
    if not (folder := path.parent).is_dir():
        raise ValueError(f"--csv must be in a folder that is there: {folder} is none. Make it: mkdir {folder}")
    path = check_regular(check_output(path, "--csv"), "--csv")
    if path.exists() and frontier.exists() and path.samefile(frontier):
        raise ValueError(f"{path} is the frontier that is to be read. Choose another name: --csv FILE")
    return path


def _overview(view: FrontierView, n_hosts: int, n_links: int) -> Iterator[str]:
    counts = view.counts()
    scope = Scope.from_json(view.remembered("scope"))
    yield f"Topic {view.remembered('topic')} on web {view.remembered('web')}, {view.path}"
    if scope:
        yield f"Scope: {scope}"
    states = ", ".join(f"{count:,} {state}" for state, count in counts.items())
    yield f"{quantity(sum(counts.values()), 'links')}: {states}"
    if n_cut := view.remembered("n_cut"):
        yield f"{quantity(n_cut, 'links')} forgotten because too many waited (FOCUSED_FRONTIER_MAX_LINKS)"
    if hosts := view.hosts(n_hosts):
        widths = {"waiting": 9, "leased": 7, "done": 8, "failed": 7, "dropped": 8, "pages": 8, "relevant": 8}
        yield "\n" + " ".join(f"{name:>{width}}" for name, width in widths.items()) + "  host"
        ports = view.ports([host["host"] for host in hosts[:_MOST_WITH_PORTS]])
        for host in hosts:
            numbers = " ".join(f"{host[name]:>{width},}" for name, width in widths.items())
            yield f"{numbers}  {_with_ports(host['host'], ports.get(host['host'], []))}"
    if links := view.top(n_links):
        yield f"\n{'score':>6}  {'by':<15} {'pages':>5}  next, if all hosts may be asked"
        for link in links:
            # A strategy with a memory keeps the pages that link to it there; the frontier knows only the first.
            n_pages = "-" if link.reason == _LEARNS else _n_referrers(link)
            yield f"{link.score:>6.3f}  {link.reason:<15} {n_pages:>5}  {_printable(link.url)}"


def _with_ports(host: str, ports: list[str]) -> str:
    """Return a host with the ports that its links name: it has one delay, and one row, whatever the port."""
    if len(ports) < 2:
        return f"{host}:{ports[0]}" if ports else host
    more = f" and {len(ports) - _MOST_PORTS:,} more" if len(ports) > _MOST_PORTS else ""
    return f"{host} (ports {', '.join(ports[:_MOST_PORTS])}{more})"


def _why(view: FrontierView, url: str, settings: BaseSettings) -> Iterator[str]:
    link = view.find(url)
    if link is None:
        raise ValueError(f"{url} is not known: {_why_unknown(view, url)}.")
    yield _printable(link.url)
    note, when = f": {link.note}" if link.note else "", f" ({_time(link.ended_at)})" if link.ended_at else ""
    yield f"  state       {link.state}{note}{when}"
    if view.is_own_request(link):
        by = "by the crawl itself: a sitemap, a feed or a request of the spider's own"
        yield f"  asked for   {by}; priority {link.priority}"
        yield f"  found on    {_printable(link.referrer) or 'no page'}{_when_found(link)}"
        return
    # Fits of a learning strategy are no versions of the model.
    version = f"{'found by ' if link.reason == _LEARNS else ''}model version {link.model_version}"
    yield f"  score       {link.score:.3f} by {link.reason}, priority {link.priority}, {version}"
    yield f"  found on    {_printable(link.referrer) or 'nothing: a seed'}{_when_found(link)}"
    if link.reason == _LEARNS:
        yield from _learnt(view, link, settings)
    else:
        n_pages = _n_referrers(link)
        of_source = "; it was found in a sitemap or feed" if link.reason in _SOURCES and not n_pages else ""
        yield f"  referrers   {quantity(n_pages, 'pages')} known to link to it{of_source}"
    yield (
        f"  path        {quantity(link.depth, 'links')} from a seed, {quantity(link.irrelevant_on_path, 'irrelevant pages')}, "
        f"{link.tunnel:,} since the last relevant one"
    )
    if link.state == "waiting":
        in_all, of_host = view.n_before(link)
        yield f"  before it   {quantity(in_all, 'links')}, {of_host:,} of them of its host"


def _why_unknown(view: FrontierView, url: str) -> str:
    """Say why a URL has no link in the frontier, as far as that can be known."""
    scope = Scope.from_json(view.remembered("scope"))
    if why := scope.why(url):
        return f"it is out of the crawl's scope ({why})"
    n_asked, cap = view.n_asked(url), scope.max_pages_per_host
    if cap and n_asked >= cap:
        return f"its host has had its {quantity(n_asked, 'pages')} (max_pages_per_host)"
    if (cap := scope.max_pages_per_domain) and (n_asked := view.n_asked(url, of_domain=True)) >= cap:
        return f"its domain has had its {quantity(n_asked, 'pages')} (max_pages_per_domain)"
    deep = f", it lies more than {quantity(scope.max_depth, 'links')} from a seed" if scope.max_depth else ""
    return f"no page that was fetched links to it{deep}, or the link was refused or forgotten"


def _n_referrers(link: LinkView) -> int:
    """Return the number of known pages that hold a link; a seed was found on none."""
    return link.n_referrers - (link.reason == "seed")


def _learnt(view: FrontierView, link: LinkView, settings: BaseSettings) -> Iterator[str]:
    # These imports take longer than the rest of the command.
    from focused.commands.link_evidence import evidence_of, strongest_evidence

    if link.state == "waiting" and (words := strongest_evidence(view, link.url, settings)):
        yield f"  because     {words} (strongest evidence)"
    evidence = evidence_of(view, link.url)
    yield f"  referrers   {quantity(max(evidence.n_referrers, link.n_referrers), 'pages')} known to link to it"
    if evidence.relevances:
        kinds = zip(("page", "block", "anchor text", "context"), evidence.relevances, strict=True)
        # A crawl with retraining has newer models later, which change the score only.
        has_versions = (view.path.parent / VERSIONS_FILE).exists()
        when = ", by the models in use when these pages were fetched" if has_versions else ""
        yield f"  they say    {', '.join(f'{kind} {value:.3f}' for kind, value in kinds)} (relevance, mean{when})"
    yield (
        f"  learnt      from {quantity(evidence.n_learnt, 'pages')} of this crawl and the topic's examples: what these\n"
        "              relevances, its URL and similar links are worth; its score changes with each fit while it waits"
    )


def _when_found(link: LinkView) -> str:
    """Return when a link was found; a shared frontier does not know."""
    return f" ({_time(link.found_at)})" if link.found_at else ""


def _time(seconds: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds))


def _printable(text: str) -> str:
    """Replace control characters: a URL comes from strangers."""
    return "".join(each if each.isprintable() else "?" for each in text)
