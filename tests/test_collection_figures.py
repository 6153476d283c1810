"""Precision and recall from verdicts on random pages: unbiased by what else is judged, with intervals that hold the truth."""

from __future__ import annotations

import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import hand_made
import numpy as np
import pytest
from collected import collect, collected, url
from scipy.stats import binom

from focused.collection.figure_words import figure_lines
from focused.collection.figures import Figures, figures
from focused.collection.judged_figures import judged_figures
from focused.collection.judging_session import JudgingSession
from focused.collection.sample import Group, Share, chances, mid_p_interval
from focused.collection.verdict_folder import VerdictFolder
from focused.collection.view import CollectionView, PageFilter
from focused.retraining.applied_verdicts import apply_verdicts
from focused.retraining.judged_again import note_what_is_learnt

sys.path.append(str(Path(__file__).resolve().parent.parent / "benchmarks"))

import judged_figures as sessions


def group(places, verdicts, drawn_at) -> Group:
    n = len(places)
    return Group(np.arange(1, n + 1), np.array(places), np.array(verdicts, dtype=float), np.array(drawn_at))


def test_a_page_has_the_chance_of_the_farthest_place_drawn_since_it_came():
    # Page 3 came after the draws of 1 and 2; page 4 after all draws.
    found = chances(group([0.5, 0.3, 0.1, 0.9], [1, 1, 1, np.nan], [2, 2, 3, 0]))
    assert found.tolist() == [0.5, 0.5, 0.1, 0.0]


@pytest.mark.parametrize(("yes", "n"), [(5, 10), (8, 10), (20, 20), (39, 40)])
def test_the_limits_are_those_where_the_number_found_is_just_not_too_many_or_too_few(yes, n):
    low, high = mid_p_interval(yes / n, n, 10**9)
    assert binom.sf(yes, n, low) + binom.pmf(yes, n, low) / 2 == pytest.approx(0.025, rel=0.01)
    assert (yes, high) == (n, 1.0) or binom.cdf(yes, n, high) - binom.pmf(yes, n, high) / 2 == pytest.approx(
        0.025, rel=0.01
    )


def test_what_is_judged_whole_is_known():
    places = np.random.default_rng(0).random(30).tolist()
    verdicts = [1] * 15 + [0] * 5 + [1] * 2 + [0] * 8
    found = figures(group(places, verdicts, [30] * 30), np.arange(30) < 20)
    # The five that people took out are not delivered, the two that they put in are.
    assert (found.precision.value, found.precision.low, found.precision.high) == (1.0, 1.0, 1.0)
    assert (found.recall.value, found.recall.low, found.recall.high) == (1.0, 1.0, 1.0)


def test_ten_random_verdicts_give_both_figures_whatever_the_model_says_of_these_pages():
    places, verdicts = (np.arange(100) / 100).tolist(), [1.0] * 10 + [np.nan] * 90
    drawn = group(places, verdicts, [100] * 10 + [0] * 90)
    for n_accepted, knows_precision, knows_recall in (
        (10, True, False),
        (7, True, True),
        (3, True, True),
        (2, False, False),
    ):
        relevant = np.arange(100) < n_accepted
        relevant[20:60] = True
        found = figures(drawn, relevant)
        assert (found.precision is not None, found.recall is not None) == (knows_precision, knows_recall)
        assert ("3 more" in "".join(figure_lines(found, None))) == (not knows_recall and knows_precision)


def test_the_first_figures_hold_the_truth_and_are_no_wider_than_they_must_be():
    for tally in sessions.tallies(sessions.Plan("random", 10, ("random",)), 100):
        assert len(tally.n) == 100
        assert np.mean(tally.held) >= 0.93
    precision, _ = sessions.tallies(sessions.Plan("mixed", 34), 60)
    assert len(precision.n) == 60
    assert np.mean(precision.width) <= 1.2 * np.mean(precision.wilson_width)


def test_fewer_than_ten_verdicts_give_no_figure():
    places = (np.arange(100) / 100).tolist()
    for n, is_known in ((9, False), (10, True)):
        verdicts = [1.0] * n + [np.nan] * (100 - n)
        found = figures(group(places, verdicts, [100] * n + [0] * (100 - n)), np.ones(100, dtype=bool))
        assert (found.precision is not None) == is_known
        assert found.recall is None


def test_uncertain_pages_do_not_bias_the_figure_though_the_verdicts_on_them_are_known():
    plan = sessions.Plan("mixed", 60, n_pages=300, growth=2, bias=-0.5)
    precision, _ = sessions.tallies(plan, 60)
    assert np.mean(precision.held) >= 0.85
    assert abs(np.mean(precision.error)) < 0.06
    assert np.mean(precision.width) <= 1.2 * np.mean(precision.wilson_width)
    assert np.mean(precision.naive_held) < 0.6  # what the whole queue says is no sample


def test_what_the_model_has_learnt_from_is_no_evidence_that_it_is_right():
    plan = sessions.Plan("random", 60, ("random",), n_pages=300, learns_after=30)
    precision, recall = sessions.tallies(plan, 60)
    for tally in (precision, recall):
        assert len(tally.n) == 60
        assert np.mean(tally.held) >= 0.85
        assert abs(np.mean(tally.error)) < 0.05
    assert max(precision.n) < 30  # of thirty verdicts since


