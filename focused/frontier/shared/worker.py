"""`Worker`: takes in what its threads have done for one of a crawl's many workers, and tells them what to do.

All methods but `close` work on memory, in the reactor.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from focused.frontier.shared.beginning import pace
from focused.frontier.shared.boot_clock import now
from focused.frontier.shared.crawl_overview import CrawlOverview
from focused.frontier.shared.demand_exchange import DemandExchange
from focused.frontier.shared.drawn_links import DrawnLinks
from focused.frontier.shared.events import (
    NOT_STORED,
    AnswersReceived,
    DatabaseGone,
    Granted,
    Inherited,
    Joined,
    KeeperReport,
    LeaseLost,
    LinksAhead,
    LinksDrawn,
    PageRefused,
    PagesWritten,
    RecordsReceived,
    ScoresKnown,
    TextsReceived,
)
from focused.frontier.shared.host_troubles import SharedTroubles
from focused.frontier.shared.lessons import Lessons
from focused.frontier.shared.own_hosts import OwnHosts
from focused.frontier.shared.page import PageCommit
from focused.frontier.shared.page_budget import PageBudget
from focused.frontier.shared.page_draft import PageDraft
from focused.frontier.shared.robots import SharedRobots
from focused.frontier.shared.soft_404s import SharedAnswers
from focused.frontier.shared.texts import SharedTexts
from focused.frontier.shared.versions import SharedVersions
from focused.frontier.store.schema import FAILED
from focused.utils.finish_reasons import WORDS_NOT_FOUND
from focused.utils.origins import origin_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from focused.frontier.shared.commit_result import CommitResult
    from focused.frontier.shared.exchange import Exchange
    from focused.frontier.shared.leasing import Totals
    from focused.frontier.shared.link_rows import WaitingLink

_MOST_PENDING = 200
"""Ended pages that may wait for the database; beyond, nothing is handed out."""


class Worker:
    """Owns hosts and a part of the page budget for as long as its lease lasts.

    Parameters
    ----------
    exchange : Exchange
        Connects to the database; the worker starts it and closes it.
    max_pages, max_relevant : int
        Pages that the crawl is to fetch, and to find relevant. 0: no limit.
    max_hosts : int
        Hosts that a worker holds at most.
    """

    def __init__(self, exchange: Exchange, *, max_pages: int = 0, max_relevant: int = 0, max_hosts: int = 64) -> None:
        self.exchange = exchange
        self.own = OwnHosts()
        #: What the page that ends next does.
        self.draft = PageDraft(exchange, self.own)
        #: What workers learn from each other.
        self.lessons = Lessons(exchange, self.draft)
        #: What workers say to each other of robots.txt files.
        self.robots = SharedRobots(exchange)
        #: What they say of hosts that do not answer.
        self.troubles = SharedTroubles(exchange)
        #: What they say of the texts of pages.
        self.texts = SharedTexts(self.draft, exchange.earlier_texts)
        #: Answers to their probes for soft 404s.
        self.answers = SharedAnswers(self.draft, exchange.earlier_answers)
        #: Which version of the model all use.
        self.versions = SharedVersions(exchange, self.draft)
        self.budget = PageBudget(max_pages)
        self._max_relevant, self._overview = max_relevant, CrawlOverview(max_hosts)
        #: What the other workers know of links that wait.
        self.other_workers = DemandExchange(exchange, self._overview)
        #: Why the crawl is over for all workers; empty: it is not.
        self.over = ""
        #: Whether the worker has lost its lease and waits for its last requests to end.
        self.is_lost = False
        self._wants_join = False
        #: The least priority worth a page now; None: all are.
        self.least_priority: int | None = None
        #: Origins that this worker has given up, with the number of their links that failed.
        self.given_up: dict[str, int] = {}
        self.own.given_up = self.given_up
        #: Links to look around by.
        self.drawn = DrawnLinks(self.own)
        self.own.on_leave = self.drawn.leave
        #: How many links were dropped because their host, or its domain, had had its share, by the cap.
        self.n_capped: Counter[str] = Counter()
        #: Called with what a transaction has changed.
        self.on_written: Callable[[CommitResult], None] = lambda result: None
        #: Called with each page that was refused, and why.
        self.on_refused: Callable[[PageCommit, str], None] = lambda page, why: None
        #: Called when the database has been away too long.
        self.on_gone: Callable[[Exception], None] = lambda error: None
        #: Lets a host rest for so many seconds, and have this delay: its last owner has asked it.
        self.let_rest: Callable[[str, float, float], None] = lambda host, secs, delay: None
        #: Returns of a host the seconds until it may be asked, and its delay.
        self.times_of: Callable[[str], tuple[float, float]] = lambda host: (0.0, 0.0)
        #: Whether poor links are not asked for while other workers have better ones: where hosts need no rest.
        self.waits: Callable[[], bool] = lambda: False
        #: Whether something is to be asked for, or under way, that the database knows nothing of.
        self.has_more: Callable[[], bool] = lambda: False
        exchange.start()

    @property
    def totals(self) -> Totals | None:
        """Figures of the whole crawl, some seconds old; None: nothing is known yet."""
        return self._overview.totals

    @property
    def may_ask(self) -> bool:
        """Whether this worker may ask for anything now."""
        may = not self.is_lost and now() < self.exchange.valid_until and self.exchange.n_pending < _MOST_PENDING
        return may and not self._overview.lets_begin

    def begin_alone(self, n_pages: int) -> None:
        """Let the crawl's first worker ask for its first pages alone."""
        self._overview.n_begin_pages = n_pages

    @property
    def pages_left(self) -> int | None:
        """How many more requests may be handed out as pages of the budget; None: there is no limit."""
        return self.budget.left(len(self.own.under_way))

    @property
    def is_spent(self) -> bool:
        """Whether all that was granted has been handed out."""
        left = self.pages_left
        return left is not None and left <= 0

    def tend(self) -> None:
        """Take in what the threads have done, and tell them what is wanted."""
        self.draft.send()
        for event in self.exchange.take():
            self._take(event)
        if self.is_lost:
            if not self.own.under_way and not self._wants_join:
                self._wants_join = True
                self.exchange.add_tasks(joins=True)
            return
        if self.over == "finished" and self._is_busy:
            self.over = ""  # a spider had more to ask for after all
        self._tell_keeper()

    def close(self, reason: str = "") -> int:
        """Write what is left and say good-bye; returns how many pages could not be written. It waits for the database."""
        self.draft.send(all_moves=True)
        rests = {own.name: self.times_of(own.name) for own in self.own}
        n_left = self.exchange.close(rests, reason)
        if (totals := self.exchange.last_totals) is not None:  # what is said at the end is not some seconds old
            self._overview.totals = totals
            self.versions.see_last(totals)
        return n_left

    # --- Inside

    def _take(self, event: Any) -> None:
        own = self.own
        match event:
            case PagesWritten(pages, result):
                n_written = self.exchange.n_written
                own.written([*result.new, *(joined for joined, _ in result.joined)], result.moved, n_written)
                for page in pages:
                    own.page_written(page, n_written)
                for origin, n_links in result.given_up.items():
                    self.given_up[origin] = self.given_up.get(origin, 0) + n_links
                self.n_capped.update(result.n_capped)
                self.on_written(result)
            case PageRefused(page, why):
                own.page_refused(page, self.exchange.n_written)
                for ended in page.ended:
                    self.budget.refund(was_page=ended.relevant is not None)
                self._fail_unstored(page, why)
                self.on_refused(page, why)
            case LinksAhead(links, asked, taken, n_written, robots, troubles):
                self.robots.receive(robots)
                self.troubles.receive(troubles)
                for host in taken:
                    own.take(host)
                    self.let_rest(host.name, host.rest, host.delay)
                own.read_since(n_written)
                for name, found in links.items():
                    own.fetched(name, found, asked[name])
                    self._fail_unreachable(found)
            case LinksDrawn(links):
                self.drawn.read(links)
            case KeeperReport():
                if event.n_written == self.exchange.n_written and not (
                    own.under_way or self.exchange.n_pending or self.draft
                ):
                    self.budget.agree(*event.budget)  # nothing is on its way: the database is right
                self._ticked(event)
            case Granted(n_pages, is_return):
                self.budget.granted(n_pages, is_return=is_return)
            case RecordsReceived(records):
                self.lessons.receive(records)
            case TextsReceived(texts):
                self.texts.receive(texts)
            case AnswersReceived(state):
                self.answers.receive(state)
            case Inherited(records):
                keys = self.lessons.on_inherited(records)
                if keys:
                    self.exchange.add_tasks(scores=dict.fromkeys(keys))
            case ScoresKnown(scores):
                self.lessons.on_scores(scores)
            case LeaseLost():
                self.is_lost = True
                self.own.clear()
                self.drawn.clear()
            case Joined():
                self.is_lost = self._wants_join = False
                self.budget.begin_anew()
            case DatabaseGone(error):
                self.on_gone(error)

    def _fail_unreachable(self, links: Iterable[WaitingLink]) -> None:
        """Let links fail that wait though their origin is given up: under way then, or found by another worker since.

        Nobody here would ask for them, and their host would be taken and given back for ever.
        """
        free = {origin_of(link.url) for link in links if link.number not in self.own.under_way}
        given_up = self.draft.page.given_up
        given_up += [origin for origin in self.given_up if origin in free and origin not in given_up]

    def _fail_unstored(self, page: PageCommit, why: str) -> None:
        """Let the link of a page that the database does not take fail, without anything of the page."""
        if why.startswith(NOT_STORED) and (page.links or page.outputs or page.records):
            ended = [link._replace(state=FAILED, note=why[:200], relevant=None) for link in page.ended]
            self.exchange.write(PageCommit(page.worker, ended))

    def _ticked(self, seen: KeeperReport) -> None:
        self._overview.see(seen, self.exchange.worker)
        self.draft.moves.pace = self.exchange.committer.pace = pace(seen.totals.n_pages)
        self.versions.see(seen.totals)
        self.own.read_since(seen.n_written)
        self.other_workers.receive(seen.totals.n_workers, *(seen.other_demand or (0.0, [])))
        for own in self.own:
            if own.name in seen.news and seen.news[own.name] != own.news:
                own.news, own.has_news = seen.news[own.name], True
        max_pages = self.budget.max_pages
        if max_pages and seen.totals.n_pages >= max_pages:
            self.over = "max_pages"
        elif self._max_relevant and seen.totals.n_relevant >= self._max_relevant:
            self.over = "max_relevant"
        elif seen.totals.reason == WORDS_NOT_FOUND:
            self.over = WORDS_NOT_FOUND
        elif seen.is_over and not self._is_busy and seen.n_written == self.exchange.n_written:  # else it is old news
            self.over = "finished"
        if lost := self._overview.lost_hosts(seen.news, self.own):
            self.exchange.add_tasks(give_back={name: self.times_of(name) for name in lost})
        self._overview.let_go(self.own, hosts_rest=not self.waits())
        self.least_priority = self._overview.least_priority() if self.waits() else None

    @property
    def _is_busy(self) -> bool:
        return bool(len(self.own) or self.own.under_way or self.exchange.n_pending or self.draft or self.has_more())

    def _tell_keeper(self) -> None:
        rests, ahead = {}, {}
        for own in self.own:
            if (own.is_empty or own.is_leaving) and own.is_at_rest:
                rests[own.name] = self.times_of(own.name)
                self.own.leave(own)
            elif own.wants_links and not own.is_leaving:
                ahead[own.name] = own.ask()
        n_hosts = max(0, self._overview.n_hosts_wanted - len(self.own))
        tasks: dict[str, Any] = {"n_hosts": n_hosts, "is_busy": self._is_busy, "n_own": len(self.own)}
        tasks["n_records"], tasks["inherits"] = self.lessons.n_wanted(), self.lessons.inherits()
        tasks["reads_texts"] = self.texts.on_received is not None
        tasks["reads_answers"] = self.answers.on_received is not None
        # Who only waits for pages of the budget is not one that has nothing to ask for.
        if self.may_ask and not (self.is_spent and self.budget.is_dry):
            tasks["best"] = min(filter(None, (self.own.queue.place(own.number) for own in self.own)), default=None)
        else:
            tasks["best"] = None
        self.budget.is_slow = not self.waits()
        tasks |= self.budget.tasks(len(self.own.under_way), is_busy=self._is_busy)
        if rests:
            tasks["give_back"] = rests
        if ahead:
            tasks["ahead"] = ahead
        if draws := self.drawn.wanted():
            tasks["draws"] = dict.fromkeys(draws)
        self.exchange.add_tasks(**tasks)
