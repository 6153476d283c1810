"""Workers of one crawl learn from each other, on a real server: what one's links led to guides all, and nothing counts twice."""

from __future__ import annotations

import threading
import time
from itertools import count
from typing import TYPE_CHECKING, Any

import hand_made
import pytest
from test_shared_store import a_store, loses_lease, until

from focused.frontier.session_records import SessionRecords
from focused.frontier.shared.orphan_links import Inheritance, OrphanLinks
from focused.frontier.shared.schema import connect, make_tables
from focused.frontier.store.link import FrontierLink, fingerprint_of
from focused.method.page.reader import PageReader
from focused.method.page.text_units import KINDS
from focused.method.scoring import Evidence, Visit
from focused.method.strategies.linkmodel.memory_tables import NOT_WAITING
from focused.method.strategies.linkmodel.session import LinkSession
from focused.method.text.analyzer import Analyzer
from focused.method.topic.judge import Judge
from focused.utils.origins import host_of
from focused.utils.steps import finish

if TYPE_CHECKING:
    from focused.method.page.page import Page

READER, JUDGE = PageReader(Analyzer("en")), Judge(hand_made.topic())
HOME = "http://h.org/"
READ_SECS = 0.02
GOOD, BAD = "http://h.org/good/new.html", "http://h.org/bad/new.html"


def read(url: str, text: str, *links: str) -> Page:
    return READER.read(hand_made.html(text, *((link, "more") for link in links)), url)


def home() -> Page:
    """Links to pages in two folders, all with one text: nothing tells them apart until some were fetched."""
    return read(HOME, "Welcome.", *pages(), GOOD, BAD)


def pages(host: str = "h.org") -> dict[str, str]:
    """Texts of pages by their URLs: those in one folder are about stars."""
    return {
        f"http://{host}/{folder}/{number}.html": f"{text} Page {number}."
        for number in range(8)
        for folder, text in (("good", hand_made.STARS), ("bad", hand_made.FOOD))
    }


class Worker:
    """A worker of a crawl: its store, its session, and what it hears of others."""

    def __init__(self, database: str, *, max_links: int = 1_000) -> None:
        self.store = a_store(database)
        self._asks, self._turn, self._keeper = False, threading.Lock(), self.store.worker.exchange.keeper
        self._keep, self._keeper._keep = self._keeper._keep, self._keep_hosts_free  # type: ignore[method-assign]
        self.session = LinkSession(max_links=max_links)
        assert self.session.expect_other_workers()
        self.learning = SessionRecords(self.store, self.session)
        self.n_heard = self.n_other_model = 0
        self.n_lost = self.learning.resume()
        self.store.worker.lessons.n_wanted = lambda: 100
        self.store.worker.lessons.on_received = self._hear
        self.refused: list[str] = []
        self.store.worker.on_refused = lambda page, why: self.refused.append(why)

    def _hear(self, records: list[bytes]) -> None:
        for record in records:
            finish(self.session.learn_from_others([record]))  # type: ignore[arg-type]
        self.n_heard += len(records)

    def inherits(self) -> None:
        """Take over links of workers that have ended, as the scheduler does."""
        lessons = self.store.worker.lessons
        self.orphans = OrphanLinks(self.session, self.store.waiting, lambda url: fingerprint_of(url, host_of(url)))
        lessons.inherits = lambda: self.orphans.is_ready
        lessons.on_inherited, lessons.on_scores = self.orphans.inherit, self.orphans.place

    def asks(self, url: str) -> int:
        """Take in a link, and have it under way; its number."""
        self.store.add([FrontierLink(fingerprint_of(url, host_of(url)), url, Evidence(0.5, 0, True))])
        self.commits()
        return self.has_under_way(url)

    def has_under_way(self, url: str) -> int:
        """Have the link that waits under way; its number."""
        self.store.worker.process_events()
        self._asks = True
        until(lambda: self.store.next() is not None, self.store)
        with self._turn:
            self._asks = False
        [(number, (_, link))] = self.store.own.under_way.items()
        assert link.url == url
        return number

    def _keep_hosts_free(self, leasing: Any, tasks: Any) -> bool:
        """Leave hosts to the others in all turns of the keeper but those in which a link is asked for."""
        with self._turn:
            if not self._asks:
                tasks.n_hosts = 0
            return self._keep(leasing, tasks)

    def ends(self, number: int, page: Page, depth: int = 1) -> None:
        """Learn from a page, and let it become durable."""
        own = Visit(urls=(page.url,), depth=depth)
        relevance = JUDGE.judge(page, KINDS)
        self.session.score(page, relevance, own)
        self.store.done(number, relevant=relevance.is_relevant)
        self.learning.page_ended(page.url)
        self.commits()

    def commits(self) -> None:
        self.store.commit()
        until(lambda: not (self.store.draft or self.store.worker.exchange.n_pending), self.store)

    def fetches(self, page: Page, depth: int = 1) -> None:
        self.ends(self.asks(page.url), page, depth)

    def fetches_all(self) -> None:
        self.fetches(home(), depth=0)
        for url, text in pages().items():
            self.fetches(read(url, text))

    def hears(self, n_records: int) -> None:
        """Wait until so many records have come in all, and see that there are no more."""
        until(lambda: self.n_heard >= n_records, self.store)
        end = time.monotonic() + 5 * READ_SECS
        until(lambda: time.monotonic() > end, self.store)
        assert self.n_heard == n_records

    def scores(self, *urls: str) -> list[float]:
        return self.session.learner.scorer.scores(self.session.memory.add_urls([*urls])).tolist()


