"""A topic is corrected on its page: its threshold, and what it is learnt from; what came to nothing is listed and deleted."""

from __future__ import annotations

import json
import re
import time

import pytest
import tomlkit
from commands import ROOT
from hand_made import topic
from recorded_commands import Recorded
from starlette.testclient import TestClient

from focused.dashboard.app import make_app
from focused.dashboard.material import Material
from focused.dashboard.material_items import items, without
from focused.dashboard.runs import Runs
from focused.method.topic import load_topic

HOST, TOKEN = "127.0.0.1:8088", "right-token"
OWN = {"origin": f"http://{HOST}"}
EVIL = "<script>alert(1)</script>"
NAME = "FOCUSED_RELEVANCE_THRESHOLD"


@pytest.fixture
def models(tmp_path):
    topic("bees", settings={"DOWNLOAD_DELAY": 2.0}).save(tmp_path / "models")
    return tmp_path / "models"


@pytest.fixture
def material(tmp_path):
    """Of the topic bees: words, two URLs, a file, and two pages of a run."""
    run = tmp_path / "runs" / "one"
    run.mkdir(parents=True)
    (run / "run.json").write_text(json.dumps({"topic": "stars"}))
    [known] = Runs(tmp_path / "runs").all()
    made = Material(tmp_path / "runs", "bees")
    made.begin()
    made.add_urls("http://a.example/1 http://a.example/12", "")
    made.add_file("hive.html", b"<p>bees</p>")
    made.run_file(known.key).write_text("".join(json.dumps({"url": f"http://r.example/{n}"}) + "\n" for n in (1, 2)))
    made.set_texts({"keywords": "bee honey"})
    return made


@pytest.fixture
def client(tmp_path, models, material):
    app = make_app(
        tmp_path / "runs", token=TOKEN, hosts=frozenset({HOST}), commands=Recorded((), (models, ROOT / "models"))
    )
    with TestClient(app, base_url=f"http://{HOST}") as client:
        assert client.get(f"/?token={TOKEN}").status_code == 200
        yield client


def ended(client, name="bees"):
    deadline = time.monotonic() + 180
    while "under way" in (shown := client.get(f"/topics/{name}").text):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return shown


def remove(client, what):
    answer = client.post("/topics/bees/remove", data={"what": what}, headers=OWN)
    ended(client)
    return answer


def test_a_threshold_that_a_person_sets_is_in_the_topics_file_until_it_is_taken_back(client, models):
    path = models / "bees" / "topic.toml"
    path.write_text(f"# A comment.\n{path.read_text()}")
    shown = client.post("/topics/bees/threshold", data={"threshold": " 0.75 "}, headers=OWN).text
    assert "relevance of 0.750 on, which a person has set; the model's own is 0.500" in shown
    assert 'value="0.75"' in shown
    assert load_topic("bees", models).settings == {"DOWNLOAD_DELAY": 2.0, NAME: 0.75}
    assert path.read_text().startswith("# A comment.")
    shown = client.post("/topics/bees/threshold", data={"threshold": ""}, headers=OWN).text
    assert "relevance of 0.500 on, as the model says" in shown
    assert load_topic("bees", models).settings == {"DOWNLOAD_DELAY": 2.0}
    assert sorted(each.name for each in path.parent.iterdir()) == ["manifest.json", "model.npz", "topic.toml"]


def test_a_threshold_is_written_where_the_file_has_no_table_for_it(client, models):
    path = models / "bees" / "topic.toml"
    path.write_text('title = "Bees"\nlanguage = "en"\n')
    assert client.post("/topics/bees/threshold", data={"threshold": ""}, headers=OWN).status_code == 200
    assert client.post("/topics/bees/threshold", data={"threshold": "1"}, headers=OWN).status_code == 200
    assert tomlkit.parse(path.read_text()).unwrap() == {"title": "Bees", "language": "en", "settings": {NAME: 1.0}}


