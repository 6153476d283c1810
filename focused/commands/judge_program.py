"""`scrapy judge --assessor`: a program judges the pages of the queue in a person's place."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from focused.collection.assessor import Assessor
from focused.collection.assessor_settings import (
    ASSESSOR_SETTINGS,
    KEY_VARIABLE,
    MAX_CALLS,
    MAX_CHARS,
    MAX_TOKENS,
    MODEL,
    TIMEOUT_SECS,
    URL,
)
from focused.collection.verdict_folder import ASSESSOR
from focused.commands.judge_session import apply_new_verdicts
from focused.method.topic import TopicError, load_topic
from focused.retraining.assessor_agreement import AssessorAgreement
from focused.utils.places import models_dirs
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from focused.collection.judging_session import JudgingSession

_EVERY = 10
"""Pages between two lines."""


def name_of_program(settings: Any) -> str:
    """Return the name that the program's verdicts carry."""
    return ASSESSOR + (re.sub(r"[^\w.@-]+", "-", MODEL.read(settings)).strip("-.")[:50] or "model")


def make_assessor(settings: Any, described: str) -> Assessor:
    """Return the program that is asked, by the settings; a ValueError says what is missing."""
    known = {each.name for each in ASSESSOR_SETTINGS}
    for name in map(str, settings):
        if name.startswith("FOCUSED_ASSESSOR_") and name not in known:
            raise ValueError(f"There is no setting {name}. A key goes into the environment variable {KEY_VARIABLE}")
    if not URL.read(settings):
        raise ValueError(f"--assessor wants an endpoint: -s {URL.name}=http://127.0.0.1:8080/v1 -s {MODEL.name}=NAME")
    return Assessor(
        URL.read(settings),
        MODEL.read(settings),
        described,
        key=os.environ.get(KEY_VARIABLE, ""),
        max_calls=MAX_CALLS.read(settings),
        max_tokens=MAX_TOKENS.read(settings),
        timeout_secs=TIMEOUT_SECS.read(settings),
        max_chars=MAX_CHARS.read(settings),
    )


def topic_in_words(name: str, settings: Any) -> str:
    """Return title and note of a run's topic; a ValueError says how to give them where the topic is not here."""
    try:
        topic = load_topic(name, *models_dirs(settings))
    except (TopicError, ValueError):
        raise ValueError(f"The topic {name!r} of this run is not here. Say what it is: --describe SENTENCE") from None
    return ". ".join(filter(None, (topic.title, topic.note)))


def have_judged(run_dir: Path, settings: Any, order: str, most: int | None, described: str | None) -> None:
    """Have a program judge at most so many pages, and print the progress."""
    # Scrapy imports this module before every command, and only this one should wait for numpy and scipy.
    from focused.collection.judging_session import JudgingSession

    with JudgingSession(run_dir, name_of_program(settings), order) as session:
        words = described or topic_in_words(session.about.about("topic"), settings)
        for line in judge_by_program(session, make_assessor(settings, words), most):
            print(line, flush=True)
        session.figures()  # takes in what was said last
        for line in filter(None, (*apply_new_verdicts(session, run_dir), str(session.path), agreement(session))):
            print(line)


def judge_by_program(session: JudgingSession, assessor: Assessor, most: int | None) -> Iterator[str]:
    """Have the program judge pages; yield lines of progress. Each verdict is on disk at once, also if the endpoint fails."""
    while (most is None or sum(session.counts) < most) and not assessor.is_spent():
        shown = session.next()
        if shown is None:
            yield "No page is left that it has not judged."
            break
        said = assessor.judge(shown.row["title"], shown.row["text"])
        if said is None and assessor.is_spent():
            break  # it may judge the page next time
        session.give_verdict(said)
        if sum(session.counts) % _EVERY == 0:
            yield _so_far(session, assessor)
    if assessor.is_spent():
        yield f"The budget is spent ({MAX_CALLS.name}, {MAX_TOKENS.name})."
    yield _so_far(session, assessor)


def agreement(session: JudgingSession) -> str:
    """Say how often the program and people agree, and what follows; empty where they have judged no page in common."""
    ours, theirs = session.about.verdicts(of=session.person), session.about.verdicts()
    both = [(theirs[url] >= 0.5, ours[url] >= 0.5) for url in ours.keys() & theirs.keys()]
    found = AssessorAgreement()
    for by_people, by_program in both:
        found.count(by_people, by_program)
    n_agreed = sum(by_people is by_program for by_people, by_program in both)
    said = f"It agrees with people on {n_agreed} of {quantity(len(both), 'pages')} that both have judged"
    return (said + ("" if found.is_believed else ": its verdicts are ignored")) if both else ""


def _so_far(session: JudgingSession, assessor: Assessor) -> str:
    n_yes, n_no, n_unclear = session.counts
    calls = f"{quantity(assessor.counts['calls'], 'requests')} ({assessor.counts['failed']} failed)"
    return f"{n_yes} relevant, {n_no} not, {n_unclear} unclear; {calls}, about {assessor.counts['tokens']:,} tokens"