@pytest.fixture
def worker(database, monkeypatch):
    """Makes workers of one crawl, whose threads look ten times as often for something to do."""
    for name, secs in (("_TICK_SECS", 0.01), ("_READ_SECS", READ_SECS), ("_INHERIT_SECS", 0.1)):
        monkeypatch.setattr(f"focused.frontier.shared.keeper.{name}", secs)
    monkeypatch.setattr("focused.frontier.shared.committer._BETWEEN_SECS", 0.0)
    made = []

    def make(**options: Any) -> Worker:
        made.append(Worker(database, **options))
        return made[-1]

    yield make
    for each in made:
        each.store.close()


def test_what_links_of_one_worker_led_to_changes_the_score_that_another_gives_to_a_like_link(worker):
    one, other = worker(), worker()
    one.fetches(home(), depth=0)
    other.hears(1)
    good, bad = other.scores(GOOD, BAD)
    assert abs(good - bad) < 0.02
    for url, text in pages().items():
        one.fetches(read(url, text))
    other.hears(1 + len(pages()))
    good, bad = other.scores(GOOD, BAD)
    assert good > bad + 0.2
    # As if the pages were its own; the fits fall on the same pages.
    assert other.scores(GOOD, BAD, *pages()) == pytest.approx(one.scores(GOOD, BAD, *pages()), abs=1e-9)
    assert other.session.figures == one.session.figures


def test_links_that_a_worker_has_found_move_when_like_links_of_another_led_somewhere(worker, database):
    one, other = worker(), worker()
    number = one.asks(HOME)  # its host is this worker's
    page = read("http://k.org/", "Welcome.", GOOD, BAD)
    other.asks(page.url)
    other.session.score(page, JUDGE.judge(page, KINDS), Visit(urls=(page.url,)))
    for url in (GOOD, BAD):
        other.store.add([FrontierLink(fingerprint_of(url, host_of(url)), url, Evidence(0.1, 0, True))])
        other.learning.note_waiting(url, 0.1)
    other.commits()
    one.ends(number, home(), depth=0)
    for url, text in pages().items():
        one.fetches(read(url, text))
    other.hears(1 + len(pages()))
    other.learning.move(is_last=True)
    other.commits()
    with connect(database) as sql:
        scores = dict(sql.execute("SELECT url, score FROM links WHERE url = ANY(%s)", ([GOOD, BAD],)).fetchall())
    assert scores == pytest.approx(dict(zip((GOOD, BAD), other.scores(GOOD, BAD), strict=True)), abs=0.001)
    assert scores[GOOD] > scores[BAD] + 0.05


def test_of_two_workers_that_ask_at_once_one_becomes_the_heir(database):
    with connect(database) as one, connect(database) as other:
        make_tables(one)
        for name in "abc":
            one.execute(
                "INSERT INTO workers (crawl, name, alive_until) VALUES (1, %s, now() + interval '1 h')", (name,)
            )
        one.execute("UPDATE workers SET ended_at = now() WHERE id = 1")
        for _ in range(200):
            one.execute("UPDATE workers SET heir = NULL")
            begin, heirs = threading.Barrier(2), []

            def ask(sql, number, begin=begin, heirs=heirs) -> None:
                begin.wait()
                if Inheritance(1)._inherits(sql, number, {number}, {1}):
                    heirs.append(number)

            threads = [threading.Thread(target=ask, args=about) for about in ((one, 2), (other, 3))]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert len(heirs) == 1


