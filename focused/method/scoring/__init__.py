"""What every strategy is given and gives back: visits, link scores, evidence, priorities.

- The contract: `base` (`Strategy`), `session` (`Session`, of strategies that learn), `link_scores`, `reasons`.
- What is known of a page and its links: `page_scores`, `sorted_links`, `evidence`, `link_meta`, `stored_text`.
- A score becomes a request's priority: `priority`.
"""

from __future__ import annotations

from focused.method.scoring.base import Strategy
from focused.method.scoring.evidence import Evidence
from focused.method.scoring.link_scores import LinkScores, Visit
from focused.method.scoring.reasons import REASONS, reason_kind

__all__ = ["REASONS", "Evidence", "LinkScores", "Strategy", "Visit", "reason_kind"]
