"""The dashboard: who may ask it, what it shows of runs, also of strangers', and that a person can judge with one key."""

from __future__ import annotations

import json
import re
import shutil
import threading
import time

import pytest
from commands import ROOT, crawl
from starlette.testclient import TestClient

from focused.collection.page import CollectedPage
from focused.collection.store import CollectionStore
from focused.collection.view import CollectionView
from focused.dashboard.app import make_app
from focused.dashboard.frontier import best_links
from focused.dashboard.guard import MAX_STREAMS, POLICY, Guard
from focused.dashboard.page_views import MAX_TERMS
from focused.dashboard.runs import KILLED, LIVE, Runs
from focused.frontier.store.schema import lock

MODELS = ROOT / "models"
HOST, TOKEN = "127.0.0.1:8088", "right-token"
EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    assert crawl(MODELS, folder, topic="demo", max_pages=60, run_dir="good").exit_code == 0
    strange = folder / "strange"
    strange.mkdir()
    run = {
        "topic": EVIL,
        "strategy": ["no", "text"],
        "finish_reason": "max_pages",
        "started_at": EVIL,
        "max_pages": "many",
    }
    (strange / "run.json").write_text(json.dumps(run))
    (strange / "harvest.csv").write_bytes(b"pages,relevant,harvest_rate\n1,2,3\n\xff\xff,nan,inf\n")
    store = CollectionStore(strange / "collection.sqlite", max_irrelevant=10)
    text = f"star {EVIL} \x1b[2J \x02 \x03 {'x' * 300_000}\n{EVIL}"
    store.add(CollectedPage(1, "javascript:alert(1)", title=EVIL, text=text, relevant=True, relevance=0.9, author=EVIL,
                            referrer=EVIL, link_reason=EVIL, language=EVIL))  # fmt: skip
    store.close()
    for name, text in (("live", "a star"), ("huge", f"star {EVIL} {'x' * 170}\n" * 50_000)):
        (folder / name).mkdir()
        (folder / name / "run.json").write_text(json.dumps({"topic": "stars", "finish_reason": "running"}))
        store = CollectionStore(folder / name / "collection.sqlite", max_irrelevant=10)
        store.add(CollectedPage(1, f"http://a.example/{name}", title=name, text=text, relevant=True, relevance=0.9))
        store.close()
    (folder / "broken").mkdir()
    (folder / "broken" / "run.json").write_text("{")
    (folder / "broken" / "collection.sqlite").write_bytes(b"nonsense")
    (folder / "broken" / "frontier.sqlite").write_bytes(b"nonsense")
    return folder


@pytest.fixture
def app(runs):
    return make_app(runs, token=TOKEN, hosts=frozenset({HOST, "localhost:8088"}))


@pytest.fixture
def client(app):
    """A browser that has opened the printed link."""
    with TestClient(app, base_url=f"http://{HOST}", raise_server_exceptions=True) as client:
        assert client.get(f"/?token={TOKEN}").status_code == 200
        yield client


def key_of(runs, name: str) -> str:
    return next(run.key for run in Runs(runs).all() if run.name == name)


