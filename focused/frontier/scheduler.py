"""The project's scheduler: a frontier on disk that survives whatever ends the crawl.

What Scrapy asks of a scheduler, and which part answers: :mod:`~focused.frontier.admission` takes links in,
:mod:`~focused.frontier.dispatch` chooses the next, :mod:`~focused.frontier.budget` says whether there is a place for it,
:mod:`~focused.frontier.completion` ends each, :mod:`~focused.frontier.checkpoints` makes all durable. What the rest of the
crawl asks, :mod:`~focused.frontier.durable_frontier` answers.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.core.scheduler import BaseScheduler, Scheduler
from scrapy.exceptions import CloseSpider
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.misc import load_object

from focused.frontier.admission import Admission
from focused.frontier.budget import Budget
from focused.frontier.checkpoints import Checkpoints
from focused.frontier.completion import Completion
from focused.frontier.crawl_interface import CrawlOfFrontier, crawl_of
from focused.frontier.dispatch import Dispatch, count_passed_over
from focused.frontier.durable_frontier import DurableFrontier
from focused.frontier.leases import Lease, Leases
from focused.frontier.link_requests import LinkRequests, NotDurableError
from focused.frontier.opening import open_links, open_outcomes, open_patience, open_store, open_unreachable
from focused.frontier.patience import PATIENCE, Patience
from focused.frontier.politeness import host_availability
from focused.frontier.resumption import Resumption
from focused.frontier.session_records import SessionRecords
from focused.frontier.store.interface import SOFT_404S
from focused.frontier.store.schema import FrontierFileError, damaged
from focused.frontier.wakeup import Wakeup
from focused.utils.file_names import FRONTIER_FILE
from focused.utils.frontier_settings import DATABASE
from focused.utils.open_files import has_room
from focused.utils.scope import ELSEWHERE
from focused.utils.scrapy_internals import close_idle_connections, requests_in_progress

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from typing_extensions import Self

    from focused.frontier.politeness import HostAvailability
    from focused.frontier.store.interface import LinkStore

_SHARED = "focused.frontier.shared_scheduler.SharedScheduler"
"""The scheduler of a crawl that many workers share: with FOCUSED_DATABASE."""
_PAUSE_SECS = 0.2
"""Nothing is asked for so long when there is no room for a further connection; the end of a page wakes the crawl sooner."""


class FrontierScheduler(BaseScheduler):
    """Keeps every link in the run directory and hands out the best one whose host may be asked now.

    A link is done when its page's links and item are in: all of it is in one transaction, together with the crawl's
    counters and the lengths of the files that hold its pages. Some pages share one: see `Checkpoints`. A page that was
    under way when a crawl died, or that had ended just before, is fetched again.
    The page budget is kept exactly: no more requests are handed out than it has pages left, counting those under way.
    The spider's own requests are kept whole: callback by name, method, headers, body, meta that JSON can keep. A request that
    cannot be kept waits in memory only; it is counted, and the log says so once.

    Settings: JOBDIR (where the file is, if not in the run directory), FOCUSED_FRONTIER_MAX_LINKS,
    FOCUSED_FRONTIER_MAX_PER_HOST, FOCUSED_FRONTIER_MAX_TUNNEL, FOCUSED_FRONTIER_HOST_SINK, FOCUSED_PATIENCE,
    FOCUSED_HOST_REST_SECS, FOCUSED_HOST_FAILURES.

    Stats: ``scheduler/enqueued``, ``scheduler/dequeued``, ``dupefilter/filtered``; of new links,
    ``focused/links/by_REASON_count`` and ``focused/links/deferred_count``; ``focused/frontier/merged_count``,
    ``moved_count``, ``over_host_cap_count``, ``host_cap_dropped_count``, ``too_deep_count``, ``cut_count``,
    ``not_durable_count``, ``resumed_count``, ``passed_over_count``, ``passed_over_levels_count``, ``rests_count``.
    """

    #: Whether a crawl can be resumed in the run directory of an earlier one: see focused.crawl.planning.
    is_durable = True

    def __init__(self, crawler: Crawler, crawl: CrawlOfFrontier) -> None:
        self.crawler = crawler
        self._crawl = crawl
        self._task = crawl.task
        self._stats = crawler.stats
        self._requests = LinkRequests(crawler)
        self._wakeup = Wakeup(crawler)
        self._is_open = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self | Scheduler:  # type: ignore[override]
        """Serve a crawl for a topic; other spiders get Scrapy's own scheduler."""
        crawl = crawl_of(crawler)
        if crawl is None:
            return Scheduler.from_crawler(crawler)
        return load_object(_SHARED)(crawler, crawl) if DATABASE.read(crawler.settings) else cls(crawler, crawl)

    def open(self, spider: Spider) -> None:
        """Open the frontier's file, and resume the last run if there is one. If that fails, the crawl ends and logs why."""
        try:
            self._open()
        except Exception as error:  # noqa: BLE001  whatever a damaged file, or one from a stranger, leads to
            if hasattr(self, "store"):
                self._close_store()
            what = f"{type(error).__name__}: {error}"
            is_said = isinstance(error, FrontierFileError)
            self._crawl.fail(str(error) if is_said else damaged(self._folder / FRONTIER_FILE, what))
            # If the scheduler has not opened, Scrapy cannot close the crawl at once without a traceback.
            self.crawler.signals.connect(self._not_opened, signals.spider_opened)
            return
        self._is_open = True

    @property
    def _folder(self) -> Path:
        """Where the frontier's file is."""
        return Path(self.crawler.settings.get("JOBDIR") or self._task.run_dir)

    def _open(self) -> None:
        """Open the store, put the parts of the frontier together, and resume the last run."""
        crawler, task, settings, folder = self.crawler, self._task, self.crawler.settings, self._folder
        assert crawler.engine is not None
        folder.mkdir(parents=True, exist_ok=True)
        #: The links, on disk.
        self.store = self._open_store(folder)
        session_records = None if self._crawl.session is None else SessionRecords(self.store, self._crawl.session)
        # Politeness is kept, because signals hold only weak references to their receivers.
        ready_at, self._politeness = host_availability(crawler, is_live=task.is_live)
        self._links = open_links(self.store, task, settings)
        self._leases = Leases(crawler.signals, ready_at)
        self._unreachable = open_unreachable(self.store, self._leases, crawler)
        self._outcomes = open_outcomes(self.store, self._requests, session_records, crawler)
        self._checkpoints = Checkpoints(self.store, self._stats, self._crawl.harvest, task.run_dir)
        self._checkpoints.failed = self._not_writable
        self._sends_cookies = settings.getbool("COOKIES_ENABLED")
        if self._outcomes.sinking is not None:
            self._checkpoints.changed = self._outcomes.sinking.changed
        self._admission = Admission(crawler, self._links, self._requests, session_records)
        #: Chooses the next request.
        spares = bool(task.max_pages and PATIENCE.read(settings))
        self.dispatch = Dispatch(self._links, self._requests, self._leases, spares=spares)
        self._queue, self._outcomes.random_links = self.dispatch.queue, self.dispatch.random_links
        self._budget = Budget(crawler, self._leases, self._crawl.session, is_live=task.is_live)
        #: Ends pages: see focused.pipelines.page_end.
        self.completion = Completion(self._admission, self._leases, self._outcomes, self._checkpoints)
        self.completion.on_page_ended = self._wakeup.now
        crawler.signals.connect(self._spider_opened, signals.spider_opened)
        self._resume(Resumption(self.store, task, folder), session_records)
        # After the resumption, because it uses the stats and the links of an earlier run.
        self.dispatch.patience = self._outcomes.patience = self._open_patience(ready_at)
        #: The frontier as the rest of the crawl sees it.
        self.frontier = DurableFrontier(task, self.dispatch, self.completion, self._unreachable)
        self._crawl.use_frontier(self.frontier)

    def _open_store(self, folder: Path) -> LinkStore:
        return open_store(folder / FRONTIER_FILE, self._task, self.crawler.settings)

    def _open_patience(self, ready_at: HostAvailability) -> Patience | None:
        return open_patience(self.crawler, self._crawl, self.store, ready_at)

    def __len__(self) -> int:
        """Return how many links and other requests wait."""
        return self.frontier.n_waiting if self._is_open else 0

    def has_pending_requests(self) -> bool:
        """Tell whether anything waits."""
        return len(self) > 0

    def enqueue_request(self, request: Request) -> bool:
        """Add a link, a retry, a redirect or any other request; tell whether it was new."""
        if self._checkpoints.is_broken:
            return False
        lease = self._leases.of(request)
        try:
            if lease is not None:
                lease.clear_inherited(request)
                return self._continue(lease, request)
            return self._admission.admit(self._requests.to_link(request))
        except NotDurableError as error:
            if not self._admission.is_new_in_memory(request):
                self._stats.inc_value("dupefilter/filtered")
                return False
            self._requests.count_not_durable(request, error)
        except sqlite3.Error as error:
            self._checkpoints.fail(error)
            return False
        self._keep_in_memory(request, is_new=True)
        return True

    def next_request(self) -> Request | None:
        """Return the next request, or None where no host may be asked or the budget has no place for it now."""
        # While a page is being ended, its links may be better than those that wait.
        if self._checkpoints.is_broken or self.completion.page_lock.is_taken:
            return None
        try:
            self.completion.end_orphans(requests_in_progress(self.crawler))
            if self._unreachable.end_rests():
                self._checkpoints.commit()
            if self._checkpoints.is_broken or not self._budget.is_left(self._task.max_pages):
                self._wakeup.at(self._budget.next_check_time())
                return None
            if self._task.is_live and self._leases and not has_room(len(self._leases)):
                self._unreachable.pause(_PAUSE_SECS)
                close_idle_connections(self.crawler)
            if self._leases.now() < self._unreachable.paused_until:
                self._wakeup.at(self._unreachable.paused_until)
                return None
            request = self.dispatch.next()
        except sqlite3.Error as error:
            self._checkpoints.fail(error)
            return None
        if request is None:
            times = self.dispatch.next_time(), self._unreachable.next_end_of_rest()
            next_time = min((time for time in times if time is not None), default=None)
            self._wakeup.at(next_time)
            if not self._leases:
                self._unreachable.log_waiting(next_time)
            return None
        self._stats.inc_value("scheduler/dequeued")
        if self.dispatch.levels_below:
            count_passed_over(self._stats, request, self.dispatch.levels_below)
        return request

    def close(self, reason: str) -> None:
        """Commit and close the file; what is still under way waits again."""
        self._wakeup.close()
        if not self._is_open:
            return
        self.completion.close()
        if not self._checkpoints.is_broken:
            try:
                self.completion.end_orphans(requests_in_progress(self.crawler))
                self.completion.give_back_all()
                self._queue.clear()  # its links wait in the store again, the rest ends with the process
                self._links.close()
                self._checkpoints.commit()
            except sqlite3.Error as error:
                self._checkpoints.fail(error)
        self.frontier.note_best_links()
        self._close_store()

    # --- Inside

    def _close_store(self) -> None:
        self.store.close()

    def _resume(self, earlier: Resumption, session_records: SessionRecords | None) -> None:
        earlier.restore(self._stats, self._crawl.harvest)
        self._links.resume(earlier.fetched_urls())
        self._outcomes.resume()
        self._unreachable.resume()
        if self._crawl.texts is not None:
            self._crawl.texts.restore(self._outcomes.texts.sketches())
        if (sinking := self._outcomes.sinking) is not None:
            sinking.soft_404s.restore(self.store.remembered(SOFT_404S, {}))
            sinking.restore(self._outcomes.texts.pages())
        if session_records is not None and (n_bad := session_records.resume()):
            self._stats.inc_value("focused/adaptive/records_lost_count", n_bad)
        earlier.begin()

    def _continue(self, lease: Lease, request: Request) -> bool:
        """Add a retry, or the target of a redirect, of a link under way; return whether it will be fetched."""
        if not request.dont_filter:
            number = self.store.claim(self._requests.redirect_to_link(request, lease.link))
            if number is not None:
                lease.numbers.append(number)
            # Where cookies are sent, it may be back for a page that wanted one; Scrapy ends what goes on in a circle.
            elif not (self._sends_cookies and request.url in request.meta.get("redirect_urls", ())):
                lease.dropped, lease.known_target = ELSEWHERE, request.url
                self._stats.inc_value("dupefilter/filtered")
                return False
        if self._unreachable.rests_until(request.url) > self._leases.now():
            lease.waits_again = True
            return False
        self._leases.queue(lease, request)
        self._keep_in_memory(request, is_new=False)
        return True

    def _keep_in_memory(self, request: Request, *, is_new: bool) -> None:
        self._queue.push(request, is_new=is_new)
        self._stats.inc_value("scheduler/enqueued")

    def _not_opened(self) -> None:
        raise CloseSpider("frontier_not_readable")

    def _spider_opened(self, spider: Spider) -> None:
        self._requests.spider_opened()
        harvest, task = self._crawl.harvest, self._task
        if 0 < task.max_pages <= harvest.n_pages:
            raise CloseSpider("max_pages")
        if 0 < task.max_relevant <= harvest.n_relevant:
            raise CloseSpider("max_relevant")

    def _not_writable(self, why: str) -> None:
        """End the crawl, whose command fails: what is not durable will be fetched again."""
        self._crawl.fail(why)
        assert self.crawler.engine is not None
        deferred_from_coro(self.crawler.engine.close_spider_async(reason="frontier_not_writable"))
