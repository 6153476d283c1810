"""Views that act on crawls: start, stop, resume, delete. Each asks first, and a form of this page alone is answered."""

from __future__ import annotations

import re
import shlex
import shutil
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse
from starlette.routing import Route

from focused.dashboard.crawls import LOG_FILE, delete, holder, new_run_dir, start, stop
from focused.dashboard.processes import CommandError, read_log
from focused.dashboard.resuming import BUDGETS, PRIVATE, arguments_of, spider_words
from focused.dashboard.runs import is_locked
from focused.dashboard.site import text_of
from focused.method.topic import topic_names
from focused.utils.file_names import RUN_FILE

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.requests import Request
    from starlette.responses import Response

    from focused.dashboard.runs import RunState
    from focused.dashboard.site import Site

FIELDS = {
    "seeds": "where the crawl starts: URLs; empty: the topic's own",
    "max_pages": "pages to fetch; 0: no limit; empty: 1000",
    "max_minutes": "minutes to crawl; 0 or empty: no limit",
    "max_relevant": "relevant pages to find; 0 or empty: no limit",
    "allow": "domains and paths that the crawl stays in: example.org, /papers/; empty: all",
    "deny": "domains and paths that are never asked for",
    "languages": "languages of relevant pages, such as en,de; empty: all",
    "stop_when": "saturated: the crawl ends when nothing new has come for so long; empty: when its budgets are spent",
    "web": "where pages come from; empty: as the topic says",
}
"""Spider arguments beside the topic, and what they mean; the crawl checks them."""
CHOICES = {"stop_when": ("", "saturated"), "web": ("", "live", "demo")}
"""Arguments that are chosen from a list, and what is on it."""
_MAX_SEEDS_CHARS = 60_000
_LOG_CHARS = 3_000


