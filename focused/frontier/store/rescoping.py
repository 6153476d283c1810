"""Drops waiting links that are out of the scope of a resumed crawl, and lets dropped ones that are in it wait again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from focused.frontier.store.caps import CAPS
from focused.frontier.store.schema import DROPPED, WAITING
from focused.utils.scope import OUT_OF_SCOPE, REDIRECT_OUT_OF_SCOPE

if TYPE_CHECKING:
    from focused.frontier.store.link_states import LinkStates
    from focused.utils.scope import Scope


class Rescoped(NamedTuple):
    """How many waiting links were dropped, and how many dropped links wait again."""

    n_dropped: int
    n_again: int


def rescope(links: LinkStates, scope: Scope) -> Rescoped:
    """Look at all waiting links, and at those that a scope or a cap dropped, by another scope; some 5 us each.

    A link that a cap dropped waits again: it is dropped once more if its host is still over it. A commit makes it durable.
    """
    n_dropped = n_again = 0
    # These first: what is dropped now is not looked at twice.
    for rows in links.rows_of(DROPPED):
        again = [number for number, url, depth, _, note in rows if _may_wait(scope, url, depth, note or "")]
        links.change_waiting([], again)
        n_again += len(again)
    for rows in links.rows_of(WAITING):
        refused = ((row[0], row[3], scope.why(*row[1:3])) for row in rows)
        dropped = [(number, OUT_OF_SCOPE + why) for number, request, why in refused if why and not _is_opened(request)]
        links.change_waiting(dropped, [])
        n_dropped += len(dropped)
    links.refresh_hosts()
    return Rescoped(n_dropped, n_again)


def _may_wait(scope: Scope, url: str, depth: int, note: str) -> bool:
    """Tell whether a dropped link would not have been dropped in a scope."""
    target = note.removeprefix(REDIRECT_OUT_OF_SCOPE)
    if target == note and not (note in CAPS or note.startswith(OUT_OF_SCOPE)):
        return False
    return not (scope.refusal(url, depth) or (target != note and scope.refusal(target)))


def _is_opened(request: str | None) -> bool:
    """Tell whether a spider's own request is in every scope."""
    if request is None:
        return False
    try:
        return bool(json.loads(request)["meta"].get("allow_offsite"))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):  # it fails when it is handed out
        return False
