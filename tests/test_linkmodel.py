"""What a crawl learns of links: features, memory, model, session."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import hand_made
import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize

from focused.method.page.reader import PageReader
from focused.method.page.text_units import KINDS
from focused.method.page.url_features import N_COLUMNS, url_features
from focused.method.scoring import Visit
from focused.method.scoring.base import block_of_links
from focused.method.strategies import make_strategy
from focused.method.strategies.linkmodel import rates as link_rates
from focused.method.strategies.linkmodel import training_matrix as link_training
from focused.method.strategies.linkmodel import work_in_portions
from focused.method.strategies.linkmodel.adaptive import Adaptive
from focused.method.strategies.linkmodel.descent import descend
from focused.method.strategies.linkmodel.loss import Loss
from focused.method.strategies.linkmodel.memory import LinkMemory
from focused.method.strategies.linkmodel.memory_tables import EVIDENCE_GROUPS, EVIDENCE_OF_LINK, LINK_GROUPS, NO_LINK
from focused.method.strategies.linkmodel.model import LinkModel, Weights
from focused.method.strategies.linkmodel.page_links import PageLinks, logit, page_links
from focused.method.strategies.linkmodel.raised_outcomes import mean_of_raised
from focused.method.strategies.linkmodel.rates import Rates
from focused.method.strategies.linkmodel.session import LinkSession
from focused.method.strategies.linkmodel.training_matrix import DENSE, training_matrix
from focused.method.text.analyzer import Analyzer
from focused.method.topic.judge import Judge
from focused.utils.steps import Steps, finish

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scipy import sparse

LEVEL = 1 / 1000


def page(url: str, relevance: float, *links: str, anchor: int = 7, block: int = 0, logits: float = 0.0) -> PageLinks:
    """A page all of whose links stand in one block and have one anchor text."""
    n = len(links)
    return PageLinks(
        *((url,), relevance, "h.org", list(links), np.full(n, block), np.full(n, 3)),
        *(np.full((n, 4), logits), [(anchor,)] * n),
    )


def many(n_pages: int, seed: int = 0) -> list[PageLinks]:
    """Pages with links to each other: those in /good/ are relevant; nothing but the folder tells them from /bad/."""
    generator = np.random.default_rng(seed)
    urls = [f"http://h.org/{'good' if number % 2 else 'bad'}/{number}.html" for number in range(10 * n_pages)]
    found = []
    for url in generator.choice(urls, n_pages, replace=False).tolist():
        links = dict.fromkeys(generator.choice(urls, 12).tolist())
        found.append(page(url, 0.9 if "good" in url else 0.1, *links, anchor=int(generator.integers(1, 99))))
    return found


def learn(session: LinkSession, found: PageLinks) -> np.ndarray:
    """Learn from a page at once; the numbers of its links."""
    return finish(session._learn_in_steps(found))[0]


def learnt(pages: list[PageLinks], **options) -> LinkSession:
    session = LinkSession(**options)
    for found in pages:
        learn(session, found)
    return session


def scores(session: LinkSession, *urls: str) -> list[float]:
    return session.learner.scorer.scores(np.array(session.memory.numbers(urls))).tolist()


def matrix(model: LinkModel, links: np.ndarray) -> tuple[np.ndarray, sparse.csr_matrix, np.ndarray]:
    """What the model would be fitted to, with the rates of now."""
    rates = Rates(model.memory, model.outcomes_with_credit(), mean_of_raised(model.memory))
    for _ in rates.count():
        pass
    return finish(training_matrix(model.memory, links, model.outcomes_with_credit(), rates))


# --- Features


def test_what_a_page_says_of_its_links_comes_back_from_its_bytes():
    reader, topic = PageReader(Analyzer("en")), hand_made.topic()
    body = hand_made.html(hand_made.STARS, ("/a", "a nebula"), ("/b?x=1", ""), ("http://other.org/c", "soup"))
    read = reader.read(body, "http://h.org/dir/")
    found = page_links(read, Judge(topic).judge(read, KINDS), Visit(urls=("http://h.org/old", "http://h.org/dir/")))
    again = PageLinks.unpack(found.pack())
    for name in PageLinks.__slots__:
        one, other = getattr(found, name), getattr(again, name)
        assert np.array_equal(one, other) if isinstance(one, np.ndarray) else one == other, name
    assert found.links == ["http://h.org/a", "http://h.org/b?x=1", "http://other.org/c"]
    assert [len(anchor) for anchor in found.anchors] == [1, 0, 1]  # stopwords are no terms
    assert found.logits[0, 2] > found.logits[2, 2]


@pytest.mark.parametrize("data", [b"", b"nothing", bytes(50)])
def test_bytes_that_are_something_else_are_refused(data):
    with pytest.raises(ValueError, match="not what a page says"):
        PageLinks.unpack(data)


@pytest.mark.parametrize(
    "url",
    ["http://[::1", "http://h.org", "http://h.org/" + "a/" * 5000, "http://h.org/\udcff", "http://h.org/%ff%00/~x", ""],
)
def test_any_url_has_features(url):
    found = url_features(url)
    assert 1 <= len(found.columns) == len(set(found.columns)) <= 16
    assert all(0 < column < N_COLUMNS for column in found.columns)


def test_numbers_in_urls_count_by_their_length():
    first, second = (url_features(f"http://h.org/news/item{number}.html") for number in (17, 93))
    assert first == second
    assert first != url_features("http://h.org/news/item174.html")


@pytest.mark.parametrize("port", ["", ":", ":80", ":65535", ":70000"])
def test_a_port_is_no_part_of_what_a_url_says(port):
    assert url_features(f"http://h.org{port}/a/b.html?c=1") == url_features("http://h.org/a/b.html?c=1")


# --- Memory


def test_pages_that_are_found_later_count_for_a_fetched_link_as_well():
    memory = LinkMemory()
    memory.add(page("http://h.org/", 0.2, "http://h.org/a"))
    memory.add(page("http://h.org/a", 0.9))
    memory.add(page("http://h.org/b", 0.1, "http://h.org/a", logits=2.0))
    number = memory.number("http://h.org/a")
    assert memory.links["n_referrers"][number] == 2
    assert memory.links["outcome"][number] == 0.9
    assert memory.links["tops"][number].tolist() == [2.0] * 4
    assert memory.links["sums"][number].tolist() == [2.0] * 4


def test_all_urls_that_led_to_a_page_have_its_outcome():
    memory = LinkMemory()
    memory.add(page("http://h.org/", 0.2, "http://h.org/a", "http://h.org/old"))
    memory.add(replace(page("", 0.9), urls=("http://h.org/old", "http://h.org/new")))
    memory.note_same_page("http://h.org/a", "http://h.org/new")
    outcomes = memory.links["outcome"][memory.numbers(f"http://h.org/{name}" for name in ("a", "old", "new"))]
    assert outcomes.tolist() == [0.9] * 3


def test_memory_is_bounded_and_what_is_left_stays_what_it_was():
    pages = many(400)
    small, large = learnt(pages, max_links=1000), learnt(pages)
    most = max(len(found.links) for found in pages) + 1
    assert len(small.memory.links) <= 1000 + most
    assert len(small.memory.evidence) <= EVIDENCE_OF_LINK * 1000 + most
    assert small.figures["focused/adaptive/forgotten_count"] > 500
    assert "focused/adaptive/forgotten_count" not in large.figures
    memory = small.memory
    assert memory.evidence["link"].max() < memory.links.size
    assert (memory.links["n_referrers"][memory.evidence["link"]] > 0)[memory.evidence["link"] != NO_LINK].all()
    for name in (*EVIDENCE_GROUPS, *LINK_GROUPS):
        groups = memory.groups[name].table
        in_use = np.flatnonzero(memory.links["key"]) if name in LINK_GROUPS else memory.evidence["link"] != NO_LINK
        numbers = (memory.links if name in LINK_GROUPS else memory.evidence)[name][in_use]
        assert np.array_equal(np.bincount(numbers, minlength=groups.size), groups["n_members"]), name
        if name != "source":
            assert len(groups) == len(np.unique(numbers))
    for url in pages[-1].links:
        number, other = memory.number(url), large.memory.number(url)
        assert np.array_equal(memory.links["columns"][number], large.memory.links["columns"][other])
    # What the folders taught is not forgotten with the links.
    good, bad = ([url for url in pages[-1].links if name in url] for name in ("/good/", "/bad/"))
    assert min(scores(small, *good)) > max(scores(small, *bad))


# --- Model


def test_at_first_all_relevances_count_the_same():
    session = LinkSession()
    first = replace(
        page("http://h.org/", 0.5, "http://h.org/a", "http://h.org/b"), logits=np.array([[1.0, 2, 3, -2], [0] * 4])
    )
    learn(session, first)
    assert session.learner.model.scores(slice(1, 3)) == pytest.approx([1.0, 0.0])


@pytest.mark.parametrize("what", ["folder", "anchor", "block", "page", "place"])
def test_what_led_to_relevant_pages_is_followed(what):
    """Two groups of links that differ in one thing; four of each ten are fetched."""
    session = LinkSession(every_pages=5)
    urls = {
        name: [
            f"http://h.org/{name if what == 'folder' else 'x'}/{name * (what == 'folder')}{i}.html" for i in range(10)
        ]
        for name in ("q", "w")
    }
    urls["w"] = [url.replace(".html", "0.html") for url in urls["w"]]
    if what == "page":
        for name in urls:
            learn(session, page(f"http://h.org/{name}", 0.5, *urls[name]))
    else:
        both, is_w = [*urls["q"], *urls["w"]], np.repeat([0, 1], 10)
        learn(
            session,
            replace(
                page("http://h.org/", 0.5, *both),
                blocks=is_w * (what == "block"),
                places=3 + is_w * (what == "place"),
                anchors=[(5 + (what == "anchor") * int(each),) for each in is_w],
            ),
        )
    for k in range(4):
        learn(session, page(urls["q"][k], 0.9))
        learn(session, page(urls["w"][k], 0.05))
    assert min(scores(session, *urls["q"][4:])) > max(scores(session, *urls["w"][4:])) + 0.05


def test_the_own_outcome_of_a_link_is_no_feature_of_it():
    memory = LinkMemory()
    memory.add(page("http://h.org/", 0.2, "http://h.org/a/1", anchor=3))
    memory.add(page("http://i.org/", 0.2, "http://j.org/b/2", anchor=4))
    memory.add(page("http://h.org/a/1", 1.0))
    memory.add(page("http://j.org/b/2", 0.0))
    model = LinkModel(memory)
    finish(model.fit_in_steps())
    dense, _, _ = matrix(model, np.array(memory.numbers(["http://h.org/a/1", "http://j.org/b/2"])))
    columns = [DENSE.index(name) for name in ("source", "source best", "block", "anchor", "folder")]
    assert np.abs(dense[:, columns]).max() < 1e-9


def test_scores_between_two_fits_are_what_computing_all_anew_gives():
    session = learnt(many(60))
    before = session.learner.model.scores(slice(None)).copy()
    rates = {name: groups.table["rate"].copy() for name, groups in session.memory.groups.items()}
    for _ in session.learner.model._computing(session.learner.model.weights, rates):
        pass
    waiting = np.isnan(session.memory.links["outcome"])
    assert session.memory.n_pages > session.learner.next_fit - session.learner.every_pages > 0
    assert session.learner.model.scores(slice(None))[waiting] == pytest.approx(before[waiting])


def test_the_fit_is_a_minimum():
    """No step from it in any of some random directions lowers the penalised loss."""
    session = learnt(many(300), every_pages=25)
    model, fits = session.learner.model, []
    for _ in range(8):  # 30 steps each, from the last weights on
        finish(model.fit_in_steps())
        fits.append(model.last.loss)
    training = np.flatnonzero(model.is_learnt_from())
    dense, terms, columns = matrix(model, training)
    y = model.outcomes_with_credit()[training]
    learnt_weights = model.weights
    weights = np.concatenate(
        (learnt_weights.dense, np.concatenate((learnt_weights.urls, learnt_weights.anchors))[columns])
    )
    prior, penalty = model.prior.of(columns)

    def loss(w: np.ndarray) -> float:
        z = dense @ w[: len(DENSE)] + terms @ w[len(DENSE) :]
        return float((np.logaddexp(0, z) - y * z).sum() + (penalty * (w - prior) ** 2).sum() / 2)

    generator = np.random.default_rng(0)
    for _ in range(20):
        step = generator.normal(size=len(weights))
        step *= 0.3 / np.linalg.norm(step)
        assert loss(weights) < loss(weights + step)
    assert model.last.loss < 0.8 * model.last.loss_of_mean


def test_with_credit_a_page_counts_for_what_it_led_to():
    values = {}
    for credit in (0.0, 0.5):
        memory = LinkMemory()
        memory.add(page("http://h.org/", 0.5, "http://h.org/hub", "http://h.org/end"))
        memory.add(page("http://h.org/hub", 0.2, *(f"http://h.org/{i}" for i in range(8))))
        memory.add(page("http://h.org/end", 0.2))
        for i in range(8):
            memory.add(page(f"http://h.org/{i}", 1.0))
        numbers = memory.numbers(["http://h.org/hub", "http://h.org/end"])
        values[credit] = LinkModel(memory, credit).outcomes_with_credit()[numbers].tolist()
    assert values[0.0] == [0.2, 0.2]
    assert values[0.5] == pytest.approx([1 - 0.8 * (1 - 0.5 * 8 / 10), 0.2])


# --- Session


def test_the_same_pages_teach_the_same():
    first, second = (learnt(many(120), exploration=0.1) for _ in range(2))
    assert np.array_equal(first.learner.model.scores(slice(None)), second.learner.model.scores(slice(None)))


def test_a_session_goes_on_with_what_another_has_recorded():
    session, again = LinkSession(), LinkSession()
    session.note_waiting("http://h.org/", 1, 1.0)
    pages = many(80)
    for found in pages:
        session._records[found.urls[0]] = found
        learn(session, found)
        n_links, record = session.take_record(found.urls[0])
        assert n_links == len(found.links)
        assert session.take_record(found.urls[0]) is None
        again.replay(record)
    again.finish_replay()
    assert again.memory.n_pages == 80
    assert again.memory.relevance == pytest.approx(session.memory.relevance)
    for table in ("links", "evidence", "anchors"):
        for name in getattr(session.memory, table)._kinds:
            if name not in ("url", "group_sum", "group_top", "frontier", "level", "rate"):
                one, other = (getattr(each.memory, table)[name] for each in (session, again))
                assert np.array_equal(one, other, equal_nan=name == "outcome"), name
    finish(session.learner.model.fit_in_steps())
    links = pages[-1].links
    assert scores(again, *links) == pytest.approx(scores(session, *links), abs=0.05)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_frontier_is_told_of_waiting_links_whose_score_has_changed(sign):
    """By their numbers: of rows, or fingerprints where many workers share links, of which half are negative."""
    session = LinkSession(every_pages=10)
    place = {}
    for found in many(60):
        led = session.memory.number(found.urls[0])
        ids = learn(session, found)
        for url, score in zip(found.links, session.learner.scorer.scores(ids).tolist(), strict=True):
            number = session.memory.number(url)
            if url not in place and np.isnan(session.memory.links["outcome"][number]):
                place[url] = [sign * (len(place) + 1), score]
                session.note_waiting(url, place[url][0], score)
        if led is not None and found.urls[0] in place:
            del place[found.urls[0]]  # it is fetched
            place[found.urls[0] + "#"] = [0, 0.0]
        by_number = {number: url for url, (number, _) in place.items()}
        for number, score in session.take_moves():
            place[by_number[number]][1] = score
    for _ in range(100):  # a few at a time, some of which are in their places by then
        for number, score in session.take_moves():
            place[by_number[number]][1] = score
    waiting = {url: score for url, (_, score) in place.items() if not url.endswith("#")}
    assert len(waiting) > 100
    assert list(waiting.values()) == pytest.approx(scores(session, *waiting), abs=10 * LEVEL)


@pytest.mark.parametrize(("score", "least"), [(0.95, 0.01), (0.5, 0.01), (0.06, 0.006)])
def test_a_link_moves_when_small_changes_of_its_score_add_up_to_a_hundredth_or_a_tenth_of_it(score, least):
    session = LinkSession()
    learn(session, page("http://h.org/", 0.5, "http://h.org/1"))
    session.take_moves()
    updates = session.learner.updates
    session.note_waiting("http://h.org/1", 7, score)
    number = np.array([session.memory.number("http://h.org/1")])
    moves = []
    for step in range(1, 6):
        updates.changed(number, np.array([score - step * least / 5]))
        moves.append(updates.due(is_last=step % 2 == 0))
    assert moves == [[], [], [], [], [(7, pytest.approx(score - least))]]


def test_a_change_of_model_moves_all_waiting_links_and_a_fit_the_best_at_once():
    """Links with high scores of a former model that believed everything would be fetched before the best by the new one."""
    urls = [f"http://h.org/{i}" for i in range(1_500)]
    former, session = LinkSession(), LinkSession()
    for each in (former, session):
        learn(each, page("http://h.org/", 0.5, *urls))
        each.learner.has_frontier = True
    for number, url in enumerate(urls):
        former.note_waiting(url, number, 0.9)
    session.learner.take_over_from(former.learner)
    finish(session.learner.find_moves_in_steps(0))
    moves = [session.take_moves() for _ in range(3)]
    assert [len(some) for some in moves] == [1_000, 500, 0]
    for number, url in enumerate(urls):
        session.note_waiting(url, number, 0.9)
    finish(session.learner.fit_in_steps())
    assert len(session.take_moves()) < 200


def test_links_that_are_gone_are_not_mentioned_again():
    session = LinkSession(every_pages=5)
    session.note_waiting("http://h.org/", 51, 1.0)
    learn(session, page("http://h.org/", 0.5, *(f"http://h.org/{i}" for i in range(50))))
    for i in range(50):
        session.note_waiting(f"http://h.org/{i}", i + 1, 0.0)
    assert len(session.take_moves()) == 50
    session.note_not_waiting(range(1, 26))
    for i in range(40, 50):
        learn(session, page(f"http://h.org/{i}", 0.9 if i % 2 else 0.1))
    assert {number for number, _ in session.take_moves()} <= set(range(26, 41))


@pytest.mark.parametrize("share", [0.0, 0.2])
def test_a_share_of_the_pages_is_explored(share):
    session = LinkSession(every_pages=10, exploration=share)
    learn(session, page("http://h.org/", 0.5, *(f"http://h.org/{i}" for i in range(400))))
    for i in range(400):
        session.note_waiting(f"http://h.org/{i}", i + 1, 0.5)
    drawn = set()
    for i in range(100):
        learn(session, page(f"http://h.org/{i}", 0.1))
        drawn |= {number for number, score in session.take_moves() if score == 1.0}
    assert len(drawn) == pytest.approx(100 * share, abs=5)


def test_without_a_frontier_nothing_is_kept_for_it():
    session = learnt(many(60))
    assert not session.learner.updates._changed
    assert not session._records


def test_few_pages_are_asked_for_at_a_time_until_something_is_known():
    session = LinkSession(warm_up_pages=20)
    found = []
    for each in many(30):
        found.append(session.max_under_way())
        learn(session, each)
    assert found[0] == 2
    assert sorted(found[:20]) == found[:20]
    assert found[20:] == [None] * 10
    assert LinkSession(warm_up_pages=0).max_under_way() is None


def test_scores_of_a_strategy_itself_know_nothing_of_other_pages():
    topic, strategy = hand_made.topic(), make_strategy("adaptive")
    read = PageReader(Analyzer("en")).read(
        hand_made.html("Welcome.", ("/a", "a nebula"), ("/b", "a recipe")), "http://h.org/"
    )
    relevance = Judge(topic).judge(read, KINDS)
    first, second = (strategy.score(read, relevance, Visit()).scores for _ in range(2))
    assert np.array_equal(first, second)
    values = np.stack(
        [np.full(2, relevance.page), block_of_links(read, relevance.blocks), relevance.anchors, relevance.contexts]
    )
    assert first == pytest.approx(1 / (1 + np.exp(-logit(values).mean(axis=0) / 2)), abs=1e-3)


# --- In steps


def bowl(point: np.ndarray) -> tuple[float, np.ndarray]:
    return float(((point - 3) ** 2 * [1, 10]).sum()), 2 * (point - 3) * [1, 10]


def test_a_descent_has_a_break_after_each_time_that_the_function_was_computed():
    points = []

    def loss(point: np.ndarray) -> tuple[float, np.ndarray]:
        points.append(point)
        return bowl(point)

    steps = descend(loss, np.zeros(2), np.ones(2), max_iterations=30)
    for n_steps in range(1, 4):
        next(steps)
        assert len(points) == n_steps  # nothing happens between two
    found, n_iterations = finish(steps)
    assert found == pytest.approx([3, 3], abs=1e-2)
    assert 1 < n_iterations < len(points)


def logistic_loss(seed: int) -> Loss:
    rng = np.random.default_rng(seed)
    dense = rng.normal(size=(300, len(DENSE))) * np.geomspace(0.1, 10, len(DENSE))
    terms = sparse.random(300, 200, density=0.05, format="csr", rng=rng)
    outcomes = 1 / (1 + np.exp(-dense @ rng.normal(size=len(DENSE)) / 10))
    n = len(DENSE) + 200
    return Loss(dense, terms, outcomes, rng.normal(size=n) / 10, np.full(n, 0.5))


@pytest.mark.parametrize("seed", range(3))
def test_a_descent_ends_where_scipys_does_with_fewer_computations(seed):
    loss = logistic_loss(seed)
    start, calls = np.zeros(len(DENSE) + 200), []

    def counted(point: np.ndarray) -> tuple[float, np.ndarray]:
        calls.append(point)
        return loss(point)

    found, _ = finish(descend(counted, start, loss.curvature(start), max_iterations=200, tolerance=1e-9))
    options = {"maxiter": 1000, "ftol": 1e-12, "gtol": 1e-8}
    same = minimize(loss, start, jac=True, method="L-BFGS-B", options=options)
    assert found == pytest.approx(same.x, abs=2e-3)
    assert loss(found)[0] == pytest.approx(same.fun, rel=1e-6)
    assert len(calls) < same.nfev


def test_curvatures_are_the_second_derivatives():
    loss = logistic_loss(0)
    point = np.full(len(DENSE) + 200, 0.01)
    found = loss.curvature(point)
    for number in (0, 5, len(DENSE) - 1, len(DENSE) + 3, len(point) - 1):
        step = np.zeros(len(point))
        step[number] = 1e-5
        slope = (loss(point + step)[1][number] - loss(point - step)[1][number]) / 2e-5
        assert found[number] == pytest.approx(slope, rel=1e-3)


def test_a_descent_from_the_lowest_point_stays_there():
    found, n_iterations = finish(descend(bowl, np.full(2, 3.0), np.ones(2), max_iterations=30))
    assert found.tolist() == [3, 3]
    assert n_iterations == 0


@pytest.mark.parametrize("curvature", [1e-6, 1.0, 1e6])
def test_a_descent_that_is_told_a_wrong_curvature_ends_at_the_same_point(curvature):
    found, _ = finish(descend(bowl, np.zeros(2), np.full(2, curvature), max_iterations=200, tolerance=1e-12))
    assert found == pytest.approx([3, 3], abs=1e-3)


def test_a_descent_where_nothing_is_lower_ends():
    def broken(point: np.ndarray) -> tuple[float, np.ndarray]:
        return (0.0 if not point.any() else np.nan), np.ones(2)

    found, n_iterations = finish(descend(broken, np.zeros(2), np.ones(2), max_iterations=30))
    assert found.tolist() == [0, 0]
    assert n_iterations == 0


def test_a_fit_in_steps_between_pages_is_the_fit_without_them(monkeypatch):
    """What pages bring meanwhile counts from the next fit on, but is scored by this one."""
    monkeypatch.setattr(link_rates, "ROWS_AT_A_TIME", 100)
    monkeypatch.setattr(link_training, "LINKS_AT_A_TIME", 10)
    pages, more = many(150), many(60, seed=1)
    at_once, in_steps = learnt(pages), learnt(pages)
    n_steps = 0
    finish(at_once.learner.model.fit_in_steps())
    for n_steps, _ in enumerate(in_steps.learner.model.fit_in_steps(), 1):
        if n_steps % 5 == 0 and more:
            in_steps.learner.model.add(*in_steps.memory.add(more.pop()))
    assert n_steps > 50
    assert len(more) < 50
    assert in_steps.learner.model.last.n_outcomes == at_once.learner.model.last.n_outcomes
    for name in Weights.__slots__:
        one, other = getattr(at_once.learner.model.weights, name), getattr(in_steps.learner.model.weights, name)
        assert one == pytest.approx(other, abs=0.05), name
    links = [number for number in range(1, in_steps.memory.links.size) if in_steps.memory.links["n_referrers"][number]]
    before = in_steps.learner.model.scores(np.array(links)).copy()
    rates = {name: groups.table["rate"].copy() for name, groups in in_steps.memory.groups.items()}
    for _ in in_steps.learner.model._computing(in_steps.learner.model.weights, rates):
        pass
    assert in_steps.learner.model.scores(np.array(links)) == pytest.approx(before)


def test_no_page_does_more_than_its_share_of_the_work_and_all_of_it_is_done(monkeypatch):
    monkeypatch.setattr(work_in_portions, "PORTION", 20_000)
    session, n_busy, rows = LinkSession(every_pages=25), 0, []
    begin = session.learner.work.begin

    def counted(steps: Iterator[int]) -> Iterator[int]:
        for n in steps:
            rows[-1] += n
            yield n

    monkeypatch.setattr(session.learner.work, "begin", lambda steps: begin(counted(steps)))
    for found in many(600):
        rows.append(0)
        learn(session, found)
        n_busy += session.learner.work.is_under_way
    assert n_busy > 20
    assert session.figures["focused/adaptive/fits_count"] >= 10
    assert session.learner.model.last.n_outcomes > 300
    assert max(rows) < 20_000 + 40_000


@pytest.mark.parametrize("work", [3_000, 10**9])
def test_what_a_crawl_learns_does_not_depend_on_the_time_that_it_takes(monkeypatch, work):
    monkeypatch.setattr(work_in_portions, "PORTION", work)
    first, second = (learnt(many(200), exploration=0.1, max_links=1000) for _ in range(2))
    assert np.array_equal(first.learner.model.scores(slice(None)), second.learner.model.scores(slice(None)))
    good, bad = ([url for url in many(200)[-1].links if name in url] for name in ("/good/", "/bad/"))
    assert min(scores(first, *good)) > max(scores(first, *bad))


def test_a_group_that_takes_the_place_of_a_forgotten_one_begins_anew():
    memory = LinkMemory(1000)
    memory.add(page("http://h.org/", 0.2, "http://h.org/a/1", "http://h.org/b/2"))
    memory.add(page("http://h.org/a/1", 1.0))
    model = LinkModel(memory)
    model.refresh()
    folders, number = memory.groups["folder"].table, memory.number("http://h.org/a/1")
    before = memory.links["folder"][number]
    assert folders["rate"][before] > 0
    finish(memory.forget_in_steps(np.array([number]), model.outcomes_with_credit(), model.outcomes_with_credit()))
    memory.add(page("http://h.org/c", 0.2, "http://h.org/new/3"))
    number = memory.number("http://h.org/new/3")
    assert memory.links["folder"][number] == before
    assert folders["rate"][before] == folders["past_count"][before] == 0
    assert np.isnan(memory.links["outcome"][number])


def test_a_page_that_changes_thousands_of_links_is_told_to_the_frontier_bit_by_bit_the_best_first():
    urls = [f"http://h.org/{i}/{i}" for i in range(2500)]
    session = LinkSession(every_pages=10_000)
    session.note_waiting("http://h.org/", 0, 1.0)
    learn(session, page("http://h.org/", 0.5, *urls))
    for i, url in enumerate(urls):
        session.note_waiting(url, i + 1, 0.5)
    session.take_moves()
    logits = np.linspace(0.5, 3, 2500)[:, None].repeat(4, axis=1)
    learn(session, replace(page("http://h.org/x", 0.5, *urls), logits=logits))
    moved = [session.take_moves() for _ in range(3)]
    assert [len(each) for each in moved] == [1000, 1000, 500]
    assert min(score for _, score in moved[0]) >= max(score for _, score in moved[1]) - LEVEL
    assert len({number for each in moved for number, _ in each}) == 2500


def of_many_links(n_links: int) -> PageLinks:
    """A page of links that others have, too, and of new ones, in five blocks."""
    urls = list(dict.fromkeys(url for found in many(150) for url in found.links))
    urls += [f"http://new.org/{number % 7}/{number}.html" for number in range(n_links - len(urls))]
    found = page("http://h.org/index.html", 0.6, *urls)
    logits = np.random.default_rng(1).normal(-1, 2, (len(urls), 4)).round(3)
    anchors = [(1 + number % 50,) for number in range(len(urls))]
    return replace(found, blocks=np.arange(len(urls)) // 1000, logits=logits, anchors=anchors)


@pytest.mark.parametrize("max_links", [1_000, 100_000])
def test_many_links_teach_in_steps_what_they_teach_at_once_whatever_the_frontier_does_meanwhile(monkeypatch, max_links):
    monkeypatch.setattr(work_in_portions, "PORTION", 5_000)  # so that a fit is under way
    large, before, after = of_many_links(4_000), many(151)[:-1], many(40, seed=2)
    at_once, in_steps = (LinkSession(every_pages=10, max_links=max_links) for _ in range(2))
    for session in (at_once, in_steps):
        session.note_waiting("http://h.org/", 0, 1.0)
        for number, found in enumerate(before):
            learn(session, found)
            session.note_waiting(found.links[0], number + 1, 0.5)
            session.take_moves()
            if number > 100 and session.learner.work.is_under_way:
                break
    assert at_once.learner.work.is_under_way
    n_steps = 0
    learning = Steps(in_steps._learn_in_steps(large))
    for n_rows in learning:
        assert n_rows >= 0
        n_steps += 1
        in_steps.note_waiting(large.links[n_steps], 1000 + n_steps, 0.5)
        in_steps.take_moves()
        in_steps.note_not_waiting([n_steps])
        in_steps.take_record(before[n_steps].urls[0])
    assert n_steps > 6
    learn(at_once, large)
    _, found = learning.result
    assert found.tolist() == scores(at_once, *large.links)
    for each in after:
        for session in (at_once, in_steps):
            learn(session, each)
    assert in_steps.figures == at_once.figures
    for table in ("links", "evidence"):
        one, other = getattr(at_once.memory, table), getattr(in_steps.memory, table)
        for name in one._kinds:
            if name not in ("frontier", "level"):
                assert np.array_equal(one[name], other[name], equal_nan=True), name


# --- What an outcome counts as


def test_the_less_an_outcome_counts_the_nearer_weights_and_rates_stay_to_where_they_began():
    def far(certainty: float) -> tuple[float, float]:
        model = learnt(many(60), every_pages=10, certainty=certainty).learner.model
        rates = np.concatenate([groups.table["rate"] for groups in model.memory.groups.values()])
        return float(np.abs(model.weights.dense[1:] - model.prior.dense[1:]).sum()), float(np.abs(rates).max())

    weights, of_rates = zip(*(far(certainty) for certainty in (1.0, 0.3, 0.05)), strict=True)
    assert weights[0] > 1.2 * weights[1] > 1.4 * weights[2]
    assert of_rates[0] > 1.2 * of_rates[1] > 1.4 * of_rates[2]


def test_what_comes_of_links_for_words_counts_for_less():
    words = hand_made.topic(manifest={"examples": {"keywords": {"terms": ["star"]}}})
    assert (
        Adaptive().prepare(words).session().learner.model.certainty
        < Adaptive().prepare(hand_made.topic()).session().learner.model.certainty
        == 1.0
    )
