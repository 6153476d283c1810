"""What is known of a link, in the meta of its request and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.method.scoring import REASONS, Evidence, reason_kind
from focused.method.scoring.base import BELOW, DISCOVERY

if TYPE_CHECKING:
    from collections.abc import MutableMapping

WAITS = "focused_waits"
"""In the meta of a request whose link may still change its score; see :mod:`focused.frontier.scrapy_frontier`."""

WORDS = "focused_link_words"
"""In the meta of a request under way: what the score of its link rests on, in words, if the strategy has any."""

_NO_REASONS = ("", "seed")


def write_evidence(meta: MutableMapping[str, Any], evidence: Evidence) -> None:
    """Write what is known of a link: plain values only, which any queue can store.

    ``depth`` is Scrapy's own key; ``focused_carried``, ``focused_parts``, ``focused_referrers`` and
    ``focused_model_version`` are there only where they say something.
    """
    meta["focused_link_score"] = evidence.score
    meta["focused_link_reason"] = REASONS[evidence.reason]
    meta["focused_referrer"] = evidence.referrer
    meta["focused_irrelevant_on_path"] = evidence.irrelevant_on_path
    meta["depth"] = evidence.depth
    for key, value, nothing in (
        ("focused_carried", evidence.carried, None),
        ("focused_parts", evidence.parts, ()),
        ("focused_referrers", evidence.n_referrers, 1),
        ("focused_model_version", evidence.model_version, 1),
    ):
        if value == nothing:
            meta.pop(key, None)
        else:
            meta[key] = value


def read_evidence(meta: MutableMapping[str, Any]) -> Evidence:
    """Return the evidence that the meta of a request holds; a seed is admitted with score 1."""
    kind = meta.get("focused_link_reason", "")
    reason = DISCOVERY if kind in _NO_REASONS else reason_kind(kind)
    return Evidence(
        score=meta.get("focused_link_score", 1.0),
        reason=reason,
        admitted=reason != BELOW,
        referrer=meta.get("focused_referrer", ""),
        depth=meta.get("depth", 0),
        irrelevant_on_path=meta.get("focused_irrelevant_on_path", 0),
        carried=meta.get("focused_carried"),
        parts=tuple(meta.get("focused_parts", ())),
        n_referrers=meta.get("focused_referrers", 1),
        model_version=meta.get("focused_model_version", 1),
    )
