"""What the score of a link rests on, in words."""

from __future__ import annotations

import hand_made
import numpy as np
import pytest

from focused.method.page.reader import PageReader
from focused.method.scoring import Visit
from focused.method.scoring.reasons import MAX_REASON_CHARS, kind_of
from focused.method.strategies import make_strategy
from focused.method.strategies.linkmodel.anchor_texts import anchor_texts
from focused.method.strategies.linkmodel.link_reasons import EXPLORATION, LinkReasons
from focused.method.strategies.linkmodel.page_links import PageLinks, page_links
from focused.method.strategies.linkmodel.session import LinkSession
from focused.method.topic.judge import Judge
from focused.utils.steps import finish

HOME = "http://site.example/"


@pytest.fixture(scope="module")
def pages():
    """The pages of a site with a folder about stars and one about food, judged."""
    topic = hand_made.topic()
    reader, judge = PageReader(topic.analyzer), Judge(topic)
    found = []
    for path, body in hand_made.two_regions(30).items():
        url = HOME + path.lstrip("/")
        page = reader.read(body, url, "text/html")
        found.append((page, judge.judge(page, make_strategy("adaptive").kinds), Visit(urls=(url,))))
    return found


@pytest.fixture
def session(pages):
    """A session that has learnt from 41 of them."""
    learnt = LinkSession(every_pages=5, credit=0.3)
    for page, relevance, visit in [*pages[:21], *pages[31:51]]:
        learnt.score(page, relevance, visit)
    return learnt


def test_the_parts_are_the_model_s_sum(session):
    finish(session.learner.model.fit_in_steps())
    reasons, memory = LinkReasons(session.learner.model), session.memory
    for url in (f"{HOME}stars/25", f"{HOME}food/25", f"{HOME}stars/3", f"{HOME}food/0"):
        number = memory.number(url)
        parts = sum(part.value for part in reasons.parts(number, url))
        [score] = session.learner.model.scores(np.array([number]))
        assert parts + reasons.average() == pytest.approx(score, abs=1e-5), url


def test_the_strongest_evidence_is_said_with_its_words(session):
    assert session.why(f"{HOME}stars/25").startswith('anchor "a nebula", block 0.81')
    assert len(session.why(f"{HOME}stars/25").split(", ")) <= 3
    assert "nebula" not in session.why(f"{HOME}food/25")


def test_a_folder_is_named_where_nothing_else_tells_links_apart():
    learnt = LinkSession(every_pages=5)
    for n in range(40):
        name = "good" if n % 2 else "bad"
        links = [f"{HOME}{folder}/{n}{k}.html" for folder in ("good", "bad") for k in range(3)]
        same = np.zeros(6, dtype=np.int64)
        url = f"{HOME}{name}/{n - 2}0.html" if n > 1 else f"{HOME}{n}"
        learnt.replay(PageLinks((url,), 0.9 * (n % 2), "h", links, same, same, np.zeros((6, 4)), [(7,)] * 6).pack())
    learnt.finish_replay()
    assert kind_of(learnt.why(f"{HOME}good/380.html")) == "folder"
    assert "folder /good/" in learnt.why(f"{HOME}good/380.html")
    assert "folder" not in learnt.why(f"{HOME}bad/380.html")


def test_a_link_that_no_page_names_has_no_words(session):
    assert session.why("http://nowhere.example/") == ""
    assert session.why(HOME) == ""  # a seed


def test_a_link_that_is_explored_says_so(session):
    session.memory.links["explores"][session.memory.number(f"{HOME}stars/25")] = True
    assert session.why(f"{HOME}stars/25") == EXPLORATION


def test_asking_for_words_changes_no_score(pages):
    scores = []
    for asks in (False, True):
        learnt = LinkSession(every_pages=5, credit=0.3)
        for page, relevance, visit in pages:
            if asks:
                learnt.why(page.url)
            scores.append(learnt.score(page, relevance, visit).scores.tolist())
    assert scores[: len(pages)] == scores[len(pages) :]


def test_a_crawl_that_goes_on_knows_the_words_from_its_records(pages, session):
    again = LinkSession(every_pages=5, credit=0.3)
    for page, relevance, visit in [*pages[:21], *pages[31:51]]:
        again.replay(page_links(page, relevance, visit).pack())
    again.finish_replay()
    assert 'anchor "a nebula"' in again.why(f"{HOME}stars/25")


def test_records_of_before_the_words_can_be_read(pages):
    page, relevance, visit = pages[5]
    known = page_links(page, relevance, visit)
    old = PageLinks.unpack(
        PageLinks(**{name: getattr(known, name) for name in PageLinks.__slots__} | {"texts": []}).pack()
    )
    assert (old.anchors, old.texts) == (known.anchors, [])
    learnt = LinkSession()
    learnt.replay(old.pack())
    learnt.finish_replay()
    assert learnt.why(next(iter(page.link_numbers)))


def test_hostile_pages_write_short_lines():
    topic = hand_made.topic()
    anchor = "star \u202egalaxy\u0007 &quot;=cmd|' /C calc'!A0&quot; " + "planet " * 100
    links = [
        (f"http://h.example/{'x' * 300}/%0A%1b[31m/{n}.{'y' * 99}?{'q' * 99}=1", anchor + str(n)) for n in range(5)
    ]
    page = PageReader(topic.analyzer).read(hand_made.html(hand_made.STARS, *links), HOME, "text/html")
    words = make_strategy("adaptive").why(page, Judge(topic).judge(page, make_strategy("adaptive").kinds), Visit())
    assert len(words) == 5
    for each in words:
        assert each
        assert each.isprintable()
        assert len(each) <= MAX_REASON_CHARS
        assert kind_of(each) != "unknown"


def test_a_number_of_another_link_is_never_quoted():
    topic = hand_made.topic()
    links = [(f"/nebula/{n}", f"Nebula {n} of M31, 3.5 stars") for n in range(12, 15)]
    page = PageReader(topic.analyzer).read(hand_made.html(hand_made.STARS, *links), HOME, "text/html")
    columns, words = anchor_texts(page)
    assert len(set(columns)) == 1
    assert set(words) == {"Nebula … of M31, … stars"}
