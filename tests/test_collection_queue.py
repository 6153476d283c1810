"""Which page is shown next, and what one person's session leaves."""

from __future__ import annotations

import os
from collections import Counter

import numpy as np
import pytest
from collected import collect, collected, url

from focused.collection.belief import Belief
from focused.collection.judging_session import JudgingSession
from focused.collection.page_table import QueuedPage
from focused.collection.queue import ORDERS, Queue
from focused.collection.queue_kinds import NEW_SIDE, RANDOM, TOP, UNCERTAIN
from focused.collection.verdict_folder import Opinion, VerdictFolder, VerdictLog


def queue_of(relevances, order="mixed", terms=None, seed="seed") -> Queue:
    terms = terms or {}
    queue = Queue(order, seed, lambda page: terms.get(page, {}))
    for number, relevance in enumerate(relevances, start=1):
        queue.add(QueuedPage(number, url(number), relevance, 0.5, relevance >= 0.5))
    return queue


def shown(queue: Queue, n: int, before=None) -> list[tuple[str, str]]:
    """Judge pages as the model does; return URL and kind of each."""
    found, verdicts = [], dict(before or {})
    queue.learn(verdicts)
    for _ in range(n):
        pick = queue.next()
        if pick is None:
            break
        found.append((pick.page.url, pick.kind))
        verdicts[pick.page.url] = pick.page.relevant
        queue.count(pick.page.url, pick.kind)
        queue.learn(verdicts)
    return found


RELEVANCES = np.random.default_rng(0).random(120).tolist()


def test_the_same_pages_and_verdicts_give_the_same_queue_and_each_page_comes_once():
    for order in ORDERS:
        first = shown(queue_of(RELEVANCES, order), 130)
        assert first == shown(queue_of(RELEVANCES, order), 130)
        assert len({page for page, _ in first}) == len(first) == 120


def test_kinds_come_in_their_shares_and_random_pages_from_both_groups():
    kinds = [kind for _, kind in shown(queue_of(RELEVANCES), 100)]
    assert Counter(kinds) == {UNCERTAIN: 50, NEW_SIDE: 20, RANDOM: 30}
    drawn = [page for page, _ in shown(queue_of(RELEVANCES, "random"), 60)]
    assert sum(RELEVANCES[int(page.rpartition("/")[2]) - 1] >= 0.5 for page in drawn) == 40
    assert [kind for _, kind in shown(queue_of(RELEVANCES, "top"), 3)] == [TOP] * 3


def test_what_is_drawn_at_random_does_not_depend_on_what_else_is_judged():
    alone = [page for page, _ in shown(queue_of(RELEVANCES, "random"), 120)]
    beside = [page for page, kind in shown(queue_of(RELEVANCES), 120) if kind == RANDOM]
    order = {page: at for at, page in enumerate(alone)}
    for group in (True, False):
        places = [order[page] for page in beside if (RELEVANCES[int(page.rpartition("/")[2]) - 1] >= 0.5) == group]
        assert places == sorted(places)


def test_a_page_that_comes_later_is_drawn_before_those_that_stand_behind_it_in_the_random_order():
    whole = queue_of(RELEVANCES, "random")
    first = [page for page, _ in shown(whole, 10)]
    late = Queue("random", "seed", lambda page: {})
    for row in range(len(whole.pages)):
        if (page := whole.pages.page(row)).url != first[4]:
            late.add(page)
    assert first[4] not in [page for page, _ in shown(late, 3)]
    number = int(first[4].rpartition("/")[2])
    late.add(QueuedPage(number, first[4], RELEVANCES[number - 1], 0.5, RELEVANCES[number - 1] >= 0.5))
    assert first[4] in [page for page, _ in shown(late, 5)]


def test_a_verdict_moves_what_is_believed_of_pages_like_it_and_of_no_others():
    words = [{"star": 3, "gas": 1}, {"star": 2, "gas": 2}, {"soup": 2, "salt": 1}, {"soup": 3, "salt": 2}]
    belief = Belief(np.full(4, 0.4), np.full(4, 0.5), words)
    before = belief.mean.copy()
    belief.learn([0], [True])
    assert belief.mean[1] > before[1] + 0.3
    assert belief.mean[2:] == pytest.approx(before[2:])
    assert belief.spread[1] < belief.spread[2] == belief.spread[3]


def test_new_sides_are_refused_pages_unlike_those_that_were_judged():
    n = 30
    terms = {
        url(number): {"star": 2, "gas": 1} if number <= n else {"soup": 2, "salt": 1} for number in range(1, 2 * n + 1)
    }
    queue = queue_of([0.45] * n + [0.4] * n, "mixed", terms)
    picks = [page for page, kind in shown(queue, 8, {url(number): False for number in range(1, 6)}) if kind == NEW_SIDE]
    assert int(picks[0].rpartition("/")[2]) > n


@pytest.fixture
def run_dir(tmp_path):
    pages = [collected(number, relevance) for number, relevance in enumerate(RELEVANCES[:40], start=1)]
    return collect(tmp_path / "run", *pages)


def said(run_dir) -> dict[tuple[str, str], bool | None]:
    return {(each.person, each.url): each.relevant for each in VerdictFolder(run_dir / "verdicts").read()}


