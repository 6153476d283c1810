from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder with the recorded webs and corpora; they are never part of the repository."""
    folder = Path(os.environ.get("FOCUSED_DATA_DIR", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no data folder at {folder} (set FOCUSED_DATA_DIR)")
    return folder
