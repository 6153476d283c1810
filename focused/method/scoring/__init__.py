"""What every strategy is given and gives back: visits, link scores, evidence, priorities."""

from __future__ import annotations

from focused.method.scoring.base import REASONS, LinkScores, Strategy, Visit
from focused.method.scoring.evidence import Evidence

__all__ = ["REASONS", "Evidence", "LinkScores", "Strategy", "Visit"]
