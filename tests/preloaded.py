"""Imports all that a command of this project may load, so that a fork of this process loads nothing.

The modules of the project and the components of Scrapy's default settings are found, not listed. None of them may
install a reactor: each command installs its own. ``focused.settings`` reads the environment of its command.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import pkgutil
import sys
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import commands
import hand_made
import scrapy.commands
from scrapy import cmdline
from scrapy.settings import BaseSettings, default_settings
from scrapy.utils.misc import load_object

import focused
from focused.method.learning import metrics
from focused.method.strategies import PLUG_IN
from focused.method.text.language_model import identifier
from focused.utils.registered_domain import registered_domain

PACKAGES = (focused, scrapy.commands)
DELAYED = {"focused.settings"}
LARGE_PAGE = 2 << 20
MADV_COLLAPSE = 25
assert commands  # each fork begins in it


def load() -> None:
    """Import everything once."""
    for package in PACKAGES:
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if module.name not in DELAYED:
                importlib.import_module(module.name)
    for value in vars(default_settings).values():
        for path in _class_paths(value):
            load_object(path)
    assert "twisted.internet.reactor" not in sys.modules, "a module of a command installs a reactor when it is imported"
    metrics.N_RESAMPLES = hand_made.N_RESAMPLES
    registered_domain("www.example.com")  # reads the list of public suffixes
    known_packages()
    known_commands()
    identifier()  # unpacks the model of languages, which takes longer than a crawl of 20 pages
    gc.freeze()  # so that forks share these objects' pages for good
    use_large_pages()


def use_large_pages() -> None:
    """Let Linux keep what all forks share in pages of 2 MB: a fork copies 46,000 entries for small ones, and ends with them.

    It is a third of what a fork takes before it does anything. Where there are no large pages, small ones stay.
    """
    if sys.platform != "linux":
        return
    advise = ctypes.CDLL(None).madvise
    advise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    for line in Path("/proc/self/maps").read_text().splitlines():
        addresses, rights, _, _, _, *name = line.split()
        if rights == "rw-p" and name in ([], ["[heap]"]):
            start, end = (int(address, 16) for address in addresses.split("-"))
            for page in range(-(-start // LARGE_PAGE) * LARGE_PAGE, end - LARGE_PAGE + 1, LARGE_PAGE):
                advise(page, LARGE_PAGE, MADV_COLLAPSE)


def known_commands() -> None:
    """Let Scrapy look once for commands in modules and in what is installed: a third of the time of a refused command."""
    find, installed = cmdline._iter_command_classes, cmdline.entry_points
    cmdline._iter_command_classes = cache(lambda module: tuple(find(module)))
    cmdline.entry_points = cache(installed)
    for module in ("scrapy.commands", "focused.commands"):
        cmdline._iter_command_classes(module)
    cmdline.entry_points(group="scrapy.commands")


def known_packages() -> None:
    """Let Python read once what the packages of this environment say of themselves; in other folders it reads as ever."""
    for name in ("metadata", "entry_points"):
        setattr(metadata.PathDistribution, name, property(_read_once(getattr(metadata.Distribution, name).fget)))
    PLUG_IN.installed()
    for package in ("scrapy", "lxml", "numpy", "scikit-learn", "w3lib"):  # a crawl notes their versions
        metadata.version(package)


def _read_once(read: Any) -> Any:
    found: dict[Any, Any] = {}

    def known(package: Any) -> Any:
        if package._path not in found:
            found[package._path] = read(package)
        return found[package._path]

    return known


def _class_paths(value: object) -> list[str]:
    if isinstance(value, (dict, BaseSettings)):
        return [path for each in (*value.keys(), *value.values()) for path in _class_paths(each)]
    is_path = isinstance(value, str) and value.startswith("scrapy.") and value.rpartition(".")[2][:1].isupper()
    return [value] if is_path else []


load()
