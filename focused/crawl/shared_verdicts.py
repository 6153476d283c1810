"""Sends people's verdicts from the folder where they judge to the crawl's database, where workers read them."""

from __future__ import annotations

import logging
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from focused.collection.verdict_folder import VerdictFolder
from focused.crawl.shared_run import SharedRun
from focused.utils.file_names import VERDICTS_FOLDER

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from focused.collection.verdict_folder import Opinion

logger = logging.getLogger(__name__)

_EVERY_SECS = 2.0


class VerdictSender:
    """Sends what is new in a folder's verdict files; what the database has from others with a later time stands there."""

    def __init__(self, run_dir: Path) -> None:
        self._folder = VerdictFolder(run_dir / VERDICTS_FOLDER)
        self._sent: dict[tuple[str, str], Opinion] = {}

    def new(self) -> dict[tuple[str, str], Opinion]:
        """Return what has not been sent, by URL and person."""
        said = {(each.url, each.person): each for each in self._folder.read()}
        return {key: each for key, each in said.items() if self._sent.get(key) != each}

    def send(self, run: SharedRun) -> int:
        """Send it; return how many verdicts it was."""
        from focused.frontier.shared.version_rows import (  # psycopg is an extra of the package
            StoredVerdict,
            write_verdicts,
        )

        new = self.new()
        given = [StoredVerdict(0, each.url, each.person, each.relevant, each.at) for each in new.values()]
        if given:
            write_verdicts(run.connection, run.number, given)
        self._sent |= new
        return len(given)


@contextmanager
def sending(run_dir: Path, database: str, crawl: str) -> Iterator[None]:
    """Send what people say in a folder as they say it, and the last of it at the end; a database that is away is no error."""
    sender, ends = VerdictSender(run_dir), threading.Event()

    def send() -> str:
        from psycopg import Error

        try:
            if sender.new():
                with SharedRun.opened(database, crawl) as run:
                    sender.send(run)
        except (Error, ValueError) as error:
            return " ".join(str(error).split())
        return ""

    def keep_sending() -> None:
        while not ends.wait(_EVERY_SECS):
            send()

    thread = threading.Thread(target=keep_sending, name="verdicts", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ends.set()
        thread.join()
        if why := send():
            logger.warning("The verdicts are in %s. The last verdicts have not reached the database: %s", run_dir, why)
