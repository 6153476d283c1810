"""Prepare an evaluation: webs, labels, graphs and samples."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from focused.evaluation.graph_build import PageResolver, graph_of
from focused.evaluation.labels import Labels, labels_from_topics, match_labels, read_labels
from focused.evaluation.sampling import Sample, choose_topics, draw, topic_names, unique
from focused.evaluation.starts import WEB
from focused.utils.file_names import OPTIONS_FILE
from focused.webs import DemoWeb, RecordedWeb, open_web
from focused.webs import export as demo_export

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from focused.evaluation.graph import LinkGraph
    from focused.evaluation.options import Options, WebOption

    Track = Callable[[list[Any], str], Iterable[Any]]


@dataclass
class EvaluatedWeb:
    """A web with its graph and labels."""

    name: str
    warc: Path
    sha256: str
    labels_path: Path | None
    labels_sha256: str | None
    web: RecordedWeb
    graph: LinkGraph
    graph_path: Path
    labels: Labels
    resolver: PageResolver
    #: URLs of the pages that can be labelled and sampled, in alphabetical order.
    pages: list[str]
    #: Labels that are no topics.
    no_topics: tuple[str, ...] = ()
    #: Sources that the general background leaves out.
    background_without: tuple[str, ...] = ()

    def described(self) -> dict[str, Any]:
        """Return what ``run.json`` says of it."""
        return {
            "name": self.name,
            "path": str(self.warc),
            "sha256": self.sha256,
            "labels": None if self.labels_path is None else str(self.labels_path),
            "labels_sha256": self.labels_sha256,
            "n_pages": len(self.pages),
            "n_labelled": len(self.labels.of_page),
            "n_unlabelled_pages": self.labels.n_unlabelled,
            "n_unknown_labels": len(self.labels.unknown),
            "labels_from": list(self.labels.made_by) or None,
            "n_damaged_places": self.web.index.n_damaged,
            "background_without": list(self.background_without),
        }


@dataclass
class Repeat:
    """The sample of one topic in one repeat, and the pages that can be reached."""

    web: EvaluatedWeb
    topic: str
    name: str
    repeat: int
    sample: Sample
    seed_pages: list[str]
    relevant: list[str]
    targets: list[str]
    #: Examples from another web, where topics are trained from such.
    elsewhere: list[str] = field(default_factory=list)

    def model(self, start: str, preset: str = "") -> str:
        """Return the name of the topic's directory."""
        return "-".join(filter(None, [self.name, "" if start == WEB else start, preset]))

    def described(self, budget: int) -> dict[str, Any]:
        """Return what ``run.json`` says of it."""
        return {
            "repeat": self.repeat,
            "model": self.name,
            "positives": self.sample.positives_sha256,
            "n_positives": len(self.sample.positives),
            "n_unlabeled": len(self.sample.unlabeled),
            "seeds": self.sample.seeds,
            "reachable_relevant": len(self.targets),
            "bound": min(budget, len(self.targets)),
        } | ({"elsewhere": self.elsewhere} if self.elsewhere else {})


def web_files(option: WebOption, settings: Any, folder: Path) -> tuple[Path, Path | None]:
    """Return the WARC and the labels of a web. The demo web is first written to files, which answer faster."""
    labels = None if option.labels is None else Path(option.labels)
    if option.web != "demo":
        return Path(option.web), labels
    web = open_web("demo", settings)
    assert isinstance(web, DemoWeb)
    target = folder / "webs"
    target.mkdir(parents=True, exist_ok=True)
    warc, own = target / "demo.warc.gz", target / "demo.labels.tsv"
    # A file left by an evaluation that could not start may hold another web.
    if not (warc.is_file() and own.is_file() and (folder / OPTIONS_FILE).is_file()):
        demo_export.write_warc(web, warc)
        demo_export.write_labels(web, own)
    return warc, None if option.labels_from else labels or own


