"""A site about crafts, bee-keeping among them: a topic whose words the general background does not hold.

Sentences are made up from the words of a craft and from everyday ones. Each page names its neighbours, most of them of its
own craft, under titles that often say nothing. The same seed gives the same site.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from manuals.web import ManualWeb

from web_makers.pages import bullets, document, link, paragraphs, row

SITE = "http://crafts.example"
BEES = "bees"
WORDS = "bee hive honey apiary swarm nectar"
"""What someone would type for the topic. The general background holds none of them."""

CRAFTS = {
    BEES: "bee hive honey apiary swarm nectar pollen queen drone varroa honeycomb brood beeswax smoker propolis frame forage "
    "blossom colony sting extractor mead veil comb larva",
    "pottery": "clay kiln glaze wheel slip earthenware stoneware porcelain bisque firing potter coil slab sprig celadon raku "
    "throwing trimming bowl jug cone engobe sgraffito terracotta",
    "weaving": "loom warp weft shuttle heddle treadle yarn wool bobbin selvedge twill tapestry spindle fleece carding dye "
    "indigo madder linen reed shed spinner skein",
    "joinery": "dovetail mortise tenon chisel plane oak walnut lathe saw bench clamp dowel veneer grain sapwood spokeshave "
    "mallet rebate mitre sanding shellac joiner timber",
    "cheese": "rennet curd whey cheddar culture brine cheesecloth goat rind maturing cellar press mould milk cream ricotta "
    "dairy churn butter casein brie cow",
    "angling": "trout rod reel fly hook bait pike perch carp river tackle angler float line cast spinner estuary tide "
    "mackerel landing net lure salmon",
    "binding": "folio signature spine vellum endpaper gilding bookbinder leather stitching awl bone folder glue buckram "
    "quarto marbling binding headband press paper leaf parchment",
    "smithing": "anvil forge hammer tongs steel iron quench temper blacksmith bellows billet weld rivet scroll horseshoe "
    "swage hardy fuller coke tongs blade",
}
_EVERYDAY = (
    "morning work hand season house neighbour village weather price table water summer winter kitchen friend market week tool "
    "garden hour book shed window place people year question letter answer visit road light story small good early careful old"
).split()
_SENTENCES = (
    "The {c} wants patience, and a {e} helps.",
    "We looked at the {c} before the {c} was ready.",
    "My {e} asked about the {e}, so I wrote this down.",
    "A good {c} lasts many a {e}.",
    "Nobody said that the {e} would be {e}.",
    "When the {c} is done, see to the {c} and the {e}.",
    "It was a {e} of {e}, and we had time for it.",
    "Some keep the {c} near the {c}; others do not.",
    "There is a {e} behind every {e}.",
)
_TITLES = ("On the {c}", "{c} and {c}", "Notes of a {e}", "What we did that {e}", "The {c}, again", "A {e} in May")
_N_LISTED = 12


@dataclass(frozen=True)
class _Page:
    craft: str
    url: str
    title: str
    text: str


def build(seed: int, n_relevant: int = 60, n_others: int = 340) -> ManualWeb:
    """Return the site: a front page, a page for each craft, and articles, labelled with their craft."""
    dice = random.Random(seed)
    others = [craft for craft in CRAFTS if craft != BEES]
    crafts = [BEES] * n_relevant + [dice.choice(others) for _ in range(n_others)]
    dice.shuffle(crafts)
    pages = [_page(dice, craft, number) for number, craft in enumerate(crafts)]
    of_craft = {craft: [page for page in pages if page.craft == craft] for craft in CRAFTS}
    web = ManualWeb(f"crafts-{seed}", f"{SITE}/")
    web.origin = "a made-up site about crafts; seed"
    rooms = {craft: f"{SITE}/room/{number}" for number, craft in enumerate(CRAFTS)}
    menu = row([(SITE + "/", "Home"), *((url, f"Room {url[-1]}") for url in rooms.values())])
    for craft, url in rooms.items():
        listed = [(page.url, page.title) for page in of_craft[craft][:_N_LISTED]]
        web.pages[url] = document(f"Room {url[-1]}", menu + bullets(listed, "Latest"))
    latest = [(page.url, page.title) for page in pages[:_N_LISTED]]
    web.pages[web.front] = document("Crafts", menu + paragraphs("People who make things write here.") + bullets(latest))
    for page in pages:
        near = [dice.choice(of_craft[page.craft]) for _ in range(4)] + [dice.choice(pages) for _ in range(3)]
        dice.shuffle(near)
        body = paragraphs(page.text) + bullets([(other.url, other.title) for other in near], "Read on")
        web.pages[page.url] = document(page.title, f"{menu}<h1>{page.title}</h1>{body}{link(web.front, 'Back')}")
        web.labels[page.url].add(page.craft)
    return web


def words_of(craft: str) -> list[str]:
    """Return the words of a craft."""
    return CRAFTS[craft].split()


def _page(dice: random.Random, craft: str, number: int) -> _Page:
    words = words_of(craft)
    favourites = dice.sample(words, 8)

    def filled(pattern: str) -> str:
        while "{c}" in pattern:
            pattern = pattern.replace("{c}", dice.choice(favourites if dice.random() < 0.7 else words), 1)
        while "{e}" in pattern:
            pattern = pattern.replace("{e}", dice.choice(_EVERYDAY), 1)
        return pattern

    text = " ".join(filled(dice.choice(_SENTENCES)) for _ in range(dice.randint(8, 20)))
    return _Page(craft, f"{SITE}/article/{number}", filled(dice.choice(_TITLES)).capitalize(), text)
