"""What ``scrapy train`` tells: what a topic was learnt from, how good it is, and what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.text.background import LANGUAGE as BACKGROUND_LANGUAGE
from focused.text.background import Background

if TYPE_CHECKING:
    from collections import Counter
    from pathlib import Path

    from focused.examples.page_set import PageSet
    from focused.learning.model import TopicModel
    from focused.topic import Topic
    from focused.train import Learnt

_WIDTH = 30


def report(
    topic: Topic,
    learnt: Learnt,
    positive: PageSet,
    unlabeled: PageSet | Background,
    directory: Path,
    *,
    language_is_given: bool = False,
) -> str:
    """Return the report on a trained topic, for people."""
    parts = [
        _sources(topic, learnt.model, positive, unlabeled, language_is_given),
        _warnings(topic, positive, unlabeled),
        _figures(learnt.model, isinstance(unlabeled, Background)),
        _terms(learnt),
        _next(topic, directory),
    ]
    return "\n\n".join(part for part in parts if part)


def _sources(
    topic: Topic, model: TopicModel, positive: PageSet, unlabeled: PageSet | Background, language_is_given: bool
) -> str:
    detected = _languages(positive.languages)
    how = f"as asked; detected: {detected}" if language_is_given else f"that of most positives: {detected}"
    lines = [
        f"Topic {topic.name}: {topic.title}",
        "",
        f"Language:   {topic.language} ({how})",
        f"Positive:   {_pages(positive)}",
    ]
    if isinstance(unlabeled, Background):
        sources = ", ".join(unlabeled.about.get("sources", {}))
        lines.append(
            f"Unlabelled: none given; the general background of {unlabeled.n_pages:,} pages in English serves ({sources})"
        )
    else:
        lines.append(f"Unlabelled: {_pages(unlabeled)}, languages: {_languages(unlabeled.languages)}")
    figures = model.figures
    lines.append(f"Links:      {figures.n_links:,} among these pages")
    if figures.n_reliable_negatives is not None:
        lines.append(
            f"Reliable negatives: {figures.n_reliable_negatives:,} (lambda {figures.lambda_}, {figures.n_iterations} rounds, "
            f"{figures.termination})"
        )
    sets = [("positive", positive), *([] if isinstance(unlabeled, Background) else [("unlabelled", unlabeled)])]
    for name, pages in sets:
        if pages.refusals.total:
            lines.append(f"Refused of the {name} ones: {pages.refusals.total:,}")
            lines += [f"  {line}" for line in pages.refusals.lines()]
        if pages.n_cut:
            lines.append(f"Cut at a limit (FOCUSED_PAGE_MAX_...) of the {name} ones: {pages.n_cut:,}")
    return "\n".join(lines)


def _pages(pages: PageSet) -> str:
    return f"{len(pages):,} page{'s' if len(pages) != 1 else ''}"


def _languages(languages: Counter[str]) -> str:
    return ", ".join(f"{code} {n:,}" for code, n in sorted(languages.items(), key=lambda pair: (-pair[1], pair[0])))


def _warnings(topic: Topic, positive: PageSet, unlabeled: PageSet | Background) -> str:
    lines = []
    if isinstance(unlabeled, Background):
        if topic.language != BACKGROUND_LANGUAGE:
            lines.append(
                f"WARNING: the general background is English, the topic is in {topic.language!r}: it does not fit. What was "
                f"learnt tells the language rather than the topic. Train again with --unlabeled PATH, pages of any topic in "
                f"{topic.language!r}."
            )
    elif unlabeled.languages:
        main = max(sorted(unlabeled.languages), key=lambda code: unlabeled.languages[code])
        if main not in (topic.language, "unknown"):
            lines.append(
                f"WARNING: most unlabelled pages are in {main!r}, the topic is in {topic.language!r}: what was learnt tells "
                f"the language rather than the topic. Train again with --unlabeled pages in {topic.language!r}."
            )
    if len(positive) < 10:
        lines.append(
            f"WARNING: {_pages(positive)} of the topic are few; the figures below are rough. Thirty are enough."
        )
    return "\n".join(lines)


def _figures(model: TopicModel, is_background: bool) -> str:
    figures, page = model.figures, model.calibrations["page"]
    others = "the background does" if is_background else "the unlabelled pages, none of which looks relevant, do"
    source = (
        f"assumed, for {others} not tell"
        if figures.prior_is_assumed
        else f"estimated from the unlabelled pages, 95 % interval {figures.prior_low:.3f}-{figures.prior_high:.3f}"
    )
    rows = [
        (name, getattr(figures, name), getattr(figures, f"{name}_low"), getattr(figures, f"{name}_high"))
        for name in ("precision", "recall", "f1")
    ]
    lines = [
        f"Cross-validated, for whole pages ({model.learner}, {figures.n_terms:,} terms):",
        "             95 % interval",
    ]
    lines += [
        f"  {'F1' if name == 'f1' else name:<10} {value:.2f}  {low:.2f}-{high:.2f}" for name, value, low, high in rows
    ]
    lines.append(f"Threshold: a page is relevant from a relevance of {page.threshold:.3f}")
    lines.append(f"Prior:     {figures.prior:.3f} of all pages are relevant ({source})")
    return "\n".join(lines)


def _terms(learnt: Learnt) -> str:
    columns = [[f"{term[:20]:<20} {weight:+.2f}" for term, weight in terms] for terms in learnt.strongest()]
    n = max(map(len, columns))
    padded = [column + [""] * (n - len(column)) for column in columns]
    lines = [f"{'Strongest terms for':<{_WIDTH}}and against"]
    lines += [f"{first:<{_WIDTH}}{second}".rstrip() for first, second in zip(*padded, strict=True)]
    return "\n".join(lines)


def _next(topic: Topic, directory: Path) -> str:
    lines = [f"Topic written to {directory}"]
    if topic.seeds:
        lines.append(
            f"Seeds: {', '.join(topic.seeds[:3])}{', ...' if len(topic.seeds) > 3 else ''} ({len(topic.seeds)})"
        )
        lines.append(f"Next: scrapy crawl focused -a topic={topic.name}")
    else:
        lines.append(
            "It has no seeds: the positives have no URLs, and --seeds was not given. Say where a crawl starts, or write "
            f"seeds into {directory / 'topic.toml'}."
        )
        lines.append(f"Next: scrapy crawl focused -a topic={topic.name} -a seeds=URL,URL")
    return "\n".join(lines)
