"""`FolderUpdates`: brings the run directory of a crawl of many workers up to date, and says once that it cannot."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from focused.crawl.followed_run import refresh

if TYPE_CHECKING:
    from pathlib import Path

logger = logging.getLogger(__name__)

_LAST_TRIES, _TRY_AGAIN_SECS = 10, 0.5
"""At the end of a crawl: the connections of workers that have just ended may still count."""


class FolderUpdates:
    """Updates one folder again and again."""

    def __init__(self, run_dir: Path) -> None:
        self._run_dir = run_dir
        self._is_said = False

    def update(self, *, is_last: bool = False) -> None:
        """Bring the folder up to date. With ``is_last`` a crawl without workers is over: its pages are judged again."""
        for n_left in reversed(range(_LAST_TRIES if is_last else 1)):
            try:
                refresh(self._run_dir, may_finish=is_last)
                self._is_said = False
                return
            except KeyboardInterrupt:
                logger.warning("Interrupted. The next command that looks at %s brings it up to date", self._run_dir)
                return
            except OSError as error:  # the disk: a moment changes nothing
                self._say(error, is_last=is_last)
                return
            except ValueError as error:  # mostly the database
                if n_left:
                    time.sleep(_TRY_AGAIN_SECS)
                else:
                    self._say(error, is_last=is_last)

    def _say(self, error: Exception, *, is_last: bool) -> None:
        if is_last:
            logger.warning(
                "%s is not up to date: %s. The next command that looks at it tries again", self._run_dir, error
            )
        elif not self._is_said:
            self._is_said = True
            logger.warning("%s cannot be brought up to date for the moment: %s", self._run_dir, error)