def test_nobody_without_the_token_is_answered(app):
    client = TestClient(app, base_url=f"http://{HOST}")
    for path in ("/", "/?token=wrong", "/runs/x", "/static/run.js", "/runs/x/events"):
        answer = client.get(path)
        assert answer.status_code == 403
        assert "Open the link" in answer.text
    answer = client.get(f"/runs/x?a=1&token={TOKEN}", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/runs/x?a=1")  # the token leaves the address
    assert re.search(r"httponly; .*samesite=strict", answer.headers["set-cookie"], re.IGNORECASE)
    assert (
        client.get(f"http://{HOST}//evil.example/?token={TOKEN}", follow_redirects=False)
        .headers["location"]
        .startswith("/evil")
    )


@pytest.mark.parametrize("others", ["a b=c@d; ", 'odd="x; ', "dashboard_token_8088=old; ", "\u00e4=1; ", ";;=; "])
def test_cookies_of_other_programs_lock_nobody_out(app, others):
    client = TestClient(app, base_url=f"http://{HOST}")
    for cookie, status in ((f"{others}dashboard_token_8088={TOKEN}", 200), (f"{others}dashboard_token_8088=no", 403)):
        assert client.get("/", headers={"cookie": cookie.encode()}).status_code == status


def test_the_name_of_its_own_that_keeps_the_cookie_from_other_ports_is_not_told(runs):
    hosts = frozenset({HOST, "focused-secret.localhost:8088"})
    client = TestClient(make_app(runs, token=TOKEN, hosts=hosts), base_url="http://focused-secret.localhost:8088")
    assert client.get(f"/?token={TOKEN}").status_code == 200
    told = client.get("/", headers={"host": "evil.example"})
    assert (told.status_code, told.text) == (421, f"Only {HOST} is answered here.\n")


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:9", "evil.example:8088", ""])
def test_another_host_is_refused_even_with_the_token(client, host):
    assert client.get(f"/?token={TOKEN}", headers={"host": host}).status_code == 421


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": f"http://{HOST}"}, 200), ({"sec-fetch-site": "same-origin"}, 200),
        ({"origin": "http://evil.example"}, 403), ({"origin": "null"}, 403), ({"origin": "http://127.0.0.1:9"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403), ({}, 403),
    ],
)  # fmt: skip
def test_a_form_of_another_site_is_refused(client, runs, headers, status):
    path = f"/runs/{key_of(runs, 'good')}/judge"
    answer = client.post(path, data={"as": "eve", "url": "", "answer": "y"}, headers=headers)
    assert answer.status_code == status
    assert (runs / "good" / "verdicts" / "eve.jsonl").exists() is False  # no page was shown yet, so none was judged


def test_too_long_a_body_and_other_methods_are_refused(client, runs):
    path = f"/runs/{key_of(runs, 'good')}/judge"
    own = {"origin": f"http://{HOST}"}
    assert client.post(path, data={"as": "x" * 100_000}, headers=own).status_code == 413
    assert client.request("DELETE", path, headers=own).status_code == 405


def test_every_answer_says_what_a_browser_must_not_do(client, runs):
    for path in ("/", f"/runs/{key_of(runs, 'good')}", "/nowhere", "/static/run.js"):
        headers = client.get(path).headers
        assert headers["content-security-policy"] == POLICY
        assert (headers["x-content-type-options"], headers["cache-control"]) == ("nosniff", "no-store")
    assert "unsafe" not in POLICY


def test_a_path_is_never_made_of_what_a_browser_sends(client, runs):
    (runs.parent / "secret.txt").write_text("secret")
    for path in (
        "/runs/..%2f..%2fetc",
        "/runs/%2e%2e",
        "/static/..%2f..%2fapp.py",
        "/static/%2e%2e/app.py",
        "/runs/good",
    ):
        answer = client.get(path)
        assert answer.status_code == 404
        assert "secret" not in answer.text
        assert "import" not in answer.text


@pytest.mark.parametrize("name", ["good", "strange", "broken"])
@pytest.mark.parametrize(
    "view", ["", "/pages", "/pages?words=star", "/pages/1", "/pages/1?words=star", "/judge?as=me", "/curve.json"]
)
def test_each_view_of_each_run_is_whole_and_shows_what_strangers_wrote_as_text(client, runs, name, view):
    answer = client.get(f"/runs/{key_of(runs, name)}{view}")
    assert answer.status_code in ((200,) if name != "broken" else (200, 400, 404))
    assert EVIL not in answer.text
    assert 'href="javascript' not in answer.text
    assert "Traceback" not in answer.text
    if "html" in answer.headers["content-type"]:
        assert answer.text.rstrip().endswith("</html>")
        assert not re.search(r"<script(?! src=)|<[^>]+ (?:style|on\w+)=", answer.text)  # the policy would refuse them


def test_words_that_mean_nothing_are_explained(client, runs):
    answer = client.get(f"/runs/{key_of(runs, 'good')}/pages", params={"words": "*"})
    assert answer.status_code == 200
    assert "Give a word of letters or digits to be found." in answer.text


def test_more_words_than_a_search_can_hold_are_refused(client, runs):
    path = f"/runs/{key_of(runs, 'good')}/pages"
    assert "At most" not in client.get(path, params={"words": "star " * MAX_TERMS}).text
    began = time.process_time()
    answer = client.get(path, params={"words": "a " * 200})
    assert f"At most {MAX_TERMS} words can be searched for at a time" in answer.text
    assert time.process_time() - began < 1