@pytest.mark.parametrize("comes_later", [False, True], ids=["heir", "resumed"])
def test_links_whose_finder_has_ended_are_moved_by_one_worker_that_is_alive(worker, database, comes_later):
    finder, teacher = worker(), worker()
    page = read("http://k.org/", "Welcome.", GOOD, BAD)
    number = finder.asks(page.url)
    for url in (GOOD, BAD):
        finder.store.add([FrontierLink(fingerprint_of(url, host_of(url)), url, Evidence(0.1, 0, True))])
    finder.ends(number, page)
    finder.store.close()
    own = {"fetched already": fingerprint_of(page.url, "k.org")}
    heirs = [] if comes_later else [worker(), worker()]
    teacher.fetches_all()
    heirs = heirs or [worker()]
    for heir in heirs:
        heir.inherits()
    until(lambda: sum(heir.orphans.n_taken for heir in heirs) >= 2, *(heir.store for heir in heirs))
    ticks = count()
    until(lambda: next(ticks) > 40, *(heir.store for heir in heirs))
    assert sorted(heir.orphans.n_taken for heir in heirs)[-1] == 2  # of one worker, and what waits of it only
    assert sum(heir.orphans.n_taken for heir in heirs) == 2
    assert not any(own["fetched already"] in heir.store.waiting._hosts for heir in heirs)
    for heir in heirs:
        heir.learning.move(is_last=True)
        heir.commits()
    with connect(database) as sql:
        scores = dict(sql.execute("SELECT url, score FROM links WHERE url = ANY(%s)", ([GOOD, BAD],)).fetchall())
    assert scores == pytest.approx(dict(zip((GOOD, BAD), heirs[0].scores(GOOD, BAD), strict=True)), abs=0.01)
    assert scores[GOOD] > scores[BAD] + 0.05


def test_a_link_that_another_worker_has_fetched_moves_no_more(worker):
    one, other = worker(), worker()
    url = next(iter(pages()))
    other.fetches(read("http://k.org/", "Welcome.", url))
    memory = other.session.memory
    other.session.note_waiting(url, 77, 0.123)
    assert memory.links["frontier"][memory.numbers([url])] == [77]
    one.fetches(read(url, hand_made.STARS))
    other.hears(1)
    assert memory.links["frontier"][memory.numbers([url])] == [NOT_WAITING]


def test_a_worker_that_crawls_alone_learns_as_a_session_that_listens_to_nobody(worker):
    alone, usual = worker(), LinkSession()
    alone.fetches_all()
    for depth, page in enumerate((home(), *(read(url, text) for url, text in pages().items()))):
        usual.score(page, JUDGE.judge(page, KINDS), Visit(urls=(page.url,), depth=depth))
    expected = usual.learner.scorer.scores(usual.memory.add_urls([*pages(), GOOD, BAD])).tolist()
    assert alone.scores(*pages(), GOOD, BAD) == expected
    assert alone.session.figures == usual.figures
    alone.hears(0)


def test_a_page_that_two_workers_fetched_counts_once_whichever_is_heard_first(worker, database):
    """As where a worker had lost its lease on the page's host: its own page is refused, the other's is heard."""
    one, late, early = worker(), worker(), worker()
    one.fetches(home(), depth=0)
    url, text = next(iter(pages().items()))
    page = read(url, text, "http://h.org/behind.html")
    late.hears(1)
    early.hears(1)
    late.session.score(page, JUDGE.judge(page, KINDS), Visit(urls=(url,), depth=1))
    one.fetches(page)
    late.hears(2)
    early.hears(2)
    early.session.score(page, JUDGE.judge(page, KINDS), Visit(urls=(url,), depth=1))
    for each in (late, early):
        memory = each.session.memory
        assert (each.session.n_pages, len(memory.evidence)) == (2, len(one.session.memory.evidence))
        assert memory.relevance == one.session.memory.relevance
        assert each.scores(GOOD, BAD, "http://h.org/behind.html") == pytest.approx(
            one.scores(GOOD, BAD, "http://h.org/behind.html"), abs=1e-9
        )