class Starting:
    """The views."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._stopped: dict[str, int] = {}

    def routes(self) -> list[Route]:
        """Return what is answered here."""
        return [
            Route("/start", self.ask_start),
            Route("/start", self.start, methods=["POST"]),
            Route("/runs/{key}/manage", self.manage),
            Route("/runs/{key}/stop", self.stop, methods=["POST"]),
            Route("/runs/{key}/resume", self.resume, methods=["POST"]),
            Route("/runs/{key}/delete", self.delete, methods=["POST"]),
        ]

    def ask_start(self, request: Request) -> Response:
        """Show the form of a new crawl."""
        return self._start_form(request, {"topic": text_of(request.query_params, "topic")})

    async def start(self, request: Request) -> Response:
        """Start a crawl; what it refuses is shown above the form."""
        form = await request.form(max_files=0, max_fields=20)
        said = {name: text_of(form, name, _MAX_SEEDS_CHARS) for name in ("topic", *FIELDS)}
        try:
            return RedirectResponse(f"/runs/{await run_in_threadpool(self._started, said)}", 303)
        except ValueError as error:
            return await run_in_threadpool(self._start_form, request, said, str(error), 400)

    def _started(self, said: dict[str, str]) -> str:
        if said["topic"] not in topic_names(*self._site.commands.models_dirs):
            raise ValueError("Choose a topic.")
        wrong = [word for word in re.split(r"[\s,]+", said["seeds"]) if word and not re.match("https?://", word)]
        if wrong:
            raise ValueError(f"A seed must be a URL such as http://a.example/. Got {wrong[0][:100]!r}.")
        for name, known in CHOICES.items():
            if said[name] not in known:
                words = " or ".join(filter(None, known))
                raise ValueError(f"{_label(name)} must be {words}, or empty. Got {said[name][:100]!r}.")
        for name in BUDGETS:
            said[name] = _number(name, said[name])
        run_dir = new_run_dir(self._site.runs.folder, said["topic"])
        try:
            self._run(spider_words(said, (), run_dir), run_dir)
        except CommandError:
            if not (run_dir / RUN_FILE).exists():  # it was made a moment ago, and no crawl has begun in it
                shutil.rmtree(run_dir, ignore_errors=True)
            raise
        return self._site.runs.key_of(run_dir)

    def _run(self, words: list[str], run_dir: Path) -> None:
        start(self._site.commands.words("crawl", *words), run_dir)

    def manage(self, request: Request) -> Response:
        """Show what can be done with a run, and what its log says."""
        return self._manage(request)

    async def stop(self, request: Request) -> Response:
        """End a crawl."""
        run = await run_in_threadpool(self._site.run_of, request)
        try:
            process = await run_in_threadpool(holder, run.path)
            # Told twice a crawl ends at once, and loses what is under way. One that was told, or is over, needs no word.
            is_told = process is not None and self._stopped.get(run.key) == process
            if not is_told and (process is not None or is_locked(run.path)):
                self._stopped[run.key] = stop(run, process)
        except (ValueError, OSError) as error:
            return await run_in_threadpool(self._manage, request, str(error), 400)
        return RedirectResponse(f"/runs/{run.key}/manage", 303)

    async def resume(self, request: Request) -> Response:
        """Resume a crawl by the command that began it, perhaps with larger budgets."""
        run = await run_in_threadpool(self._site.run_of, request)
        form = await request.form(max_files=0, max_fields=10)
        try:
            arguments, settings = self._arguments_of(run)
            arguments |= {name: _number(name, text) for name in BUDGETS if (text := text_of(form, name))}
            _check_room(run, arguments)
            await run_in_threadpool(self._run, spider_words(arguments, settings, run.path), run.path)
        except (ValueError, OSError) as error:
            return await run_in_threadpool(self._manage, request, str(error), 400)
        return RedirectResponse(f"/runs/{run.key}", 303)

    async def delete(self, request: Request) -> Response:
        """Delete a run."""
        run = await run_in_threadpool(self._site.run_of, request)
        form = await request.form(max_files=0, max_fields=5)
        try:
            if form.get("sure") != "yes":
                raise ValueError("Confirm that you are sure: a deleted run cannot be restored.")
            await run_in_threadpool(delete, run, self._site.runs.folder)
        except (ValueError, OSError) as error:
            return await run_in_threadpool(self._manage, request, str(error), 400)
        return RedirectResponse("/", 303)

    def _start_form(self, request: Request, said: dict[str, str], error: str = "", status: int = 200) -> Response:
        topics = topic_names(*self._site.commands.models_dirs)
        return self._site.show(
            request, "start.html", status, topics=topics, fields=FIELDS, choices=CHOICES, said=said, error=error
        )

    def _manage(self, request: Request, error: str = "", status: int = 200) -> Response:
        run = self._site.run_of(request)
        log = read_log(run.path / LOG_FILE, -_LOG_CHARS)
        is_stopping = run.is_live and run.key in self._stopped and self._stopped[run.key] == holder(run.path)
        shown: dict[str, Any] = {"run": run, "error": error, "log": log, "is_stopping": is_stopping}
        return self._site.show(request, "manage.html", status, **shown, **self._resumable(run))

    def _arguments_of(self, run: RunState) -> tuple[dict[str, str], list[str]]:
        return arguments_of(run.path, may_ask_private=f"{PRIVATE}=allow" in self._site.commands.settings)

    def _resumable(self, run: RunState) -> dict[str, Any]:
        try:
            arguments, settings = self._arguments_of(run)
        except ValueError as error:
            return {"budgets": {}, "command": "", "why_not": str(error)}
        command = shlex.join(["scrapy", "crawl", *spider_words(arguments, settings, run.path)])
        return {"budgets": {name: arguments.get(name, "") for name in BUDGETS}, "command": command, "why_not": ""}


def _label(name: str) -> str:
    """Return what the form calls a field."""
    return name.replace("_", " ").capitalize()


def _number(name: str, text: str) -> str:
    """Return a number as spider arguments are written, for people write 1,000; a ValueError names the field."""
    plain = re.sub(r"[,\s'](?=[0-9]{3}\b)", "", text)
    if plain and not re.fullmatch(r"[0-9]{1,12}" if name != "max_minutes" else r"[0-9]{1,9}(\.[0-9]{1,9})?", plain):
        what = "minutes, such as 90 or 0.5" if name == "max_minutes" else "a whole number, such as 1000"
        raise ValueError(f"{_label(name)} must be {what}; 0: no limit. Got {text[:100]!r}.")
    return plain


def _check_room(run: RunState, arguments: dict[str, str]) -> None:
    """Refuse to resume a crawl whose budget is spent: it would end at once; a ValueError says what the budget must be."""
    for name, spent, what in (
        ("max_pages", run.n_pages, "pages are fetched"),
        ("max_relevant", run.n_relevant, "relevant pages are found"),
    ):
        budget = int(arguments.get(name) or 0)
        if 0 < budget <= spent:
            raise ValueError(
                f"{_label(name)} must be more than {spent:,}, for so many {what}; or 0: no limit. Got {budget:,}."
            )
