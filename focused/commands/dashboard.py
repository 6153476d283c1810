"""``scrapy dashboard``: watch, search and judge crawls in a browser."""

from __future__ import annotations

import secrets
import socket
from pathlib import Path
from typing import TYPE_CHECKING

from focused.utils.places import models_dirs
from focused.utils.project_command import ProjectCommand, whole_number

if TYPE_CHECKING:
    import argparse

EXAMPLES = """\
The dashboard is a process of its own. It reads run directories, writes verdicts, and runs commands of this project; crawls
do not depend on it. Only this machine can ask it, and only with the link that it prints.

Examples:
  scrapy dashboard
      the runs in FOCUSED_RUNS_DIR (runs)
  scrapy dashboard runs/astrophysics --port 8100
      those of one topic, at another port
"""


class Command(ProjectCommand):
    """Serve the pages until Ctrl-C; an error is one line on stderr and exit code 1."""

    usage = "[RUNS_DIR] [options]"
    summary = "Watch, search and judge crawls in a browser"
    examples = EXAMPLES
    interrupted = "The dashboard has ended; crawls go on"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        add = parser.add_argument_group("dashboard").add_argument
        add("--port", default="8088", metavar="N", help="port on 127.0.0.1; 0: any that is free (default: 8088)")

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        """Serve."""
        self.refuse_options(args)
        if len(args) > 1:
            raise ValueError(f"Name one folder: scrapy dashboard RUNS_DIR. Got {len(args)}.")
        try:
            # Scrapy imports every command whichever is run, and these are an extra of the package.
            import uvicorn

            from focused.dashboard.app import make_app
            from focused.dashboard.processes import Commands
        except ImportError as error:
            raise ValueError(
                f"scrapy dashboard needs {error.name}. Install it: pip install starlette uvicorn jinja2 python-multipart (or "
                "focused[dashboard])"
            ) from None
        folder = Path(args[0] if args else str(self.settings.get("FOCUSED_RUNS_DIR") or "runs"))
        if not folder.is_dir():
            raise ValueError(f"There is no folder {folder}. Name that of your runs: scrapy dashboard RUNS_DIR")
        listening = _listen(whole_number("--port", opts.port))
        port, token = listening.getsockname()[1], secrets.token_urlsafe(24)
        hosts = frozenset(f"{name}:{port}" for name in ("127.0.0.1", "localhost"))
        # The last word counts: crawls that are started here belong to the folder that is shown.
        commands = Commands((*opts.set, f"FOCUSED_RUNS_DIR={folder.resolve()}"), models_dirs(self.settings))
        app = make_app(folder.resolve(), token=token, hosts=hosts, commands=commands)
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=1, lifespan="off"
        )
        print(f"Open http://127.0.0.1:{port}/?token={token}", flush=True)
        uvicorn.Server(config).run(sockets=[listening])


def _listen(port: int) -> socket.socket:
    """Return a socket of this machine's own address; a ValueError says that the port is taken."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
    except (OSError, OverflowError) as error:
        listening.close()
        raise ValueError(
            f"--port {port} cannot be used: {getattr(error, 'strerror', None) or error}. Choose another: --port 0"
        ) from None
    return listening
