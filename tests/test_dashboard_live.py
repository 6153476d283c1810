"""What the dashboard shows of a crawl while it runs, and what it tells a monitoring system."""

from __future__ import annotations

import json
import math
import re
import time

import pytest
from commands import ROOT
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from focused.dashboard.app import make_app
from focused.dashboard.live import Live, read_live
from focused.dashboard.metrics import METRICS
from focused.dashboard.runs import LIVE, Runs, read_state
from focused.frontier.store.schema import lock

HOST, TOKEN, METRICS_TOKEN = "127.0.0.1:8088", "right-token", "a-token-to-measure-with"
EVIL = "<script>alert(1)</script>"
PROGRESS = {
    "at": 0, "pages": 610, "relevant": 400, "recent_rate": 0.5, "waiting": 900, "spent_secs": 125.0, "secs_left": 3600,
    "limits": {"max_pages": 2000, "max_relevant": 0, "max_minutes": 90},
    "forecast": {"n_relevant": 1240, "low": 1160, "high": 1320, "by": "14:30"},
    "alerts": {"disk": "400 MB of disk are left"}, "hosts": {"active": 7, "failing": 2},
    "failing_hosts": [["slow.example", "timed out"]], "given_up_hosts": [["gone.example", "name not found", 12]],
    "next": [["http://stars.example/next", 'anchor "gravity assist", page 0.87']],
    "stood_back": ["farm.example (9 pages: copies)"], "patience": "waited 90 s for better links",
    "drift": "Few of the last 100 pages look like the examples", "saturated": "",
    "stats": {"focused/pages/copy_count": 3, "downloader/request_count": 700},
}  # fmt: skip
VERSIONS = [
    {"version": 2, "accepted": True, "n_pages": 140, "n_positive": 30, "held_out": {"new": 0.93, "in_use": 0.91}},
    {"version": 3, "accepted": False, "n_pages": 280, "why": "worse on held-out examples"},
]


@pytest.fixture
def run_dir(tmp_path):
    """A crawl that goes on: this process holds its frontier."""
    folder = tmp_path / "runs" / "stars"
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps({"topic": "stars", "finish_reason": "running", "max_pages": 2000}))
    (folder / "harvest.csv").write_text("pages,relevant,frontier\n600,390,880\n")
    (folder / "progress.json").write_text(json.dumps(PROGRESS | {"at": time.time()}))
    (folder / "versions.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in VERSIONS))
    held = lock(folder / "frontier.sqlite")
    yield folder
    held.close()


@pytest.fixture
def client(run_dir):
    app = make_app(run_dir.parent, token=TOKEN, hosts=frozenset({HOST}), metrics_token=METRICS_TOKEN)
    with TestClient(app, base_url=f"http://{HOST}") as client:
        yield client


def measured(text: str) -> dict[tuple[str, ...], float]:
    """Return each figure by its name and the values of its labels."""
    families = text_string_to_metric_families(text)
    return {(each.name, *sorted(each.labels.values())): each.value for family in families for each in family.samples}


def test_a_crawl_that_goes_on_is_shown_with_its_budgets_forecast_troubles_and_versions(client, run_dir):
    client.get(f"/?token={TOKEN}")
    text = client.get(f"/runs/{Runs(run_dir.parent).all()[0].key}").text
    shown = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text))
    for said in (
        "1,240 ± 80 relevant pages by 14:30", "610 of 2,000 pages", "2 of 90 minutes", "about 60 min left",
        "Alert disk: 400 MB of disk are left", "waited 90 s", "slow.example timed out", "gone.example given up: name not found; 12 links",
        "farm.example", "3 repeated pages", "Few of the last 100 pages", "30 relevant pages, average precision 0.93, before 0.91",
        "refused worse on held-out examples",
    ):  # fmt: skip
        assert said in shown


def test_of_a_crawl_that_has_ended_nothing_is_foretold_but_what_was(run_dir):
    run = {"finish_reason": "max_pages", "forecast": {"at_pages": 300, "n_relevant": 180, "low": 150, "high": 210}}
    (run_dir / "run.json").write_text(json.dumps(run))
    live = read_live(read_state(run_dir, "key"))
    assert live.forecast == "After 300 pages 180 (150 to 210) relevant pages were foretold; there are 390"
    assert (live.alerts, live.failing, live.time) == ([], [], "")


@pytest.mark.parametrize(
    "said",
    [
        b"", b"[]", b"null", b"{", b"\xff" * 50, json.dumps(dict.fromkeys(PROGRESS, EVIL)).encode(),
        json.dumps({name: [[EVIL, {}], 3] for name in PROGRESS}).encode(), json.dumps(dict.fromkeys(PROGRESS, 1e300)).encode(),
        json.dumps({name: {"max_pages": -1, "low": "x", EVIL: EVIL} for name in PROGRESS}).encode(),
        b'{"at": NaN, "spent_secs": Infinity, "limits": {"max_pages": NaN}, "stats": {"downloader/request_count": NaN}}',
    ],
)  # fmt: skip
def test_files_of_a_stranger_are_shown_as_text_and_break_nothing(client, run_dir, said):
    (run_dir / "progress.json").write_bytes(said)
    (run_dir / "versions.jsonl").write_bytes(
        said + b"\n" + json.dumps({"accepted": True, "why": EVIL}).encode() + b"\n"
    )
    assert isinstance(read_live(read_state(run_dir, "key")), Live)
    client.get(f"/?token={TOKEN}")
    page = client.get(f"/runs/{Runs(run_dir.parent).all()[0].key}")
    assert page.status_code == 200
    assert EVIL not in page.text
    found = measured(client.get("/metrics").text)
    assert found["focused_pages", "stars", "stars"] == 600
    assert all(math.isfinite(value) for value in found.values())


def test_a_monitoring_system_reads_figures_with_a_token_of_its_own_that_opens_nothing_else(client, run_dir):
    own = {"authorization": f"Bearer {METRICS_TOKEN}"}
    answer = client.get("/metrics", headers=own)
    assert answer.headers["content-type"].startswith("text/plain")
    found = measured(answer.text)
    assert found["focused_running", "stars", "stars"] == 1
    assert found["focused_forecast_relevant_pages_low", "stars", "stars"] == 1160
    assert found["focused_requests", "stars", "stars"] == 700
    assert found["focused_alert", "disk", "stars", "stars"] == 1
    assert found["focused_alert", "no_page", "stars", "stars"] == 0
    for headers in (
        {},
        {"authorization": "Bearer wrong"},
        {"authorization": f"Bearer {TOKEN}"},
        {"authorization": "Bearer "},
    ):
        assert client.get("/metrics", headers=headers).status_code == 403
    assert client.get("/", headers=own).status_code == 403
    assert client.get("/metrics", headers=own | {"host": "evil.example"}).status_code == 421
    assert client.post("/metrics", headers=own).status_code in (403, 405)


def test_without_a_token_for_it_no_bearer_is_answered(run_dir):
    client = TestClient(make_app(run_dir.parent, token=TOKEN, hosts=frozenset({HOST})), base_url=f"http://{HOST}")
    assert client.get("/metrics", headers={"authorization": "Bearer "}).status_code == 403


def test_every_figure_is_documented():
    text = (ROOT / "docs" / "how-to" / "dashboard.md").read_text()
    assert dict(re.findall(r"^\| `(focused_\w+)` \| (.*) \|$", text, re.MULTILINE)) == METRICS


def test_the_run_of_this_test_is_one_that_goes_on(run_dir):
    assert read_state(run_dir, "key").state == LIVE
