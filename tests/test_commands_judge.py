"""``scrapy judge``, through a real terminal and without one."""

from __future__ import annotations

import argparse
import io
import json
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest
from collected import collect, collected, url
from commands import crawl
from test_report_evaluation import page_of

from focused.collection import queue
from focused.collection.view import CollectionView
from focused.commands.judge import ORDERS, Command
from focused.evaluation.report import write_run_report
from focused.utils.terminal_text import columns, harmless, shortened, wrapped

ROOT = Path(__file__).resolve().parent.parent
HOSTILE = "\x1b[2J\x1b]0;owned\x07 plain \u202e reversed \x9b31m \u5929\u6587" + "e" + "\u0301" * 50
TIMEOUT_SECS = 180


@pytest.fixture
def run_dir(tmp_path):
    pages = [
        collected(
            number, relevance, title=f"Title {number} \x1b[31m", text=f"{HOSTILE}\n" + "word " * 2000, referrer=url(99)
        )
        for number, relevance in enumerate([0.9, 0.8, 0.7, 0.6, 0.3, 0.2], start=1)
    ]
    return collect(tmp_path / "run", *pages)


def lines(run_dir, person="ada"):
    return [json.loads(line) for line in (run_dir / "verdicts" / f"{person}.jsonl").read_text().splitlines()]


class Terminal:
    """The command in a pseudo-terminal of 60 columns and 20 lines."""

    def __init__(self, *argv: str) -> None:
        self.master, slave = pty.openpty()
        termios.tcsetwinsize(slave, (20, 60))
        self.slave = slave
        self.before = termios.tcgetattr(slave)
        env = {**os.environ, "SCRAPY_SETTINGS_MODULE": "focused.settings", "TERM": "xterm"}
        env = {name: value for name, value in env.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
        command = [sys.executable, "-m", "scrapy", "judge", *argv]
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=env,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=_take_terminal,
        )
        self.seen = ""

    def until(self, text: str) -> str:
        """Read until a text is shown; return the screen since the last call."""
        end, found = time.monotonic() + TIMEOUT_SECS, ""
        while text not in found:
            ready, _, _ = select.select([self.master], [], [], max(end - time.monotonic(), 0))
            assert ready, f"{text!r} is not shown: {found!r}"
            found += os.read(self.master, 65536).decode()
        self.seen += found
        return found

    def press(self, key: str) -> None:
        os.write(self.master, key.encode())

    def end(self) -> int:
        code = self.process.wait(TIMEOUT_SECS)
        os.close(self.slave)
        os.close(self.master)
        return code


def _take_terminal() -> None:
    """Make the terminal the process's own, so that Ctrl-C reaches it."""
    import fcntl

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def test_in_a_terminal_keys_work_at_once_and_ctrl_c_loses_nothing(run_dir):
    terminal = Terminal(str(run_dir), "--as", "ada", "--order", "top")
    screen = terminal.until("q quit")
    assert screen.count("\n") <= 20
    assert "Title 1 [31m" in screen
    assert "0 judged (0 yes, 0 no)" in screen
    terminal.press(" ")  # the next part of the text
    terminal.until("q quit")
    terminal.press("y")
    assert "Title 2" in terminal.until("1 judged (1 yes, 0 no)")
    assert [line["relevant"] for line in lines(run_dir)] == [True]
    terminal.press("n")
    terminal.until("2 judged (1 yes, 1 no)")
    terminal.press("u")
    assert "Title 2" in terminal.until("1 judged (1 yes, 0 no)")
    terminal.press("s")
    terminal.until("1 judged (1 yes, 0 no)")
    terminal.press("\x03")
    terminal.until("Learn from the verdicts: scrapy train stars")
    assert termios.tcgetattr(terminal.slave) == terminal.before
    assert terminal.end() == 0
    said = [(line["url"], line["relevant"], line.get("note", "")) for line in lines(run_dir)]
    assert said == [
        (url(1), True, ""), (url(2), False, ""), (url(2), None, "taken back"), (url(2), None, "skipped"),
    ]  # fmt: skip
    # Of what strangers wrote no control character came through; ours clear the screen and make the title bold.
    own = terminal.seen
    for sequence in ("\x1b[H\x1b[2J\x1b[3J", "\x1b[1m", "\x1b[0m", "\r", "\n", "^C"):
        own = own.replace(sequence, "")
    assert all(char.isprintable() for char in own)


