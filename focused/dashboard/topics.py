"""Views of topics: what each believes, and making or widening one from words, URLs, files or pages of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse
from starlette.routing import Route

from focused.dashboard.beliefs import beliefs
from focused.dashboard.material import MAX_FILES, TEXTS, Material, check_file_name, chosen_lines, materials
from focused.dashboard.material_items import KINDS, doubtful_items, items
from focused.dashboard.processes import error_line
from focused.dashboard.site import text_of
from focused.dashboard.topic_threshold import why_not_set
from focused.method.topic import check_topic_name, is_topic_name, topic_names

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.requests import Request
    from starlette.responses import Response

    from focused.dashboard.jobs import Job, Jobs
    from focused.dashboard.site import Site

MAX_FILE_BYTES = 5_000_000
_MAX_UNFINISHED = 200
_JUDGED, _DELIVERED = "judged", "delivered"


class Topics:
    """The views."""

    def __init__(self, site: Site, jobs: Jobs) -> None:
        self._site, self._jobs = site, jobs

    def routes(self) -> list[Route]:
        """Return what is answered here."""
        return [
            Route("/topics", self.all),
            Route("/topics", self.make, methods=["POST"]),
            Route("/topics/{name}", self.one),
        ]

    def all(self, request: Request) -> Response:
        """Show the topics, and the form of a new one."""
        return self._all(request, {})

    def one(self, request: Request) -> Response:
        """Show what a topic believes, and the forms to correct and to widen it."""
        return self.show(request)

    def show(self, request: Request, error: str = "", status: int = 200) -> Response:
        """Show a topic's page, with what was refused."""
        material, dirs = self.material_of(request), self.models_dirs
        name, believes = material.name, beliefs(material.name, dirs)
        runs = self._site.runs.all()
        known = {run.key: f"{run.topic} {run.name}" for run in runs}
        doubtful = [doubtful_items(material, text, known) for text in believes.get("doubtful", [])]
        if "command" in believes:
            believes["command"] = doubtful_items(material, believes["command"], {})[0]
        found = items(material, known)
        shown = {
            "name": name, "believes": believes, "doubtful": doubtful, "error": error,
            "said": {"name": name, **material.texts()}, "job": self.job_of(material), "is_own": material.is_there,
            "runs": runs, "is_trained": name in self.names(), "why_not_set": why_not_set(name, dirs),
            "items": {title: [each for each in found if each.kind == kind] for kind, title in KINDS.items()},
        }  # fmt: skip
        template = "topic_believes.html" if request.query_params.get("part") else "topic.html"
        return self._site.show(request, template, status, **shown)

    @property
    def models_dirs(self) -> tuple[Path, ...]:
        """Where topics are looked for, the user's own folder first."""
        return self._site.commands.models_dirs

    def names(self) -> list[str]:
        """Return the topics that have been trained."""
        return topic_names(*self.models_dirs)

    def material_of(self, request: Request) -> Material:
        """Return the material of the topic that the path names, which need not be made here."""
        name = request.path_params["name"]
        if not is_topic_name(name):
            raise HTTPException(404, "There is no such topic.")
        material = Material(self._site.runs.folder, name)
        if name not in self.names() and not material.is_there:
            raise HTTPException(404, "There is no such topic.")
        return material

    def job_of(self, material: Material) -> Job:
        """Return what is known of a topic's last training."""
        return self._jobs.of(f"topic {material.name}", material.log)

    def train(self, material: Material) -> None:
        """Train a topic from its material; a ValueError says why that cannot be."""
        words = [material.name, *material.words(self._site.runs.folder)]
        words += ["--force"] * (material.name in self.names())
        self._jobs.start(f"topic {material.name}", self._site.commands.words("train", *words), material.log)

    async def make(self, request: Request) -> Response:
        """Add to the material of a topic, and train it."""
        async with request.form(max_files=MAX_FILES, max_fields=30) as form:
            said = {
                name: text_of(form, name, 60_000) for name in ("name", "widen", *TEXTS, "urls", "seeds", "run", "which")
            }
            files = [
                (file.filename or "", await file.read(MAX_FILE_BYTES + 1))
                for file in form.getlist("files")
                if isinstance(file, UploadFile) and file.filename
            ]
        try:
            material = await run_in_threadpool(self._material, said, files)
            if said["run"]:
                await self._add_run(request, material, said["run"], judged_only=said["which"] != _DELIVERED)
            await run_in_threadpool(self.train, material)
        except (ValueError, OSError) as error:
            return await run_in_threadpool(self._all, request, said, str(error), 400)
        return RedirectResponse(f"/topics/{said['name']}", 303)

    def _material(self, said: dict[str, str], files: list[tuple[str, bytes]]) -> Material:
        name = check_topic_name(said["name"])
        material = Material(self._site.runs.folder, name)
        if name in self.names() and not material.is_there:
            raise ValueError(
                f"Topic {name!r} was not made here, and what it was learnt from is elsewhere. Widen it by verdicts on a run "
                "of it (Learn), or choose another name"
            )
        if material.is_there and material.log.exists() and said["widen"] != "yes":  # a training has begun before
            raise ValueError(
                f"There is a topic {name!r} that was made here. Open it to widen it, or choose another name"
            )
        for named, content in files:  # all, before any is written
            if len(content) > MAX_FILE_BYTES:
                raise ValueError(f"A file may have {MAX_FILE_BYTES // 10**6} MB. {named[-100:]!r} has more")
            check_file_name(named)
        material.begin()
        material.check_room(len(files))
        material.add_urls(said["urls"], said["seeds"])
        for named, content in files:
            material.add_file(named, content)
        material.set_texts(said)
        return material

    async def _add_run(self, request: Request, material: Material, key: str, *, judged_only: bool) -> None:
        run = await run_in_threadpool(self._site.runs.get, key)
        if run is None:
            raise ValueError("This run is not there any more")
        file = material.run_file(key)
        words = (str(run.path), "--format=jsonl", f"--output={file}", "--which=delivered")
        await self._site.commands.done(request.is_disconnected, "export", *words)

        def choose() -> None:
            with file.open(encoding="utf-8") as opened:
                lines = chosen_lines(opened, judged_only=judged_only)
            file.write_text("".join(lines), encoding="utf-8")

        await run_in_threadpool(choose)

    def _all(self, request: Request, said: dict[str, str], error: str = "", status: int = 200) -> Response:
        return self._site.show(
            request, "topics.html", status, topics=self.names(), said=said, error=error, is_own=False, name="",
            runs=self._site.runs.all(), unfinished=self._unfinished(),
        )  # fmt: skip

    def _unfinished(self) -> list[tuple[str, bool, str]]:
        """Return the topics made here whose last training goes on or failed: name, whether it goes on, the log's last word."""
        found = []
        for material in materials(self._site.runs.folder)[:_MAX_UNFINISHED]:
            job = self.job_of(material)
            last = job.error or (error_line(job.said) if job.said else "")
            # Of a training that another dashboard started there is only the log.
            has_failed = bool(job.error) or job.said.rstrip().rpartition("\n")[2].startswith("Error: ")
            if job.is_busy or has_failed or material.name not in self.names():
                found.append((material.name, job.is_busy, last))
        return found
