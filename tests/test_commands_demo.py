from __future__ import annotations

import argparse
import json
import socket
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest
from scrapy.settings import Settings

from focused.commands.demo import Command
from focused.webs.demo import DemoWeb

SMALL = ["--pages", "120", "--hosts", "6", "--topics", "2", "--seed", "4"]
ROOT = Path(__file__).resolve().parent.parent


def run(*arguments: str, settings: dict | None = None) -> int:
    """Run the command as Scrapy's command line does; its exit code."""
    command = Command()
    command.settings = Settings(settings)
    parser = argparse.ArgumentParser(conflict_handler="resolve")
    command.add_options(parser)
    options, rest = parser.parse_known_args(arguments)
    command.process_options(rest, options)
    command.run(rest, options)
    return command.exitcode


def test_list_prints_topics_counts_and_seeds(capsys):
    assert run("--list", *SMALL) == 0
    out = capsys.readouterr().out
    web = DemoWeb(120, 6, 2, 4)
    assert "120 pages on 6 hosts" in out
    for topic in web.topics:
        assert f"{topic}: {web.relevant_count(topic)} pages" in out
        assert all(url in out for url in web.seeds(topic))


def test_settings_say_which_web_and_options_override_them(capsys):
    settings = {"FOCUSED_DEMO_PAGES": "200", "FOCUSED_DEMO_HOSTS": 5, "FOCUSED_DEMO_TOPICS": 2, "FOCUSED_DEMO_SEED": 9}
    assert run("--list", settings=settings) == 0
    assert "200 pages on 5 hosts" in capsys.readouterr().out
    assert run("--list", "--pages", "100", settings=settings) == 0
    out = capsys.readouterr().out
    assert "100 pages on 5 hosts" in out
    assert DemoWeb(100, 5, 2, 9).seeds("sailing")[1] in out
    assert run("--list", "-s", "FOCUSED_DEMO_PAGES=150", settings=settings) == 0
    assert "150 pages on 5 hosts" in capsys.readouterr().out


def test_warc_labels_and_examples_are_written_in_one_go(tmp_path, capsys):
    files = ["--warc", str(tmp_path / "d.warc.gz"), "--labels", str(tmp_path / "d.tsv")]
    examples = ["--examples", "sailing", str(tmp_path / "train"), "--positive", "7", "--unlabeled", "20"]
    assert run(*files, *examples, *SMALL) == 0
    assert (tmp_path / "d.warc.gz").read_bytes().startswith(b"\x1f\x8b")
    assert len((tmp_path / "d.tsv").read_text("utf-8").splitlines()) == 121
    web = DemoWeb(120, 6, 2, 4)
    positive = [json.loads(line) for line in (tmp_path / "train" / "positive.jsonl").read_text("utf-8").splitlines()]
    assert [web.label(page["url"]) for page in positive] == ["sailing"] * 7
    assert len((tmp_path / "train" / "unlabeled.jsonl").read_text("utf-8").splitlines()) == 20
    assert "scrapy train sailing --positive" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Say what to do"),
        (["--list", "--pages", "5"], "n_pages of the demo web must be 800 to 1000000. Got 5."),
        (["--list", "--topics", "9"], "n_topics of the demo web must be 2 to 8. Got 9."),
        (["--list", "--hosts", "3"], "n_hosts of the demo web must be"),
        (["--list", "astronomy"], "options only"),
        (["--list", "--pagse", "5"], "--pagse"),
        (["--examples", "geology", "x"], "topics astronomy, sailing, cooking, gardening"),
        (["--examples", "chess", "x", "--positive", "100000"], "pages about chess. Got n=100000"),
        (["--examples", "chess", "x", "--positive", "0"], "--positive must be at least 1. Got 0."),
        (["--examples", "chess", "x", "--unlabeled", "-1"], "--unlabeled must be at least 1. Got -1."),
        (["--serve", "65536"], "--serve must be a port, 0 to 65535. Got 65536."),
        (["--warc", "no/such/folder/x.warc"], "no/such/folder"),
        (["--labels", "."], "."),
    ],
)
def test_bad_input_is_one_line_and_exit_code_1(arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(*arguments) == 1
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.startswith("Error: ")
    assert captured.err.count("\n") == 1
    assert captured.out == ""
    assert list(tmp_path.iterdir()) == []


def test_setting_that_is_no_number_is_named(capsys):
    assert run("--list", settings={"FOCUSED_DEMO_SEED": "x"}) == 1
    assert "FOCUSED_DEMO_SEED must be a whole number. Got 'x'." in capsys.readouterr().err


def test_port_in_use_is_one_line(capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert run("--serve", str(taken.getsockname()[1]), *SMALL) == 1
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.slow
def test_scrapy_knows_the_command():
    shown = subprocess.run(
        [sys.executable, "-m", "scrapy", "demo", "-h"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert "Examples:\n  scrapy demo --list" in shown.stdout


@pytest.mark.slow
def test_served_web_answers_until_interrupted():
    arguments = [sys.executable, "-m", "scrapy", "demo", "--serve", "0", *SMALL]
    with subprocess.Popen(arguments, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        address = server.stdout.readline().split()[0]
        with urlopen(address, timeout=60) as response:
            assert b"120 pages on 6 hosts" in response.read()
        server.send_signal(2)
        _, err = server.communicate(timeout=60)
        assert server.returncode == 0
        assert "Traceback" not in err