def open_evaluated(
    name: str,
    option: WebOption,
    files: tuple[Path, Path | None],
    models_dirs: Sequence[Path],
    settings: Any,
    folder: Path,
    track: Track,
) -> EvaluatedWeb:
    """Open a web and read its labels and links. Raises ValueError if the web or the labels cannot be used."""
    warc, labels_path = files
    web = open_web(str(warc), settings)
    assert isinstance(web, RecordedWeb)
    digest = sha256_of(warc)
    graph, graph_path = graph_of(web, digest, settings, folder / "graphs", track)
    pages = sorted(url for url in graph.pages if urlsplit(url).path != "/robots.txt")  # a text, but no page of the site
    if option.labels_from:
        labels = labels_from_topics(option.labels_from, models_dirs, web, pages, settings, track)
    else:
        assert labels_path is not None

        def find(url: str) -> str | None:
            found = web.index.find(url)
            return None if found is None else found[0].url

        labels = match_labels(read_labels(labels_path), pages, find)
        if not labels.of_page:
            raise ValueError(
                f"None of the {len(labels.unknown)} URLs in {labels_path} is a page of {warc}; the first is "
                f"{labels.unknown[0]}. Give the labels of this web."
            )
    labels_sha256 = None if labels_path is None or option.labels_from else sha256_of(labels_path)
    resolver = PageResolver(web, settings)
    no_topics = (demo_export.NO_TOPIC,) if option.web == "demo" else ()
    return EvaluatedWeb(
        name, warc, digest, labels_path, labels_sha256, web, graph, graph_path, labels, resolver, pages, no_topics
    )


def repeats_of(webs: Sequence[EvaluatedWeb], options: Options) -> list[Repeat]:
    """Choose topics and draw a sample for each. All errors appear here, before the first crawl.

    Raises ValueError if a topic has too few pages, or a web has none of the seeds.
    """
    chosen = [(web, topic) for web in webs for topic in _topics(web, webs, options)]
    names = topic_names([f"{web.name} {topic}" for web, topic in chosen])
    return [
        _repeat(web, topic, f"{names[f'{web.name} {topic}']}-r{number}", number, options)
        for web, topic in chosen
        for number in range(1, options.repeats + 1)
    ]


def _topics(web: EvaluatedWeb, webs: Sequence[EvaluatedWeb], options: Options) -> list[str]:
    """Return the topics of a web. With several webs each may have a part of the named labels."""
    counts = web.labels.counts
    elsewhere = {label for other in webs if other is not web for label in other.labels.counts}
    topics = options.topics
    if topics is not None:
        topics = tuple(label for label in topics if label in counts or label not in elsewhere)
    exclude = [label for label in options.exclude if label in counts or label not in elsewhere]
    if topics is None:
        exclude += [label for label in web.no_topics if label in counts and label not in exclude]
    return choose_topics(
        web.labels, web.name, topics=topics, largest=options.largest, min_pages=options.min_pages, exclude=exclude
    )


def _repeat(web: EvaluatedWeb, topic: str, name: str, number: int, options: Options) -> Repeat:
    relevant = web.labels.pages_of(topic)
    sample = draw(
        relevant,
        web.pages,
        key=(options.random_state, web.name, topic, number),
        topic=topic,
        web=web.name,
        n_positives=options.positives,
        n_unlabeled=options.unlabeled,
        seeds=options.seeds if isinstance(options.seeds, int) else seeds_of(web, options.seeds),
        seeds_apart=options.seeds_apart,
    )
    number_of = web.graph.page_number
    pages = [page for page in map(web.resolver.page_of, sample.seeds) if page in number_of]
    seed_pages = list(dict.fromkeys(page for page in pages if page is not None))
    depths = web.graph.depths([number_of[page] for page in seed_pages], options.depth)
    positives = set(sample.positives)
    targets = [page for page in relevant if page not in positives and depths[number_of[page]] >= 0]
    return Repeat(web, topic, name, number, sample, seed_pages, relevant, targets)


def seeds_of(web: EvaluatedWeb, seeds: Sequence[str]) -> list[str]:
    """Return the seeds that lead to pages of a web. Raises ValueError if none does."""
    found = [seed for seed in seeds if web.resolver.page_of(seed) in web.graph.page_number]
    if not found:
        raise ValueError(f"None of the {len(seeds)} seeds is a page of {web.warc}; the first is {seeds[0]}.")
    return found


def web_names(paths: Sequence[Path]) -> list[str]:
    """Return a short, unique name for each web.

    >>> web_names([Path("a/site.warc.gz"), Path("b/site.warc"), Path("x.y.gz")])
    ['site', 'site-2', 'x.y']
    """
    names: list[str] = []
    for path in paths:
        names.append(unique(re.sub(r"(?i)(\.warc)?(\.gz)?$", "", path.name) or path.name, names))
    return names


def sha256_of(path: Path) -> str:
    """Return the digest of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()
