"""What an egg for Scrapyd is built from: docs/deploy.md."""

import re
from pathlib import Path

from setuptools import find_packages, setup

setup(
    name="focused",
    version=re.search(r'^__version__ = "(.+)"', Path("focused/utils/version.py").read_text(), re.MULTILINE)[1],
    packages=find_packages(include=["focused", "focused.*"]),
    package_data={"focused.method.text": ["*.npz"]},  # the general background; models are no part of an egg
    python_requires=">=3.10",
    entry_points={"scrapy": ["settings = focused.settings"]},
    zip_safe=True,
)
