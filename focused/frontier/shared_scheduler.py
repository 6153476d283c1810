"""The project's scheduler for workers that share a crawl: the links are in a database, and each worker has some hosts.

Nothing here waits for the database: see docs/method/many-workers.md.
"""

from __future__ import annotations

import logging
import os
import socket
from typing import TYPE_CHECKING

import psycopg
from scrapy import signals
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.defer import succeed
from twisted.internet.threads import deferToThread

from focused.frontier.learning_from_others import LearningFromOthers
from focused.frontier.opening import link_order, open_patience, store_limits
from focused.frontier.scheduler import FrontierScheduler
from focused.frontier.shared.events import LEASE_LOST
from focused.frontier.shared.exchange import Exchange
from focused.frontier.shared.orphan_links import OrphanLinks
from focused.frontier.shared.schema import SharedFrontierError
from focused.frontier.shared.store import SharedStore
from focused.frontier.shared.worker import Worker
from focused.frontier.shared.worker_terms import Database, WorkerTerms
from focused.frontier.store.texts import MAX_PAGES as MAX_TEXTS
from focused.utils.database import cannot_be_used, what_to_do
from focused.utils.finish_reasons import WORDS_NOT_FOUND
from focused.utils.frontier_settings import DATABASE, SHARED_CRAWL
from focused.utils.scrapy_internals import requests_in_progress
from focused.utils.words import quantity

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy import Request, Spider
    from twisted.internet.defer import Deferred

    from focused.frontier.leases import Lease
    from focused.frontier.patience import Patience
    from focused.frontier.politeness import HostAvailability
    from focused.frontier.resumption import Resumption
    from focused.frontier.session_records import SessionRecords
    from focused.frontier.shared.commit_result import CommitResult
    from focused.frontier.shared.page import PageCommit
    from focused.frontier.shared.texts import OtherText
    from focused.frontier.store.interface import LinkStore

logger = logging.getLogger(__name__)

REDIRECTED = "redirect: its target waits as a link"
"""Note of links that were redirected: the target's host may be another worker's."""
_LOOK_AGAIN_SECS = 0.2
_HOSTS_A_REQUEST = 4
"""Hosts that a worker holds at most, for each request that may be under way."""
_TAKEN_OVER = "focused/workers/taken_over_count"
_OF_ALL = ("max_minutes", WORDS_NOT_FOUND)
"""Why all workers end when one does: see focused.extensions.time_limit and focused.pipelines.shared_retraining."""
_REFUSED = "focused/workers/refused_count"


