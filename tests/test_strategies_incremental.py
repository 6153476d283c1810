"""The incremental crawl of P15: clusters that grow over all pages, and an SVM that learns what links led to."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from commands import ROOT, crawl
from test_strategies_models import contexts, examples, read, topic

from focused.method.scoring import Visit
from focused.method.strategies import make_strategy
from focused.method.strategies.context_record import ContextRecord
from focused.method.strategies.incremental_session import IncrementalSession


@pytest.fixture(scope="module")
def prepared():
    return make_strategy("incremental", every_outcomes=8).prepare(topic(examples()))


def judged(session: IncrementalSession, html: bytes, url: str = "http://h.org/", *, relevant: bool = True):
    relevance = SimpleNamespace(page=float(relevant), thresholds={"page": 0.5})
    return session.score(read(html), relevance, Visit(urls=(url,)))


def taught(session: IncrementalSession, n_pages: int) -> None:
    """Show a page of links about food and about stars, and let those about food lead to relevant pages, others to none."""
    texts = [f"{'soup butter' if number % 2 else 'star nebula'} {'page ' * number}" for number in range(n_pages)]
    judged(session, contexts(*texts), "http://h.org/list")
    links = list(read(contexts(*texts)).link_numbers)
    for number, link in enumerate(links):
        judged(session, b"<p>Nothing.", link, relevant=bool(number % 2))


def test_the_svm_learns_from_what_links_led_to(prepared):
    page = contexts("soup butter", "star nebula")
    session = prepared.session()
    before = judged(session, page).scores
    taught(session, 24)
    after = judged(session, page).scores
    assert session.figures["focused/incremental/fits_count"] == 3
    assert session.figures["focused/incremental/outcomes_count"] == 24
    assert after[0] - after[1] > before[0] - before[1] + 0.1
    # Another crawl begins with what the examples say.
    assert judged(prepared.session(), page).scores == pytest.approx(before)


def test_without_clusters_the_svm_itself_turns_to_what_links_led_to():
    alone = make_strategy("incremental", every_outcomes=8, clusters=False).prepare(topic(examples()))
    session, page = alone.session(), contexts("soup butter", "star nebula")
    before, coef = judged(session, page).scores, session.svm.coef_.copy()
    judged(session, contexts("soup butter", "star nebula"))  # looked at again, without an outcome: nothing is learnt
    assert judged(session, page).scores == pytest.approx(before)
    taught(session, 24)
    assert not np.allclose(session.svm.coef_, coef)
    after = judged(session, page).scores
    assert after[0] - after[1] > before[0] - before[1] + 0.1


def test_a_context_falls_into_a_cluster_of_earlier_pages(prepared):
    text = contexts("star soup")
    alone = judged(prepared.session(), text).scores[0]
    session = prepared.session()
    judged(session, contexts("star star star soup", "star star soup soup page"))
    assert judged(session, text).scores[0] != pytest.approx(alone, abs=1e-6)
    afresh = make_strategy("incremental", every_outcomes=8, max_tree_units=1).prepare(topic(examples())).session()
    judged(afresh, contexts("star star star soup"))
    assert judged(afresh, text).scores[0] == pytest.approx(alone)


def test_a_resumed_crawl_goes_on_with_what_was_learnt(prepared):
    first, second = prepared.session(), prepared.session()
    first.note_waiting("http://h.org/", 1, 1.0)
    records, learn = [], first.score

    def noted(page, relevance, visit):
        found = learn(page, relevance, visit)
        records.append(first.take_record(visit.urls[0]))
        return found

    first.score = noted
    taught(first, 24)
    for _, record in records:
        second.replay(record)
    second.finish_replay()
    page = contexts("soup butter", "star nebula")
    assert judged(second, page).scores.tolist() == judged(first, page).scores.tolist()
    assert second.figures == first.figures


@pytest.mark.parametrize("damage", [lambda data: data[:-9], lambda _: b"", lambda _: b"PK nothing"])
def test_a_damaged_record_is_refused(prepared, damage):
    session = prepared.session()
    session.note_waiting("http://h.org/", 1, 1.0)
    judged(session, contexts("star nebula"))
    _, record = session.take_record("http://h.org/")
    assert ContextRecord.unpack(record, n_terms=len(prepared.model.weights)).links
    with pytest.raises(ValueError, match="not what a page says of its links' contexts"):
        session.replay(damage(record))
    with pytest.raises(ValueError, match="not what a page says"):  # of a topic with fewer terms
        ContextRecord.unpack(record, n_terms=1)


def test_by_default_nothing_is_learnt_during_a_crawl(prepared):
    assert make_strategy("incremental").prepare(topic(examples())).session() is None
    assert np.isfinite(judged(prepared.session(), b"<p>Nothing.").scores).all()


@pytest.mark.slow
def test_an_incremental_crawl_of_the_demo_web(tmp_path):
    found = crawl(
        ROOT / "models", tmp_path, topic="demo", web="demo", strategy="incremental", max_pages=40,
        settings={"FOCUSED_INCREMENTAL_EVERY_OUTCOMES": 10},
    )  # fmt: skip
    assert found.exit_code == 0, found.err
    assert found.stats["focused/incremental/fits_count"] >= 2
    assert found.stats["focused/incremental/clusters_count"] > 2
    assert "log_count/ERROR" not in found.stats
