from __future__ import annotations

import json
import threading
from http.client import HTTPConnection
from urllib.parse import urljoin, urlsplit

import pytest
from warcio.archiveiterator import ArchiveIterator

from focused.webs.demo import DemoWeb
from focused.webs.demo import export as demo_export
from focused.webs.demo.server import DemoServer
from focused.webs.recorded import RecordedWeb


@pytest.fixture(scope="module")
def web() -> DemoWeb:
    return DemoWeb(n_pages=120, n_hosts=6, n_topics=2, seed=4)


@pytest.mark.parametrize("name", ["web.warc.gz", "web.warc"])
def test_warc_replays_as_the_web_answers(web, tmp_path, name):
    n_records = demo_export.write_warc(web, tmp_path / name)
    with (tmp_path / name).open("rb") as file:
        urls = [record.rec_headers.get_header("WARC-Target-URI") for record in ArchiveIterator(file)]
    assert len(urls) == len(set(urls)) == n_records
    assert {url for url, _ in web.labels()} < set(urls)
    assert {f"{origin}/robots.txt" for origin in web.origins} < set(urls)
    statuses = set()
    with RecordedWeb(tmp_path / name, tmp_path) as recorded:
        for url in urls:
            replayed, answer = recorded.answer(url), web.answer(url)
            assert (replayed.status, replayed.headers, replayed.body) == (answer.status, answer.headers, answer.body)
            statuses.add(answer.status)
    assert statuses == {200, 301, 302, 404, 500}


def test_warc_holds_every_link_but_the_calendar(web, tmp_path):
    demo_export.write_warc(web, tmp_path / "web.warc.gz")
    with RecordedWeb(tmp_path / "web.warc.gz", tmp_path) as recorded:
        for url, _ in web.labels():
            for href in demo_export.HREF.findall(web.answer(url).body):
                target = urljoin(url, href.decode())
                expected = "missing" if "/calendar/" in target else "exact"
                assert recorded.answer(target).match == expected


def test_same_web_gives_the_same_file(web, tmp_path):
    for name in ("one.warc.gz", "two.warc.gz"):
        demo_export.write_warc(web, tmp_path / name)
    assert (tmp_path / "one.warc.gz").read_bytes() == (tmp_path / "two.warc.gz").read_bytes()


def test_labels_are_tab_separated_under_a_header(web, tmp_path):
    assert demo_export.write_labels(web, tmp_path / "web.labels.tsv") == 120
    header, *rows = (tmp_path / "web.labels.tsv").read_text("utf-8").splitlines()
    assert header == "url\tlabels"
    assert [tuple(row.split("\t")) for row in rows] == [(url, topic or "other") for url, topic in web.labels()]


def test_examples_keep_their_urls(web, tmp_path):
    demo_export.write_examples(web, "sailing", tmp_path / "new" / "folder", 5, 40, random_state=2)
    lines = {}
    for name in ("positive", "unlabeled"):
        text = (tmp_path / "new" / "folder" / f"{name}.jsonl").read_text("utf-8")
        lines[name] = [json.loads(line) for line in text.splitlines()]
        assert all(set(line) == {"url", "html"} for line in lines[name])
    assert [line["url"] for line in lines["positive"]] == [url for url, _ in web.examples("sailing", 5, 2)]
    assert [line["url"] for line in lines["unlabeled"]] == [url for url, _ in web.unlabeled(40, 2)]
    assert not any("\ufffd" in line["html"] for line in lines["unlabeled"])
    assert any("\u2019" in line["html"] for line in lines["unlabeled"])


def test_interrupted_export_leaves_nothing(web, tmp_path, monkeypatch):
    def fail(url: str) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(web, "answer", fail)
    with pytest.raises(OSError, match="disk full"):
        demo_export.write_warc(web, tmp_path / "web.warc.gz")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def server(web):
    with DemoServer(web, 0) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def get(server: DemoServer, path: str, host: str = "127.0.0.1") -> tuple[int, dict[str, str], bytes]:
    connection = HTTPConnection("127.0.0.1", server.server_port)
    connection.request("GET", path, headers={"Host": host})
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response.status, dict(response.getheaders()), body


def test_server_shows_where_to_start(web, server):
    status, _, body = get(server, "/")
    assert status == 200
    for topic in web.topics:
        for seed in web.seeds(topic):
            assert f'href="/{seed.partition("://")[2]}"'.encode() in body


def test_served_links_stay_on_the_server(web, server):
    waiting = [f"/{web.seeds('astronomy')[0].partition('://')[2]}"]
    seen = set(waiting)
    statuses = set()
    while waiting:
        path = waiting.pop()
        status, headers, body = get(server, path)
        statuses.add(status)
        if status in (301, 302):
            assert get(server, headers["Location"])[0] == 200
        for link in demo_export.HREF.findall(body):
            assert link.startswith(b"/")
            target = link.decode()
            if target not in seen and "/calendar/" not in target:
                seen.add(target)
                waiting.append(target)
    assert {200, 404} <= statuses
    assert len(seen) > web.n_pages


def test_server_knows_hosts_by_their_header(web, server):
    url = web.seeds("sailing")[1]
    split = urlsplit(url)
    path = f"{split.path}?{split.query}" if split.query else split.path
    status, _, body = get(server, path, host=f"{split.netloc}:{server.server_port}")
    assert (status, body) == (200, web.answer(url).body)
    assert get(server, "/nowhere.example/")[0] == 404
