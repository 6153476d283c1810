"""Views of a run's pages: a list by words and filters, and one page with what made it relevant, and yes or no by a person."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse
from starlette.routing import Route

from focused.collection.asked_filter import OPTIONS, WHICH, asked_filter
from focused.collection.chosen_page import judge_chosen, why_not_judged
from focused.dashboard import pages
from focused.dashboard.judging_room import ANSWERS, person_of
from focused.dashboard.page_models import PageModels, judge_name
from focused.dashboard.runs import read_json
from focused.dashboard.site import text_of
from focused.dashboard.verdicts import VerdictUpdates
from focused.dashboard.weighed_words import underlined, weighed_words
from focused.utils.file_names import RUN_FILE
from focused.utils.sqlite_files import VIEW_SECS, done_within

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from focused.dashboard.pages import OnePage
    from focused.dashboard.runs import RunState
    from focused.dashboard.site import Site

FILTERS = {
    "relevance": ("Least relevance", "by the model, from 0 to 1"),
    "language": ("Language", "codes, such as en,de"),
    "host": ("Host", "with its subdomains, such as example.org"),
    "since": ("Published since", "2024, 2024-05 or 2024-05-31"),
    "before": ("Published before", "the same"),
}
"""Those of the list beside its words: how each is called, and what it must be."""
_NAMES = {"which": "Which", "words": "Words"} | {option: name for option, (name, _) in FILTERS.items()}
MAX_TERMS = 16
"""Words that are sought for at a time: with two hundred a search takes many seconds, whatever ends it."""
_MOST_NUMBER = 2**63 - 1
"""Of a row that SQLite may have."""
_TAKE_BACK = "u"
_CLASSIFIER = "FOCUSED_PAGE_CLASSIFIER"


class Pages:
    """The views."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._verdicts, self._models = VerdictUpdates(), PageModels()

    def routes(self) -> list[Route]:
        """Return what is answered here."""
        return [
            Route("/runs/{key}/pages", self.list),
            Route("/runs/{key}/pages/{number:int}", self.page),
            Route("/runs/{key}/pages/{number:int}", self.judge, methods=["POST"]),
        ]

    def list(self, request: Request) -> Response:
        """Show pages by words and filters."""
        run, asked = self._site.run_of(request), request.query_params
        said = {option: text_of(asked, option) for option in OPTIONS}
        said["which"] = said["which"] or "delivered"
        sort, start = asked.get("sort", "order"), asked.get("offset", "0")[:9]
        note = self._verdicts.apply(run.path)
        try:
            wanted = asked_filter(said, _NAMES.__getitem__)
            if len(re.findall(r"[^\W_]+", wanted.words)) > MAX_TERMS:
                raise ValueError(f"At most {MAX_TERMS} words can be searched for at a time. Give fewer.")
            with done_within(VIEW_SECS):
                found = pages.find(run.path, wanted, sort, int(start) if start.isdecimal() else 0)
        except ValueError as error:
            found = pages.Found([], None, error=str(error))
        # What the links hold: to the page only what it shows, to more pages all that was asked for.
        person, filters = text_of(asked, "as", 64), {name: said[name] for name in FILTERS if said[name]}
        of_page = {name: value for name, value in (("words", said["words"]), ("as", person)) if value}
        more = {"which": said["which"], "sort": sort} | filters | ({"as": person} if person else {})
        return self._site.show(
            request, "pages.html", run=run, found=found, words=said["words"], which=said["which"], sort=sort,
            offset=found.offset, note=note, n_rows=pages.PAGE_ROWS, kinds=WHICH, sorts=pages.SORTS, said=said,
            filters=FILTERS, n_filters=len(filters), person=person, of_page=of_page, more=more,
        )  # fmt: skip

    def page(self, request: Request) -> Response:
        """Show one page."""
        asked = request.query_params
        return self._page(request, text_of(asked, "words"), text_of(asked, "as", 64))

    async def judge(self, request: Request) -> Response:
        """Take a yes or no on the page that is shown: this person chose it, it was not drawn."""
        run, form = await run_in_threadpool(self._site.run_of, request), await request.form(max_files=0, max_fields=5)
        person, words, answer = text_of(form, "as", 100), text_of(form, "words"), form.get("answer")
        try:
            if answer not in ("y", "n", _TAKE_BACK):
                raise ValueError("There is no such button")
            relevant = None if answer == _TAKE_BACK else ANSWERS[str(answer)]
            await run_in_threadpool(judge_chosen, run.path, person_of(person), request.path_params["number"], relevant)
        except (ValueError, OSError) as error:
            return await run_in_threadpool(self._page, request, words, person, str(error), 400)
        back = urlencode({"as": person} | ({"words": words} if words else {}))
        return RedirectResponse(f"{request.url.path}?{back}", 303)

    def _page(self, request: Request, words: str, person: str, error: str = "", status: int = 200) -> Response:
        run = self._site.run_of(request)
        note = self._verdicts.apply(run.path)
        number = request.path_params["number"]
        with done_within(VIEW_SECS):
            found = pages.one(run.path, number, words) if number <= _MOST_NUMBER else None
        if found is None:
            raise HTTPException(404, "This page is not in the collection any more.")
        return self._site.show(
            request, "page.html", status, run=run, row=found.row, found=found, words=words, note=note, person=person,
            error=error, why_not=why_not_judged(found.row), judged_by=judge_name(found.row["model_version"]),
            **self._believed(run, found),
        )  # fmt: skip

    def _believed(self, run: RunState, page: OnePage) -> dict[str, Any]:
        """Return what made a page relevant: terms, model, and the text with them underlined; else why it is not known."""
        row = page.row
        shown: dict[str, Any] = {"text": page.text, "weighed": None, "model": None, "why_none": ""}
        try:
            model = self._models.of(run, row["model_version"], page.learnt, self._site.commands.models_dirs)
            weighed = weighed_words(model.topic, row["terms"])
        except (ValueError, OSError) as error:
            return shown | {"why_none": f"This is not known: {error}"}
        if weighed is None:
            return shown | {"why_none": "This is not known: the words of this page were not kept"}
        text, weighed = underlined(page.text, row["title"], weighed, model.topic.language)
        settings = read_json(run.path / RUN_FILE).get("settings")
        is_other = isinstance(settings, dict) and bool(settings.get(_CLASSIFIER))
        return shown | {"text": text, "weighed": weighed, "model": model, "has_classifier": is_other}
