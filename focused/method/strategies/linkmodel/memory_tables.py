"""The tables that a memory of links consists of: of each link, each page that links to it, and each group of links."""

from __future__ import annotations

import numpy as np

from focused.method.page.url_features import MAX_URL_TERMS
from focused.method.strategies.linkmodel.anchor_texts import MAX_ANCHOR_TERMS
from focused.method.strategies.linkmodel.groups import Groups
from focused.method.strategies.linkmodel.growing_table import GrowingTable
from focused.method.strategies.linkmodel.seed_shares import UNKNOWN_START

EVIDENCE_GROUPS = ("source", "block", "anchor", "place")
"""Groups of links that one element of a page belongs to: its page, its block, its anchor text, its place in pages of
its host."""
LINK_GROUPS = ("folder", "host")
"""Groups that a link itself belongs to."""
KIND_GROUPS = ("kind", "site_kind")
"""Groups by the kind of page that a link's URL names: on any host, and on its own."""

EVIDENCE_OF_LINK = 4
"""Pages that link somewhere, for each link that may be remembered; they are forgotten together."""

NOT_WAITING = np.iinfo(np.int64).min
"""Number in the frontier of a link that does not wait there. Links that many workers share have numbers of either sign."""

NO_LINK = 0
"""What evidence belongs to whose link is forgotten."""

MAX_REFERRERS = 50
"""Pages of which it is kept what they say of a link."""


def table_of_links(reserve: int) -> GrowingTable:
    """Return the table of links, with room for so many.

    ``frontier`` is a link's number in the frontier, or NOT_WAITING, and ``level`` what it was placed with. ``page`` is the
    page that a link led to, ``discoverer`` the first that linked there, and ``start`` the number of the seed from which that
    was reached, ``branch`` that of the seed's link. ``ordinal`` is how many links of its kind were remembered when it came.
    """
    return GrowingTable(
        reserve, key=(np.int64, 0, 0), folder=(np.int32, 0, 0), host=(np.int32, 0, 0),
        kind=(np.int32, 0, 0), site_kind=(np.int32, 0, 0), ordinal=(np.int32, 0, 0),
        columns=(np.int32, 0, MAX_URL_TERMS), n_columns=(np.int32, 1, 0),
        discoverer=(np.int32, -1, 0), start=(np.int32, UNKNOWN_START, 0), branch=(np.int32, UNKNOWN_START, 0),
        page=(np.int32, -1, 0), outcome=(np.float64, np.nan, 0),
        n_referrers=(np.int32, 0, 0), n_kept=(np.int32, 0, 0), last=(np.int32, -1, 0),
        sums=(np.float32, 0, 4), tops=(np.float32, 0, 4),
        url=(np.float64, 0, 0), group_sum=(np.float64, 0, 0), group_top=(np.float64, 0, 0),
        frontier=(np.int64, NOT_WAITING, 0), level=(np.int32, -1, 0), explores=(np.bool_, False, 0),
    )  # fmt: skip


def table_of_evidence(reserve: int) -> GrowingTable:
    """Return the table of pages that link somewhere: a row for each link of each page, with its groups."""
    return GrowingTable(reserve, link=(np.int32, NO_LINK, 0), **{name: (np.int32, 0, 0) for name in EVIDENCE_GROUPS})


def groups_of_links(reserve: int) -> dict[str, Groups]:
    """Return the groups of links by their names; those of one anchor text know its terms."""
    found = {name: Groups(reserve=reserve, keeps_empty=name == "source") for name in (*EVIDENCE_GROUPS, *LINK_GROUPS)}
    found["anchor"] = Groups(reserve=reserve, columns=(np.int32, 0, MAX_ANCHOR_TERMS), n_columns=(np.int32, 1, 0))
    return found


def groups_of_kinds(reserve: int) -> dict[str, Groups]:
    """Return the groups by kind of page; ``sum`` and ``count`` are of the yields of fetched links."""
    return {name: Groups(reserve=reserve, sum=(np.float64, 0, 0), count=(np.float64, 0, 0)) for name in KIND_GROUPS}
