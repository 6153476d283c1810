from __future__ import annotations

import numpy as np
import pytest
from scrapy.settings import Settings
from warcs import Warc

from focused import settings as project_settings
from focused.evaluation.graph import LinkGraph, load_graph
from focused.evaluation.graph_build import PageResolver, build_graph, graph_of
from focused.evaluation.oracle import OraclePlan, oracle_scores
from focused.method.scoring.priority import to_priority
from focused.webs.recorded import RecordedWeb


def settings(**more):
    return Settings({name: value for name, value in vars(project_settings).items() if name.isupper()} | more)


def links(*urls: str) -> bytes:
    return b"<!DOCTYPE html><body>words " + b"".join(f'<p><a href="{url}">x</a>'.encode() for url in urls)


@pytest.fixture
def web(tmp_path):
    warc = Warc(tmp_path / "site.warc.gz")
    warc.page(
        "http://h.org/", links("a.html", "/B.html", "old", "gone", "loop1", "private/x.html", "pic.png", "empty.html")
    )
    warc.page("http://h.org/a.html", links("index.html", "c.html#part"))
    warc.page("http://h.org/b.html", links("c.html"))
    warc.page("http://h.org/c.html", links("a.html", "c.html"))
    warc.page("http://h.org/d.html", links("/"))
    warc.page("http://h.org/island.html", links("a.html"))
    warc.page("http://h.org/private/x.html", links("y.html"))
    warc.page("http://h.org/private/y.html", b"<p>y")
    warc.page("http://h.org/old", b"", "301 Moved", [("Location", "/older")])
    warc.page("http://h.org/older", b"", "302 Found", [("Location", "http://h.org/d.html")])
    warc.page("http://h.org/loop1", b"", "302 Found", [("Location", "/loop2")])
    warc.page("http://h.org/loop2", b"", "302 Found", [("Location", "/loop1")])
    warc.page("http://h.org/gone", b"<p>gone", "404 Not Found")
    warc.page("http://h.org/pic.png", b"\x89PNG\r\n\x1a\n\0\0", headers=[("Content-Type", "image/png")])
    warc.page(
        "http://h.org/robots.txt", b"User-agent: *\nDisallow: /private/\n", headers=[("Content-Type", "text/plain")]
    )
    warc.page("http://h.org/empty.html", b" \n")
    with RecordedWeb(warc.save()) as recorded:
        yield recorded


def reached(graph, *seeds, depth=None):
    depths = graph.depths([graph.page_number[f"http://h.org/{seed}"] for seed in seeds], depth)
    return {
        url.removeprefix("http://h.org/"): found
        for url, found in zip(graph.pages, depths.tolist(), strict=True)
        if found >= 0
    }


def test_links_lead_where_a_crawl_gets_by_them(web):
    graph = build_graph(web, settings())
    # Redirects add no step, /B.html is answered by b.html, index.html by /; robots.txt forbids private.
    assert reached(graph, "") == {"": 0, "a.html": 1, "b.html": 1, "d.html": 1, "c.html": 2}
    assert not {"http://h.org/pic.png", "http://h.org/empty.html"} & set(graph.pages)
    assert reached(graph, "", depth=1) == {"": 0, "a.html": 1, "b.html": 1, "d.html": 1}
    assert reached(graph, "c.html", "island.html")["island.html"] == 0


def test_relative_links_start_at_every_url_that_leads_to_a_page(tmp_path):
    warc = Warc(tmp_path / "site.warc.gz")
    warc.page("http://h.org/", links("/Docs/a.html"))
    warc.page("http://h.org/docs/a.html", links("b.html", "c.html"))
    warc.page("http://h.org/docs/b.html", b"<p>b")
    warc.page("http://h.org/Docs/c.html", b"<p>c, of the folder with the capital")
    warc.page("http://h.org/docs/c.html", b"<p>c, of the other")
    with RecordedWeb(warc.save()) as recorded:
        found = build_graph(recorded, settings())
    assert set(reached(found, "")) == {"", "docs/a.html", "docs/b.html", "docs/c.html", "Docs/c.html"}
    assert oracle_scores(found, [found.page_number["http://h.org/docs/b.html"]]).keys() == {
        "http://h.org/docs/b.html",
        "http://h.org/Docs/b.html",
    }


def test_robots_txt_and_redirects_are_as_the_settings_say(web):
    assert "private/y.html" in reached(build_graph(web, settings(ROBOTSTXT_OBEY=False)), "")
    assert "d.html" not in reached(build_graph(web, settings(REDIRECT_MAX_TIMES=1)), "")