@pytest.mark.parametrize("said", ["0", "1.01", "-1", "half", "nan", "0.5\nevil = 1", '0.5"', "9" * 400])
def test_what_is_no_threshold_is_refused_with_what_it_must_be(client, models, said):
    before = (models / "bees" / "topic.toml").read_bytes()
    answer = client.post("/topics/bees/threshold", data={"threshold": said}, headers=OWN)
    assert answer.status_code == 400
    assert "The threshold must be a number above 0 and up to 1, or empty. Got" in answer.text
    assert (models / "bees" / "topic.toml").read_bytes() == before


def test_only_a_topic_of_ones_own_gets_a_threshold_and_no_link_is_written_through(client, models, tmp_path):
    before = (ROOT / "models" / "demo" / "topic.toml").read_bytes()
    answer = client.post("/topics/demo/threshold", data={"threshold": "0.9"}, headers=OWN)
    assert (answer.status_code, "is not in your own models folder" in answer.text) == (400, True)
    assert (ROOT / "models" / "demo" / "topic.toml").read_bytes() == before
    assert "Set the threshold" not in client.get("/topics/demo").text
    (models / "bees" / "topic.toml").rename(tmp_path / "outside.toml")
    (models / "bees" / "topic.toml").symlink_to(tmp_path / "outside.toml")
    answer = client.post("/topics/bees/threshold", data={"threshold": "0.9"}, headers=OWN)
    assert (answer.status_code, "and no link" in answer.text) == (400, True)
    assert NAME not in (tmp_path / "outside.toml").read_text()


def test_a_topics_file_that_is_damaged_or_out_of_range_is_said_to_be_so(client, models):
    path = models / "bees" / "topic.toml"
    text = path.read_text()
    path.write_text(text + f"{NAME} = 7\n")
    assert f"{NAME} must be a number above 0" in client.get("/topics/bees").text
    path.write_text("[")
    answer = client.post("/topics/bees/threshold", data={"threshold": "0.5"}, headers=OWN)
    assert (answer.status_code, "cannot be read" in answer.text, path.read_text()) == (400, True, "[")


def test_what_a_topic_is_learnt_from_is_listed_and_what_is_removed_is_not_learnt_from_again(client, material):
    [key] = material.run_keys()
    shown = client.get("/topics/bees").text
    for name in ("bee honey", "http://a.example/1", "http://a.example/12", "hive.html", "stars one"):
        assert f"<span>{name}</span>" in shown
    assert remove(client, "url http://a.example/1").status_code == 200
    assert material.urls() == ["http://a.example/12"]
    said = json.loads(material.log.read_text().splitlines()[-1])
    assert said[:2] == ["train", "bees"]
    assert said[-1] == "--force"
    for what in ("file hive.html", f"run {key}", "keywords "):
        assert remove(client, what).status_code == 200
    said = json.loads(material.log.read_text().splitlines()[-1])
    assert said == ["train", "bees", "--positive", str(material.url_file), "--force"]
    answer = remove(client, "url http://a.example/12")
    assert (answer.status_code, "It is the last that the topic is learnt from" in answer.text) == (400, True)
    assert material.urls() == ["http://a.example/12"]


@pytest.mark.parametrize(
    "what",
    ["", "file ../../../outside.txt", "file ../about.json", "run ../x", "run *", "url http://b.example/", "eat all",
     "page ../../x http://r.example/1", "file ", "keywords more", "page 000000000000 http://r.example/1"],
)  # fmt: skip
def test_what_is_not_listed_cannot_be_removed(client, material, tmp_path, what):
    (tmp_path / "outside.txt").write_text("secret")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    answer = client.post("/topics/bees/remove", data={"what": what}, headers=OWN)
    assert (answer.status_code, "It is not there any more" in answer.text) == (400, True)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_what_was_removed_is_put_back_if_no_training_can_begin(material):
    before = {path: path.read_bytes() for path in material.folder.rglob("*") if path.is_file()}
    for each in items(material, {}):
        with pytest.raises(OSError, match="full"), without(material, each.kind, each.name):
            raise OSError("full")
    assert {path: path.read_bytes() for path in material.folder.rglob("*") if path.is_file()} == before


