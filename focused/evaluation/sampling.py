"""Choose the topics of an evaluation, and draw the pages of each: the same for every strategy."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from hashlib import sha256
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from focused.evaluation.labels import Labels

_NAME_CHARS = 40  # of the 64 of a topic's name: suffixes for topics and repeats are added


@dataclass(frozen=True)
class Sample:
    """The training pages and seeds of one repeat: URLs, as the web names them."""

    positives: list[str]
    unlabeled: list[str]
    seeds: list[str]

    @property
    def positives_sha256(self) -> str:
        """Digest of the positives."""
        return sha256("\n".join(self.positives).encode()).hexdigest()


def choose_topics(
    labels: Labels,
    web: str,
    *,
    topics: Sequence[str] | None = None,
    largest: int | None = None,
    min_pages: int | None = None,
    exclude: Collection[str] = (),
) -> list[str]:
    """Return the labels to evaluate as topics: the named ones, or all, the largest first.

    Raises ValueError if a named label does not exist, or no topic is left.
    """
    counts = labels.counts
    for name in exclude:
        if name not in counts:
            raise ValueError(f"--exclude names {name!r}, which is no label of {web}. {_known(counts)}")
    if topics is not None:
        for name in topics:
            if name not in counts:
                raise ValueError(f"--topics names {name!r}, which is no label of {web}. {_known(counts)}")
        found = [name for name in topics if name not in exclude]
    else:
        found = sorted((name for name in counts if name not in exclude), key=lambda name: (-counts[name], name))
        if min_pages is not None:
            found = [name for name in found if counts[name] >= min_pages]
        found = found[:largest]
    if not found:
        least = f" with at least {min_pages} pages" if min_pages is not None else ""
        raise ValueError(f"No topic{least} is left on {web}. {_known(counts)}")
    return found


def _known(counts: Mapping[str, int]) -> str:
    shown = sorted(counts, key=lambda name: (-counts[name], name))[:30]
    more = f" and {len(counts) - len(shown)} more" if len(counts) > len(shown) else ""
    return f"Labels with their pages: {', '.join(f'{name} ({counts[name]})' for name in shown)}{more}."


def topic_names(topics: Sequence[str]) -> dict[str, str]:
    """Return a valid and unique name of a topic's directory for each label.

    >>> topic_names(["Light & Vision", "light-vision", "../.."])
    {'Light & Vision': 'light-vision', 'light-vision': 'light-vision-2', '../..': 'topic'}
    """
    names: dict[str, str] = {}
    for topic in topics:
        stem = re.sub(r"[^a-z0-9]+", "-", topic.lower()).strip("-")[:_NAME_CHARS].strip("-") or "topic"
        names[topic] = unique(stem, names.values())
    return names


def unique(stem: str, taken: Collection[str]) -> str:
    """Return a name, with the first number that makes it differ from those that are taken."""
    return next(name for n in count(1) if (name := stem if n == 1 else f"{stem}-{n}") not in taken)


def draw(
    relevant: Sequence[str],
    pages: Sequence[str],
    *,
    key: tuple[object, ...],
    topic: str,
    web: str,
    n_positives: int,
    n_unlabeled: int,
    seeds: int | Sequence[str],
    seeds_apart: bool = False,
) -> Sample:
    """Draw positives, unlabelled pages and seeds.

    Each kind has a random generator of its own, so the size of one sample does not change the others.

    ``relevant`` and ``pages``: URLs of the relevant pages, and of all pages of the web, in alphabetical order. ``key``: seed
    of the draws: random state, web, topic, repeat. Python's hashes have no influence. ``topic`` and ``web``: for messages.
    ``n_positives`` and ``n_unlabeled``: sizes of the samples; all unlabelled pages if there are fewer. ``seeds``: number to
    draw, or the URLs themselves. ``seeds_apart``: draw seeds from the relevant pages that are no positives [L14, Sect. 5.2],
    not from the positives. Raises ValueError if the topic has too few pages.
    """

    def generator(what: str) -> random.Random:
        return random.Random("\x1f".join(map(str, (*key, what))))  # a text is seeded by its SHA-512

    n_seeds = seeds if isinstance(seeds, int) else 0
    n_apart = n_seeds if seeds_apart else 0
    needed = n_positives + max(n_apart, 1)
    if len(relevant) < needed:
        also = f" and {n_apart} seeds apart from them" if n_apart else " and one to find"
        fitting = len(relevant) - max(n_apart, 1)
        fewer = f"ask for fewer (--positives {fitting}), or " if fitting > 0 else ""
        raise ValueError(
            f"Topic {topic!r} has {len(relevant)} page{'s' * (len(relevant) != 1)} on {web}, and {n_positives} positives"
            f"{also} take {needed}: {fewer}leave the topic out (--exclude, --topics, --min-pages {needed})."
        )
    positives = sorted(generator("positives").sample(list(relevant), n_positives))
    taken = set(positives)
    rest = [url for url in pages if url not in taken]
    unlabeled = sorted(generator("unlabeled").sample(rest, min(n_unlabeled, len(rest))))
    if not isinstance(seeds, int):
        return Sample(positives, unlabeled, list(seeds))
    pool = [url for url in relevant if url not in taken] if seeds_apart else positives
    return Sample(positives, unlabeled, sorted(generator("seeds").sample(pool, n_seeds)))
