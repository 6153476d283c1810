"""The HTML files of Debian packages of documentation: as installed, or unpacked from .deb files in a folder."""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from common import say

if TYPE_CHECKING:
    from collections.abc import Iterable


class Packages:
    """Finds the files of packages. A .deb file is preferred to an installed package.

    Parameters
    ----------
    debs : Path or None
        Folder of .deb files, as ``apt-get download`` leaves them.
    unpacked : Path
        Where they are unpacked to, once.
    """

    def __init__(self, debs: Path | None, unpacked: Path) -> None:
        self._debs = debs
        self._unpacked = unpacked
        self.versions: dict[str, str] = {}
        self._tops: dict[str, Path] = {}
        self._installed: dict[str, frozenset[Path]] = {}

    def find(self, names: Iterable[str]) -> None:
        """Find all of these packages and note their versions; exit with a list of the missing ones."""
        missing = [name for name in sorted(set(names)) if not (self._find_deb(name) or self._find_installed(name))]
        if missing:
            named = " ".join(missing)
            folder = self._debs or "debs"
            sys.exit(
                f"Packages of documentation must be here with their HTML files. Missing: {named}.\n"
                f"Install them as root (Debian 12; containers often leave out /usr/share/doc):\n"
                f"  apt-get install --no-install-recommends {named}\n"
                f"or download them, which anybody may, and name their folder with --debs {folder}:\n"
                f"  (mkdir -p {folder} && cd {folder} && apt-get download {named})"
            )

    def html(self, name: str, folder: str) -> dict[str, Path]:
        """Return the HTML files of a package below one of its folders by their paths from there, in order."""
        top = self._tops[name] / folder
        own = self._installed.get(name)
        files = {
            path.relative_to(top).as_posix(): path
            for path in sorted(top.rglob("*.html"))
            if path.is_file() and (own is None or path in own)
        }
        if not files:
            sys.exit(
                f"{name} {self.versions[name]} must have HTML files below /{folder}. It has none: another version?"
            )
        return files

    def _find_deb(self, name: str) -> bool:
        found = sorted(self._debs.glob(f"{name}_*.deb")) if self._debs else []
        if not found:
            return False
        if len(found) > 1:
            sys.exit(f"{self._debs} must hold one version of {name}. It holds {', '.join(f.name for f in found)}.")
        folder = self._unpacked / found[0].stem
        if not folder.is_dir():
            say(f"Unpacking {found[0].name} ...")
            part = folder.with_name(f"{folder.name}.part")
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir(parents=True)
            done = subprocess.run(["dpkg-deb", "-x", found[0], part], capture_output=True, text=True, check=False)
            if done.returncode:
                sys.exit(f"{found[0]} cannot be unpacked: {done.stderr.strip()}\nDownload it again.")
            part.replace(folder)
        self.versions[name] = _output("dpkg-deb", "-f", str(found[0]), "Version").strip()
        self._tops[name] = folder
        return True

    def _find_installed(self, name: str) -> bool:
        # Only files that dpkg lists belong to the package.
        listed = frozenset(Path(line) for line in _output("dpkg-query", "-L", name).splitlines())
        if not any(path.suffix == ".html" and path.is_file() for path in listed):
            return False
        self.versions[name] = _output("dpkg-query", "-W", "-f=${Version}", name)
        self._tops[name] = Path("/")
        self._installed[name] = listed
        return True


@cache
def _output(*command: str) -> str:
    """Return the output of a program of dpkg; nothing if it fails or is missing."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except FileNotFoundError:
        return ""