def test_doubtful_examples_are_named_without_paths_and_those_of_the_material_can_be_removed(client, models, material):
    [key] = material.run_keys()
    path = models / "bees" / "manifest.json"
    warnings = [
        f"2 pages have hardly anything in common: {material.folder}/files/hive.html, http://a.example/12. Check that they "
        "belong to the topic.",
        f"1 page is a near-duplicate: run-{key}.jsonl line 2 = http://elsewhere.example/{EVIL}.",
    ]
    path.write_text(json.dumps(json.loads(path.read_text()) | {"warnings": warnings}))
    shown = client.get("/topics/bees").text
    doubtful = shown[shown.index("<h2>Doubtful</h2>") : shown.index("<h2>Correct its threshold</h2>")]
    assert str(material.folder.parent) not in doubtful
    assert EVIL not in doubtful
    assert "http://r.example/2 of stars one" in doubtful
    found = re.findall(r'name="what" value="([^"]*)"', doubtful)
    assert sorted(found) == ["file hive.html", f"page {key} http://r.example/2", "url http://a.example/12"]
    assert remove(client, f"page {key} http://r.example/2").status_code == 200
    assert material.run_file(key).read_text().split("\n") == ['{"url": "http://r.example/1"}', "", ""]  # the line stays


def test_a_topic_that_came_to_nothing_is_listed_with_the_reason_and_can_be_deleted(client, tmp_path):
    assert client.post("/topics", data={"name": "wasps", "keywords": "fail"}, headers=OWN).status_code == 200
    ended(client, "wasps")
    shown = client.get("/topics").text
    assert (
        '<a href="/topics/wasps">wasps</a>: its last training failed, or was ended. It said last: It was asked to fail.'
        in shown
    )
    assert "delete wasps" in client.get("/topics/wasps").text
    folder = tmp_path / "runs" / ".topics" / "wasps"
    answer = client.post("/topics/wasps/delete", headers=OWN)
    assert (answer.status_code, "Confirm that you are sure" in answer.text) == (400, True)
    assert folder.is_dir()
    assert client.post("/topics/wasps/delete", data={"sure": "yes"}, headers=OWN).status_code == 200
    assert not folder.exists()
    assert "wasps" not in client.get("/topics").text


def test_a_topic_that_was_trained_is_not_deleted_and_a_link_is_not_followed(client, material, tmp_path):
    answer = client.post("/topics/bees/delete", data={"sure": "yes"}, headers=OWN)
    assert (answer.status_code, "has been trained" in answer.text, material.is_there) == (400, True, True)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "about.json").write_text("{}")
    (tmp_path / "runs" / ".topics" / "wasps").symlink_to(tmp_path / "outside")
    answer = client.post("/topics/wasps/delete", data={"sure": "yes"}, headers=OWN)
    assert (answer.status_code, "and no link" in answer.text) == (400, True)
    assert (tmp_path / "outside" / "about.json").is_file()


def test_a_form_of_another_site_corrects_nothing(client, material, models):
    before = (models / "bees" / "topic.toml").read_bytes()
    forms = {"threshold": {"threshold": "0.9"}, "remove": {"what": "keywords "}, "delete": {"sure": "yes"}}
    for name, data in forms.items():
        for headers in ({}, {"origin": "http://evil.example"}):
            assert client.post(f"/topics/bees/{name}", data=data, headers=headers).status_code == 403
        assert client.get(f"/topics/bees/{name}").status_code == 405
        assert client.post(f"/topics/%2e%2e%2fx/{name}", data=data, headers=OWN).status_code == 404
    assert (models / "bees" / "topic.toml").read_bytes() == before
    assert material.texts()["keywords"] == "bee honey"
