# ruff: noqa: RUF001 - the pages have typographic signs
"""The few pages of the demo web that are not in English: town news in German, French and Spanish."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from focused.webs.demo.seeded_random import Dice

# language -> title, and the choices for each place in a sentence
_PHRASES: dict[str, tuple[str, tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "de": (
        "Nachrichten aus der Gemeinde",
        ("Der Bürgermeister", "Die Gemeinde", "Der Verein", "Unsere Bücherei", "Die Schule", "Das Museum"),
        ("eröffnet", "plant", "sucht", "erhält", "verkauft", "schließt"),
        ("ein neues Gebäude", "den großen Saal", "einen Parkplatz", "mehrere Räume", "die alte Brücke"),
        ("im nächsten Frühjahr", "am Montag", "für die Bürger", "ohne große Mühe", "nach der Sitzung"),
    ),
    "fr": (
        "Les nouvelles du village",
        ("Le maire", "La bibliothèque", "L’école", "Notre équipe", "Le comité des fêtes", "La mairie"),
        ("a présenté", "prépare", "a reçu", "propose", "cherche", "a fermé"),
        ("un nouveau projet", "la salle des fêtes", "le marché d’été", "une soirée théâtre", "les élèves"),
        ("pour l’année prochaine", "à la fin du mois", "malgré la pluie", "près de la gare", "dès lundi"),
    ),
    "es": (
        "Noticias del pueblo",
        ("El ayuntamiento", "La biblioteca", "Nuestra asociación", "El señor alcalde", "La escuela"),
        ("presentó", "abrirá", "prepara", "recibió", "busca", "cerró"),
        ("una exposición", "el mercado", "un edificio antiguo", "los jardines", "la sesión pública"),
        ("el próximo año", "en la plaza", "para los niños", "después del otoño", "según el periódico"),
    ),
}


def write(dice: Dice) -> tuple[str, str, list[str]]:
    """Write a page: its language (ISO 639-1), title and paragraphs."""
    language = dice.pick(("de", "fr", "es"))
    title, *places = _PHRASES[language]
    paragraphs = [
        " ".join(" ".join(dice.pick(phrases) for phrases in places) + "." for _ in range(4)) for _ in range(4)
    ]
    return language, title, paragraphs