def test_a_page_under_two_urls_and_a_sitemap_count_once(worker):
    one, other = worker(), worker()
    page, source = read(f"{HOME}a", hand_made.STARS, GOOD), read(f"{HOME}sitemap.xml", "", GOOD)
    judged = JUDGE.judge(page, KINDS)
    other.session.score(page, judged, Visit(urls=(f"{HOME}first", page.url)))
    other.session.score(source, JUDGE.judge(source, KINDS), Visit(urls=(source.url,), is_source=True))
    n_rows = len(other.session.memory.evidence)
    for url, about, is_source in ((f"{HOME}second", page, False), (source.url, source, True)):
        number = one.asks(url)
        relevance = JUDGE.judge(about, KINDS)
        one.session.score(about, relevance, Visit(urls=tuple(dict.fromkeys((url, about.url))), is_source=is_source))
        one.store.done(number, relevant=None if is_source else True)
        one.session.note_waiting(url, number, 0.5)  # there is a frontier
        one.session.score(about, relevance, Visit(urls=tuple(dict.fromkeys((url, about.url))), is_source=is_source))
        one.learning.page_ended(url)
        one.store.commit()
    other.hears(2)
    assert (other.session.n_pages, other.session.memory.n_sources) == (1, 1)
    assert len(other.session.memory.evidence) == n_rows
    memory = other.session.memory
    first, second = memory.numbers([f"{HOME}first", f"{HOME}second"])
    assert memory.links["outcome"][first] == memory.links["outcome"][second] == judged.page


def test_a_worker_that_lost_its_lease_learns_the_page_once_that_its_heir_fetched_again(worker, database):
    dead = worker()
    dead.fetches(home(), depth=0)
    url, text = next(iter(pages().items()))
    number, keep = dead.asks(url), dead.store.worker.exchange.keeper._keep
    loses_lease(dead.store, database)
    heir = worker()
    assert heir.session.n_pages == 1
    assert heir.has_under_way(url) == number
    heir.ends(number, read(url, text))
    dead.ends(number, read(url, text))
    until(lambda: dead.refused, dead.store)
    assert dead.refused == ["lease lost"]
    dead.store.worker.exchange.keeper._keep = keep
    until(lambda: len(dead.store.worker.exchange.keeper.numbers) == 2 and not dead.store.worker.is_lost, dead.store)
    dead.hears(1)
    assert dead.session.n_pages == heir.session.n_pages == 2
    assert dead.scores(GOOD, BAD) == pytest.approx(heir.scores(GOOD, BAD), abs=1e-9)


def test_a_resumed_worker_learns_each_record_once(worker):
    one, other = worker(), worker()
    one.fetches_all()
    for url, text in pages("g.org").items():
        other.fetches(read(url, text))
    for each in (one, other):
        each.store.close()
    n_pages = 1 + 2 * len(pages())
    resumed = worker()
    assert resumed.session.n_pages == n_pages
    good, bad = resumed.scores(GOOD, BAD)
    assert good > bad + 0.2
    resumed.hears(0)
    newest = worker()
    newest.fetches(read("http://k.org/", hand_made.STARS))
    resumed.hears(1)
    assert resumed.session.n_pages == newest.session.n_pages == n_pages + 1


def test_a_resumed_worker_learns_as_much_as_it_can_remember(worker):
    """Its memory has four rows for each link. The records of the pages have no links, that of the home page has 18."""
    worker().fetches_all()
    assert worker(max_links=5).session.n_pages == 1 + len(pages())
    assert worker(max_links=4).session.n_pages == len(pages())


def test_records_of_another_model_and_what_is_no_record_teach_nothing(worker, database):
    one, other = worker(), worker()
    one.store.worker.lessons.model_version = lambda: 2
    others: list[int] = []
    other.store.worker.lessons.on_other_model = lambda: others.append(1)
    one.fetches(home(), depth=0)
    one.store.worker.lessons.model_version = lambda: 1
    one.fetches(read("http://g.org/", hand_made.STARS))
    other.hears(1)
    assert (len(others), other.session.n_pages) == (1, 1)
    with connect(database) as sql:
        sql.execute("UPDATE records SET record = 'x' WHERE model_version = 1")
    resumed = worker()
    assert (resumed.n_lost, resumed.session.n_pages) == (1, 0)


def test_a_page_whose_referrer_is_not_known_yet_is_a_seed_only_if_the_crawl_begins_there(worker):
    one, other = worker(), worker()
    url, text = "http://g.org/good/", hand_made.STARS
    other.fetches(read(url, text))
    assert other.session.memory.fairness.starts.n_starts == 0
    one.fetches(read(HOME, "Welcome.", url), depth=0)
    other.hears(1)
    assert other.session.memory.fairness.starts.n_starts == 1
