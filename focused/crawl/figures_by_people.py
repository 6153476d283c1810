"""What people's verdicts say of a run, for the end of its crawl."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from focused.utils.file_names import VERDICTS_FOLDER

if TYPE_CHECKING:
    from pathlib import Path

    from focused.collection.judged_figures import JudgedFigures

logger = logging.getLogger(__name__)


def figures_by_people(run_dir: Path) -> JudgedFigures | None:
    """Return what people's verdicts say of a run; None if there are none, or if they cannot be computed, which is logged."""
    if not (run_dir / VERDICTS_FOLDER).is_dir():
        return None
    from focused.collection.judged_figures import judged_figures  # loads scipy's solvers, and few crawls have verdicts

    try:
        return judged_figures(run_dir)
    except Exception:  # whatever a verdict file holds, the summary of a crawl must not be lost
        logger.exception("The figures of people's verdicts cannot be computed.")
        return None
