"""Writes the report of ``scrapy train``: the examples of a topic, its figures, and what to do next."""

from __future__ import annotations

import shlex
from itertools import zip_longest
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from focused.method.text.background import Background
from focused.method.topic import TOPIC_FILE
from focused.utils.addresses import kind_of_host
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import TypeAlias

    from focused.method.learning.trained_model import KeywordFigures, TrainedModel, TrainingFigures
    from focused.method.topic import Topic
    from focused.method.training.from_keywords import Keywords
    from focused.method.training.from_pages import LearntModel
    from focused.method.training.page_set import PageSet

    Unlabeled: TypeAlias = PageSet | Background


def report(
    topic: Topic,
    learnt: LearntModel,
    positive: PageSet,
    unlabeled: Unlabeled,
    directory: Path,
    *,
    language_is_given: bool,
    is_quick: bool,
) -> str:
    """Return the report on a trained topic, for people."""
    figures = cast("TrainingFigures", cast("TrainedModel", topic.model).figures)
    named = topic.manifest["examples"].get("words", {}).get("text", "")
    ours = _positives(positive, len(learnt.model.left_out)) + (f"\nWords:      {named}" if named else "")
    detected = _languages(positive)
    how = f"as asked; detected: {detected}" if language_is_given else f"that of most positives: {detected}"
    parts = [
        _sources(topic, how, ours, unlabeled, positive),
        _warnings(topic),
        _figures(topic, figures, learnt.model.learner, isinstance(unlabeled, Background) and not topic.looked_at),
        _thresholds(figures),
        _curve(learnt, is_quick=is_quick),
        _terms(topic, "Strongest terms for", "and against"),
        _next(topic, directory, "the positives have no URLs"),
    ]
    return "\n\n".join(part for part in parts if part)


def keyword_report(topic: Topic, keywords: Keywords, unlabeled: Unlabeled, directory: Path, *, language: str) -> str:
    """Return the report on a topic made from words, for people; ``language``: how its language is known."""
    figures = cast("KeywordFigures", cast("TrainedModel", topic.model).figures)
    page = topic.model.calibrations["page"]
    pages = "pages around the seeds" if topic.looked_at else "unlabelled pages"
    about = [
        f"A beginning: {figures.n_with_keywords:,} of {figures.n_unlabeled:,} {pages} hold a word, and what stands",
        "beside the words there belongs to the topic. How good that is cannot be told without example pages:",
        f"assumed are that {figures.prior:.0%} of the pages that a crawl meets are relevant, and the nearest",
        f"{figures.share:.0%} of the unlabelled ones. Look at what it finds, and set another threshold if it is too much",
        "or too little:",
        "-s FOCUSED_RELEVANCE_THRESHOLD=...",
        f"Threshold: a page is relevant from a relevance of {page.threshold:.3f}",
        "It gets better by retraining during a crawl, or by pages you find good:",
        f"scrapy train {topic.name} --positive PATH --force",
    ]
    parts = [
        _sources(topic, language, f"Words:      {', '.join(keywords.words)}", unlabeled),
        _warnings(topic),
        "\n".join(about),
        _terms(topic, "Words and their neighbours", "and against"),
        _next(topic, directory, "words have no URLs"),
    ]
    return "\n\n".join(part for part in parts if part)


def _sources(topic: Topic, language: str, ours: str, unlabeled: Unlabeled, positive: PageSet | None = None) -> str:
    lines = [f"Topic {topic.name}: {topic.title}", "", f"Language:   {topic.language} ({language})", ours]
    figures = cast("TrainedModel", topic.model).figures
    looked_at = topic.looked_at
    if looked_at and positive is not None:
        n_pages = quantity(looked_at["n_pages"], "pages")
        lines.append(f"Unlabelled: none given; {n_pages} around the seeds serve, {_looked_at(looked_at)}")
    elif isinstance(unlabeled, Background):
        sources = ", ".join(unlabeled.about.get("sources", {}))
        lines.append(
            f"Unlabelled: none given; the general background of {unlabeled.n_pages:,} pages in English serves ({sources})"
        )
        if not looked_at and figures.n_unlabeled < unlabeled.n_pages:
            lines.append(f"            of which {figures.n_unlabeled:,} were drawn")
    else:
        lines.append(f"Unlabelled: {quantity(len(unlabeled), 'pages')}, languages: {_languages(unlabeled)}")
    if looked_at and positive is None:
        lines.append(
            f"            and {quantity(looked_at['n_pages'], 'pages')} around the seeds, {_looked_at(looked_at)}"
        )
    lines.append(f"Links:      {figures.n_links:,} among these pages")
    if positive is not None:
        lines += _reliable_negatives(cast("TrainingFigures", figures))
    for name, pages in (("positive", positive), ("unlabelled", unlabeled)):
        if pages is None or isinstance(pages, Background):
            continue
        if pages.refusals.total:
            lines.append(f"Refused of the {name} ones: {pages.refusals.total:,}")
            lines += [f"  {line}" for line in pages.refusals.lines()]
        if pages.n_cut:
            lines.append(f"Cut at a limit (FOCUSED_PAGE_MAX_...) of the {name} ones: {pages.n_cut:,}")
    return "\n".join(lines)


def _looked_at(found: Mapping[str, int]) -> str:
    aside = f", {found['n_left_aside']:,} left aside, for they look like the topic" if found["n_left_aside"] else ""
    return f"{found['n_drawn']:,} of them behind links that were drawn{aside}"


