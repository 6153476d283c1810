from __future__ import annotations

import json
from dataclasses import replace

import hand_made
import numpy as np
import pytest

from focused.method.explanation.explain import OBEYS_LINKS, explain, term_shares
from focused.method.explanation.rendering import WIDTH, shorten, to_json, to_text
from focused.method.page.reader import PageReader
from focused.method.scoring import Strategy, Visit
from focused.method.strategies import STRATEGIES, make_strategy
from focused.method.topic.judge import Judge

URL = "http://h.org/dir/page.html"
BODY = (
    b"<title>Stars &amp; soup</title><body><div><p>Stars, stars, a galaxy; soup is served."
    b'<a href="/a">a nebula</a></p></div>'
    b'<div><p>Butter and flour.<a href="b.html">soup</a><a rel=nofollow href="http://other.org/c?d=1">planets</a></p></div>'
    b'<a href="x.pdf">paper</a>'
)


@pytest.fixture(scope="module", params=[False, True], ids=["tf", "1 + ln tf"])
def topic(request):
    rng = np.random.default_rng(1)
    n_terms = len(hand_made.FOR + hand_made.AGAINST)
    return hand_made.topic(term_weights=rng.uniform(1, 3, n_terms), sublinear_tf=request.param)


def explained(topic, body=BODY, strategy="cbp_slc", similarity="calibrated", **options):
    page = PageReader(topic.analyzer).read(body, URL)
    return explain(page, Judge(topic, similarity=similarity), make_strategy(strategy), **options)


def test_what_the_terms_add_is_the_decision(topic):
    found = explained(topic)
    total = sum(term.contribution for term in found.terms_for + found.terms_against)
    assert found.decision == pytest.approx(topic.model.intercept + total, abs=1e-12)
    relevance = topic.model.relevance("page", [found.decision], [found.n_known])[0]
    assert found.relevance == pytest.approx(relevance, abs=1e-12)
    assert found.relevance == Judge(topic).judge(PageReader(topic.analyzer).read(BODY, URL)).page


def test_each_term_is_counted_and_stands_on_its_side(topic):
    found = explained(topic)
    assert {term.term: term.count for term in found.terms_for} == {"star": 3, "galaxi": 1, "nebula": 1, "planet": 1}
    assert {term.term: term.count for term in found.terms_against} == {"soup": 3, "butter": 1, "flour": 1}
    contributions = [term.contribution for term in found.terms_for]
    assert contributions == sorted(contributions, reverse=True)
    assert min(contributions) > 0 > max(term.contribution for term in found.terms_against)


def test_a_page_without_known_words_is_left_to_the_prior(topic):
    found = explained(topic, b"<p>nothing whatever")
    assert (found.n_known, found.terms_for, found.terms_against) == (0, [], [])
    assert found.decision == topic.model.intercept
    assert found.relevance == pytest.approx(0.1)
    assert "no word that the topic knows" in to_text(found)
    assert term_shares(PageReader(topic.analyzer).read(b"", URL), topic) == []


def test_blocks_stand_in_document_order_with_their_links(topic):
    found = explained(topic)
    texts = [block.text for block in found.blocks]
    assert texts[0].startswith("Stars, stars, a galaxy")
    assert [block.number for block in found.blocks] == list(range(1, len(texts) + 1))
    assert sum(block.n_links for block in found.blocks) == 3
    assert found.blocks[0].is_relevant
    assert not found.blocks[1].is_relevant


@pytest.mark.parametrize("strategy", [name for name, kind in STRATEGIES.items() if kind.prepare is Strategy.prepare])
@pytest.mark.parametrize("similarity", ["calibrated", "cosine"])
def test_links_have_the_score_that_a_crawl_gives_them(topic, strategy, similarity):
    found = explained(topic, strategy=strategy, similarity=similarity)
    page = PageReader(topic.analyzer).read(BODY, URL)
    judge, chosen = Judge(topic, similarity=similarity), make_strategy(strategy)
    scores = chosen.score(page, judge.judge(page, chosen.kinds), Visit())
    expected = {
        url: (float(scores.scores[number]), bool(scores.admitted[number])) for url, number in page.link_numbers.items()
    }
    assert {link.url: (link.score, link.status == "admitted") for link in found.links} == expected
    order = [(link.status != "admitted", -link.score) for link in found.links]
    assert order == sorted(order)


