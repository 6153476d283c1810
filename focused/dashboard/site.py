"""What all views share: the runs, the templates, and the project's commands."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse
from starlette.templating import Jinja2Templates

from focused.collection.queue_kinds import WHY
from focused.dashboard.judged_runs import JudgedRuns
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from focused.dashboard.processes import Commands
    from focused.dashboard.runs import Runs, RunState

HERE = Path(__file__).parent
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


class Site:
    """Finds the run that is asked for, and shows a template."""

    def __init__(self, runs: Runs, commands: Commands) -> None:
        self.runs, self.commands, self.judged = runs, commands, JudgedRuns()
        self.templates = Jinja2Templates(HERE / "templates")
        self.templates.env.globals["why"] = WHY
        self.templates.env.filters |= {
            "size": _size,
            "thousands": lambda number: f"{number:,}",
            "link": _link,
            "quantity": quantity,
        }

    def show(self, request: Request, template: str, status: int = 200, /, **values: Any) -> Response:
        """Return a page; halves of characters in what strangers wrote become question marks."""
        text = self.templates.get_template(template).render(request=request, **values)
        return HTMLResponse(text.encode("utf-8", "replace"), status)

    def run_of(self, request: Request) -> RunState:
        """Return the run that the path names."""
        run = self.runs.get(request.path_params["key"])
        if run is None:
            raise HTTPException(404, "This run is not there any more.")
        return run


def text_of(values: Mapping[str, Any], name: str, most: int = 500) -> str:
    r"""Return what a form says in a field: at most so many characters, without those that no text holds.

    >>> text_of({"words": " a\0b "}, "words")
    'ab'
    """
    return _CONTROL.sub("", str(values.get(name, ""))[:most].replace("\r\n", "\n")).strip()


def _size(n_bytes: int) -> str:
    """Return a size for people.

    >>> _size(900), _size(1_300_000)
    ('1 kB', '1.3 MB')
    """
    return f"{n_bytes / 1e3:,.0f} kB" if n_bytes < 1e6 else f"{n_bytes / 1e6:,.1f} MB"


def _link(url: str) -> str:
    """Return a URL that may be the target of a link; of others than http and https nothing."""
    try:
        return url if urlsplit(url).scheme in ("http", "https") else ""
    except ValueError:
        return ""
