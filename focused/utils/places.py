"""Finds topics: those that ship with the package, and the user's own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from focused.utils.folder_settings import MODELS_DIR

_PACKAGE = Path(__file__).resolve().parent.parent
_IN_WHEEL = _PACKAGE / "models"
IS_INSTALLED = _IN_WHEEL.is_dir()
"""Whether the package comes from a wheel, which holds the shipped topics; a checkout keeps them beside the package."""

SHIPPED_MODELS_DIR = _IN_WHEEL if IS_INSTALLED else _PACKAGE.parent / "models"
"""Topics that ship with the package. An egg has none."""


def default_models_dir() -> Path:
    """Return the folder of the user's own topics where nobody names one.

    In a checkout it is ``models`` beside the package. An installed package may be read-only and is replaced by its next
    version, so there it is ``focused/models`` in the user's data folder.
    """
    if not IS_INSTALLED:
        return SHIPPED_MODELS_DIR
    return Path(os.environ.get("XDG_DATA_HOME") or Path("~/.local/share").expanduser()) / "focused" / "models"


def own_models_dir(settings: Any) -> Path:
    """Return the folder of the user's own topics: FOCUSED_MODELS_DIR, or the default where it is empty."""
    return Path(MODELS_DIR.read(settings) or default_models_dir())


def models_dirs(settings: Any) -> tuple[Path, ...]:
    """Return the folders that a topic is looked for in: the user's own, FOCUSED_MODELS_DIR, then the shipped one."""
    return tuple(dict.fromkeys((own_models_dir(settings), SHIPPED_MODELS_DIR)))