def test_what_a_collection_takes_too_long_for_is_given_up_in_views_and_for_those_who_judge(
    runs, tmp_path, client, monkeypatch
):
    key = key_of(runs, "good")
    monkeypatch.setattr("focused.utils.sqlite_files._EVERY_STEPS", 1)
    for module, name in (("page_views", "VIEW_SECS"), ("frontier", "VIEW_SECS"), ("judging_room", "TAKING_IN_SECS")):
        monkeypatch.setattr(f"focused.dashboard.{module}.{name}", -1.0)
    for view in ("/pages", "/pages?words=star", "/pages/1", "/judge?as=late"):
        assert "takes too long to be read, and was given up" in client.get(f"/runs/{key}{view}").text
    assert best_links(runs / "good") == []
    with CollectionView(runs / "good") as view:  # an export, and all that nobody waits for before a page
        assert view.count() == 60


def test_a_run_with_damaged_figures_hides_no_other_run(runs, tmp_path):
    for name in ("good", "damaged"):
        shutil.copytree(runs / "good", tmp_path / name)
    (tmp_path / "damaged" / "harvest.csv").write_bytes(b'pages,"a\rb\n1,\r2\n3,"\r4\x00\n')
    client = TestClient(make_app(tmp_path, token=TOKEN, hosts=frozenset({HOST})), base_url=f"http://{HOST}")
    shown = client.get(f"/?token={TOKEN}")
    assert shown.status_code == 200
    assert ">good</a>" in shown.text
    key = next(run.key for run in Runs(tmp_path).all() if run.name == "damaged")
    for view in ("", "/curve.json", "/pages"):
        assert client.get(f"/runs/{key}{view}").status_code == 200
    assert client.get("/metrics").status_code == 200


def test_the_list_says_in_words_how_a_run_ended_and_on_how_many_hosts_links_wait(runs, tmp_path):
    shutil.copytree(runs / "good", tmp_path / "good")
    (tmp_path / "good" / "progress.json").write_text(json.dumps({"hosts": {"active": 1234, "failing": 2}}))
    client = TestClient(make_app(tmp_path, token=TOKEN, hosts=frozenset({HOST})), base_url=f"http://{HOST}")
    shown = client.get(f"/?token={TOKEN}").text
    assert "finished: its pages are fetched" in shown
    assert re.search(r"1,234 <span class=.soft.>\(2 do not answer\)", shown)


def test_pages_are_shown_in_parts_with_the_words_marked(client, runs):
    key = key_of(runs, "good")
    all_pages = client.get(f"/runs/{key}/pages", params={"which": "all"}).text
    assert "60 pages, 1 to 50 shown" in all_pages
    assert client.get(f"/runs/{key}/pages", params={"which": "all", "offset": "50"}).text.count("<li>") == 10
    found = client.get(f"/runs/{key}/pages", params={"words": "star"}).text
    assert re.search(r'class="snippet">.*<mark>[Ss]tar</mark>', found)
    link = re.search(rf"/runs/{key}/pages/\d+\?words=star", found)[0]
    assert re.search(r"<mark>[Ss]tar</mark>", client.get(link).text)


def test_the_state_of_a_run_is_that_of_its_process(runs, tmp_path):
    shutil.copytree(runs / "good", tmp_path / "run")
    about = json.loads((tmp_path / "run" / "run.json").read_text())
    (tmp_path / "run" / "run.json").write_text(json.dumps(about | {"finish_reason": "running"}))
    [run] = Runs(tmp_path).all()
    assert (run.state, run.n_pages, run.max_pages) == (KILLED, 60, 60)
    with lock(tmp_path / "run" / "frontier.sqlite"):
        assert Runs(tmp_path).get(run.key).state == LIVE
    (tmp_path / "run" / "run.json").write_text(json.dumps(about))
    assert Runs(tmp_path).all()[0].state == "max_pages"