class SharedScheduler(FrontierScheduler):
    """Hands out the best link of this worker's hosts; what its pages bring goes to the database.

    A page is done when its transaction is. One that another worker had fetched meanwhile, or whose worker had lost its lease,
    is refused there and counted. The page budget is kept exactly over all workers.

    Settings: FOCUSED_DATABASE, FOCUSED_CRAWL, CONCURRENT_REQUESTS (with it, how many hosts a worker holds).

    Stats: as FrontierScheduler, but ``focused/frontier/cut_count``; ``focused/workers/refused_count``,
    ``focused/workers/taken_over_count`` (links of workers that have ended),
    ``focused/workers/texts_heard_count`` (pages of others, whose copies are known for copies),
    ``focused/workers/unwritten_count`` (pages that were not durable when the worker ended); those of `LearningFromOthers`.
    """

    def open(self, spider: Spider) -> None:
        """Join the crawl. If that fails, the worker ends and logs why."""
        try:
            self._open()
        except (psycopg.Error, SharedFrontierError) as error:
            is_said = isinstance(error, SharedFrontierError)
            self._crawl.fail(str(error) if is_said else cannot_be_used(DATABASE.name, error))
            self.crawler.signals.connect(self._not_opened, signals.spider_opened)
            return
        self._is_open = True
        self.frontier.robots, self.frontier.versions = self.worker.robots, self.worker.versions
        versions = self.worker.versions
        versions.fingerprint, versions.place = self._requests.url_fingerprint, self.shared.move
        troubles, self._unreachable.hand_on_trouble = self.worker.troubles, self.worker.troubles.hand_on
        troubles.on_known = self._unreachable.failures.take_over

    def _open_store(self, folder: Path) -> LinkStore:
        settings, task = self.crawler.settings, self._task
        order, limits = link_order(task), store_limits(settings)
        terms = WorkerTerms(
            f"{socket.gethostname()}:{os.getpid()}",
            max_pages=task.max_pages,
            by_domain=bool(limits.max_per_domain),
        )
        database = Database(DATABASE.read(settings))
        exchange = Exchange(database, SHARED_CRAWL.read(settings), terms=terms, order=order)
        self.worker = worker = Worker(
            exchange,
            max_pages=task.max_pages,
            max_relevant=task.max_relevant,
            max_hosts=max(1, _HOSTS_A_REQUEST * settings.getint("CONCURRENT_REQUESTS")),
        )
        self.shared = SharedStore(worker, order.ranks, limits)
        worker.on_written, worker.on_refused, worker.on_gone = self._written, self._refused, self._gone
        worker.let_rest, worker.rest_and_delay = self._let_rest, self._rest_and_delay
        self._is_ending = False
        #: Where the strategy learns from other workers, too; None: it does not.
        self._from_others: LearningFromOthers | None = None
        worker.leaves_poor_links = lambda: not self._leases.ready_at.delay_of("")
        # Of requests that only memory can hold.
        worker.has_more = lambda: bool(len(self._queue) or requests_in_progress(self.crawler))
        worker.goal.n_found = lambda: self._crawl.harvest.n_relevant
        worker.lessons.model_version = lambda: self._crawl.model_version
        exchange.box.woken = self._woken
        return self.shared

    def _open_patience(self, ready_at: HostAvailability) -> Patience | None:
        def n_left() -> int:
            totals = self.worker.totals
            return self._task.max_pages - (0 if totals is None else totals.n_pages) - len(self._leases)

        others = self.worker.other_workers
        return open_patience(self.crawler, self._crawl, self.store, ready_at, other_workers=others, n_left=n_left)

    def _resume(self, earlier: Resumption, session_records: SessionRecords | None) -> None:
        self._outcomes.resume()
        self._budget.n_on_their_way = lambda: self.worker.exchange.n_pending
        self._crawl.harvest.begin_after(self.worker.exchange.spent_secs)
        # First, so that pages that have proved soft 404s since they ended count as such.
        if (sinking := self._outcomes.sinking) is not None and sinking.soft_404s.are_probed:
            sinking.soft_404s.restore(self.worker.answers.subscribe(sinking.merge_answers))
        if self._crawl.texts is not None or sinking is not None or self._outcomes.penalty.strength:
            self.worker.texts.subscribe(self._receive_texts, MAX_TEXTS)
        if session_records is None:
            return
        if session_records.session.expect_other_workers():
            self.worker.begin_alone(session_records.session.n_pages_alone)
            self._from_others = from_others = LearningFromOthers(
                session_records.session, self._crawl.judging_turn, self._stats
            )
            lessons = self.worker.lessons
            lessons.n_wanted, lessons.on_received = lambda: from_others.n_wanted, from_others.put
            lessons.on_other_model = from_others.leave_out
            self.worker.versions.on_change = from_others.forget
            #: Links of workers that have ended.
            self.orphans = orphans = OrphanLinks(
                session_records.session, self.shared.waiting, self._requests.url_fingerprint
            )
            lessons.inherits = lambda: from_others.is_idle and orphans.is_ready
            lessons.on_inherited, lessons.on_scores = orphans.inherit, self._take_over
        self._session_records = session_records
        if n_bad := session_records.resume():
            self._stats.inc_value("focused/adaptive/records_lost_count", n_bad)

    def _receive_texts(self, texts: list[OtherText]) -> None:
        """Know copies of pages of other workers for copies, and let links stand back for what those have brought."""
        if self._crawl.texts is not None:
            self._crawl.texts.restore((each.url, each.sketch, each.relevant) for each in texts if each.sketch)
        for each in texts:
            self._outcomes.learn_from_other_worker(*each)
        self._stats.inc_value("focused/workers/texts_heard_count", len(texts))

    def _take_over(self, scores: dict[int, float]) -> None:
        """Move links from now on whose finder has ended."""
        self.orphans.place(scores)
        self._stats.set_value(_TAKEN_OVER, self.orphans.n_taken)
        self._session_records.move()

    def has_pending_requests(self) -> bool:
        """Tell whether anything waits, or may come from another worker."""
        return self._is_open and (not self.worker.end_reason or len(self._queue) > 0)

    def next_request(self) -> Request | None:
        """Return the next request, or None where no host of this worker may be asked, or its lease is near its end."""
        if self._checkpoints.is_broken or self.completion.page_lock.is_taken:
            return None
        worker = self.worker
        if self._from_others is not None and self._from_others.take_news():
            self._session_records.move(only_urgent=True)
        # Those that are only orphans count as under way, and the budget may have no place but theirs.
        self.completion.end_orphans(requests_in_progress(self.crawler))
        worker.process_events()
        if worker.is_lost:
            self._let_go()
        if worker.end_reason and not self._is_ending:
            self._end()
        # A retry that waits here has its place in the budget already.
        is_spent = worker.is_spent and not len(self._queue)
        if worker.end_reason or not worker.may_ask or is_spent or worker.versions.waits():
            self._wakeup.at(self._leases.now() + _LOOK_AGAIN_SECS)
            return None
        return super().next_request()

    def close(self, reason: str) -> Deferred[None]:  # type: ignore[override]
        """Write the last pages and end the lease, in a thread, so that the reactor is free meanwhile."""
        if not self._is_open:
            super().close(reason)
            return succeed(None)
        if self._from_others is not None:
            self._from_others.close()
        if reason in _OF_ALL:
            self.worker.end_reason = self.worker.end_reason or reason
        super().close(reason)
        return deferToThread(self._say_good_bye)

    # --- Inside

    def _close_store(self) -> None:
        """The store is closed by `_say_good_bye`."""

    def _say_good_bye(self) -> None:
        if n_left := self.shared.close(self.worker.end_reason):
            self._stats.set_value("focused/workers/unwritten_count", n_left)
            logger.error(
                "%s could not be written in time; their links wait in the database and are fetched again.",
                quantity(n_left, "pages"),
            )

    def _continue(self, lease: Lease, request: Request) -> bool:
        """Take in a retry; let the target of a redirect wait as a link, for its host may be another worker's."""
        if request.dont_filter:
            return super()._continue(lease, request)
        self.store.claim(self._requests.redirect_to_link(request, lease.link))
        lease.dropped = REDIRECTED
        return False

    def _end(self) -> None:
        if self.worker.end_reason != "finished":
            self._is_ending = True
            assert self.crawler.engine is not None
            deferred_from_coro(self.crawler.engine.close_spider_async(reason=self.worker.end_reason))

    def _let_go(self) -> None:
        """Forget retries that wait: their hosts are another worker's by now."""
        self._queue.clear()
        for lease in self._leases:
            if lease.is_queued:
                self._outcomes.give_back(lease)
                self._leases.end(lease)

    def _written(self, written: CommitResult) -> None:
        new = (link.evidence for link in written.new)
        joined = ((known, link.evidence) for link, known in written.joined)
        self._admission.count_written(new, joined, written.n_known)
        self.shared.written(written)
        for link, _ in written.joined:
            if link.request is None:
                self._links.note_stored_evidence(link.url, link.number, link.evidence)

    def _refused(self, page: PageCommit, why: str) -> None:
        self._stats.inc_value(_REFUSED)
        for new in page.links:
            self._links.forget(new.url)
        if why == LEASE_LOST and not page.ended:
            self.store.add(page.links)  # those of no page, such as seeds: nobody finds them again
        for link in page.ended:
            logger.debug("%s is not counted: %s", link.url, why)
            if why == LEASE_LOST:  # it waits again, and this worker may ask for it once more
                self._links.forget_fetched(link.url)
        if why not in ("known", LEASE_LOST):
            logger.warning("A page could not be stored in the database, so its link counts as failed: %s", why)

    def _gone(self, error: Exception) -> None:
        if self._checkpoints.is_broken:
            return
        self._checkpoints.is_broken = True
        why = " ".join(str(error).split()).rstrip(".?")
        self._not_writable(
            f"The crawl's database cannot be used: {why}{what_to_do(error)}. This worker ends; what it had under way is "
            "fetched again. When the database can be used again, the same command goes on."
        )

    def _let_rest(self, host: str, secs: float, delay: float) -> None:
        ready_at = self._leases.ready_at
        if secs > 0:
            ready_at.rest(host, self._leases.now() + secs)
        if delay > ready_at.delay_of(host):
            ready_at.crawl_delays[host] = delay

    def _rest_and_delay(self, host: str) -> tuple[float, float]:
        ready_at = self._leases.ready_at
        delay = ready_at.delay_of(host)
        # The next owner begins with all links: the rest of some of them is the host's only where it has no others.
        own = self.worker.own_hosts.get(host)
        away = self._unreachable.resting_until(host) if own is not None and own.is_all_aside else 0.0
        return max(delay, max(ready_at.rest_of(host), away) - self._leases.now()), delay

    def _woken(self) -> None:
        """Look at once what the threads have done; called in one of them."""
        from twisted.internet import reactor

        reactor.callFromThread(self._wakeup.now)
