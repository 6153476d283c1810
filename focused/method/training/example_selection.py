"""Select examples among candidates: each page once, none both positive and unlabelled, or a sample of them."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from focused.method.training.example_content import RefusedError
from focused.utils.url_forms import canonical_form

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from focused.method.training.example_content import PageContent, Refusals
    from focused.method.training.example_sources import Candidate

IN_POSITIVES = "also among the positives"


@dataclass
class SeenExamples:
    """The pages so far, by URL and by body."""

    urls: set[str] = field(default_factory=set)
    bodies: set[bytes] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Example:
    """A page to learn from: its name, its content, and a digest of its body."""

    candidate: Candidate
    content: PageContent
    digest: bytes

    @property
    def urls(self) -> set[str]:
        """The canonical forms of its URLs: the one requested, and the one that answered."""
        forms = (canonical_form(url) for url in (self.candidate.url, self.content.url))
        return {form for form in forms if form is not None}


def examples(
    candidates: Iterable[Candidate], seen: SeenExamples, refusals: Refusals, positives: SeenExamples | None = None
) -> Iterator[Example]:
    """Load candidates one by one, and note refusals and the pages seen.

    ``seen``: pages of the same kind; a page with one of their URLs or bodies is refused. ``positives``: pages that are
    refused because they are positives.
    """
    for candidate in candidates:
        try:
            content = candidate.load()
            example = Example(candidate, content, hashlib.sha256(content.body).digest())
            _refuse_known(example, seen, positives)
        except RefusedError as refused:
            refusals.add(str(refused), candidate.name, refused.detail)
            continue
        seen.urls |= example.urls
        seen.bodies.add(example.digest)
        yield example


def _refuse_known(example: Example, seen: SeenExamples, positives: SeenExamples | None) -> None:
    urls, digest = example.urls, example.digest
    if positives is not None and (digest in positives.bodies or not urls.isdisjoint(positives.urls)):
        raise RefusedError(IN_POSITIVES)
    if not urls.isdisjoint(seen.urls):
        raise RefusedError("duplicate URL")
    if digest in seen.bodies:
        raise RefusedError("duplicate of another body")


def shuffled(candidates: list[Candidate], random_state: int) -> list[Candidate]:
    """Return the candidates in a random order, the same for the same candidates and random state."""
    return random.Random(random_state).sample(candidates, len(candidates))


def digest_of(positive: list[bytes], unlabeled: list[bytes]) -> str:
    """Return the sha256 of a set of examples from the digests of their bodies.

    Their order and their location make no difference.
    """
    total = hashlib.sha256()
    for mark, digests in ((b"+", positive), (b"?", unlabeled)):
        for digest in sorted(digests):
            total.update(mark + digest)
    return total.hexdigest()
