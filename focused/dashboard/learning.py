"""Views of what the model learns from verdicts: by a training that is started here, or while the crawl goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse
from starlette.routing import Route

from focused.collection.schema import CollectionFileError
from focused.dashboard.runs import read_json
from focused.dashboard.verdicts import verdict_stamps
from focused.method.topic import MANIFEST_FILE, TOPIC_FILE, is_topic_name, topic_names
from focused.retraining.versions import FOLDER, read_attempts

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.requests import Request
    from starlette.responses import Response

    from focused.dashboard.jobs import Jobs
    from focused.dashboard.runs import RunState
    from focused.dashboard.site import Site
    from focused.dashboard.verdicts import Stamps

LOG_FILE = "train.log"
"""What trainings say that were started here, in the run directory."""
WOULD = "Nothing is written: this is what a training"
"""How the command says what it would do (`focused.commands.train_from_run_words.WOULD`, which takes long to import)."""
_NOT_WORSE = "It is not worse"
_MAX_VERSIONS, _N_TERMS = 20, 8
TRY, TRAIN, FORCE = "try", "train", "force"
"""Buttons: say what a training would do; train; train although the new model is worse."""
_PARTS = {"1": "learnt.html", "opinions": "opinions.html"}


@dataclass(frozen=True, slots=True)
class Version:
    """A training while the crawl went on."""

    number: int
    accepted: bool
    why: str
    n_verdicts: int
    #: Judged pages on the wrong side, each held out: `n_judged`, `new`, `first`; empty without verdicts.
    errors: dict[str, int]
    now_for: list[str]
    now_against: list[str]


class Learning:
    """The views."""

    def __init__(self, site: Site, jobs: Jobs) -> None:
        self._site, self._jobs = site, jobs
        #: By run: the verdicts whose effect somebody has asked for.
        self._tried: dict[str, Stamps] = {}

    def routes(self) -> list[Route]:
        """Return what is answered here."""
        return [Route("/runs/{key}/learn", self.show), Route("/runs/{key}/learn", self.train, methods=["POST"])]

    def show(self, request: Request) -> Response:
        """Show what people say, and what the model learnt from it."""
        return self._show(request)

    async def train(self, request: Request) -> Response:
        """Start `scrapy train TOPIC --from-run RUN_DIR`, or only ask what it would do."""
        form = await request.form(max_files=0, max_fields=5)
        try:
            await run_in_threadpool(self._train, request, str(form.get("what", TRAIN)), form.get("sure") == "yes")
        except (ValueError, OSError) as error:
            return await run_in_threadpool(self._show, request, str(error), 400)
        return RedirectResponse(request.url.path, 303)

    def _train(self, request: Request, what: str, is_sure: bool) -> None:
        run = self._site.run_of(request)
        if run.topic not in topic_names(*self._site.commands.models_dirs):
            raise ValueError("The topic of this run is not among the topics here")
        if what == FORCE and not (is_sure and self._would(run)):
            raise ValueError(
                "First look at what it would do with the verdicts as they are now, then confirm that you are sure"
            )
        options = {TRY: ["--dry-run"], TRAIN: [], FORCE: ["--force"]}.get(what)
        if options is None:
            raise ValueError("There is no such button")
        said = verdict_stamps(run.path)
        words = [run.topic, f"--from-run={run.path}", *options]
        self._jobs.start(run.key, self._site.commands.words("train", *words), run.path / LOG_FILE)
        self._tried.pop(run.key, None)
        if what == TRY:
            self._tried[run.key] = said

    def _would(self, run: RunState) -> list[str]:
        """Return what a training would do with the verdicts as they are now; empty if nobody has asked since they changed."""
        job = self._jobs.of(run.key, run.path / LOG_FILE)
        if job.is_busy or job.error or self._tried.get(run.key) != verdict_stamps(run.path):
            return []
        _, found, rest = job.said.rpartition(WOULD)
        return f"{found}{rest}".splitlines() if found else []

    def _show(self, request: Request, error: str = "", status: int = 200) -> Response:
        run = self._site.run_of(request)
        try:
            opinions, why_none = self._site.judged.opinions(run.path), ""
        except CollectionFileError as fault:
            opinions, why_none = None, str(fault)
        would = self._would(run)
        shown: dict[str, Any] = {
            "run": run, "would": would, "is_not_worse": any(_NOT_WORSE in line for line in would), "opinions": opinions,
            "is_reading": not why_none and (opinions is None or opinions.is_old),
            "why_none": why_none, "error": error,
            "job": self._jobs.of(run.key, run.path / LOG_FILE), "learnt": self._learnt(run), "versions": versions(run),
        }  # fmt: skip
        template = _PARTS.get(request.query_params.get("part", ""), "learn.html")
        return self._site.show(request, template, status, **shown)

    def _learnt(self, run: RunState) -> dict[str, Any]:
        """Return what the topic's manifest says of a training from this run; empty if it says nothing."""
        folders = [folder / run.topic for folder in self._site.commands.models_dirs if is_topic_name(run.topic)]
        folder = next((each for each in folders if (each / TOPIC_FILE).is_file()), None)
        found = {} if folder is None else read_json(folder / MANIFEST_FILE).get("retraining")
        if (
            not isinstance(found, dict)
            or found.get("from_run") != run.name
            or not isinstance(found.get("changes"), dict)
        ):
            return {}
        return {"errors": numbers(found.get("errors_on_verdicts")), **_changes(found["changes"])}


def _changes(found: dict[str, Any]) -> dict[str, Any]:
    """Return what changed as it may be shown: a manifest may come from a stranger."""
    terms = {name: texts(found.get(name)) for name in ("now_for", "now_against")}
    pages = {
        name: [texts([page.get("url"), page.get("title")]) for page in _list(found.get(name)) if isinstance(page, dict)]
        for name in ("now_relevant", "not_any_more")
    }
    return {**numbers(found), **terms, **pages}


def versions(run: RunState) -> list[Version]:
    """Return the last trainings of a crawl, the latest first."""
    found, before = list[Version](), list[list[str]]()
    try:
        attempts = read_attempts(run.path)
    except (OSError, ValueError):
        return []
    for each in attempts[-_MAX_VERSIONS:]:
        terms = (
            _terms(run.path / FOLDER / str(each.version) / run.topic)
            if each.accepted and is_topic_name(run.topic)
            else []
        )
        new = [[term for term in now if term not in old][:_N_TERMS] for now, old in zip(terms, before, strict=False)]
        before = terms or before
        now_for, now_against = new or [[], []]
        found.append(
            Version(
                each.version, each.accepted, str(each.why)[:500], int(numbers({"n": each.n_verdicts}).get("n", 0)),
                numbers(each.errors_on_verdicts), now_for, now_against,
            )
        )  # fmt: skip
    return found[::-1]


def _terms(folder: Path) -> list[list[str]]:
    manifest = read_json(folder / MANIFEST_FILE)
    return [
        texts([pair[0] for pair in _list(manifest.get(name)) if isinstance(pair, list) and pair])
        for name in ("terms_for", "terms_against")
    ]


def texts(value: Any) -> list[str]:
    """Return the texts of a list, short; nothing of anything else."""
    return [str(each)[:300] for each in _list(value)]


def numbers(value: Any) -> dict[str, Any]:
    """Return the whole numbers of an object; nothing of anything else."""
    return {name: each for name, each in value.items() if type(each) is int} if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value[:500] if isinstance(value, list) else []