@pytest.mark.parametrize(
    ("similarity", "measure"), [("calibrated", "relevance"), ("cosine", "cosine"), ("decision", "decision")]
)
def test_tables_name_the_measure_that_units_are_compared_by(topic, similarity, measure):
    text = to_text(explained(topic, similarity=similarity))
    assert f"* relevant ({measure} >= " in text
    assert f"each with the {measure} of its" in text


def test_the_evidence_is_shown_whatever_the_strategy_looks_at(topic):
    links = {link.url: link for link in explained(topic, strategy="best_first").links}
    nebula, soup = links["http://h.org/a"], links["http://h.org/dir/b.html"]
    assert (nebula.block_number, soup.block_number) == (1, 2)
    assert nebula.anchor > 0.5 > soup.anchor
    assert nebula.block > 0.5 > soup.block
    assert nebula.anchor_text == "a nebula"


def test_what_becomes_of_a_link_follows_the_settings(topic):
    def statuses(**options) -> dict[str, str]:
        return {link.anchor_text: link.status for link in explained(topic, strategy="anchor_text", **options).links}

    assert statuses() == {"a nebula": "admitted", "soup": "deferred", "planets": "admitted"}
    assert statuses(drops=True, nofollow=OBEYS_LINKS) == {
        "a nebula": "admitted",
        "soup": "dropped",
        "planets": "nofollow",
    }


def test_the_text_is_aligned_and_no_wider_than_a_wide_terminal(topic):
    long = BODY.replace(b'/a"', b"/" + b"a" * 300 + b'"').replace(b"a nebula", b"nebula " * 60)
    text = to_text(explained(topic, long))
    lines = text.splitlines()
    assert max(map(len, lines)) <= WIDTH
    rows = [line for line in lines if line[7:17].strip() in ("admitted", "deferred")]
    assert len(rows) == 3
    assert len({row.index(row.split()[1]) for row in rows}) == 1
    header = next(line for line in lines if "anchor  context" in line)
    assert all(row[header.index("anchor") :][:5].replace(".", "").isdigit() for row in rows)


def test_the_text_says_what_was_decided_and_why(topic):
    text = to_text(explained(topic))
    assert text.startswith(f"{URL}\nStars & soup\n")
    for fragment in (
        "relevant for topic stars", "in 0.500", "Terms: stem", "against (3)", "Blocks:", "* relevant", "Links: 3",
        "dir/b.html", "other.org/c?d=1", "links to PDF files, which are not read: 1",
    ):  # fmt: skip
        assert fragment.replace("in 0.500", "0.500") in text


def test_long_tables_are_cut_and_say_so(topic):
    links = "".join(f"<p>star<a href=/{n}>nebula {n}</a></p>" for n in range(50))
    found = explained(topic, f"<div>{links}</div>".encode())
    short, whole = to_text(found, top=5), to_text(found, top=0)
    assert "and 45 more links (--top 0 shows all)" in short
    assert "more" not in whole
    assert whole.count("admitted ") >= 50


def test_of_many_blocks_the_best_are_shown(topic):
    blocks = "".join(f"<p>soup {n} <a href=/{n}>x</a></p>" for n in range(9)) + "<p>galaxy <a href=/g>x</a></p>"
    text = to_text(explained(topic, f"<body>{blocks}".encode()), top=1)
    assert "galaxy x" in text
    assert "soup 1 x" not in text


def test_json_holds_everything_uncut(topic):
    found = explained(topic)
    assert json.loads(to_json(found)) == json.loads(json.dumps(found, default=lambda value: {
        name: getattr(value, name) for name in value.__slots__
    }))  # fmt: skip


def test_control_characters_of_a_page_do_not_reach_the_terminal(topic):
    found = replace(explained(topic), title="\x1b[31mred\x07\u202etxt")
    assert not [c for c in to_text(found) if not (c.isprintable() or c == "\n")]


@pytest.mark.parametrize(("text", "width", "short"), [("abc", 3, "abc"), ("abcdef", 5, "ab..."), ("a\n b", 9, "a b")])
def test_shorten(text, width, short):
    assert shorten(text, width) == short
