"""Languages: stopwords, Snowball stemmers, and the detection of a text's language."""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

import Stemmer
import stop_words

from focused.method.text.language_model import identifier

# The list of the stop-words package for English holds 1,333 words, "course", "computer" and "system" among
# them: it would blind a topic such as university courses. English therefore has its own list of function words.
# Personal pronouns are not among them, see _PRONOUNS.
ENGLISH_STOPWORDS = frozenset(
    """
    a about above after again against all almost also although always am among an and another any anyone
    anything are aren as at be became because become becomes been before being below between both but by can
    cannot could couldn d did didn do does doesn doing don done down during each either else ever every everyone
    everything few for from further get gets got had hadn has hasn have haven having hence here how however i if
    in indeed instead into is isn it its itself just ll let like made make makes many may might more moreover
    most much must mustn neither never no nobody none nor not nothing now of off often on once one only onto or
    other others out over own per perhaps quite rather re really same shall should shouldn since so some someone
    something somewhat still such t than that the their theirs them themselves then there therefore these they
    this those though through thus to together too toward towards under until up upon ve very was wasn well were
    weren what whatever when whenever where whereas wherever whether which while who whoever whole whom whose
    why will with within without won would wouldn yet
    """.split()
)

# Personal pronouns distinguish a person's page from a department's (docs/results/calibration.md), so they are terms
# although the lists call them stopwords. Ambiguous ones (German "sie" and "ihr", French "il" and "leur") and single
# letters stay stopwords.
_PRONOUNS = {
    code: frozenset(words.split())
    for code, words in {
        "de": """
            dein deine deinem deinen deiner deines dich dir du euch euer eure eurem euren eurer eures ich mein meine
            meinem meinen meiner meines mich mir uns unser unsere unserem unseren unserer unseres wir
        """,
        "es": """
            conmigo contigo me mi mis mí nos nosotras nosotros nuestra nuestras nuestro nuestros os ti tu tus tú usted
            vosotras vosotros vuestra vuestras vuestro vuestros yo
        """,
        "fr": "je ma me mes moi mon nos notre nous ta te tes toi ton tu vos votre vous",
        "it": """
            io me mi mia mie miei mio noi nostra nostre nostri nostro te ti tu tua tue tuo tuoi vi voi vostra vostre
            vostri vostro
        """,
        "nl": "ik je mij mijn ons uw we wij",
        "pt": "eu me meu meus minha minhas nos nossa nossas nosso nossos nós te teu teus tu tua tuas você vocês",
    }.items()
}


@dataclass(frozen=True, slots=True)
class Language:
    """An ISO 639-1 code with the names of its Snowball stemmer and its stopword list (None: there is none)."""

    code: str
    name: str
    stemmer: str | None
    stopwords: str | None


_NAMES = (
    "ar=arabic bg=bulgarian ca=catalan cs=czech da=danish de=german el=greek en=english es=spanish eu=basque "
    "fa=persian fi=finnish fr=french ga=irish he=hebrew hi=hindi hu=hungarian hy=armenian id=indonesian it=italian "
    "ja=japanese ko=korean lt=lithuanian ne=nepali nl=dutch no=norwegian pl=polish pt=portuguese ro=romanian "
    "ru=russian sk=slovak sr=serbian sv=swedish ta=tamil tr=turkish uk=ukrainian vi=vietnamese yi=yiddish zh=chinese"
)
_WITHOUT_STOPWORDS = frozenset("eu ga hy lt ne sr ta yi".split())
_STEMMERS = frozenset(Stemmer.algorithms())  # some have come with later releases

LANGUAGES = {
    code: Language(code, name, name if name in _STEMMERS else None, None if code in _WITHOUT_STOPWORDS else name)
    for code, name in (pair.split("=") for pair in _NAMES.split())
}


def language(code: str) -> Language:
    """Return the language of an ISO 639-1 code.

    A language without stemmer and stopwords still works on whole words; its terms are only less general. Raises ValueError if
    the code is not two or three letters.
    """
    code = code.lower()
    if code in LANGUAGES:
        return LANGUAGES[code]
    if not (code.isascii() and code.isalpha() and 2 <= len(code) <= 3):
        known = ", ".join(LANGUAGES)
        raise ValueError(f"language must be an ISO 639-1 code such as 'en'. Got {code!r}. With a stemmer: {known}.")
    return Language(code, code, None, None)


# Some entries of the stop-words package hold quotation marks, apostrophes or a byte order mark.
_AROUND_ENTRIES = " \ufeff\"',.^\u2019"


@lru_cache(maxsize=64)
def stopwords(code: str) -> frozenset[str]:
    """Return the lower-case stopwords of a language, empty where none are known.

    Personal pronouns are no stopwords in English, German, French, Spanish, Italian, Portuguese and Dutch (docs/method/, D10).

    >>> "the" in stopwords("en"), "your" in stopwords("en"), "votre" in stopwords("fr")
    (True, False, False)
    """
    if code == "en":
        return ENGLISH_STOPWORDS
    name = language(code).stopwords
    if name is None:
        return frozenset()
    try:
        found = stop_words.get_stop_words(name)
    except stop_words.StopWordError:  # the releases for Python 3.10 have no list of Greek, Hebrew and four others
        return frozenset()
    entries = (unicodedata.normalize("NFKC", entry).lower() for entry in found)
    return frozenset(filter(None, (entry.strip(_AROUND_ENTRIES) for entry in entries))) - _PRONOUNS.get(
        code, frozenset()
    )


def detect_language(text: str, least_letters: int = 20) -> str | None:
    """Return the ISO 639-1 code of the most likely language of a text; None if there is too little text.

    ``least_letters``: so many letters must be among the first 4,000 characters, which are looked at.

    >>> detect_language("The stars of the galaxy move around its centre in two hundred million years.")
    'en'
    >>> detect_language("42") is None
    True
    """
    if sum(map(str.isalpha, text[:4000])) < least_letters:
        return None
    code = str(identifier().classify(text[:4000])[0])
    return {"nb": "no", "nn": "no", "zxx": None}.get(code, code)  # zxx: no language at all


_LEAST_MARGIN = 30.0
"""By how much another language must be more probable than English, in log-probability: two or three words prove nothing."""


def language_of_words(text: str) -> str | None:
    """Return the ISO 639-1 code of the language of a sentence or a few words; None if they do not show it.

    So little text deceives the detector: it takes "volcano lava magma" for Italian. Another language than English must show
    by its function words, or by letters that English has not.

    >>> language_of_words("Wie Bienen gehalten werden, und was Honig ist."), language_of_words("How honey is made of flowers.")
    ('de', 'en')
    >>> language_of_words("volcano lava magma eruption") is None
    True
    """
    scores = {str(code): float(score) for code, score in identifier().rank(text)}
    # As in `detect_language`; which of these there are differs between releases.
    scores["no"] = max(scores.get(code, -math.inf) for code in ("no", "nb", "nn"))
    best = max(LANGUAGES, key=lambda code: scores.get(code, -math.inf))
    words = re.findall(r"\w+", text.lower())
    n_function_words, n_english = (sum(word in stopwords(code) for word in words) for code in (best, "en"))
    if best == "en":
        return "en" if n_english else None
    shows = n_function_words > n_english or any(letter.isalpha() and not letter.isascii() for letter in text)
    return best if shows and scores[best] - scores["en"] >= _LEAST_MARGIN else None


def detectable_languages() -> frozenset[str]:
    """Return the codes that `detect_language` can give."""
    codes = {str(code) for code, _ in identifier().rank("")}
    return frozenset(codes - {"nb", "nn", "zxx"} | {"no"})
