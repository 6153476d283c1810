"""A dashboard that other machines can ask: only with a password, which nobody can try for long."""

from __future__ import annotations

import asyncio

import pytest
from commands import ROOT, environment, scrapy
from starlette.testclient import TestClient

from focused.dashboard.app import make_app
from focused.dashboard.guard import POLICY
from focused.dashboard.login import LEAST_CHARS, MAX_UNDER_WAY, MAX_WRONG, Login, check_password

HOST, TOKEN, PASSWORD = "crawls.example.org", "right-token", "correct horse battery"
OWN = {"origin": f"https://{HOST}"}


@pytest.fixture
def client(tmp_path):
    app = make_app(tmp_path, token=TOKEN, hosts=frozenset({HOST, f"{HOST}:8088"}), password=PASSWORD)
    with TestClient(app, base_url=f"http://{HOST}", follow_redirects=False) as client:
        yield client


def test_nothing_but_the_form_is_answered_before_the_password_is_said(client):
    for path in ("/", "/runs/x", "/runs/x/events", "/static/judge.js", "/login", "/?token=wrong"):
        answer = client.get(path)
        assert (answer.status_code, 'type="password"' in answer.text) == (403, True)
        assert answer.headers["content-security-policy"] == POLICY
    assert client.get("/static/dashboard.css").status_code == 200
    assert client.post("/start", data={"topic": "demo"}, headers=OWN).status_code == 403
    assert client.post("/static/dashboard.css", headers=OWN).status_code == 405


def test_the_right_password_opens_it_and_only_from_its_own_form(client):
    data = {"password": PASSWORD}
    assert client.post("/login", data=data, headers={"origin": "http://evil.example"}).status_code == 403
    assert client.post("/login", data=data, headers={"host": "evil.example", **OWN}).status_code == 421
    assert client.post("/login", content=b"password=" + b"x" * 5_000, headers=OWN).status_code == 413
    assert client.get("/").status_code == 403
    answer = client.post("/login", data=data, headers=OWN)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert PASSWORD not in answer.headers["set-cookie"]
    assert client.get("/").status_code == 200


def test_passwords_cannot_be_tried_one_after_the_other(client, monkeypatch):
    for _ in range(MAX_WRONG):
        assert client.post("/login", data={"password": "wrong"}, headers=OWN).status_code == 403
    assert client.post("/login", data={"password": PASSWORD}, headers=OWN).status_code == 429
    monkeypatch.setattr("focused.dashboard.login._PER_SECS", 0.0)
    assert client.post("/login", data={"password": PASSWORD}, headers=OWN).status_code == 303


LOGIN = {"type": "http", "method": "POST", "path": "/login", "headers": []}


def test_passwords_that_come_at_once_are_counted_one_by_one_and_few_may_be_on_their_way():
    async def answers(n: int, said: str) -> list[int]:
        all_are_there = asyncio.Event()

        async def receive():
            await all_are_there.wait()
            return {"type": "http.request", "body": b"password=" + said.encode()}

        tries = [asyncio.ensure_future(login.answer(LOGIN, receive)) for _ in range(n)]
        await asyncio.sleep(0)
        all_are_there.set()
        return [answer.status_code for answer, _ in await asyncio.gather(*tries)]

    login = Login(PASSWORD)
    assert asyncio.run(answers(200, "wrong")) == [403] * MAX_UNDER_WAY + [429] * (200 - MAX_UNDER_WAY)
    found = [code for _ in range(3) for code in asyncio.run(answers(MAX_UNDER_WAY - 1, "wrong"))]
    assert found.count(403) == MAX_WRONG - MAX_UNDER_WAY
    assert asyncio.run(answers(1, PASSWORD)) == [429]


def test_a_password_that_does_not_come_is_not_waited_for_and_takes_nobodys_place(monkeypatch):
    monkeypatch.setattr("focused.dashboard.login.BODY_SECS", 0.05)
    login = Login(PASSWORD)

    async def nothing():
        await asyncio.sleep(60)

    async def gone():
        return {"type": "http.disconnect"}

    async def right():
        return {"type": "http.request", "body": b"password=" + PASSWORD.encode()}

    async def answers() -> list[int]:
        tries = [login.answer(LOGIN, each) for each in [nothing] * (MAX_UNDER_WAY - 1) + [gone]]
        found = [answer.status_code for answer, _ in await asyncio.gather(*tries)]
        return [*found, (await login.answer(LOGIN, right))[0].status_code]

    assert asyncio.run(answers()) == [408] * MAX_UNDER_WAY + [303]


def test_without_a_password_no_other_machine_may_ask(tmp_path):
    with pytest.raises(ValueError, match=r"DASHBOARD_PASSWORD\. It has 11\."):
        check_password("x" * (LEAST_CHARS - 1))
    done = scrapy("dashboard", ".", "--address", "0.0.0.0", cwd=tmp_path, env=environment(ROOT / "models"))
    assert done.exit_code == 1
    assert done.err.startswith(
        "Error: Other machines may ask a dashboard only with a password of at least 12 characters"
    )


def test_the_folder_of_runs_that_are_not_there_yet_is_made_and_another_that_is_named_must_be_there(tmp_path):
    scrapy(
        "dashboard", "--address", "0.0.0.0", cwd=tmp_path, env=environment(ROOT / "models")
    )  # refused for another reason
    assert (tmp_path / "runs").is_dir()
    done = scrapy("dashboard", "nowhere", cwd=tmp_path, env=environment(ROOT / "models"))
    assert (done.exit_code, done.err) == (
        1,
        "Error: There is no folder nowhere. Name that of your runs: scrapy dashboard RUNS_DIR\n",
    )
    assert not (tmp_path / "nowhere").exists()
