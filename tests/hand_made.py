"""A topic and sites that are small enough to check by hand: stars are relevant, food is not."""

from __future__ import annotations

import numpy as np

from focused.method.learning.calibration import KINDS, Calibration
from focused.method.learning.model import TopicModel
from focused.method.topic import Topic

N_RESAMPLES = 10
"""Half of what a small training takes is spent on the ends of its figures' intervals; tests of those draw more."""
FOR = ["star", "galaxi", "telescop", "planet", "orbit", "nebula"]
AGAINST = ["recip", "cook", "oven", "butter", "flour", "soup"]
STARS = "Stars and galaxies: a telescope shows a planet in orbit and a nebula."
FOOD = "Recipes for cooking: butter and flour, an oven, a soup."


def topic(name: str = "stars", **changes) -> Topic:
    """A topic for which any known word about stars makes a text relevant, unless it has as many about food.

    A text with one known term for it is relevant; a text without known terms has the prior, 0.1, and is not.
    """
    signs = np.array([1.0] * len(FOR) + [-1.0] * len(AGAINST))
    vector = np.maximum(signs, 0)
    fields = {"title": "Stars", "language": "en", "seeds": ["http://site.example/"], "terms": FOR + AGAINST}
    model = {
        "sublinear_tf": False,
        "term_weights": np.ones(len(signs)),
        "coef": signs,
        "topic_vector": vector / np.linalg.norm(vector),
        "intercept": -0.5,
        "calibrations": {
            kind: Calibration(kind=kind, slope=6.0, offset=0.0, prior=0.1, half_terms=0.25, threshold=0.5, n_examples=0)
            for kind in KINDS
        },
    }
    model |= {field: changes.pop(field) for field in [*changes] if field in model}
    return Topic(name, model=TopicModel(**model), **(fields | changes))


def html(text: str, *links: tuple[str, str], title: str = "") -> bytes:
    """A page: a paragraph of text, then each link in a paragraph of its own."""
    items = "".join(f'<p><a href="{url}">{anchor}</a></p>' for url, anchor in links)
    return f"<!DOCTYPE html><title>{title}</title><body><div><p>{text}</p></div><div>{items}</div>".encode()


def two_regions(n: int = 12, origin: str = "") -> dict[str, bytes]:
    """A home page with a link to a region about stars and one to a region about food; each page shows two more of its
    own region and one of the other. Path to body."""
    site = {
        "/": html("Welcome.", (f"{origin}/food/0", "cooking"), (f"{origin}/stars/0", "telescopes"), title="Home"),
    }
    for region, text, other, anchor, other_anchor in (
        ("stars", STARS, "food", "a nebula", "a recipe"),
        ("food", FOOD, "stars", "a recipe", "a nebula"),
    ):
        for number in range(n):
            following = [k for k in (2 * number + 1, 2 * number + 2) if k < n]
            links = [(f"{origin}/{other}/{number}", other_anchor)]
            links += [(f"{origin}/{region}/{k}", anchor) for k in following]
            site[f"/{region}/{number}"] = html(f"{text} Page {number}.", *links, title=f"{region} {number}")
    return site
