"""Makes the scope of a crawl from its arguments, its topic and its settings, and checks it before its first request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.crawl.arguments import PlanError, read_limit
from focused.crawl.declared_settings import DECLARED
from focused.crawl.scrapy_settings import scheduler_class
from focused.method.page.page_language import check_languages, language_codes
from focused.method.topic import TOPIC_FILE
from focused.method.topic.settings import SCOPE_LISTS, SCOPE_SETTINGS
from focused.utils.scope import Scope
from focused.utils.setting import Setting
from focused.utils.url_rules import entries_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from focused.method.topic import Topic

ARGUMENTS_OF_SCOPE = dict(SCOPE_SETTINGS)
"""The settings that hold what arguments say, by the arguments' names."""
_MAX_DEPTH = Setting("DEPTH_LIMIT", 0, least=0)  # Scrapy's


def read_scope(arguments: Mapping[str, Any], topic: Topic, settings: Any) -> tuple[Scope, dict[str, Any]]:
    """Return the scope of a crawl, and the settings that hold what its arguments say.

    ``settings``: those in force, the topic's among them. A ValueError says what is wrong, and in which argument or setting.
    """
    found: dict[str, Any] = {}
    for name, setting_name in SCOPE_SETTINGS.items():
        setting = DECLARED.get(setting_name, _MAX_DEPTH)
        if name not in SCOPE_LISTS:
            found[name] = read_limit(name, setting, arguments, settings)
            continue
        value = arguments.get(name)
        text = str(setting.read(settings) if value is None else value)
        if value is not None and not text.strip(", "):
            raise PlanError(
                f"Spider argument {name!r} must name what it limits. Got {text!r}, which limits nothing. Leave it out; to "
                f"lift what the topic's file says: -s {setting_name}="
            )
        label = setting_name if value is None else f"Spider argument {name!r}"
        if value is None and name in topic.scope and text == topic.scope[name] and topic.directory is not None:
            label = f"{name} in [scope] of {topic.directory / TOPIC_FILE}"
        found[name] = _languages(text, label, topic) if name == "languages" else entries_of(text, label)
    if not getattr(scheduler_class(settings), "is_durable", False):
        for name in ("max_pages_per_host", "max_pages_per_domain"):
            if found[name]:
                raise PlanError(
                    f"{name} needs the project's frontier. Leave it out, or leave SCHEDULER out for the default."
                )
    decided = {
        SCOPE_SETTINGS[name]: ", ".join(value) if name in SCOPE_LISTS else value
        for name, value in found.items()
        if name in arguments
    }
    return Scope(**found), decided


def check_seeds_in(scope: Scope, seeds: Iterable[str]) -> None:
    """Refuse seeds that are out of scope, by a PlanError."""
    for seed in seeds:
        if why := scope.why(seed):
            raise PlanError(f"Seed {seed} is out of scope: {why}. Change the scope, or name other seeds: -a seeds=URL")


def _languages(text: str, label: str, topic: Topic) -> tuple[str, ...]:
    """Return language codes without their regions. A PlanError names a language that cannot be detected."""
    codes = language_codes(text)
    if not codes:
        return ()
    try:
        check_languages(codes)
    except ValueError as error:
        raise PlanError(
            f"{label} must hold codes of languages such as en or de, separated by commas. {error}"
        ) from None
    if topic.language not in codes:
        raise PlanError(
            f"{label} must hold {topic.language}: the model of topic {topic.name!r} knows words of that language only. Got "
            f"{', '.join(codes)}."
        )
    return codes
