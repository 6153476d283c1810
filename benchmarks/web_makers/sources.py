"""Where the texts come from: apt's lists and packages, and the folder of corpora."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from common import say

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    # A paragraph of a control file: its fields by name.
    Paragraph = dict[str, str]

_CATALOGUE = "Acquire::IndexTargets::deb::DEP-11"


class Sources:
    """Fetches what makers ask for, once, into a folder.

    Parameters
    ----------
    data : Path
        Folder of the corpora.
    work : Path
        Folder for what is fetched: apt's lists (nothing of the system's own is touched) and packages.
    """

    def __init__(self, data: Path, work: Path) -> None:
        self._data = data
        self._lists = work / "lists"
        self._work = work
        self.versions: dict[str, str] = {}

    def corpus(self, name: str) -> Path:
        """Return an archive of the folder of corpora; exit if it is not there."""
        path = self._data / name
        if not path.is_file():
            sys.exit(f"{name} must be in the folder that --data names (or FOCUSED_DATA_DIR). {self._data} has none.")
        self.versions[name] = f"of {path.stat().st_size} bytes"
        return path

    def update(self, languages: Sequence[str]) -> None:
        """Fetch the lists of packages, their descriptions in these languages, and the catalogue of applications."""
        for folder in (self._lists / "partial", self._work / "cache"):
            folder.mkdir(parents=True, exist_ok=True)
        if all(self._files(f"Translation-{language}") for language in languages) and self._files("Components-*"):
            return
        say("Fetching apt's lists ...")
        options = {
            "Acquire::Languages": ",".join(languages),
            "Acquire::GzipIndexes": "false",
            f"{_CATALOGUE}::MetaKey": "$(COMPONENT)/dep11/Components-$(NATIVE_ARCHITECTURE).yml",
            f"{_CATALOGUE}::ShortDescription": "Components",
            f"{_CATALOGUE}::Description": "DEP-11",
            f"{_CATALOGUE}::KeepCompressed": "false",
            f"{_CATALOGUE}::DefaultEnabled": "true",
        }
        self._apt("update", *(part for key, value in options.items() for part in ("-o", f"{key}={value}")))

    def packages(self) -> list[Paragraph]:
        """Return the packages of the distribution, in apt's order; of several versions the first."""
        found: dict[str, Paragraph] = {}
        for file in self._files("Packages"):
            for paragraph in read_paragraphs(file.read_text(encoding="utf-8")):
                found.setdefault(paragraph["Package"], paragraph)
        self._note_release()
        return list(found.values())

    def descriptions(self, language: str) -> dict[str, tuple[str, str]]:
        """Return summary and long text of each package that has them in a language."""
        found: dict[str, tuple[str, str]] = {}
        for file in self._files(f"Translation-{language}"):
            for paragraph in read_paragraphs(file.read_text(encoding="utf-8")):
                text = paragraph.get(f"Description-{language}", "")
                summary, _, rest = text.partition("\n")
                found.setdefault(paragraph["Package"], (summary.strip(), _long(rest)))
        return found

    def applications(self) -> list[dict[str, Any]]:
        """Return the components of the catalogue of applications."""
        try:
            import yaml
        except ImportError:
            sys.exit("The catalogue of applications is YAML: python -m pip install pyyaml")
        self._note_release()
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        text = "".join(file.read_text(encoding="utf-8") for file in self._files("Components-*"))
        return [part for part in yaml.load_all(text, loader) if part and "Type" in part]

    def unpacked(self, name: str) -> Path:
        """Download a package and unpack it; return the folder."""
        folder = self._work / "unpacked" / name
        debs = self._work / "debs"
        debs.mkdir(parents=True, exist_ok=True)
        if not list(debs.glob(f"{name}_*.deb")):
            say(f"Downloading {name} ...")
            self._apt("download", name, own_lists=False)
        deb = min(debs.glob(f"{name}_*.deb"))
        self.versions[name] = deb.name.split("_")[1]
        if not folder.is_dir():
            part = folder.with_name(f"{name}.part")
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir(parents=True)
            subprocess.run(["dpkg-deb", "-x", deb, part], check=True)
            part.replace(folder)
        return folder

    def _files(self, ending: str) -> list[Path]:
        # Security updates come last: their descriptions are the same.
        found = sorted(self._lists.glob(f"*_{ending}.yml" if "*" in ending else f"*_{ending}"))
        return sorted(found, key=lambda file: ("-security" in file.name, "-updates" in file.name, file.name))

    def _note_release(self) -> None:
        for file in sorted(self._lists.glob("*_InRelease")):
            fields = dict(re.findall(r"^(Codename|Date): (.*)$", file.read_text(errors="replace"), re.M))
            self.versions[f"lists of {fields.get('Codename', file.name)}"] = fields.get("Date", "?")

    def _apt(self, *arguments: str, own_lists: bool = True) -> None:
        if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
            sys.exit(
                "This web is made of Debian's packages. It needs apt-get and dpkg-deb: run it on Debian or Ubuntu."
            )
        options = ["-o", "APT::Sandbox::User=root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        if own_lists:
            options += ["-o", f"Dir::State::lists={self._lists}", "-o", f"Dir::Cache={self._work / 'cache'}"]
        done = subprocess.run(
            ["apt-get", "-q", *options, *arguments], cwd=self._work / ("" if own_lists else "debs"),
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            sys.exit(
                f"apt-get {arguments[0]} failed:\n{done.stderr.strip()[-2000:]}\nIs there a network, and a mirror?"
            )


def read_paragraphs(text: str) -> list[Paragraph]:
    """Read a control file; lines that continue a field are kept with their line breaks."""
    found = []
    for part in text.split("\n\n"):
        fields: Paragraph = {}
        key = ""
        for line in part.split("\n"):
            if line[:1] in (" ", "\t"):
                fields[key] += f"\n{line}"
            elif line:
                key, _, value = line.partition(": ")
                key = key.rstrip(":")
                fields[key] = value.rstrip(":") if value == ":" else value
        if fields:
            found.append(fields)
    return found


def tags_of(paragraph: Paragraph) -> set[str]:
    """Return the tags that people gave a package (debtags)."""
    return set(re.split(r"[,\s]+", paragraph.get("Tag", ""))) - {""}


def _long(text: str) -> str:
    lines = [line[1:] if line.startswith(" ") else line for line in text.split("\n")]
    return "\n".join("" if line.strip() == "." else line for line in lines).strip()