def test_a_verdict_is_written_once_for_the_page_that_was_shown(client, runs, tmp_path):
    key, own = key_of(runs, "good"), {"origin": f"http://{HOST}", "x-part": "1"}

    def url_of(text: str) -> str:
        return re.search(r'name="url" value="([^"]*)"', text)[1]

    first = url_of(client.get(f"/runs/{key}/judge", params={"as": "ann"}).text)
    form = {"as": "ann", "url": first, "answer": "y"}
    second = url_of(client.post(f"/runs/{key}/judge", data=form, headers=own).text)
    assert second != first
    assert url_of(client.post(f"/runs/{key}/judge", data=form, headers=own).text) == second  # sent twice
    back = client.post(f"/runs/{key}/judge", data=form | {"answer": "u"}, headers=own).text
    assert url_of(back) == first
    client.post(f"/runs/{key}/judge", data=form | {"answer": "n"}, headers=own)
    said = [json.loads(line) for line in (runs / "good" / "verdicts" / "ann.jsonl").read_text().splitlines()]
    assert [(each["url"], each["relevant"]) for each in said] == [(first, True), (first, None), (first, False)]
    bad = client.get(f"/runs/{key}/judge", params={"as": "../../x"})
    assert bad.status_code == 400
    assert "name must be" in bad.text


def test_a_page_that_others_have_judged_meanwhile_is_not_asked_about_any_more(client, runs, tmp_path):
    path = f"/runs/{key_of(runs, 'good')}/judge"
    page_of = re.compile(r'name="url" value="([^"]+)"').search

    def asked(person):
        return page_of(client.get(path, params={"as": person}).text)[1]

    shown = asked("carl")
    assert asked("carl") == shown  # nothing has happened
    assert asked("dora") == shown  # nobody has judged it
    client.post(path, data={"as": "dora", "url": shown, "answer": "n"}, headers={"origin": f"http://{HOST}"})
    assert asked("carl") != shown


def test_a_person_takes_no_programs_name_and_names_are_kept_without_spaces_around_them(client, runs):
    path = f"/runs/{key_of(runs, 'good')}/judge"
    for name in ("assessor-x", " Assessor-x"):
        assert client.get(path, params={"as": name}).status_code == 400
        form = {"as": name, "url": "", "answer": "y"}
        answer = client.post(path, data=form, headers={"origin": f"http://{HOST}"})
        assert (answer.status_code, "as those of programs do" in answer.text) == (400, True)
    shown = client.get(path, params={"as": "fred"}).text
    url = re.search(r'name="url" value="([^"]+)"', shown)[1]
    client.post(path, data={"as": " fred ", "url": url, "answer": "y"}, headers={"origin": f"http://{HOST}"})
    assert (runs / "good" / "verdicts" / "fred.jsonl").exists()


def test_no_more_than_some_streams_are_open_at_a_time():
    started_, release = [], threading.Event()

    async def app(scope, receive, send):
        started_.append(scope["path"])

    guard = Guard(app, token=TOKEN, hosts=frozenset({HOST}))
    guard._n_streams = MAX_STREAMS
    client = TestClient(guard, base_url=f"http://{HOST}", cookies={"dashboard_token_8088": TOKEN})
    assert client.get("/runs/x/events").status_code == 503
    release.set()
    assert not started_


def test_a_page_of_ten_megabytes_is_shown_in_part_and_soon(client, runs):
    key = key_of(runs, "huge")
    for view in ("/pages", "/pages?words=star", "/pages/1", "/pages/1?words=star", "/judge?as=me"):
        answer = client.get(f"/runs/{key}{view}")
        assert answer.status_code == 200
        assert "huge" in answer.text
        assert len(answer.content) < 2_500_000
        assert EVIL not in answer.text


def test_a_run_that_has_ended_is_sent_once(client, runs):
    with client.stream("GET", f"/runs/{key_of(runs, 'good')}/events") as answer:
        text = "".join(answer.iter_text())
    assert [line for line in text.splitlines() if line.startswith("event")] == ["event: state", "event: end"]
    assert "In the end" in text


def test_the_dashboard_has_the_colours_of_the_reports(client):
    from focused.evaluation.report import style
    from focused.utils.page_colours import DARK, LIGHT

    served = client.get("/static/colours.css")
    assert served.headers["content-type"].startswith("text/css")
    for colours in (LIGHT, DARK):
        assert colours in served.text
        assert any(colours in text for text in vars(style).values() if isinstance(text, str) and ":root" in text)
