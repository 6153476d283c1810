"""Lets people's verdicts decide what is delivered, at once and in the files when the crawl closes."""

from __future__ import annotations

import logging
import sqlite3
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.utils.asyncio import create_looping_call

from focused.collection.verdict_rows import VerdictRows
from focused.crawl.crawl import Crawl
from focused.crawl.delivered_feeds import DeliveredFeeds
from focused.crawl.delivered_files import correct_pages, remove_refused
from focused.crawl.delivered_words import BY_PEOPLE, DELIVERED, ROWS
from focused.crawl.final_judging import judge_again
from focused.crawl.late_delivery import LateDelivery
from focused.crawl.own_fields import OwnFields, own_values
from focused.frontier.resumption import TO_RESTORE
from focused.items import PageItem
from focused.retraining.applied_verdicts import KnownForms, PagesByForm, n_not_fetched, write_all_verdicts
from focused.utils.file_names import COLLECTION_FILE, PAGES_FILE
from focused.utils.output_settings import COLLECTION, PAGES_ENABLED
from focused.utils.reactor import yield_to_reactor

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self

    from focused.collection.verdict_rows import DeliveryChange

logger = logging.getLogger(__name__)

_EVERY_SECS = 0.25


class VerdictsPipeline:
    """Reads the verdict files of a crawl and lets them decide which pages are delivered.

    A page gets its verdict before it is counted, if there is one by then. A later verdict changes the page's row in the
    collection at once. It may also change the delivery of a page that has passed:

    - A page that becomes wanted is delivered late. An item of the page's class is made from the collection, and goes through
      all pipelines and to Scrapy's feeds. The project's own pipelines before this one pass it on.
    - A page that becomes refused is withdrawn. It is removed from ``pages.jsonl`` and from feeds in files when the crawl
      closes, and each pipeline with a method ``withdraw_item(item)`` is told at once (docs/how-to/give-verdicts.md).

    Place: 190, after the collection (180) has the page and before it is counted (200).

    Settings: FOCUSED_VERDICTS, a further file or folder beside ``RUN_DIR/verdicts/``, which is always read.

    Stats: ``focused/verdicts/used_count``, ``focused/verdicts/pending_count``, ``focused/verdicts/added_count``,
    ``focused/verdicts/withdrawn_count``, ``focused/verdicts/not_applied_count``, ``focused/pages/delivered_count``,
    ``focused/verdicts/decided_count``, ``focused/collection/rows_count``.
    """

    def __init__(self, crawler: Crawler, crawl: Crawl) -> None:
        self._crawler = crawler
        self._crawl = crawl
        self._stats = crawler.stats
        self._reader = crawl.verdicts
        self._rows: VerdictRows | None = None
        self._forms = KnownForms()
        self._own_fields = OwnFields()
        #: Canonical forms of URLs whose verdicts have changed and are not applied yet.
        self._changed_forms: dict[str, None] = {}
        self._late = LateDelivery(crawler, self._item)
        #: Pages that were delivered, and are no longer: people, or the last model, refuse them.
        self._withdrawn: set[str] = set()
        #: Pages that stand in ``pages.jsonl`` already when the pipelines deliver them late.
        self._stored: set[str] = set()
        self._feeds = DeliveredFeeds()
        self._calls: Any = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Stay out of spiders that do not crawl for a topic."""
        made = cls(crawler, Crawl.needed(crawler))
        crawler.signals.connect(made._feeds.slot_closed, signals.feed_slot_closed)
        crawler.signals.connect(made.feed_exporter_closed, signals.feed_exporter_closed)
        return made

    def open_spider(self) -> None:
        """Read all verdicts, and correct the files of an earlier run by them."""
        if COLLECTION.read(self._crawler.settings) != "off":
            rows = self._rows = VerdictRows(self._crawl.plan.run_dir / COLLECTION_FILE)
            known = PagesByForm(rows, self._forms)
            self._reader.table.is_known = lambda form: bool(self._try(lambda _: known(form)))
        self._reader.subscribe(lambda form: self._changed_forms.setdefault(form, None))
        self._reader.read_all()
        if self._may_have_changed() or self._stats.get_value(TO_RESTORE):
            self._know_all_pages()
            self._apply_all()
            if self._correct_files(says=True):
                self._stored = self._late.wanted()
        self._calls = create_looping_call(self._apply_and_deliver)
        self._calls.start(_EVERY_SECS, now=False)

    def process_item(self, item: Any) -> Any:
        """Give a page its verdict, if there is one already."""
        if not isinstance(item, PageItem) or item.is_late:
            return item
        self._own_fields.remember(item)
        forms = self._forms.remember(item.url, item.known_as)
        self._reader.read()
        self._apply_new()
        item.verdict = self._reader.table.relevant(forms)
        if item.verdict is not None:
            self._stats.inc_value("focused/verdicts/used_count")
            self._set_verdicts({item.url: item.verdict}, is_new_page=True)
        self._set_pending()
        return item

    async def before_close(self) -> None:
        """Have the last model judge the collection, apply people's verdicts on top, and tell the pipelines what changes."""
        if self._calls is not None and self._calls.running:
            self._calls.stop()
        while self._late.is_passing:
            await yield_to_reactor()
        self._reader.read_all()
        self._apply_new()
        if self._rows is not None:
            self._add(await judge_again(self._crawl, self._crawler.settings, self._stats))
        await self._late.pass_on()

    def close_spider(self) -> None:
        """Read the verdicts once more, and correct the collection and ``pages.jsonl`` by them."""
        if self._calls is not None and self._calls.running:
            self._calls.stop()
        self._reader.read_all()
        if self._may_have_changed():
            self._apply_all()
            self._late.tell_feeds()
            # Pages that are wanted have been written by now, so its counts would contradict those of the summary.
            self._correct_files(says=False)
        if self._rows is not None:
            self._stats.set_value(DELIVERED, self._rows.n_delivered())
            self._stats.set_value(ROWS, self._rows.n_pages())
            self._stats.set_value(BY_PEOPLE, self._rows.n_decided())
            if len(self._reader.table):
                n_pending = self._try(lambda rows: n_not_fetched(rows, self._reader.table, self._forms))
                self._stats.set_value("focused/verdicts/pending_count", n_pending or 0)
            self._rows.close()
        self._reader.close()

    def feed_exporter_closed(self) -> None:
        """Remove pages from the feeds that were refused after their delivery, or that stand there twice."""
        if not len(self._reader.table) and not self._withdrawn and not self._late.passed:
            return
        self._feeds.correct(self._is_refused, self._late.passed)

    def _apply_and_deliver(self) -> None:
        """Apply new verdicts, and deliver or withdraw pages by them."""
        self._reader.read()
        self._apply_new()
        self._late.start()

    def _apply_new(self) -> None:
        if self._changed_forms:
            forms, self._changed_forms = list(self._changed_forms), {}
            urls = {self._forms.url_of(form) for form in forms}
            self._set_verdicts({url: self._reader.table.relevant(self._forms.of(url)) for url in urls})

    def _apply_all(self) -> None:
        self._changed_forms.clear()
        self._crawl.write_rows()
        self._changed(self._try(lambda rows: write_all_verdicts(rows, self._reader.table, self._forms)) or [])

    def _set_verdicts(self, verdicts: dict[str, bool | None], *, is_new_page: bool = False) -> None:
        self._crawl.write_rows()  # that of this page, for one
        changes = self._try(lambda rows: rows.set_verdicts(verdicts.items())) or []
        if not is_new_page:
            self._changed(changes)

    def _changed(self, changes: list[DeliveryChange]) -> None:
        if (n_used := self._try(lambda rows: rows.n_judged())) is not None:
            self._stats.set_value("focused/verdicts/used_count", n_used)
        self._add(changes)
        for change in changes:
            self._stats.inc_value(f"focused/verdicts/{'added' if change.is_delivered else 'withdrawn'}_count")

    def _add(self, changes: list[DeliveryChange]) -> None:
        """Note changes of delivery, for the pipelines and for the feeds."""
        self._late.add(changes)
        for change in changes:
            (self._withdrawn.discard if change.is_delivered else self._withdrawn.add)(change.url)

    def _try(self, do: Any) -> Any:
        if self._rows is None:
            return None
        try:
            return do(self._rows)
        except sqlite3.Error as error:
            if not self._stats.get_value("focused/verdicts/not_applied_count"):
                logger.error(
                    "Verdicts cannot be written into %s: %s. They take effect when the crawl is resumed.",
                    COLLECTION_FILE,
                    error,
                )
            self._stats.inc_value("focused/verdicts/not_applied_count")
            return None

    def _correct_files(self, *, says: bool) -> bool:
        """Correct ``pages.jsonl`` so that it holds the delivered pages; return whether it does. ``says``: log what changes."""
        path = self._crawl.plan.run_dir / PAGES_FILE
        if not PAGES_ENABLED.read(self._crawler.settings):
            return False
        try:
            if self._rows is not None:
                n_out, n_in = correct_pages(path, self._rows.delivered(), self._record, self._is_unknown)
            else:
                n_out, n_in = remove_refused(path, "jsonlines", self._is_refused) if path.exists() else 0, 0
        except (OSError, ValueError, sqlite3.Error) as error:
            logger.error("%s cannot be corrected by verdicts and the last model: %s", path, error)
            self._stats.inc_value("focused/verdicts/not_applied_count")
            return False
        if says and (n_out or n_in):
            logger.info("%s corrected by verdicts and the last model: %d lines removed, %d added", path, n_out, n_in)
        return self._rows is not None

    def _record(self, url: str) -> dict[str, Any] | None:
        row = self._row(url)
        if row is None:
            return None
        record = asdict(self._own_fields.late(row))
        # Where the class is not known any more, its fields are in the file all the same.
        return record | {name: value for name, value in own_values(row).items() if name not in record}

    def _item(self, url: str) -> PageItem | None:
        row = self._row(url)
        if row is None:
            return None
        item = self._own_fields.late(row)
        item.is_stored = url in self._stored
        return item

    def _row(self, url: str) -> dict[str, Any] | None:
        row = self._try(lambda rows: rows.row(url))
        return None if row is None else {name: row[name] for name in row.keys()}  # noqa: SIM118  a row of SQLite

    def _is_unknown(self, url: str) -> bool:
        """Whether a page is missing in the collection, which was lost or not kept, and nobody refuses it."""
        return not (self._rows is None or self._rows.addresses_of([url])) and not self._is_refused(url)

    def _is_refused(self, url: str) -> bool:
        return url in self._withdrawn or self._reader.table.relevant(self._forms.of(url)) is False

    def _know_all_pages(self) -> None:
        for url, location in self._try(lambda rows: list(rows.addresses())) or ():
            self._forms.remember(url, location)

    def _may_have_changed(self) -> bool:
        """Whether any page may be delivered now that was not when it was fetched, or the reverse."""
        is_said = len(self._reader.table) or self._try(lambda rows: rows.judged())
        return bool(is_said or self._try(lambda rows: rows.is_judged_again()))

    def _set_pending(self) -> None:
        used = self._stats.get_value("focused/verdicts/used_count", 0)
        if len(self._reader.table):
            self._stats.set_value("focused/verdicts/pending_count", max(len(self._reader.table) - used, 0))
