"""A strategy that learns during the crawl learns anew when the model that judges pages has changed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import hand_made
import numpy as np
import pytest

from focused.crawl.judging import Judging
from focused.method.page.reader import PageReader
from focused.method.page.text_units import KINDS
from focused.method.scoring import Visit
from focused.method.strategies import make_strategy
from focused.method.strategies.linkmodel.session import LinkSession
from focused.method.text.analyzer import Analyzer
from focused.method.topic.judge import Judge
from focused.retraining.kept_pages import KeptPages
from focused.retraining.rescoring import Rejudging, Rescoring

if TYPE_CHECKING:
    from focused.method.page.page import Page

FORMER = hand_made.topic()
OTHER = hand_made.topic(coef=-FORMER.model.coef)
"""What was relevant is not, and the other way round."""
WORDS = (hand_made.STARS, hand_made.FOOD)


def pages(n: int = 30, seed: int = 0) -> list[Page]:
    """Pages in two folders, one about stars, with links to each other."""
    reader, rng = PageReader(Analyzer("en")), np.random.default_rng(seed)
    found = []
    for number in range(n):
        links = [(f"http://h.org/{'ab'[k % 2]}/{k}", "more") for k in rng.choice(4 * n, 6, replace=False).tolist()]
        body = hand_made.html(WORDS[number % 2], *links)
        found.append(reader.read(body, f"http://h.org/{'ab'[number % 2]}/{number}"))
    return found


def learnt(seen: list[Page], judge: Judge, session: LinkSession | None = None) -> LinkSession:
    session = session or LinkSession(every_pages=10)
    for page in seen:
        session.score(page, judge.judge(page, KINDS), Visit(urls=(page.url,)))
    return session


def fitted(session: LinkSession) -> LinkSession:
    for _ in session.learner.fit_in_steps():
        pass
    return session


def again(session: LinkSession, seen: list[Page], judge: Judge, meanwhile: tuple[Page, ...] = ()) -> None:
    judged = ((page, judge.judge(page, KINDS), Visit(urls=(page.url,))) for page in seen)
    steps = session.learn_again(LinkSession(every_pages=10), judged)
    next(steps)
    learnt([*meanwhile], judge, session)
    for _ in steps:
        pass


def scores(session: LinkSession, urls: list[str]) -> np.ndarray:
    return session.learner.scorer.scores(np.array(session.memory.numbers(urls)))


def test_what_is_learnt_anew_is_what_the_new_model_would_have_taught_from_the_beginning():
    seen = pages()
    urls = sorted({url for page in seen for url in page.link_numbers})
    before, expected = learnt(seen, Judge(FORMER)), fitted(learnt(seen, Judge(OTHER)))
    old = scores(before, urls)
    again(before, seen, Judge(OTHER))
    assert scores(before, urls) == pytest.approx(scores(expected, urls), abs=0.02)
    assert np.corrcoef(old, scores(before, urls))[0, 1] < 0  # and not at all what it was


def test_links_stay_where_they_wait_and_are_moved_to_what_they_are_worth_now():
    seen = pages()
    session = learnt(seen, Judge(FORMER))
    known = {page.url for page in seen}
    waiting = sorted({url for page in seen for url in page.link_numbers} - known)
    for number, (url, score) in enumerate(zip(waiting, scores(session, waiting).tolist(), strict=True), start=1):
        session.note_waiting(url, number, score)
    session.take_moves()
    n_fits = session.figures["focused/adaptive/fits_count"]
    again(session, seen, Judge(OTHER))
    assert session.figures["focused/adaptive/fits_count"] > n_fits
    moved = dict(move for _ in range(30) for move in session.take_moves())  # some at once, others bit by bit
    now = scores(session, waiting)
    assert len(moved) > len(waiting) / 2
    for number, score in moved.items():
        assert score == pytest.approx(now[number - 1])
    assert session.take_moves() == []
    following = pages(31)[30]  # the crawl goes on: its frontier keeps what each page teaches
    learnt([following], Judge(OTHER), session)
    assert session.take_record(following.url) is not None


def test_pages_that_come_meanwhile_are_learnt_from_too():
    seen = pages(40)
    session, expected = learnt(seen[:30], Judge(FORMER)), learnt(seen, Judge(OTHER))
    again(session, seen[:30], Judge(OTHER), meanwhile=tuple(seen[30:]))
    assert session.n_pages == expected.n_pages == 40
    assert session.memory.relevance == pytest.approx(expected.memory.relevance)
    assert session._arrived is None


@pytest.mark.parametrize(("n_kept", "learns"), [(30, True), (28, True), (20, False)])
def test_a_crawl_most_of_whose_pages_are_no_longer_kept_does_not_forget_them(n_kept, learns):
    seen = pages()
    session, kept = learnt(seen, Judge(FORMER)), KeptPages(n_kept)
    for page in seen:
        kept.keep(page, Visit(urls=(page.url,)))
    memory = session.memory
    judging = Judging(Judge(OTHER), make_strategy("adaptive", {}))
    judging.session = session
    rejudging = Rejudging(judging, kept, lambda url: None)
    rescoring = Rescoring(rejudging, lambda: SimpleNamespace(can_rescore=True))
    rescoring.start()
    assert rescoring.is_under_way == learns
    while rescoring.is_under_way:
        rescoring.work()
    assert (session.memory is not memory) == learns
