"""``scrapy dashboard``: watch, search and judge crawls in a browser."""

from __future__ import annotations

import os
import secrets
import socket
import time
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from focused.crawl.followed_run import local_run, refresh
from focused.utils.database import is_database_url
from focused.utils.folder_settings import RUNS_DIR
from focused.utils.heaps import share_heaps
from focused.utils.open_files import raise_limit
from focused.utils.output_settings import METRICS_TOKEN, SECRET
from focused.utils.places import models_dirs
from focused.utils.project_command import ProjectCommand, whole_number

if TYPE_CHECKING:
    import argparse

LOCAL, ANY = "127.0.0.1", ("", "0.0.0.0", "::")
_LEAST_TOKEN_CHARS = 16

EXAMPLES = """\
The dashboard is a process of its own. It reads run directories, writes verdicts, and runs commands of this project; crawls
do not depend on it. Only this machine can ask it, and only with the link that it prints, unless --address says otherwise.

Examples:
  scrapy dashboard
      the runs in FOCUSED_RUNS_DIR (runs)
  scrapy dashboard runs/astrophysics --port 8100
      those of one topic, at another port
  scrapy dashboard postgresql://me@host/database/CRAWL
      a crawl that many workers share, as RUNS_DIR/TOPIC/CRAWL follows it
  DASHBOARD_PASSWORD=... scrapy dashboard --address 192.0.2.7 --name crawls.example.org
      for other machines; put a server with TLS before it
"""

_FOLLOW_SECS = 15.0
_FILES_FOR_RUNS = 200
"""So many of the open files are not for connections, but for run directories and commands."""