def test_a_terminated_session_leaves_the_terminal_as_it_was(run_dir):
    terminal = Terminal(str(run_dir), "--as", "ada")
    terminal.until("q quit")
    terminal.process.send_signal(signal.SIGTERM)
    terminal.until("Interrupted.")
    assert termios.tcgetattr(terminal.slave) == terminal.before
    assert terminal.end() == 0


def judge(capsys, monkeypatch, keys: str, *args, **given) -> str:
    options = {"order": "top", "person": "ada", "pages": None, "assessor": False, "describe": None} | given
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{key}\n" for key in keys)))
    Command().work([str(arg) for arg in args], argparse.Namespace(**options))
    return capsys.readouterr().out


def test_without_a_terminal_lines_are_keys_and_the_end_of_the_input_ends(capsys, monkeypatch, run_dir):
    out = judge(capsys, monkeypatch, "yxnun", run_dir)
    assert [line["relevant"] for line in lines(run_dir)] == [True, False, None, False]
    assert "y, n, s, u, m (more text) or q. Got 'x'." in out
    assert "1 relevant, 1 not, 0 skipped" in out
    assert "\x1b" not in out


def with_a_long_url(tmp_path, n_chars: int) -> str:
    long = f"http://site.example/{'0123456789' * (n_chars // 10)}"
    collect(tmp_path / "run", collected(1, 0.9, url=long, text="Stars. " * 500, referrer=f"{long}/from"))
    return long


def test_without_a_terminal_addresses_are_whole(capsys, monkeypatch, tmp_path):
    long = with_a_long_url(tmp_path, 300)
    out = judge(capsys, monkeypatch, "q", tmp_path / "run").splitlines()
    assert long in out
    assert any(line.startswith(f"found on {long}/from (") for line in out)


@pytest.mark.parametrize("n_chars", [300, 5000])
def test_in_a_terminal_the_url_is_wrapped_and_leaves_half_of_the_screen(tmp_path, n_chars):
    long = with_a_long_url(tmp_path, n_chars)
    terminal = Terminal(str(tmp_path / "run"), "--as", "ada")
    screen = terminal.until("q quit").replace("\r", "")
    terminal.press("q")
    terminal.until("Learn from the verdicts")
    assert terminal.end() == 0
    assert screen.count("\n") <= 20
    lines = screen.splitlines()
    assert all(columns(line) <= 60 for line in lines if "\x1b" not in line)
    assert (long in "".join(lines)) == (n_chars == 300)
    assert long[:500] in "".join(lines)
    assert any(line.startswith("Stars. Stars.") for line in lines)


def test_it_stops_after_as_many_pages_as_are_wanted_and_when_none_is_left(capsys, monkeypatch, run_dir):
    assert "2 pages judged." in judge(capsys, monkeypatch, "yyyy", run_dir, pages="2")
    assert len(lines(run_dir)) == 2
    assert "No page is left" in judge(capsys, monkeypatch, "yynny", run_dir)
    assert len(lines(run_dir)) == 6


def test_ten_random_verdicts_give_the_figure_beside_the_models_belief(capsys, monkeypatch, tmp_path):
    run_dir = collect(tmp_path / "run", *(collected(number, 0.8 if number <= 60 else 0.1) for number in range(1, 101)))
    out = judge(capsys, monkeypatch, "y" * 9, run_dir, order="random")
    assert "Precision of the collection: not known yet; 1 more verdict on random pages will say" in out
    out = judge(capsys, monkeypatch, "y", run_dir, order="random")
    assert "Precision of the collection: 1.00 (0." in out
    assert "Recall among the pages fetched: 0." in out
    assert "the model believes 0.80" in out
    assert "Precision" in judge(capsys, monkeypatch, "", run_dir, pages="0")


@pytest.mark.slow
def test_a_crawl_and_its_report_end_with_the_figure(models, two_regions, tmp_path):
    said = [
        {"url": f"http://site.example/stars/{n}", "relevant": n != 3, "drawn": "random", "pages": 500}
        for n in range(12)
    ]
    (tmp_path / "run" / "verdicts").mkdir(parents=True)
    (tmp_path / "run" / "verdicts" / "ada.jsonl").write_text("".join(json.dumps(line) + "\n" for line in said))
    result = crawl(models, tmp_path, web=two_regions)
    assert result.run["judged"]["precision"]["n"] == 12
    assert "  Precision of the collection: 1.00 (1.00 to 1.00, 95 % interval) by 12 verdicts" in result.err
    text = page_of(write_run_report([tmp_path / "run"])).text
    assert "Precision of the collection: 1.00" in text
    assert "the model believes 0." in text


