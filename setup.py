"""The packages of a wheel, of a source archive, and of an egg for Scrapyd. All else is in pyproject.toml."""

import compileall
import shutil
import sys
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py


class BuildWithTopics(build_py):
    """Puts the topics of ``models`` into the package: an installed one has no folder beside it."""

    def run(self) -> None:
        """Build the package. An egg stays zipped, and topics are read from folders: it gets none.

        Python finds compiled modules in a zipped egg beside their sources alone; without them each job of Scrapyd compiles
        all that it imports, for a second.
        """
        super().run()
        if not {"bdist_egg", "bdist_uberegg"}.isdisjoint(sys.argv):
            compileall.compile_dir(self.build_lib, legacy=True, quiet=1)
            self.get_finalized_command("install_lib").compile = False  # that is for packages that are unpacked
        elif not self.editable_mode:
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
