"""The packages of a wheel, of a source archive, and of an egg for Scrapyd. All else is in pyproject.toml."""

import shutil
import sys
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py


class BuildWithTopics(build_py):
    """Puts the topics of ``models`` into the package: an installed one has no folder beside it."""

    def run(self) -> None:
        """Build the package. An egg stays zipped, and topics are read from folders: it gets none."""
        super().run()
        if not self.editable_mode and {"bdist_egg", "bdist_uberegg"}.isdisjoint(sys.argv):
            topics = Path(self.build_lib) / "focused" / "models"
            shutil.copytree("models", topics, ignore=shutil.ignore_patterns("previous"), dirs_exist_ok=True)


setup(
    packages=find_packages(include=["focused", "focused.*"]),
    include_package_data=False,  # else setuptools warns of each folder of files that is no package
    package_data={
        "focused": ["py.typed"],
        "focused.dashboard": ["templates/*.html", "static/*", "static/vendor/*"],
        "focused.method.topic": ["preset_files/*.toml"],
        "focused.method.text": ["*.npz"],
    },  # the general background
    cmdclass={"build_py": BuildWithTopics},
)
