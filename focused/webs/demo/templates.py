# ruff: noqa: RUF001 - the pages have typographic signs
"""Sentence patterns of the demo web.

A slot in capitals takes a word of the page's topic (with the page's probability), a small one a general word:
N/n thing, M/m things, S/s stuff, V/v act, A/a kind, P/p name; t a town, y a year, d a number.
"""

from __future__ import annotations

SENTENCES = (
    "The {A} {N} is one of the {m} that every {n} should {v}.",
    "In {y}, {P} described the {A} {N} in a {n} about {S}.",
    "Most {M} {V} when the {N} is {A}, and the {n} of the {S} will {v}.",
    "It takes {d} {m} to {V} a {N} without losing the {S}.",
    "{M} and {M} are easy to confuse, but only {M} {V} in this way.",
    "{P} used to {V} {d} {M} before the {n} began, with {a} {s} and little {S}.",
    "There is no {n} for {S}: you {V}, you wait, and you {v} the {a} {n}.",
    "Some {m} say that a {A} {N} cannot {V}; the {n} tells another {n}.",
    "Where the {N} meets the {N}, {S} matters more than {s}.",
    "Every {n} brings {a} {m}, and {M} are no exception.",
    "The {n} of {t} keeps a {A} {N} that visitors may {v} on {a} {m}.",
    "A {N} needs {S}, and {S} needs {s}.",
    "Without {S} the {N} would {V} too early, which is what happened to {P} in {y}.",
    "We asked {p} how to {V} {A} {M}, and the {n} was surprisingly {a}.",
    "To {V} well, begin with a {A} {N} and {v} the {N} last.",
    "The {A} {M} near {P} are {a}, while the {N} itself stays {A}.",
    "Half of the {m} came for the {n}, the other half for {S} and {M}.",
    "No {N} was ever {A} enough for {P}, who could {V} for {d} {m}.",
    "If the {M} {V}, check the {N} first and the {S} second.",
    "The old {n} shows a {N}, {d} {M} and a {A} {N}.",
    "You can {V} the {N} at home, provided that the {n} is {a} and the {S} is good.",
    "What a {n} calls {S}, a {a} {n} might call {s}.",
    "By {y} there were {d} {M} in {t}, most of them {A}.",
    "A good {n} on {S} should {v} the {N}, the {N} and the {M} between them.",
    "“Never {V} a {A} {N} on the first {n},” says {p}.",
    "The {N}’s {S} was {A}; its {N} was not.",
    "For {m} the {n} was {a}: {M} {V}, {m} {v}.",
    "It is worth the {n} to {V} {M} by {S} rather than by {s}.",
    "{S} and {S} go together, as {P} liked to {v}.",
    "Our {n} will {v} how {M} {V} and why the {A} {N} did not.",
    "A {A} {N} costs about £{d}, a {a} {n} less.",
    "At the café in {t}, {m} still {v} the {N} of {y}.",
    "Only the {a} {m} {v}; the {M} {V} on their own – slowly, but with {S}.",
    "This {n} is about {M}, but it begins with a {n} and a {a} {n}.",
    "The {M} of {P} {V} after {d} {m}; {A} {M} need longer.",
    "When {S} runs short, {A} {M} {V} first.",
)

GENERAL_SENTENCES = (
    "The {n} will {v} again next {n}, with more {s} and a {a} {n}.",
    "{p} moved to {t} in {y} and opened a {a} {n} there.",
    "Nobody at the {n} could {v} the {a} {n}.",
    "It was a {a} {n}, and the {m} of {t} had {s} enough.",
    "The {n} is {a}, the {n} is {a}, and both need {s}.",
    "There are {d} {m} in the {n}, and no {n} is quite like the other.",
    "Please {v} the {n} before you {v} the {n}.",
    "Thank you to all {m} who helped us {v} the {n}.",
)

TEASERS = (
    "How {M} {V}, and what the {A} {N} has to do with {S}.",
    "A {n} on {A} {M}, {S} and the {N} that {P} left behind.",
    "{d} {m} about {M}: from the {A} {N} to {S}.",
    "{p} went to {v} a {A} {N} and came home with {S}.",
    "Why a {N} will not {V} without {S}, and what to {v} instead.",
    "The {N}, the {N} and the {a} {n} of {S}.",
    "{P} in {y}: a {A} {N}, some {s} and no {N}.",
    "All that {m} should know before they {V} a {A} {N}.",
)

TITLES = (
    "{A} {M} and the {N}", "How to {V} {A} {M}", "A {a} {n} of the {N}", "{P} and the {A} {N}",
    "{N} {n}: {A} or {A}?", "Why {M} {V}", "The {A} {N}, a {n}", "{S} for {m}", "What {P} knew about {S}",
    "{M}, {M} and {S}", "{p} on the {A} {N}", "{d} {M} and a {n}", "The {N} and its {S}", "From {N} to {N}",
    "{A} {S} in {t}", "To {V} or to {V}", "{M} of {P}", "The {n} that changed {S}", "A {N} without {S}",
    "When {M} {V}", "{S}: the {n} of {p}", "Your first {N}", "{A} {M} at the {n}", "Do {M} really {V}?",
)  # fmt: skip

VAGUE_TITLES = (
    "A weekend to remember", "Letter from the editor", "Ten questions, ten answers", "What we learnt this year",
    "Notes from the road", "The long answer", "Before you start", "One small mistake", "Behind the scenes",
    "Readers write", "A visit to {t}", "Part {d}", "Thoughts on a {a} {n}", "The {n} of {y}", "Why we {v}",
    "In short", "{p} answers {d} questions", "An update from {p}", "{a} {m}, {a} {m}", "Then and now",
    "The other {n}", "Some {s}, at last", "Not the usual {n}", "{m} and {s}",
)  # fmt: skip

SECTION_NAMES = ("{M}", "{M} and {M}", "{S}", "{A} {M}", "{M} and {S}", "All about {M}")

VAGUE_SECTIONS = ("Features", "Notebook", "Weekend", "Letters", "Long reads", "Archive", "Columns", "From our readers")

WEAK_ANCHORS = ("Read more", "more", "click here", "Continue reading", "here", "full story", "next", "this page", "»")

BARE_ANCHORS = ("Part two", "Details", "With pictures", "The sequel", "A reply", "An older piece")

ADVERTS = (
    "Save {d} % on your first {a} {n}", "The {a} {n} everybody in {t} is talking about", "Book a {a} {n} for {d} {m}",
    "Win a {N} and a {a} {n}!", "{M} for less: the {a} {n} sale", "Because every {N} deserves a {a} {n}",
)  # fmt: skip
