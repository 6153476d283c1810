from __future__ import annotations

import json
import logging
import os
import resource

import pytest

from focused.crawl.arguments import PlanError, read_seeds
from focused.utils.files import LineFile, read_regular, write_json


def test_lines_are_there_at_once_and_appended_to_those_of_before(tmp_path):
    path = tmp_path / "x.csv"
    file = LineFile(path, "a,b")
    assert not path.exists()
    file.write("1,2")
    assert path.read_text() == "a,b\n1,2\n"
    file.close()
    again = LineFile(path, "a,b")
    assert again.write("3,é")
    again.close()
    assert path.read_text(encoding="utf-8") == "a,b\n1,2\n3,é\n"
    assert again.n_failed == 0


def test_what_no_encoding_can_write_is_replaced(tmp_path):
    file = LineFile(tmp_path / "x")
    file.write("a\ud800b")
    file.close()
    assert (tmp_path / "x").read_bytes() == b"a?b\n"


def test_lost_lines_are_counted_and_said_once(tmp_path, caplog):
    file = LineFile(tmp_path)  # a folder
    with caplog.at_level(logging.ERROR):
        assert [file.write("x") for _ in range(3)] == [False] * 3
    file.close()
    assert file.n_failed == 3
    assert caplog.text.count("cannot be written") == 1


def test_a_line_that_does_not_fit_leaves_no_half(tmp_path):
    path = tmp_path / "x"
    file = LineFile(path)
    file.write("a" * 9)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (15, limits[1]))
    try:
        assert not file.write("b" * 9)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert file.write("c")
    file.close()
    assert path.read_text() == "a" * 9 + "\nc\n"
    assert file.n_failed == 1


def test_json_replaces_the_old_file_as_a_whole(tmp_path):
    path = tmp_path / "run.json"
    write_json(path, {"a": 1})
    write_json(path, {"a": {"é": tmp_path}})
    assert json.loads(path.read_text(encoding="utf-8")) == {"a": {"é": str(tmp_path)}}
    assert [file.name for file in tmp_path.iterdir()] == ["run.json"]


def test_json_that_cannot_be_written_is_said_and_survived(tmp_path, caplog):
    write_json(tmp_path / "nowhere" / "run.json", {})
    assert "cannot be written" in caplog.text


def test_a_link_is_followed_only_where_it_may_be(tmp_path):
    (tmp_path / "file").write_text("secret")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    assert read_regular(tmp_path / "link", 10) == read_regular(tmp_path / "file", 10, may_link=False) == b"secret"
    with pytest.raises(ValueError, match="it is a symbolic link"):
        read_regular(tmp_path / "link", 10, may_link=False)


@pytest.fixture(autouse=True)
def no_signal_for_a_file_that_is_too_long():
    import signal

    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGXFSZ, before)


def test_only_regular_files_up_to_a_size_are_read(tmp_path):
    (file := tmp_path / "file").write_bytes(b"x" * 1000)
    (tmp_path / "link").symlink_to(file)
    assert read_regular(file, 1000) == read_regular(tmp_path / "link", 1000) == b"x" * 1000
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "endless").symlink_to("/dev/zero")
    for name, fault in (
        ("pipe", "regular"),
        ("endless", "regular"),
        ("", "regular"),
        ("file", "larger than 999 bytes"),
    ):
        with pytest.raises(ValueError, match=fault):
            read_regular(tmp_path / name, 999)


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="a regular file without a size")  # noqa: PTH110
def test_a_file_that_claims_no_size_is_read_up_to_the_limit(tmp_path):
    (tmp_path / "status").symlink_to("/proc/self/status")
    with pytest.raises(ValueError, match="larger than 10 bytes"):
        read_regular(tmp_path / "status", 10)


def test_a_line_is_never_glued_to_half_a_line(tmp_path):
    (tmp_path / "x").write_bytes(b"whole\nha")
    file = LineFile(tmp_path / "x")
    file.write("next")
    file.close()
    assert (tmp_path / "x").read_bytes() == b"whole\nha\nnext\n"


def test_seeds_are_not_read_from_a_device_or_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in ("/dev/zero", str(tmp_path / "pipe")):
        with pytest.raises(PlanError, match="Seeds must be URLs"):
            read_seeds(path)
