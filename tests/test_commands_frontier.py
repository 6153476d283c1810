"""What ``scrapy frontier`` says where it cannot do what it is asked for, and of one thing alone."""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from focused.commands.frontier import Command
from focused.frontier.store.link import FrontierLink
from focused.frontier.store.schema import open_file
from focused.frontier.store.store import FrontierStore
from focused.method.scoring.base import BY_ANCHOR
from focused.method.scoring.evidence import Evidence
from focused.method.scoring.priority import SEED
from focused.utils.scope import Scope

URL = "http://a.example/1"


@pytest.fixture
def run_dir(tmp_path):
    """A run with one link."""
    folder = tmp_path / "run"
    folder.mkdir()
    store = FrontierStore(folder / "frontier.sqlite")
    store.add([FrontierLink(1, URL, Evidence(0.5, BY_ANCHOR, admitted=True))])
    store.commit(topic="stars", web="live")
    store.close()
    return folder


def show(capsys, *args, **given) -> str:
    options = {"top": "20", "hosts": "10", "why": None, "csv": None, "recover": False} | given
    Command().work([str(arg) for arg in args], argparse.Namespace(**options))
    return capsys.readouterr().out


def test_one_link_is_one_link(capsys, run_dir):
    assert "\n1 link: 1 waiting" in show(capsys, run_dir)
    assert "1 link in " in show(capsys, run_dir, csv=str(run_dir / "links.csv"))
    assert "1 page known to link to it" in show(capsys, run_dir, why=URL)


@pytest.mark.parametrize("why", ["", " "])
def test_an_empty_url_is_an_error_and_not_the_overview(capsys, run_dir, why):
    with pytest.raises(ValueError, match="--why must be a URL"):
        show(capsys, run_dir, why=why)


def test_the_links_of_many_workers_are_recovered_in_their_database(capsys, run_dir):
    (run_dir / "database.json").write_text('{"crawl": "crawl", "database": ""}')
    for named in ("postgresql://me@127.0.0.1:1/web/stars", run_dir):
        with pytest.raises(ValueError, match="The links of many workers are in their database: restore a backup"):
            show(capsys, named, recover=True)


def test_the_name_of_a_folder_is_no_name_of_a_file(capsys, run_dir):
    for csv in (f"{run_dir}/", str(run_dir), f"{run_dir}/new/", ""):
        with pytest.raises(ValueError, match="--csv must be the name of a file, not of a folder") as error:
            show(capsys, run_dir, csv=csv)
        assert ".part" not in str(error.value)
    with pytest.raises(ValueError, match="nowhere is none"):
        show(capsys, run_dir, csv=str(run_dir / "nowhere" / "links.csv"))


def test_a_file_that_is_no_frontier_and_one_that_is_damaged_are_told_apart(capsys, run_dir, tmp_path):
    other = tmp_path / "links.csv"
    other.write_text("url,host\n" * 100)
    with pytest.raises(ValueError, match=r"links\.csv is no frontier of a crawl. To look at one, name the folder"):
        show(capsys, other)
    file = run_dir / "frontier.sqlite"
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=r"frontier\.sqlite is damaged"):
        show(capsys, run_dir)
    file.write_bytes(b"\0garbage" * 1000)
    with pytest.raises(ValueError, match=r"frontier\.sqlite is no frontier"):
        show(capsys, run_dir)


@contextmanager
def read_only(run_dir):
    """A copy of a run in a folder that this process may read and not write, root or not."""
    top = Path(tempfile.mkdtemp())
    folder = shutil.copytree(run_dir, top / "run")
    top.chmod(0o755)
    for path in folder.iterdir():
        path.chmod(0o444)
    folder.chmod(0o555)
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield folder
    finally:
        os.seteuid(user)
        folder.chmod(0o755)
        shutil.rmtree(top)


def test_a_frontier_is_shown_from_a_folder_that_may_not_be_written(capsys, run_dir):
    with read_only(run_dir) as folder:
        assert "\n1 link: 1 waiting" in show(capsys, folder)
        assert sorted(path.name for path in folder.iterdir()) == ["frontier.sqlite", "frontier.sqlite.lock"]


def test_where_a_crawl_was_killed_in_a_folder_that_may_not_be_written_a_copy_is_advised(capsys, run_dir):
    store = FrontierStore(run_dir / "frontier.sqlite")
    store.add([FrontierLink(2, f"{URL}2", Evidence(0.5, BY_ANCHOR, admitted=True))])
    store.commit()
    (run_dir / "frontier.sqlite-shm").unlink()
    try:
        with read_only(run_dir) as folder, pytest.raises(ValueError, match=r"killed or is at work.*cp -r .*run COPY"):
            show(capsys, folder)
    finally:
        store.close()


