"""Declares the folders of the project's settings; environment variables of the same names give them, too."""

from __future__ import annotations

from focused.utils.setting import SERVER, Setting

# fmt: off
MODELS_DIR = Setting(
    "FOCUSED_MODELS_DIR", "",
    "Folder of your own topics; by default `models` of the checkout, or of an installed package "
    "`focused/models` in `$XDG_DATA_HOME` (`~/.local/share`). A name that it lacks is looked for among the "
    "topics that ship with the package; an egg has none.", set_by=SERVER)
RUNS_DIR = Setting("FOCUSED_RUNS_DIR", "runs", "Folder of run directories.", set_by=SERVER)
WEBS_DIR = Setting(
    "FOCUSED_WEBS_DIR", "",
    "The only folder from which Scrapyd's clients may name WARC files and files of seeds.", set_by=SERVER)
CACHE_DIR = Setting(
    "FOCUSED_CACHE_DIR", "",
    "Folder for indexes of WARC files whose own folder cannot be written; by default `$XDG_CACHE_HOME/focused` "
    "or `~/.cache/focused`. The environment variable also says where "
    "the unpacked language model is kept (67 MB).", set_by=SERVER)

FOLDERS = (MODELS_DIR, RUNS_DIR, WEBS_DIR, CACHE_DIR)