def test_the_collection_of_a_finished_crawl_follows_the_verdicts_at_the_end(capsys, monkeypatch, run_dir):
    out = judge(capsys, monkeypatch, "nyyyyy", run_dir)  # the last two of six are called irrelevant
    assert "Delivered from now on: 2 pages more; not any more: 1 page" in out
    with CollectionView(run_dir) as view:
        assert {row["url"] for row in view.pages() if row["delivered"]} == {url(number) for number in range(2, 7)}


def test_a_session_in_which_nothing_is_said_follows_the_files_of_others_and_names_what_is_no_verdict(
    capsys, monkeypatch, run_dir
):
    (run_dir / "verdicts").mkdir()
    table = "url,relevant\n" + f"{url(1)},no\n{url(2)},maybe\n{url(3)},perhaps\n"
    (run_dir / "verdicts" / "bo.csv").write_text(table)
    out = judge(capsys, monkeypatch, "", run_dir, pages="0")
    assert "not any more: 1 page" in out
    assert f"bo.csv, line 3 is no verdict: '{url(2)},maybe'. \"relevant\" must be true or false, yes or no" in out
    assert f"bo.csv, line 4 is no verdict: '{url(3)},perhaps'" in out
    assert "Left out: 2 lines, in files: bo.csv." in out


def test_judging_names_links_and_counts_verdicts_on_pages_that_were_never_fetched(capsys, monkeypatch, run_dir):
    (run_dir / "verdicts").mkdir()
    (run_dir / "verdicts" / "bo.csv").write_text(f"URL,answer\n{url(1)},no\nhttp://other.example/,no\n{url(77)},yes\n")
    (run_dir / "verdicts" / "link.jsonl").symlink_to(run_dir / "verdicts" / "bo.csv")
    out = judge(capsys, monkeypatch, "", run_dir, pages="0")
    assert "link.jsonl is ignored: verdicts are read from regular files only, and it is a symbolic link" in out
    assert "2 verdicts are on pages that this run has not fetched\n" in out
    assert "no verdict" not in out


def test_people_who_contradict_each_other_are_named_at_the_end_with_the_page(capsys, monkeypatch, run_dir):
    (run_dir / "verdicts").mkdir()
    (run_dir / "verdicts" / "anna.csv").write_text(f"{url(1)},yes\n{url(2)},yes\n{url(3)},yes\n")
    (run_dir / "verdicts" / "bob.csv").write_text(f"{url(1)},no\n{url(2)},yes\n")
    (run_dir / "verdicts" / "assessor-x.csv").write_text(f"{url(3)},no\n")  # programs contradict nobody
    out = judge(capsys, monkeypatch, "", run_dir, pages="0")
    assert "1 page: people contradict each other, so the model decides\n" in out
    assert f"  {url(1)} (anna: yes, bob: no)\n" in out


def test_the_help_names_the_orders_that_the_queue_knows():
    assert set(ORDERS) == set(queue.ORDERS)


@pytest.mark.parametrize(
    ("args", "given", "message"),
    [
        ([], {}, "Name the folder of a run"),
        (["no-such-run"], {}, "There is no collection.sqlite in no-such-run"),
        (["RUN"], {"order": "best"}, "--order must be mixed, uncertain, random, top. Got 'best'."),
        (["RUN"], {"pages": "-1"}, "--pages must be a whole number"),
        (["RUN"], {"person": "../ada"}, "A person's name must be"),
        (["RUN"], {"person": "assessor-x"}, "that is for programs"),
        (["RUN", "--why"], {}, "There is no option --why"),
    ],
)
def test_errors_are_one_line(capsys, monkeypatch, run_dir, args, given, message):
    args = [str(run_dir) if arg == "RUN" else arg for arg in args]
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is what is looked at
        judge(capsys, monkeypatch, "y", *args, **given)
    assert message in str(caught.value)
    assert not (run_dir / "verdicts").exists()


def test_texts_of_strangers_fit_the_screen_and_cannot_move_the_cursor():
    for width in (2, 7, 60):
        for line in wrapped(HOSTILE + " " + "\u5929" * 100 + "\n\n\n\nend", width, 1000):
            assert columns(line) <= width
            assert all(char.isprintable() for char in line)
    assert wrapped("word " * 10**5, 80, 3) == ["word " * 15 + "word"] * 3
    assert harmless("\x1b]8;;http://evil.example\x07link\u2028\u200b").strip() == "]8;;http://evil.examplelink"
    assert columns(shortened("\u5929" * 50, 9)) <= 9
