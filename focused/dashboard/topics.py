"""Views of topics: what each believes, and making or widening one from words, URLs, files or pages of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse
from starlette.routing import Route

from focused.dashboard.beliefs import beliefs
from focused.dashboard.material import MAX_FILES, TEXTS, Material, check_file_name, chosen_lines
from focused.dashboard.site import text_of
from focused.method.topic import TopicError, check_topic_name, topic_names

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from focused.dashboard.jobs import Jobs
    from focused.dashboard.site import Site

MAX_FILE_BYTES = 5_000_000
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
        """Show what a topic believes, and the form to widen it."""
        name = request.path_params["name"]
        try:
            check_topic_name(name)
        except TopicError:
            raise HTTPException(404, "There is no such topic.") from None
        material = Material(self._site.runs.folder, name)
        if name not in self._names() and not material.is_there:
            raise HTTPException(404, "There is no such topic.")
        template = "topic_believes.html" if request.query_params.get("part") else "topic.html"
        shown = {
            "name": name,
            "believes": beliefs(name, self._site.commands.models_dirs),
            "said": {"name": name, **material.texts()},
            "job": self._jobs.of(f"topic {name}", material.log),
            "is_own": material.is_there,
            "runs": self._site.runs.all(),
        }
        return self._site.show(request, template, **shown)

    async def make(self, request: Request) -> Response:
        """Add to the material of a topic, and train it."""
        async with request.form(max_files=MAX_FILES, max_fields=30) as form:
            said = {name: text_of(form, name, 60_000) for name in ("name", *TEXTS, "urls", "seeds", "run", "which")}
            files = [
                (file.filename or "", await file.read(MAX_FILE_BYTES + 1))
                for file in form.getlist("files")
                if isinstance(file, UploadFile) and file.filename
            ]
        try:
            material = await run_in_threadpool(self._material, said, files)
            if said["run"]:
                await self._add_run(request, material, said["run"], judged_only=said["which"] != _DELIVERED)
            await run_in_threadpool(self._train, material)
        except (ValueError, OSError) as error:
            return await run_in_threadpool(self._all, request, said, str(error), 400)
        return RedirectResponse(f"/topics/{said['name']}", 303)

    def _material(self, said: dict[str, str], files: list[tuple[str, bytes]]) -> Material:
        name = check_topic_name(said["name"])
        material = Material(self._site.runs.folder, name)
        if name in self._names() and not material.is_there:
            raise ValueError(
                f"Topic {name!r} was not made here, and what it was learnt from is elsewhere. Widen it by verdicts on a run "
                "of it (Learn), or choose another name"
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
        material.say(said)
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

    def _train(self, material: Material) -> None:
        words = [material.name, *material.words(self._site.runs.folder)]
        words += ["--force"] * (material.name in self._names())
        self._jobs.start(f"topic {material.name}", self._site.commands.words("train", *words), material.log)

    def _all(self, request: Request, said: dict[str, str], error: str = "", status: int = 200) -> Response:
        return self._site.show(
            request, "topics.html", status, topics=self._names(), said=said, error=error, is_own=False, name="",
            runs=self._site.runs.all(),
        )  # fmt: skip

    def _names(self) -> list[str]:
        return topic_names(*self._site.commands.models_dirs)