def test_a_session_goes_on_where_the_last_one_ended(run_dir):
    with JudgingSession(run_dir, "ada", "mixed") as session:
        whole = []
        for _ in range(12):
            whole.append(session.next().pick)
            session.give_verdict(True)
    first = run_dir.parent / "second"
    run_dir.rename(first)
    (first / "verdicts" / "ada.jsonl").unlink()
    parts = []
    for _ in range(4):
        with JudgingSession(first, "ada", "mixed") as session:
            for _ in range(3):
                parts.append(session.next().pick)
                session.give_verdict(True)
    assert [(pick.page.url, pick.kind) for pick in parts] == [(pick.page.url, pick.kind) for pick in whole]


def test_undo_takes_the_line_back_and_shows_the_page_again(run_dir):
    with JudgingSession(run_dir, "ada", "mixed") as session:
        first = session.next().pick.page.url
        session.give_verdict(False)
        second = session.next().pick.page.url
        assert session.undo()
        assert said(run_dir) == {("ada", first): None}
        assert session.next().pick.page.url == first
        session.give_verdict(True)
        assert session.counts == (1, 0, 0)
        assert session.next().pick.page.url == second
        assert session.undo()
        assert not session.undo()


def test_a_skipped_page_is_not_shown_again_and_is_no_verdict(run_dir):
    with JudgingSession(run_dir, "ada", "random") as session:
        skipped = session.next().pick.page.url
        session.give_verdict(None)
        assert session.counts == (0, 0, 1)
    with JudgingSession(run_dir, "ada", "random") as session:
        rest = []
        while (page := session.next()) is not None:
            rest.append(page.pick.page.url)
            session.give_verdict(True)
        assert (len(rest), skipped in rest) == (39, False)
        assert session.figures().n_skipped == 1
    with JudgingSession(run_dir, "bob", "random") as session:  # another person may know
        assert session.next().pick.page.url == skipped


def test_people_share_the_work_and_programs_judge_for_themselves(run_dir):
    seen = {}
    for person in ("ada", "bob", "assessor-x"):
        with JudgingSession(run_dir, person, "random") as session:
            seen[person] = []
            for _ in range(10):
                seen[person].append(session.next().pick.page.url)
                session.give_verdict(True)
    assert not {*seen["ada"]} & {*seen["bob"]}
    assert seen["assessor-x"] == seen["ada"]
    with JudgingSession(run_dir, "ada", "random") as session:
        assert session.figures().n_accepted + session.figures().n_refused == 20


def test_near_copies_are_judged_together_and_hidden_pages_not_at_all(tmp_path):
    run_dir = collect(
        tmp_path / "run",
        collected(1, 0.9),
        collected(2, 0.9, duplicate_of=url(1)),
        collected(3, 0.9, noindex=True),
        collected(4, 0.2, text_left_out=True, text=""),
    )
    with JudgingSession(run_dir, "ada", "random") as session:
        page = session.next()
        assert (page.pick.page.url, page.copies) == (url(1), [url(2)])
        VerdictLog(run_dir / "verdicts", "bob").write(Opinion(url(2), "bob", False))
        assert session.next() is None  # the verdict on the copy is one on the page
        assert session.about.verdicts() == {url(1): 0.0}


def test_pages_that_the_crawl_adds_meanwhile_are_shown(run_dir):
    with JudgingSession(run_dir, "ada", "random") as session:
        while session.next() is not None:
            session.give_verdict(True)
        collect(run_dir, collected(41, 0.9))
        assert session.next().pick.page.url == url(41)


def test_a_line_is_whole_behind_half_a_line_and_a_later_one_counts(tmp_path):
    folder = tmp_path / "verdicts"
    log = VerdictLog(folder, "ada")
    log.write(Opinion(url(1), "ada", True))
    with log.path.open("a") as file:
        file.write('{"url": "http://half.exam')
    log.write(Opinion(url(1), "ada", False, drawn="random", probability=0.25, pages=7))
    found = VerdictFolder(folder)
    assert [(each.relevant, each.drawn, each.probability, each.pages) for each in found.read()] == [
        (True, "", None, 0),
        (False, "random", 0.25, 7),
    ]
    assert found.n_bad == 1


def test_only_regular_files_are_read_and_written_and_none_hangs(tmp_path):
    folder = tmp_path / "verdicts"
    folder.mkdir()
    (folder / "table.csv").write_text("url,relevant,note\nhttp://a.example/,yes,good\nhttp://b.example/,maybe\n")
    (tmp_path / "secret.jsonl").write_text('{"url": "http://c.example/", "relevant": true}\n')
    (folder / "link.jsonl").symlink_to(tmp_path / "secret.jsonl")
    os.mkfifo(folder / "pipe.jsonl")
    found = VerdictFolder(folder)
    assert [(each.person, each.url, each.relevant) for each in found.read()] == [("table", "http://a.example/", True)]
    assert (found.n_bad, [path.name for path in found.ignored]) == (1, ["link.jsonl", "pipe.jsonl"])
    for person in ("link", "pipe", "../up", "", ".hidden", "a/b", "x" * 65):
        with pytest.raises(ValueError, match="must be"):
            VerdictLog(folder, person)