def _reliable_negatives(figures: TrainingFigures) -> list[str]:
    if figures.n_reliable_negatives is None:
        return []
    how = [f"lambda {figures.lambda_}"] if figures.lambda_ is not None else []
    if figures.most_common is not None and figures.most_common < 1:
        how.append(f"without terms of more than {figures.most_common:.0%} of the unlabelled pages")
    if figures.n_iterations is not None:
        how.append(f"{figures.n_iterations} round{'s' if figures.n_iterations != 1 else ''}")
    if figures.termination is not None:
        how.append(figures.termination.replace("_", " "))
    return [f"Reliable negatives: {figures.n_reliable_negatives:,}" + (f" ({', '.join(how)})" if how else "")]


def _positives(positive: PageSet, n_left_out: int) -> str:
    n_learnt = len(positive) - n_left_out
    learnt = f", {n_learnt:,} of them with known words, from which it was learnt" if n_left_out else ""
    return f"Positive:   {quantity(len(positive), 'pages')}{learnt}"


def _languages(pages: PageSet) -> str:
    languages = pages.languages
    found = ", ".join(f"{code} {n:,}" for code, n in sorted(languages.items(), key=lambda pair: (-pair[1], pair[0])))
    n = sum(languages.values())
    return found if n == len(pages) else f"{found} of {n:,} looked at"


def _warnings(topic: Topic) -> str:
    return "\n".join(f"WARNING: {text}" for text in topic.manifest["warnings"])


def _figures(topic: Topic, figures: TrainingFigures, learner: str, is_background: bool) -> str:
    why = "the background does" if is_background else "the unlabelled pages, none of which looks relevant, do"
    source = f"assumed, for {why} not tell"
    if not figures.prior_is_assumed:
        source = f"estimated from the unlabelled pages, 95 % interval {figures.prior_low:.3f}-{figures.prior_high:.3f}"
    rows = [
        (title, *(getattr(figures, name + end) for end in ("", "_low", "_high")))
        for title, name in (("precision", "precision"), ("recall", "recall"), ("F1", "f1"))
    ]
    return "\n".join(
        [
            f"Cross-validated, for whole pages ({learner}, {figures.n_terms:,} terms, {figures.n_folds} folds): an estimate,",
            f"from {topic.manifest['figures_of']}.",
            "It says nothing of the pages of a crawl, which are harder to tell apart: judge some (scrapy judge RUN_DIR).",
            "             95 % interval",
            *(f"  {name:<10} {value:.2f}  {low:.2f}-{high:.2f}" for name, value, low, high in rows),
            f"Threshold: a page is relevant from a relevance of {topic.threshold('page'):.3f}",
            f"Prior:     {figures.prior:.3f} of all pages are relevant ({source})",
        ]
    )


def _thresholds(figures: TrainingFigures) -> str:
    lines = ["What other thresholds would give (-s FOCUSED_RELEVANCE_THRESHOLD=...):", "  from   precision  recall  F1"]
    for row in figures.at_thresholds:
        chosen = "  <- chosen" if row.is_chosen else ""
        # No page reaches some thresholds.
        precision = "-" if row.precision is None else f"{row.precision:.2f}"
        lines.append(f"  {row.threshold:.3f}  {precision:>9}  {row.recall:>6.2f}  {row.f1:.2f}{chosen}")
    lines.append("  These count the few held-out positives; the threshold was chosen by a smooth curve through them.")
    return "\n".join(lines)


def _curve(learnt: LearntModel, *, is_quick: bool) -> str:
    curve = learnt.curve
    if curve is None:  # of a training that pages around the seeds have changed nothing is said
        return "Would more examples help? Not computed (--quick)." if is_quick else ""
    points = ", ".join(f"{f1:.2f} with {size}" for size, f1 in zip(curve.sizes, curve.f1, strict=True))
    remark = "positives (with the best threshold for each; compare these with each other only)"
    return f"Would more examples help? {curve.advice}" + (f"\n  F1 {points} {remark}" if points else "")


def _terms(topic: Topic, first_title: str, second_title: str) -> str:
    strongest = topic.manifest["terms_for"], topic.manifest["terms_against"]
    columns = ([f"{term[:20]:<20} {weight:+.2f}" for term, weight in terms] for terms in strongest)
    rows = [(first_title, second_title), *zip_longest(*columns, fillvalue="")]
    return "\n".join(f"{first:<30}{second}".rstrip() for first, second in rows)


def _next(topic: Topic, directory: Path, why_no_seeds: str) -> str:
    more = ", ..." if len(topic.seeds) > 3 else ""
    seeds = f"Seeds: {', '.join(topic.seeds[:3])}{more} ({len(topic.seeds)})"
    if not topic.seeds:
        seeds = (
            f"It has no seeds: {why_no_seeds}, and --seeds was not given. Say where a crawl starts, or write seeds into "
            f"{directory / TOPIC_FILE}."
        )
    crawl = f"scrapy crawl focused -a topic={topic.name}" + ("" if topic.seeds else " -a seeds=URL,URL")
    if any(kind_of_host(urlsplit(seed).hostname or "") for seed in topic.seeds):
        # Addresses that are not public are asked only where the person who crawls names them.
        crawl += f" -a seeds={shlex.quote(','.join(topic.seeds))}"
    _, by_preset, said = str(topic.manifest["command"]).partition(" --preset ")
    if by_preset and not topic.preset:
        crawl += f" -a preset={said.split()[0]}"
    return f"Topic written to {directory}\n{seeds}\nNext: {crawl}"