def test_a_robots_txt_that_cannot_be_had_forbids_all_and_a_missing_one_nothing(tmp_path):
    warc = Warc(tmp_path / "site.warc.gz").page("http://h.org/", links("a.html")).page("http://h.org/a.html", b"<p>a")
    with RecordedWeb(warc.save()) as recorded:
        assert PageResolver(recorded, settings()).page_of("http://h.org/a.html") == "http://h.org/a.html"
    warc.page("http://h.org/robots.txt", b"", "503 Unavailable")
    with RecordedWeb(warc.save()) as recorded:
        assert PageResolver(recorded, settings()).page_of("http://h.org/a.html") is None


def test_a_graph_is_kept_and_one_of_other_settings_is_another(web, tmp_path):
    graph, path = graph_of(web, "digest", settings(), tmp_path / "graphs", lambda items, what: items)

    def never(items, what):
        raise AssertionError("it is built again")

    again, same = graph_of(web, "digest", settings(), tmp_path / "graphs", never)
    assert same == path
    assert (again.pages, again.links) == (graph.pages, graph.links)
    assert (again.link_page == graph.link_page).all()
    with pytest.raises(AssertionError, match="built again"):
        graph_of(web, "digest", settings(ROBOTSTXT_OBEY=False), tmp_path / "graphs", never)
    path.write_bytes(path.read_bytes()[:100])
    assert load_graph(path) is None


def graph(**targets: str) -> LinkGraph:
    """Pages of one letter, each with the letters that it links to."""
    names = list(targets)
    number = {name: n for n, name in enumerate(names)}
    return LinkGraph(
        names,
        names,
        np.arange(len(names)),
        np.cumsum([0, *(len(found) for found in targets.values())]),
        np.array([number[name] for found in targets.values() for name in found], dtype=np.int64),
    )


def order(
    found: LinkGraph, relevant: str, seeds: str, n_pages: int = 99, free: str = "", depth: int | None = None
) -> str:
    number = found.page_number
    oracle = OraclePlan(found, [number[name] for name in relevant], [number[name] for name in free], depth)
    return "".join(found.pages[page] for page in oracle.order([number[name] for name in seeds], n_pages))


def test_the_oracle_fetches_relevant_pages_before_it_tunnels():
    # s -> x -> r, s -> q (relevant) -> t (relevant)
    assert order(graph(s="xq", x="r", r="", q="t", t=""), "rqt", "s") == "sqtxr"


def test_the_oracle_tunnels_by_the_shortest_way_to_the_most():
    # Behind x there is one relevant page, behind y three.
    assert order(graph(s="xy", x="a", y="b", a="", b="cd", c="", d=""), "abcd", "s") == "sybcdxa"
    # Of two ways to the same page the shorter.
    assert order(graph(s="xz", x="y", y="r", z="r", r=""), "r", "s") == "szr"


def test_the_oracle_spends_what_is_left_where_it_pays():
    # Two pages are left: the three behind y are too far, the one behind x is not.
    far = graph(s="xy", x="a", y="z", z="b", a="", b="cd", c="", d="")
    assert order(far, "abcd", "s", n_pages=3) == "sxa"
    assert order(far, "abcd", "s") == "syzbcdxa"


def test_pages_that_do_not_count_cost_the_oracle_nothing():
    found = graph(s="xp", x="r", p="q", q="t", r="", t="")
    assert order(found, "rt", "s", n_pages=2, free="pq") == "spqt"
    assert order(found, "rt", "s", free="pq") == "spqtxr"


def test_the_oracle_keeps_to_the_depth():
    assert order(graph(s="x", x="r", r="q", q=""), "rq", "s", depth=2) == "sxr"


def test_every_spelling_of_a_link_has_the_score_of_its_page_and_ranks_have_priorities_of_their_own():
    found = LinkGraph(
        ["a", "b"], ["b", "B", "a", "dead"], np.array([1, 1, 0, -1]), np.array([0, 2, 4]), np.array([0, 1, 2, 3])
    )
    scores = oracle_scores(found, [0, 1])
    assert scores["b"] == scores["B"] < scores["a"] == 1
    assert "dead" not in scores
    names = [f"p{number}" for number in range(900)]
    many = oracle_scores(LinkGraph(names, [], np.zeros(0, int), np.zeros(901, int), np.zeros(0, int)), list(range(900)))
    priorities = [to_priority(many[name], True) for name in names]
    assert priorities == sorted(set(priorities), reverse=True)
