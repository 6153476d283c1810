from __future__ import annotations

import gc
import importlib
import os
import signal
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

if "PYTEST_XDIST_WORKER" in os.environ:
    # Before numpy: processes that each use all cores for small products are slower than as many that use one.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # It asks who imports it, and the answer takes the longer the more modules there are.
    import scrapy.core.downloader.handlers.http11

import hand_made
import pytest
from _pytest.doctest import DoctestModule
from commands import environment, scrapy, share_fork_server
from databases import emptied, empty_database, running_server, shared_folder
from warcs import Warc

from focused.method.learning import metrics

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent

# Trainings in this process draw the intervals of their figures as those of commands do, see `preloaded`.
metrics.N_RESAMPLES = hand_made.N_RESAMPLES

# A shell that starts the tests in the background has them ignore Ctrl-C; so would the servers that tests stop with it.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """All tests run in several processes; the few that are named on a command line are there sooner in this one."""
    if config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return 0
    return min(4, (os.cpu_count() or 1) + 1)  # some tests wait: for a server, a host's delay, a process that starts


def pytest_configure(config: pytest.Config) -> None:
    """Processes that run tests fork commands from one process. It imports all while they collect the tests."""
    if config.getoption("tx", None) and "PYTEST_XDIST_WORKER" not in os.environ:
        share_fork_server()


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Each process imports all files with tests, and first a part of its own: after a change, each compiles these alone.

    In one order for all, they would compile the same file at the same time, each for itself. An error is left to the
    collection, which imports the file again and says it.
    """
    if "PYTEST_XDIST_WORKER" in os.environ or not session.config.getoption("tx", None):
        gc.disable()  # all that is made now stays; looking for what does not is a fourth of what the collection takes
    number = int(os.environ.get("PYTEST_XDIST_WORKER", "").removeprefix("gw") or -1)
    if number < 0 or session.config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return
    names = sorted(path.stem for path in Path(__file__).parent.glob("test_*.py"))
    first = len(names) * number // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
    for name in names[first:] + names[:first]:
        with suppress(Exception, pytest.skip.Exception):
            importlib.import_module(name)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Iterator[None]:
    """Most docstrings hold no examples; looking for some in each of them is a fifth of what the collection takes."""
    found = yield
    has_examples = file_path.parent != Path(__file__).parent and b">>>" in file_path.read_bytes()
    return [each for each in found if has_examples or not isinstance(each, DoctestModule)]


def pytest_collection_finish() -> None:
    """Thousands of tests stay to the end: none of them is looked at when memory is tidied up."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests come first, those with most of them before the others, so that no process ends long before
    the other."""
    n_slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
    items.sort(key=lambda item: -n_slow[item.path])


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder with the recorded webs and corpora; they are never part of the repository."""
    folder = Path(os.environ.get("FOCUSED_DATA_DIR", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no data folder at {folder} (set FOCUSED_DATA_DIR)")
    return folder


@pytest.fixture(scope="module")
def whole_intervals() -> Iterator[None]:
    """Trainings in this process draw the intervals of their figures as the product does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(metrics, "N_RESAMPLES", 100)
        yield


@pytest.fixture(scope="session")
def models(tmp_path_factory) -> Path:
    """A models folder with the hand-made topic ``stars``."""
    folder = tmp_path_factory.mktemp("models")
    hand_made.topic().save(folder)
    return folder


@pytest.fixture(scope="session")
def two_regions(tmp_path_factory) -> Path:
    """A WARC file of a site with a region about stars and one about food."""
    warc = Warc(tmp_path_factory.mktemp("web") / "site.warc.gz")
    for path, body in hand_made.two_regions().items():
        warc.page(f"http://site.example{path}", body)
    return warc.indexed()


@pytest.fixture(scope="session")
def learnt(two_regions, tmp_path_factory) -> Path:
    """A models folder with a topic ``stars`` that was learnt from `two_regions`: it can be trained again in a second."""
    folder = tmp_path_factory.mktemp("learnt")
    (folder / "stars.txt").write_text("\n".join(f"http://site.example/stars/{number}" for number in range(12)))
    pages = ["--positive", str(two_regions), "--positive-urls", "stars.txt", "--unlabeled", str(two_regions)]
    argv = ["train", "stars", *pages, "--seeds", "http://site.example/", "--quick", "--quiet"]
    done = scrapy(*argv, cwd=folder, env=environment(folder / "models"))
    assert done.exit_code == 0, done.err
    return folder / "models"


@pytest.fixture
def evaluations_are_forks(monkeypatch, tmp_path) -> None:
    """Each ``scrapy evaluate`` that a benchmark starts in this process is a fork, and so are its crawls."""
    from evaluations import running

    def run(command: list[str], **_: object) -> SimpleNamespace:
        done = scrapy(*command[3:], cwd=tmp_path / "evaluate", env={"SCRAPY_SETTINGS_MODULE": "focused.settings"})
        sys.stderr.write(done.err)
        return SimpleNamespace(returncode=done.exit_code)

    monkeypatch.setattr(running, "subprocess", SimpleNamespace(run=run))


@pytest.fixture(scope="session")
def database_server(tmp_path_factory) -> Iterator[str]:
    """The URL of a PostgreSQL server that all tests share, whichever processes they run in.

    FOCUSED_TEST_SERVER names another one, such as of an older version: postgresql://me@/postgres?host=/tmp/old&port=5515
    """
    if other := os.environ.get("FOCUSED_TEST_SERVER"):
        yield other
        return
    with running_server(shared_folder(tmp_path_factory.getbasetemp())) as url:
        yield url


@pytest.fixture(scope="session")
def own_database(database_server) -> str:
    """The URL of a database of this process's own."""
    return empty_database(database_server)


@pytest.fixture
def database(own_database) -> str:
    """The URL of a database that nobody else uses during the test, without any table."""
    return emptied(own_database)


@pytest.fixture(autouse=True, scope="module")
def answers_are_whole(request) -> Iterator[None]:
    """Views of the dashboard wait until what they show is read, however busy this machine is; of that other tests tell."""
    with pytest.MonkeyPatch.context() as patch:
        if request.module.__name__.startswith("test_dashboard"):
            import patience

            patch.setattr(patience.background_work, "ANSWER_SECS", patience.ANSWER_SECS)
        yield
