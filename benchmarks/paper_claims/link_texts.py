"""Why `clustering` finds less than `link_context`: how well each text of a link tells whether it leads to a relevant page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
from common import say
from known_webs import RECORDED
from retraining_pages import labels_of
from sklearn.metrics import average_precision_score

from focused.method.page.reader import PageReader
from focused.method.strategies import make_strategy
from focused.method.strategies.cluster_merging import agglomerate
from focused.method.topic import load_topic
from focused.method.topic.judge import Judge
from focused.utils.url_forms import canonical_form
from focused.webs import RecordedWeb

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from focused.method.page.page import Page

FILE = "p15-links.json"
WEBS = ("hyperphysics", "sites", "wiki")
N_PAGES, _N_LOOKED_AT, MIN_LINKS = 400, 1500, 4
LAMBDA, MAX_UNITS = 3.0, 200


def made_link_texts(folders: Mapping[str, Path], output: Path) -> list[dict[str, Any]]:
    """Judge links of pages drawn from each web, by the topics that its crawls were made with; return a row for each topic."""
    done = read_link_texts(output)
    for web in WEBS:
        folder = folders["data" if web in RECORDED else "webs"]
        models = output / f"context-exclude-{web}" / "models"
        for directory in sorted(models.iterdir()) if models.is_dir() else []:
            if any(row["name"] == directory.name for row in done):
                continue
            say(f"P15, texts of links: {directory.name}")
            labels = labels_of(folder / f"{web}.labels.tsv")
            topic = load_topic(directory.name, models)
            names = sorted({name for found in labels.values() for name in found}, key=len, reverse=True)
            wanted = next(name for name in names if f"{web}-{_slug(name)}-r" in directory.name)
            found = _measured(topic, folder / f"{web}.warc.gz", labels, wanted)
            done.append({"web": web, "name": directory.name, "topic": wanted, **found})
            (output / FILE).write_text(json.dumps(done), encoding="utf-8")
    return done


def read_link_texts(output: Path) -> list[dict[str, Any]]:
    """Return the rows that were made."""
    path = output / FILE
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []


def _slug(label: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in label.lower()).split())


def _measured(topic: Any, warc: Path, labels: dict[str, set[str]], wanted: str) -> dict[str, float]:
    of_url = {canonical_form(url): wanted in found for url, found in labels.items()}
    judge, reader = Judge(topic), PageReader(topic.analyzer)
    direction = make_strategy("clustering").prepare(topic).topic_direction  # type: ignore[attr-defined]
    rows: list[list[float]] = []
    n_pages = 0
    with RecordedWeb(warc) as web:
        urls = np.random.default_rng(0).permutation([url for url, _ in web.pages()])[:_N_LOOKED_AT]
        for url in urls.tolist():
            answer = web.answer(url)
            if answer.status != 200:
                continue
            page = reader.read(answer.body, url)
            known = [of_url.get(canonical_form(link)) for link in page.link_numbers]
            if sum(label is not None for label in known) < MIN_LINKS:
                continue
            rows += _of_page(page, known, judge, direction)
            n_pages += 1
            if n_pages == N_PAGES:
                break
    found = np.array(rows)
    truth = found[:, 0] > 0
    scores = dict(zip(("page", "context", "cosine", "clusters"), found[:, 1:5].T, strict=True))
    return {
        "pages": n_pages,
        "links": len(found),
        "relevant": float(truth.mean()),
        **{name: float(average_precision_score(truth, values)) for name, values in scores.items()},
        "alone": float((found[:, 5] <= 1).mean()),
        "wordless": float((scores["cosine"] == 0).mean()),
    }


def _of_page(page: Page, known: list[bool | None], judge: Judge, direction: Any) -> list[list[float]]:
    """Return for each labelled link: label, relevance of page and context, cosines of context and cluster, cluster's size."""
    relevance = judge.judge(page, ("context",))
    contexts = direction.contexts(page, MAX_UNITS)
    own = contexts.values.copy()
    clustered = direction.of_links(page, lambda_=LAMBDA, max_units=MAX_UNITS)
    rows = direction.rows(contexts.counts)
    cluster_of = np.arange(rows.shape[0])
    for kept, merged in agglomerate((rows @ rows.T).toarray(), LAMBDA).tolist():
        cluster_of[cluster_of == merged] = kept
    size = np.zeros(page.n_links)
    size[contexts.links] = np.bincount(cluster_of, minlength=len(cluster_of))[cluster_of][contexts.unit_of]
    return [
        [float(label), relevance.page, relevance.contexts[n], own[n], clustered[n], size[n]]
        for n, label in enumerate(known)
        if label is not None
    ]
