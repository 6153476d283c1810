"""The attributes of an element: whether they hide it, which label they give a link, what ``<meta>`` says of the page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from focused.method.page.marked_text import MarkedText

_REFRESH_PREFIX = re.compile(r"url\s*=\s*", re.IGNORECASE).match
_HIDING_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE).search


def is_hidden(tag: str, attributes: Mapping[str, str]) -> bool:
    """Tell whether an element with the attribute ``hidden`` or ``style`` is invisible."""
    if tag in ("body", "html"):  # pages hide themselves until their scripts have run
        return False
    return "hidden" in attributes or _HIDING_STYLE(attributes["style"]) is not None


def label_of(attributes: Mapping[str, str], *more: str) -> str:
    """Return the label of a link without text."""
    for name in ("alt", "title", "aria-label", *more):
        label = attributes.get(name)
        if label and not label.isspace():
            return label
    return ""


def note_about_page(marked_text: MarkedText, tag: str, attributes: Mapping[str, str], keywords: list[str]) -> None:
    """Note what ``<base>`` or ``<meta>`` says about the page."""
    if tag == "base":
        marked_text.base = marked_text.base or attributes.get("href", "").strip()
        return
    name = (attributes.get("name") or attributes.get("http-equiv") or "").strip().lower()
    content = attributes.get("content", "")
    if name == "keywords":
        keywords.append(content)
    elif name == "robots":
        marked_text.nofollow = (
            marked_text.nofollow or "nofollow" in content.lower() or content.strip().lower() == "none"
        )
    elif name == "refresh":
        marked_text.refresh = marked_text.refresh or _refresh_target(content)


def _refresh_target(content: str) -> str:
    """Return the target in the content of a meta refresh, spelt in any way that browsers accept.

    >>> _refresh_target("5; URL='next.html'"), _refresh_target("0,next.html"), _refresh_target("300")
    ('next.html', 'next.html', '')
    """
    content = content.strip()
    target = content.lstrip("0123456789.")
    if target == content or not target.startswith((";", ",", " ", "\t", "\n")):
        return ""
    target = target.lstrip().lstrip(";,").lstrip()
    if prefix := _REFRESH_PREFIX(target):
        target = target[prefix.end() :]
    if target.startswith(("'", '"')):
        target = target[1:].partition(target[0])[0]
    return target.strip()