class Command(ProjectCommand):
    """Serve the pages until Ctrl-C; an error is one line on stderr and exit code 1."""

    usage = "[RUNS_DIR] [options]"
    summary = "Watch, search and judge crawls in a browser"
    examples = EXAMPLES

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        add = parser.add_argument_group("dashboard").add_argument
        add("--port", default="8088", metavar="N", help="port; 0: any that is free (default: 8088)")
        help_ = (
            "address, which other machines may reach: with a password, in the environment variable DASHBOARD_PASSWORD"
        )
        add("--address", default=LOCAL, metavar="ADDRESS", help=f"{help_} (default: {LOCAL})")
        add(
            "--name",
            action="append",
            default=[],
            metavar="HOST",
            help="name under which it is reached (may be repeated)",
        )

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        """Serve."""
        self.refuse_options(args)
        if len(args) > 1:
            raise ValueError(f"Name one folder: scrapy dashboard RUNS_DIR. Got {len(args)}.")
        try:
            # Scrapy imports every command whichever is run, and these are an extra of the package.
            import uvicorn

            from focused.dashboard.app import make_app
            from focused.dashboard.connections import Connection
            from focused.dashboard.guard import OWN_DOMAIN
            from focused.dashboard.login import VARIABLE, check_password
            from focused.dashboard.processes import Commands
        except ImportError as error:
            raise ValueError(
                f"scrapy dashboard needs {error.name}. Install it: pip install starlette uvicorn jinja2 python-multipart "
                "prometheus-client (or focused[dashboard])"
            ) from None
        folder = self._folder(args)
        is_local = opts.address == LOCAL
        # Taken out of the environment: commands that the dashboard starts need not know it.
        password = os.environ.pop(VARIABLE, "")
        password = "" if is_local else check_password(password)
        if opts.address in ANY and not opts.name:
            raise ValueError(f"--address {opts.address} needs --name HOST: under which name people reach this machine.")
        listening = _listen(opts.address, whole_number("--port", opts.port, most=65_535))
        port, token = listening.getsockname()[1], secrets.token_urlsafe(24)
        own = f"focused-{secrets.token_hex(6)}{OWN_DOMAIN}"
        told = [each for each in opts.set if each.partition("=")[0] not in SECRET]  # all see command lines
        # The last value counts: crawls that are started here belong to the folder that is shown.
        commands = Commands((*told, f"FOCUSED_RUNS_DIR={folder.resolve()}"), models_dirs(self.settings))
        app = make_app(
            folder.resolve(),
            token=token,
            hosts=_hosts(opts, own, port),
            commands=commands,
            password=password,
            metrics_token=self._metrics_token(),
        )
        n_files = raise_limit()
        config = uvicorn.Config(
            app,
            http=Connection,
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=1,
            lifespan="off",
            # Further connections get 503 at once; otherwise each would be an error of the server.
            limit_concurrency=None if n_files is None else max(n_files - _FILES_FOR_RUNS, n_files // 2),
        )
        for line in _how_to_open(opts, own, port, token):
            print(line, flush=True)
        share_heaps()  # else threads that read large runs would each keep the memory that they have needed
        try:
            uvicorn.Server(config).run(sockets=[listening])
        except KeyboardInterrupt:
            print("The dashboard has ended; crawls go on")

    def _folder(self, args: list[str]) -> Path:
        """Return the folder of runs; of a crawl in a database the one that follows it."""
        runs_dir = Path(RUNS_DIR.read(self.settings) or RUNS_DIR.default)
        folder = Path(args[0]) if args else runs_dir
        if args and is_database_url(args[0]):
            folder = local_run(args[0], runs_dir)
            Thread(target=_follow, args=(folder,), daemon=True).start()
        if not args:
            with suppress(OSError):  # an error below says that there is no folder
                folder.mkdir(parents=True, exist_ok=True)  # the first crawl may come later
        if not folder.is_dir():
            raise ValueError(f"There is no folder {folder}. Name that of your runs: scrapy dashboard RUNS_DIR")
        return folder

    def _metrics_token(self) -> str:
        token: str = METRICS_TOKEN.read(self.settings)
        if 0 < len(token) < _LEAST_TOKEN_CHARS:
            raise ValueError(
                f"{METRICS_TOKEN.name} must be empty, or have at least {_LEAST_TOKEN_CHARS} characters. Got "
                f"{len(token)}. Make one: python -c 'import secrets; print(secrets.token_urlsafe())'"
            )
        return token


def _hosts(opts: argparse.Namespace, own: str, port: int) -> frozenset[str]:
    """Return under which names the dashboard answers; ``own``: the name that it has made for this machine."""
    named = [LOCAL, "localhost", own]
    if opts.address != LOCAL:
        named = [_in_url(opts.address)]
    # A TLS server in front of this one is reached without a port.
    return frozenset([*opts.name, *(f"{name}:{port}" for name in (*named, *opts.name))])


def _how_to_open(opts: argparse.Namespace, own: str, port: int, token: str) -> list[str]:
    """Return the lines that say where a browser finds the dashboard."""
    if opts.address != LOCAL:
        name = (opts.name or [_in_url(opts.address)])[0]
        return [f"Open http://{name}:{port}/ and say the password. Without TLS others can read along."]
    # Browsers know that names under "localhost" are this machine; other programs may not.
    return [
        f"Open http://{own}:{port}/?token={token}",
        f"or, if that is not found, http://{LOCAL}:{port}/?token={token}",
    ]


def _in_url(address: str) -> str:
    """Return an address as a URL has it."""
    return f"[{address}]" if ":" in address else address


def _follow(run_dir: Path) -> None:
    """Keep the folder of a crawl in a database up to date."""
    while True:
        time.sleep(_FOLLOW_SECS)
        with suppress(ValueError, OSError):  # the database may be away for a while
            refresh(run_dir)


def _listen(address: str, port: int) -> socket.socket:
    """Return a listening socket. A ValueError says that the address is none of this machine, or that the port is taken."""
    listening = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((address, port))
        listening.listen()  # a browser that opens the link at once has to wait, but is not refused
    except (OSError, OverflowError) as error:
        listening.close()
        why = getattr(error, "strerror", None) or error
        if address != LOCAL:
            raise ValueError(
                f"--address {address} --port {port} cannot be used: {why}. Name an address of this machine"
            ) from None
        raise ValueError(f"--port {port} cannot be used: {why}. Choose another: --port 0") from None
    return listening
