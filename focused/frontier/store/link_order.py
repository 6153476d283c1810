"""The order in which waiting links are asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from focused.frontier.store.ranks import Ranks
from focused.method.scoring.evidence import better

if TYPE_CHECKING:
    from collections.abc import Callable

    from focused.method.scoring.evidence import Evidence


@dataclass(frozen=True)
class LinkOrder:
    """Puts waiting links in order: by what all pages together say of each, and equal ones by when they were found."""

    #: Joins the evidence of a waiting link with that of another page.
    merge: Callable[[Evidence, Evidence], Evidence] = better
    #: Says which of two links of equal priority comes first.
    ranks: Ranks = field(default_factory=Ranks)