def test_a_frontier_that_may_not_be_read_is_not_called_damaged(run_dir):
    with read_only(run_dir) as folder:
        user = os.geteuid()
        os.seteuid(0) if os.getuid() == 0 else None
        (folder / "frontier.sqlite").chmod(0o000)
        os.seteuid(user)
        with pytest.raises(PermissionError):
            open_file(folder / "frontier.sqlite", read_only=True)


def test_the_frontier_that_is_read_is_not_written_over_under_whatever_name(capsys, run_dir, tmp_path):
    file = (run_dir / "frontier.sqlite").rename(tmp_path / "kept.db")
    before = file.read_bytes()
    with pytest.raises(ValueError, match=r"kept\.db is the frontier that is to be read"):
        show(capsys, file, csv=str(file))
    assert file.read_bytes() == before


def test_a_seed_is_found_on_no_page_and_no_page_is_said_to_link_to_it(capsys, tmp_path):
    (tmp_path / "run").mkdir()
    store = FrontierStore(tmp_path / "run" / "frontier.sqlite")
    store.add([FrontierLink(1, URL, Evidence(1.0, BY_ANCHOR, admitted=True), extra=SEED)])
    store.commit(topic="stars", web="live")
    told = show(capsys, tmp_path / "run", why=URL)
    assert "found on    nothing: a seed" in told
    assert "referrers   0 pages known to link to it" in told
    store.add([FrontierLink(1, URL, Evidence(0.5, BY_ANCHOR, admitted=True, referrer="http://a.example/2"))])
    store.commit()
    store.close()
    assert "referrers   1 page known to link to it" in show(capsys, tmp_path / "run", why=URL)


@pytest.mark.parametrize("kept", [URL, "http://a.example:80/1"])
@pytest.mark.parametrize("asked", [URL, "http://a.example:80/1", "HTTP://A.example:80/1#part"])
def test_a_url_is_known_with_and_without_the_port_of_its_scheme(capsys, tmp_path, kept, asked):
    (tmp_path / "run").mkdir()
    store = FrontierStore(tmp_path / "run" / "frontier.sqlite")
    store.add([FrontierLink(1, kept, Evidence(0.5, BY_ANCHOR, admitted=True))])
    store.commit(topic="stars", web="live")
    store.close()
    assert kept in show(capsys, tmp_path / "run", why=asked)
    with pytest.raises(ValueError, match="is not known"):
        show(capsys, tmp_path / "run", why="http://a.example:443/1")


def test_of_a_link_that_is_not_known_only_the_reasons_that_occurred_are_given(capsys, tmp_path):
    (tmp_path / "run").mkdir()
    store = FrontierStore(tmp_path / "run" / "frontier.sqlite")
    scope = Scope(max_depth=1).as_json()
    said = []
    for stats in ({}, {"focused/scope/beyond_depth_count": 37}, {"focused/frontier/cut_count": 5}):
        store.commit(topic="stars", web="live", scope=scope, stats=stats)
        with pytest.raises(ValueError, match="is not known") as error:
            show(capsys, tmp_path / "run", why=URL)
        said.append(str(error.value).partition("is not known: ")[2])
    store.close()
    nowhere = "no page that was fetched links to it"
    assert said == [
        f"{nowhere}.",
        f"it is one of 37 links that lie more than 1 link from a seed (max_depth); else {nowhere}.",
        f"it is one of 5 links that were forgotten because too many waited (FOCUSED_FRONTIER_MAX_LINKS); else {nowhere}.",
    ]


def test_one_link_and_all_of_them_are_not_asked_for_at_once(capsys, run_dir, tmp_path):
    with pytest.raises(ValueError, match="--csv writes every link and --why explains one"):
        show(capsys, run_dir, csv=str(tmp_path / "links.csv"), why=URL)
    assert not (tmp_path / "links.csv").exists()


def test_a_folder_without_a_frontier_is_told_from_one_that_is_not_there(capsys, tmp_path):
    with pytest.raises(ValueError, match=r"There is no frontier\.sqlite in .*JOBDIR: name that folder"):
        show(capsys, tmp_path)
    with pytest.raises(ValueError, match=r"nowhere is not there. Name the folder of a run: scrapy frontier RUN_DIR"):
        show(capsys, tmp_path / "nowhere")


def test_ports_of_a_host_are_named_in_its_row(capsys, tmp_path):
    store = FrontierStore(tmp_path / "frontier.sqlite")
    urls = [
        "http://a.example:81/",
        "http://a.example:82/x:9",
        "http://a.example/",
        "http://b.example:8000/",
        "http://c.example/:7",
    ]
    store.add([FrontierLink(n, url, Evidence(0.5, BY_ANCHOR, admitted=True)) for n, url in enumerate(urls)])
    store.commit(topic="stars", web="live")
    store.close()
    shown = show(capsys, tmp_path, top="1").splitlines()
    assert [line.rpartition("0  ")[2] for line in shown if line.startswith("        ")] == [
        "a.example (ports 81, 82)",
        "b.example:8000",
        "c.example",
    ]
