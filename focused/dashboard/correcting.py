"""Views that correct a topic: set its threshold, change what it is learnt from, delete one whose training failed."""

from __future__ import annotations

import shutil
import time
from threading import Lock
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse
from starlette.routing import Route

from focused.dashboard.material_items import without
from focused.dashboard.site import text_of
from focused.dashboard.topic_threshold import set_threshold

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from starlette.requests import Request
    from starlette.responses import Response

    from focused.dashboard.material import Material
    from focused.dashboard.topics import Topics

_MAX_NAME_CHARS = 2_100
_DELETED = ".deleted-"


class Correcting:
    """The views."""

    def __init__(self, topics: Topics) -> None:
        self._topics = topics
        self._lock = Lock()

    def routes(self) -> list[Route]:
        """Return what is answered here."""
        return [
            Route("/topics/{name}/threshold", self.threshold, methods=["POST"]),
            Route("/topics/{name}/remove", self.remove, methods=["POST"]),
            Route("/topics/{name}/delete", self.delete, methods=["POST"]),
        ]

    async def threshold(self, request: Request) -> Response:
        """Set the relevance from which pages are relevant."""
        return await self._done(request, self._set)

    async def remove(self, request: Request) -> Response:
        """Take something out of what a topic is learnt from, and train it."""
        return await self._done(request, self._remove)

    async def delete(self, request: Request) -> Response:
        """Delete what a topic was to be learnt from, if nothing has come of it."""
        return await self._done(request, self._delete)

    async def _done(self, request: Request, work: Callable[[Material, Mapping[str, Any]], str]) -> Response:
        """Do what a form asks for and show what the work names; what is refused stands on the topic's page."""
        form = await request.form(max_files=0, max_fields=5)
        material = await run_in_threadpool(self._topics.material_of, request)

        def alone() -> str:
            with self._lock:
                if self._topics.job_of(material).is_busy:
                    raise ValueError("A training is under way. Wait for its end")
                return work(material, form)

        try:
            return RedirectResponse(await run_in_threadpool(alone), 303)
        except (ValueError, OSError) as error:
            return await run_in_threadpool(self._topics.show, request, str(error), 400)

    def _set(self, material: Material, form: Mapping[str, Any]) -> str:
        set_threshold(material.name, self._topics.models_dirs, text_of(form, "threshold", 30))
        return f"/topics/{material.name}"

    def _remove(self, material: Material, form: Mapping[str, Any]) -> str:
        # A button has one value: kind and name.
        kind, _, name = text_of(form, "what", _MAX_NAME_CHARS).partition(" ")
        with without(material, kind, name):
            self._topics.train(material)
        return f"/topics/{material.name}"

    def _delete(self, material: Material, form: Mapping[str, Any]) -> str:
        if material.name in self._topics.names():
            raise ValueError("This topic has been trained. Delete its folder yourself, if no crawl needs it")
        if form.get("sure") != "yes":
            raise ValueError("Confirm that you are sure: what it was to be learnt from cannot be restored")
        if not material.is_there or material.folder.is_symlink() or material.folder.parent.is_symlink():
            raise ValueError(f"{material.folder} must be a folder, and no link. Delete it yourself")
        gone = material.folder.with_name(f"{_DELETED}{material.name}-{time.time_ns()}")
        material.folder.rename(gone)
        shutil.rmtree(gone)
        return "/topics"
