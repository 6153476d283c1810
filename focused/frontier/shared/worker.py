"""`Worker`: processes the events of its threads for one of a crawl's workers, and sets their tasks.

All methods but `close` work on memory, in the reactor.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from focused.frontier.shared import events
from focused.frontier.shared.beginning import pace
from focused.frontier.shared.boot_clock import now
from focused.frontier.shared.crawl_overview import CrawlOverview, why_ended
from focused.frontier.shared.demand_exchange import DemandExchange
from focused.frontier.shared.drawn_links import DrawnLinks
from focused.frontier.shared.host_troubles import SharedTroubles
from focused.frontier.shared.lessons import Lessons
from focused.frontier.shared.own_hosts import OwnHosts
from focused.frontier.shared.page import PageCommit
from focused.frontier.shared.page_budget import PageBudget
from focused.frontier.shared.page_draft import PageDraft
from focused.frontier.shared.relevant_goal import RelevantGoal
from focused.frontier.shared.robots import SharedRobots
from focused.frontier.shared.soft_404s import SharedAnswers
from focused.frontier.shared.texts import SharedTexts
from focused.frontier.shared.versions import SharedVersions
from focused.frontier.store.schema import FAILED
from focused.utils.origins import origin_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from focused.frontier.shared.commit_result import CommitResult
    from focused.frontier.shared.exchange import Exchange
    from focused.frontier.shared.leasing import Totals
    from focused.frontier.shared.link_rows import WaitingLink

_MOST_PENDING = 200
"""Most ended pages that may wait for the database. If there are more, no request is handed out."""


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
        self.own_hosts = OwnHosts()
        #: What is written when the next page ends.
        self.draft = PageDraft(exchange, self.own_hosts)
        #: What workers learn from each other.
        self.lessons = Lessons(exchange, self.draft)
        #: The robots.txt files that workers hand on to each other.
        self.robots = SharedRobots(exchange)
        #: The hosts that do not answer, handed on in the same way.
        self.troubles = SharedTroubles(exchange)
        #: The texts of pages, so that copies are found.
        self.texts = SharedTexts(self.draft, exchange.earlier_texts)
        #: Answers to their probes for soft 404s.
        self.answers = SharedAnswers(self.draft, exchange.earlier_answers)
        #: Which version of the model all use.
        self.versions = SharedVersions(exchange, self.draft)
        self.budget = PageBudget(max_pages)
        self.goal, self._overview = RelevantGoal(max_relevant), CrawlOverview(max_hosts, max_pages)
        #: What the other workers tell of their waiting links.
        self.other_workers = DemandExchange(exchange, self._overview)
        #: Why the crawl has ended for all workers; empty while it has not.
        self.end_reason = ""
        #: Whether the worker has lost its lease and waits for its last requests to end.
        self.is_lost = False
        self._wants_join = False
        #: The least priority worth a page now; None: all are.
        self.least_priority: int | None = None
        #: Origins that this worker has given up, with the number of their links that failed.
        self.given_up: dict[str, int] = {}
        self.own_hosts.given_up = self.given_up
        #: Links to look around by.
        self.drawn = DrawnLinks(self.own_hosts)
        self.own_hosts.on_leave = self.drawn.leave
        #: How many links were dropped because their host or domain had reached a cap, by the cap.
        self.n_capped: Counter[str] = Counter()
        #: Called with what a transaction has changed.
        self.on_written: Callable[[CommitResult], None] = lambda result: None
        #: Called with each page that was refused, and why.
        self.on_refused: Callable[[PageCommit, str], None] = lambda page, why: None
        #: Called when the database has not answered for too long.
        self.on_gone: Callable[[Exception], None] = lambda error: None
        #: Called with a host, seconds that it is to rest, and its delay, when it comes from another owner.
        self.let_rest: Callable[[str, float, float], None] = lambda host, secs, delay: None
        #: Returns the seconds until a host may be asked, and its delay.
        self.rest_and_delay: Callable[[str], tuple[float, float]] = lambda host: (0.0, 0.0)
        #: Returns whether poor links wait while other workers have better ones; so it is where hosts need no delay.
        self.leaves_poor_links: Callable[[], bool] = lambda: False
        #: Returns whether requests wait or are under way that are not in the database.
        self.has_more: Callable[[], bool] = lambda: False
        exchange.start()

    @property
    def totals(self) -> Totals | None:
        """Figures of the whole crawl, some seconds old; None before the first report."""
        return self._overview.totals

    @property
    def may_ask(self) -> bool:
        """Whether this worker may ask for anything now."""
        may = not self.is_lost and now() < self.exchange.valid_until and self.exchange.n_pending < _MOST_PENDING
        return may and not self._overview.waits_for_first_worker and not self.goal.may_be_reached(self.totals)

    def begin_alone(self, n_pages: int) -> None:
        """Make other workers wait until the crawl's first worker has fetched so many pages."""
        self._overview.n_pages_alone = n_pages

    @property
    def pages_left(self) -> int | None:
        """How many more requests may be handed out as pages of the budget; None: there is no limit."""
        return self.budget.left(len(self.own_hosts.under_way))

    @property
    def is_spent(self) -> bool:
        """Whether all pages that were granted have been handed out."""
        return (left := self.pages_left) is not None and left <= 0

    @property
    def _has_no_pages(self) -> bool:
        """Whether this worker may ask for nothing: all pages that are left of the budget are granted to others."""
        return self.is_spent and self.budget.is_dry

    def process_events(self) -> None:
        """Process the events of the threads, and set the keeper's tasks."""
        self.draft.send()
        for event in self.exchange.take():
            self._process(event)
        if self.is_lost:
            if not self.own_hosts.under_way and not self._wants_join:
                self._wants_join = True
                self.exchange.add_tasks(joins=True)
            return
        if self.end_reason == "finished" and self._is_busy:
            self.end_reason = ""  # a spider has yielded another request
        self._set_keeper_tasks()

    def close(self, reason: str = "") -> int:
        """Write what is left, and end the lease; return how many pages could not be written. It waits for the database."""
        self.draft.send(all_moves=True)
        rests = {own.name: self.rest_and_delay(own.name) for own in self.own_hosts}
        n_left = self.exchange.close(rests, reason, (self.budget.max_pages, self.goal.max_relevant))
        if (totals := self.exchange.last_totals) is not None:  # figures of the end, not of some seconds before
            self._overview.totals = totals
            self.versions.update_at_end(totals)
        return n_left

    # --- Inside

    def _process(self, event: Any) -> None:
        own = self.own_hosts
        match event:
            case events.PagesWritten(pages, result):
                n_written = self.exchange.n_written
                own.written([*result.new, *(joined for joined, _ in result.joined)], result.moved, n_written)
                for page in pages:
                    own.page_written(page, n_written)
                for origin, n_links in result.given_up.items():
                    self.given_up[origin] = self.given_up.get(origin, 0) + n_links
                self.n_capped.update(result.n_capped)
                self.on_written(result)
            case events.PageRefused(page, why):
                own.page_refused(page, self.exchange.n_written)
                for ended in page.ended:
                    self.budget.count_refused(was_page=ended.relevant is not None)
                self._fail_unstored(page, why)
                self.on_refused(page, why)
            case events.LinksRead(links, asked, taken, n_written, robots, troubles):
                self.robots.receive(robots)
                self.troubles.receive(troubles)
                for host in taken:
                    own.add(host)
                    self.let_rest(host.name, host.rest, host.delay)
                own.read_since(n_written)
                for name, found in links.items():
                    own.links_read(name, found, asked[name])
                    self._fail_unreachable(found)
            case events.LinksDrawn(links):
                self.drawn.read(links)
            case events.KeeperReport():
                self._apply_report(event)
            case events.PagesGranted(n_pages, is_return):
                self.budget.granted(n_pages, is_return=is_return)
            case events.RecordsReceived(records):
                self.lessons.receive(records)
            case events.TextsReceived(texts):
                self.texts.receive(texts)
            case events.AnswersReceived(state):
                self.answers.receive(state)
            case events.RecordsInherited(records):
                keys = self.lessons.on_inherited(records)
                if keys:
                    self.exchange.add_tasks(scores=dict.fromkeys(keys))
            case events.ScoresRead(scores):
                self.lessons.on_scores(scores)
            case events.LeaseLost():
                self.is_lost = True
                self.own_hosts.clear()
                self.drawn.clear()
            case events.WorkerJoined():
                self.is_lost = self._wants_join = False
                self.budget.begin_anew()
            case events.DatabaseGone(error):
                self.on_gone(error)

    def _fail_unreachable(self, links: Iterable[WaitingLink]) -> None:
        """Let waiting links of origins fail that were given up: links under way at that time, and links found since.

        Otherwise no worker would ask for them, and their host would be leased and given back again and again.
        """
        free = {origin_of(link.url) for link in links if link.number not in self.own_hosts.under_way}
        given_up = self.draft.page.given_up
        given_up += [origin for origin in self.given_up if origin in free and origin not in given_up]

    def _fail_unstored(self, page: PageCommit, why: str) -> None:
        """If the database refuses the content of a page, let the page's link fail, and write nothing else of it."""
        if why.startswith(events.NOT_STORED) and (page.links or page.outputs or page.records):
            ended = [link._replace(state=FAILED, note=why[:200], relevant=None) for link in page.ended]
            self.exchange.write(PageCommit(page.worker, ended))

    def _apply_report(self, seen: events.KeeperReport) -> None:
        is_up_to_date = seen.n_written == self.exchange.n_written
        if is_up_to_date and not (self.exchange.n_pending or self.draft):
            self.goal.note_counted()
            if not self.own_hosts.under_way:  # nothing is on its way: the database is right
                self.budget.agree(*seen.budget)
        self._overview.update(seen, self.exchange.worker)
        self.draft.moves.pace = self.exchange.committer.pace = pace(seen.totals.n_pages)
        self.versions.update(seen.totals)
        self.own_hosts.read_since(seen.n_written)
        self.other_workers.receive(seen.totals.n_workers, *(seen.other_demand or (0.0, [])))
        for own in self.own_hosts:
            if own.name in seen.news and seen.news[own.name] != own.news:
                own.news, own.has_news = seen.news[own.name], True
        reason = why_ended(seen.totals, self.budget.max_pages, self.goal.max_relevant)
        if not reason and seen.has_ended and is_up_to_date and not self._is_busy:
            reason = "finished"
        self.end_reason = reason or self.end_reason
        if lost := self._overview.lost_hosts(seen.news, self.own_hosts):
            self.exchange.add_tasks(give_back={name: self.rest_and_delay(name) for name in lost})
        if self._has_no_pages:
            self.own_hosts.release_all()
        else:
            self._overview.release_hosts(self.own_hosts, hosts_rest=not self.leaves_poor_links())
        self.least_priority = self._overview.least_priority() if self.leaves_poor_links() else None

    @property
    def _is_busy(self) -> bool:
        return bool(
            len(self.own_hosts) or self.own_hosts.under_way or self.exchange.n_pending or self.draft or self.has_more()
        )

    def _set_keeper_tasks(self) -> None:
        rests, ahead = {}, {}
        for own in self.own_hosts:
            if (own.is_empty or own.is_leaving) and own.is_idle:
                rests[own.name] = self.rest_and_delay(own.name)
                self.own_hosts.remove(own)
            elif own.wants_links and not own.is_leaving:
                ahead[own.name] = own.begin_reading()
        n_wanted = 0 if self._has_no_pages else self._overview.n_hosts_wanted
        tasks: dict[str, Any] = {
            "n_hosts": max(0, n_wanted - len(self.own_hosts)),
            "is_busy": self._is_busy,
            "n_own": len(self.own_hosts),
            "n_records": self.lessons.n_wanted(),
            "inherits": self.lessons.inherits(),
            "reads_texts": self.texts.on_received is not None,
            "reads_answers": self.answers.on_received is not None,
            "best": None,
        }
        # A worker that only waits for pages of the budget has links to ask for, too.
        if self.may_ask and not self._has_no_pages:
            places = (self.own_hosts.queue.place(own.number) for own in self.own_hosts)
            tasks["best"] = min(filter(None, places), default=None)
        self.budget.is_slow = not self.leaves_poor_links()
        # One that has given its hosts back for want of pages still asks for some: others return what they cannot fetch.
        is_wanted = self._is_busy or self._has_no_pages
        tasks |= self.budget.tasks(len(self.own_hosts.under_way), is_busy=is_wanted)
        if rests:
            tasks["give_back"] = rests
        if ahead:
            tasks["ahead"] = ahead
        if draws := self.drawn.wanted():
            tasks["draws"] = dict.fromkeys(draws)
        self.exchange.add_tasks(**tasks)