def judge_at_random(session: JudgingSession, n: int) -> None:
    for _ in range(n):
        number = int(session.next().pick.page.url.rpartition("/")[2])
        session.give_verdict(number % 4 != 0)


def test_after_a_model_has_learnt_from_verdicts_others_say_how_good_the_pages_are(tmp_path):
    # The model calls pages with even numbers relevant; every second of these is.
    pages = [
        collected(n, 0.9 - 0.8 * (n % 2), terms={hand_made.FOR[0] if n % 2 == 0 else "x": 1}) for n in range(1, 201)
    ]
    run_dir = collect(tmp_path / "run", *pages)
    with JudgingSession(run_dir, "ada", "random") as session:
        judge_at_random(session, 60)
        before = session.figures()
        assert 0.5 < before.precision.value < 0.8  # what people took out is not delivered
        first = session.next().pick.page.url
        topic = hand_made.topic()
        note_what_is_learnt(run_dir, topic)  # it has learnt from no verdict
        assert session.figures() == before
        topic.manifest |= {"retraining": {"errors_on_verdicts": {"n_judged": 60}}, "model_sha256": "0123456789abcdef"}
        note_what_is_learnt(run_dir, topic)
        note_what_is_learnt(run_dir, topic)  # the collection is judged again, and the same figures stay
        with closing(sqlite3.connect(run_dir / "collection.sqlite")) as sql:  # what such a model does
            for opinion in VerdictFolder(run_dir / "verdicts").read():
                sql.execute("UPDATE pages SET relevant = ? WHERE url = ?", (opinion.relevant, opinion.url))
            sql.commit()
        found = session.figures()
        assert (found.precision, found.recall, found.n_learnt) == (None, None, 60)
        assert (found.former_precision, found.former_recall) == (before.precision, before.recall)
        said = "\n".join(figure_lines(found, 0.97))
        assert "Precision of the collection: not known yet; 10 more verdicts" in said
        assert f"Before the model learnt from these verdicts: precision {before.precision.value:.2f} (" in said
        assert session.next().pick.page.url != first  # drawn in an order of its own
        judge_at_random(session, 40)
        found = session.figures()
        assert found.precision.n + found.n_refused == 40
        apply_verdicts(run_dir)
        with CollectionView(run_dir) as view:
            right = [row["number"] % 4 != 0 for row in view.pages(PageFilter(delivered=True))]
        assert found.precision.low <= sum(right) / len(right) <= found.precision.high < 1.0
    assert judged_figures(run_dir).as_json()["former_precision"]["n"] == before.precision.n


def test_of_a_crawl_that_has_gone_far_beyond_the_sample_the_figure_is_of_the_pages_before():
    rng = np.random.default_rng(1)
    places = rng.random(2000)
    first = np.argsort(places[:200])[:60]
    verdicts, drawn_at = np.full(2000, np.nan), np.zeros(2000, dtype=int)
    verdicts[first], drawn_at[first] = 1, 200
    last = int(np.argmin(np.where(np.isnan(verdicts), places, 2)))
    verdicts[last], drawn_at[last] = 0, 2000
    found = figures(group(places, verdicts, drawn_at), np.ones(2000, dtype=bool))
    assert (found.precision.of_pages, found.precision.n) in ((200, 60), (200, 61))


def test_a_belief_is_called_a_belief_and_what_is_missing_is_said():
    share = Share(0.8, 0.7, 0.9, 40, 1200)
    assert list(figure_lines(Figures(share, None, 40, 1, 1), 0.95)) == [
        "Precision of the collection: 0.80 (0.70 to 0.90, 95 % interval) by 40 verdicts on random pages of the first 1,200; "
        "the model believes 0.95",
        "Recall among the pages fetched: not known yet; 2 more verdicts on random pages that it calls irrelevant will say",
        "Left out of these figures: 1 random page without a verdict (skipped, or taken back)",
    ]
    assert list(figure_lines(Figures(None, None, 0, 0, 0), 0.95)) == []


def test_verdicts_that_the_model_has_learnt_from_are_not_passed_over_in_silence():
    *_, last = figure_lines(Figures(None, None, 0, 0, 0, n_learnt=4), 0.95)
    assert last == "The model has learnt from 4 verdicts on random pages: these say nothing of it since"


def test_a_line_that_says_it_was_drawn_from_more_pages_than_there_are_counts_as_drawn_from_all(tmp_path):
    n_pages = 40
    pages = [collected(n, 0.9 if n <= 30 else 0.1) for n in range(1, n_pages + 1)]
    found = []
    for name, last in (("honest", n_pages), ("forged", 1_000_000_000)):
        run_dir = collect(tmp_path / name, *pages)
        (run_dir / "verdicts").mkdir()
        lines = [
            {"url": url(n), "relevant": n % 4 > 0, "drawn": "random", "probability": 0.5, "pages": last}
            for n in range(1, 41, 2)
        ]
        (run_dir / "verdicts" / "ann.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        found.append(judged_figures(run_dir))
    assert found[0] == found[1]
    assert found[1].figures.precision.of_pages == n_pages
