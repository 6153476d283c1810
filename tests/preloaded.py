"""Imports all that a command of this project may load, so that a fork of this process loads nothing.

The modules of the project and the components of Scrapy's default settings are found, not listed. None of them may
install a reactor: each command installs its own. ``focused.settings`` reads the environment of its command.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import logging
import pkgutil
import sys
from copy import deepcopy
from functools import cache
from importlib import metadata
from logging import config
from pathlib import Path
from typing import Any

import commands
import hand_made
import scrapy.commands
from scrapy import cmdline
from scrapy.settings import BaseSettings, SettingsAttribute, default_settings
from scrapy.utils.misc import load_object

import focused
from focused.method.learning import metrics
from focused.method.strategies import PLUG_IN
from focused.method.text.language_model import identifier
from focused.utils import plugins
from focused.utils.registered_domain import registered_domain

PACKAGES = (focused, scrapy.commands)
DELAYED = {"focused.settings"}
LARGE_PAGE = 2 << 20
MADV_COLLAPSE = 25
PLAIN = (str, int, float, bool, type, type(None))
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
    quick_copies()
    quick_logging()
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


def quick_copies() -> None:
    """Let Scrapy's settings copy what can change, and nothing else.

    A crawl copies all of them three times; `deepcopy` takes a fifth of a small crawl for it.
    """
    BaseSettings.copy = copied  # type: ignore[method-assign]


def copied(settings: BaseSettings) -> BaseSettings:
    """Return what `deepcopy` of settings returns."""
    copy = object.__new__(type(settings))
    vars(copy).update((name, deepcopy(value)) for name, value in vars(settings).items() if name != "attributes")
    copy.attributes = {}
    for name, attribute in settings.attributes.items():
        copy.attributes[name] = own = object.__new__(SettingsAttribute)
        value = attribute.value
        if isinstance(value, BaseSettings):
            value = copied(value)
        elif not isinstance(value, PLAIN):
            value = deepcopy(value)
        own.value, own.priority = value, attribute.priority
    return copy


def quick_logging() -> None:
    """Let `logging` change what differs when it is configured, and keep no levels that it must forget then.

    Otherwise each command writes to all loggers of all libraries, some of them 60 times: a tenth of the memory that it
    copies from this process.
    """
    assert not any(logger.disabled for logger in _loggers())
    handle = config._handle_existing_loggers

    def handle_children(existing: list[str], children: list[str], disables: bool) -> None:
        own = {*children}
        handle(existing if disables else [name for name in existing if name in own], children, disables)

    config._handle_existing_loggers = handle_children
    logging.Manager._clear_cache = lambda manager: None
    logging.Logger.isEnabledFor = _is_enabled_for  # type: ignore[method-assign]


def _loggers() -> list[logging.Logger]:
    return [found for found in logging.root.manager.loggerDict.values() if isinstance(found, logging.Logger)]


def _is_enabled_for(logger: logging.Logger, level: int) -> bool:
    return not logger.disabled and logger.manager.disable < level >= logger.getEffectiveLevel()


def known_packages() -> None:
    """Let Python read once what the packages of this environment say of themselves; in other folders it reads as ever."""
    plugins.entry_points = _of_installed_packages(metadata.entry_points)
    version = cache(metadata.version)
    for module in [*sys.modules.values()]:
        if vars(module).get("version") is metadata.version:
            module.version = version  # type: ignore[attr-defined]
    for name in ("metadata", "entry_points"):
        setattr(metadata.PathDistribution, name, property(_read_once(getattr(metadata.Distribution, name).fget)))
    PLUG_IN.installed()
    for package in ("scrapy", "lxml", "numpy", "scikit-learn", "w3lib"):  # a crawl notes their versions
        metadata.version(package)


def _of_installed_packages(read: Any) -> Any:
    found, known = read(), {*sys.path}

    def entry_points() -> Any:
        new = [Path(folder) for folder in sys.path if folder not in known]
        has_packages = any(
            each.name.endswith(("-info", ".egg")) for folder in new if folder.is_dir() for each in folder.iterdir()
        )
        return read() if has_packages else found

    return entry_points


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
