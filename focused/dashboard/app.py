"""The dashboard's pages: runs, a run while it goes on, its pages, and judging them."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from focused.collection.verdict_folder import check_person
from focused.dashboard import pages
from focused.dashboard.correcting import Correcting
from focused.dashboard.error_pages import ErrorPages
from focused.dashboard.exporting import Exporting
from focused.dashboard.frontier import best_links, hosts
from focused.dashboard.guard import Guard
from focused.dashboard.harvest_file import curve
from focused.dashboard.jobs import Jobs
from focused.dashboard.judging_room import JudgingRoom, person_of
from focused.dashboard.learning import Learning
from focused.dashboard.live import read_live
from focused.dashboard.metrics import Metrics
from focused.dashboard.page_views import Pages
from focused.dashboard.processes import Commands
from focused.dashboard.runs import Runs, RunState, read_json
from focused.dashboard.site import HERE, Site
from focused.dashboard.starting import Starting
from focused.dashboard.topics import Topics
from focused.utils.file_names import RUN_FILE
from focused.utils.page_colours import DARK, LIGHT

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from starlette.requests import Request

_EVERY_SECS = 2.0


def make_app(
    runs_dir: Path,
    *,
    token: str,
    hosts: frozenset[str],
    commands: Commands | None = None,
    password: str = "",
    metrics_token: str = "",
) -> Starlette:
    """Return the application for a folder of runs; tokens, ``hosts`` and ``password`` as of `Guard`."""
    views, jobs = Views(Runs(runs_dir), commands or Commands()), Jobs()
    topics = Topics(views, jobs)
    routes = [
        Route("/", views.all_runs),
        Route("/runs/{key}", views.run),
        Route("/runs/{key}/events", views.events),
        Route("/runs/{key}/curve.json", views.curve),
        Route("/runs/{key}/judge", views.judge),
        Route("/runs/{key}/judge", views.answer, methods=["POST"]),
        *Pages(views).routes(),
        *Metrics(views.runs).routes(),
        *Exporting(views).routes(),
        *Starting(views).routes(),
        *Learning(views, jobs).routes(),
        *topics.routes(),
        *Correcting(topics).routes(),
        Route("/static/colours.css", colours),
        Mount("/static", StaticFiles(directory=HERE / "static")),
    ]
    return Starlette(
        routes=routes,
        middleware=[
            Middleware(Guard, token=token, hosts=hosts, password=password, metrics_token=metrics_token),
            Middleware(ErrorPages),
        ],
        exception_handlers={HTTPException: views.failed, ValueError: views.failed},
    )


def colours(request: Request) -> Response:
    """Return the colours, which are those of the reports."""
    text = f":root {{{LIGHT}}}\n@media (prefers-color-scheme: dark) {{ :root {{{DARK}}} }}\n"
    return Response(text, media_type="text/css")


class Views(Site):
    """One method for each page."""

    def __init__(self, runs: Runs, commands: Commands) -> None:
        super().__init__(runs, commands)
        self.templates.env.filters["pieces"] = pages.pieces
        self._room = JudgingRoom()

    def all_runs(self, request: Request) -> Response:
        """Show all runs."""
        return self.show(request, "runs.html", runs=self.runs.all(), folder=self.runs.folder)

    def run(self, request: Request) -> Response:
        """Show one run."""
        run = self.run_of(request)
        return self.show(request, "run.html", run=run, **self._facts(run))

    async def events(self, request: Request) -> Response:
        """Send what has changed of a run, every two seconds while it is crawled."""
        run = await run_in_threadpool(self.run_of, request)
        return StreamingResponse(self._stream(request, run.key), media_type="text/event-stream")

    def curve(self, request: Request) -> Response:
        """Return the columns of the chart."""
        return JSONResponse(curve(self.run_of(request).path))

    async def judge(self, request: Request) -> Response:
        """Ask a person about a page; without a name, ask for that."""
        run, said = await run_in_threadpool(self.run_of, request), request.query_params.get("as", "")
        if not said.strip():
            return self.show(request, "judge_name.html", run=run)
        try:
            person = check_person(person_of(said))
        except ValueError as error:
            return self.show(request, "judge_name.html", 400, run=run, error=str(error))
        asked = await self._room.ask(run.path, person)
        template = "page_to_judge.html" if request.query_params.get("part") else "judge.html"
        return self.show(request, template, run=run, asked=asked, person=person)

    async def answer(self, request: Request) -> Response:
        """Take an answer, and show the next page."""
        run, form = await run_in_threadpool(self.run_of, request), await request.form(max_files=0, max_fields=5)
        person, url, answer = (str(form.get(name, "")) for name in ("as", "url", "answer"))
        person = person_of(person)
        asked = await self._room.answer(run.path, person, url, answer)
        if request.headers.get("x-part"):
            return self.show(request, "page_to_judge.html", run=run, asked=asked, person=person)
        return RedirectResponse(request.url.include_query_params(**{"as": person}), 303)

    def failed(self, request: Request, error: Exception) -> Response:
        """Show an error in one sentence."""
        code, text = (error.status_code, error.detail) if isinstance(error, HTTPException) else (400, str(error))
        return self.show(request, "error.html", code, text=text)

    def _facts(self, run: RunState) -> dict[str, Any]:
        """Return what is shown of a run beside its state; what cannot be read is left out."""
        stats = read_json(run.path / RUN_FILE).get("stats")
        facts: dict[str, Any] = {
            "figures": [],
            "is_reading": False,
            "live": read_live(run),
            "links": best_links(run.path),
            "hosts": hosts(run.path),
            "stats": stats or {},
        }
        if run.has_collection:
            try:
                opinions = self.judged.opinions(run.path)
                facts |= {
                    "is_reading": opinions is None or opinions.is_old,
                    "figures": opinions.figures if opinions else [],
                }
            except ValueError as error:
                facts["figures"] = [str(error)]
        return facts

    async def _stream(self, request: Request, key: str) -> AsyncIterator[str]:
        last = ""
        while not await request.is_disconnected():
            run = await run_in_threadpool(self.runs.get, key)
            if run is None:
                break
            facts = await run_in_threadpool(self._facts, run)
            text = self.templates.get_template("live.html").render(run=run, **facts)
            if text != last:
                yield f"event: state\ndata: {json.dumps(text)}\n\n"
                last = text
            else:
                yield ": still here\n\n"
            if not run.is_live and not facts["is_reading"]:
                yield "event: end\ndata: 0\n\n"
                break
            await asyncio.sleep(_EVERY_SECS)
