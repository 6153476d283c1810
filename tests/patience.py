"""Lets a dashboard wait until what it shows is read, however busy this machine is; else it says after 0.12 s: in a moment."""

from __future__ import annotations

from focused.dashboard import background_work

ANSWER_SECS = 60.0


def wait_for_answers() -> None:
    """Do so in this process."""
    background_work.ANSWER_SECS = ANSWER_SECS
