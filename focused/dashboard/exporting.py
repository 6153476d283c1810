"""Sends pages of a run as a download: ``scrapy export`` writes a file, which is gone when it is sent."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path
from typing import IO, TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse
from starlette.routing import Route

from focused.collection.asked_filter import WHICH
from focused.collection.formats import FORMATS, SUFFIXES
from focused.dashboard.processes import CommandError
from focused.dashboard.site import text_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request
    from starlette.responses import Response

    from focused.dashboard.site import Site

MAX_AT_A_TIME = 2
FILTERS = {
    "relevance": "relevance by the model, at least, from 0 to 1",
    "language": "languages, such as en,de",
    "since": "published on that day or later: 2024, 2024-05 or 2024-05-31",
    "before": "published before that day",
    "host": "hosts with their subdomains, separated by commas",
    "words": "words of title or text",
}
"""Options of ``scrapy export``, which checks what they are given, and what they mean."""
_PIECE_BYTES = 1 << 18
_NOTHING = "0 pages of "
"""How the command begins to say that it has written none."""


class Exporting:
    """The views of the export."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._n_under_way = 0
        self._remarks: dict[str, list[str]] = {}

    def routes(self) -> list[Route]:
        """Return what is answered here."""
        return [Route("/runs/{key}/export", self.ask), Route("/runs/{key}/export/file", self.file)]

    def ask(self, request: Request) -> Response:
        """Show the formats and filters."""
        return self._show(request)

    async def file(self, request: Request) -> Response:
        """Send the file; an error of the command is shown above the form."""
        run, asked = await run_in_threadpool(self._site.run_of, request), request.query_params
        name = asked.get("format", "")
        if name not in FORMATS:
            return self._show(request, 400, "Choose a format.")
        if self._n_under_way >= MAX_AT_A_TIME:
            return self._show(request, 503, "Other exports are being made. Try again in a moment.")
        options = [f"--{option}={text}" for option in ("which", *FILTERS) if (text := text_of(asked, option))]
        self._n_under_way += 1
        folder = Path(await run_in_threadpool(tempfile.mkdtemp, prefix="focused-export-"))
        try:
            output = folder / f"export{SUFFIXES.get(name, f'.{name}')}"
            words = (str(run.path), f"--format={name}", f"--output={output}", *options)
            said = await self._site.commands.done(request.is_disconnected, "export", *words)
            # A download shows no text: what the command says after its first line stands above the form from now on.
            self._remarks[run.key] = said.splitlines()[1:]
            if any(line.startswith(_NOTHING) for line in self._remarks[run.key]):
                self._remarks.pop(run.key)
                raise CommandError("No page of this run passes these filters: there is nothing to export.")
            if output.is_dir():
                output = Path(await run_in_threadpool(shutil.make_archive, str(output), "zip", output))
            file = output.open("rb")  # its name goes now: the file is there until it is closed, whatever ends
        except CommandError as error:
            return self._show(request, 400, str(error))
        finally:
            self._n_under_way -= 1
            await run_in_threadpool(shutil.rmtree, folder, ignore_errors=True)
        ending = "".join(output.suffixes)
        called = re.sub(r"[^\w.-]+", "-", f"{run.topic}-{run.name}", flags=re.ASCII).strip("-.") or "export"
        size = file.seek(0, 2)
        headers = {"content-disposition": f'attachment; filename="{called}{ending}"', "content-length": str(size)}
        return StreamingResponse(_pieces(file), headers=headers, media_type="application/octet-stream")

    def _show(self, request: Request, status: int = 200, error: str = "") -> Response:
        run = self._site.run_of(request)
        return self._site.show(
            request, "export.html", status, run=run, formats=FORMATS, kinds=WHICH, filters=FILTERS,
            said=request.query_params, error=error, remarks=self._remarks.get(run.key, []),
        )  # fmt: skip


async def _pieces(file: IO[bytes]) -> AsyncIterator[bytes]:
    with file:
        file.seek(0)
        while piece := await run_in_threadpool(file.read, _PIECE_BYTES):
            yield piece
