"""The model that detects languages lies on disk, and says what py3langid says."""

import functools
import tempfile

import numpy as np
import py3langid
import py3langid.modelio
import pytest

from focused.method.text.language_model import identifier, keep_tables, on_disk, read_tables

TEXTS = [
    "Die Sterne der Galaxie bewegen sich",
    "Les étoiles de la galaxie",
    "星系中的恒星",
    "",
    "%%%",
    "Звёзды галактики",
]


@pytest.fixture(scope="module")
def unpack():
    """Unpack the model for the first time; give the same again from then on, which takes no time."""
    return functools.cache(py3langid.modelio.load_model)


@pytest.fixture
def cache(monkeypatch, tmp_path, unpack):
    """Give an empty cache, and forget the identifier before and after."""
    monkeypatch.setattr(py3langid.modelio, "load_model", unpack)
    monkeypatch.delenv("FOCUSED_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    identifier.cache_clear()
    yield tmp_path / "focused"
    identifier.cache_clear()


def unpacked(monkeypatch) -> list[str]:
    """Return a list that grows when the model is unpacked."""
    found, load = [], py3langid.modelio.load_model
    monkeypatch.setattr(py3langid.modelio, "load_model", lambda path: found.append(path) or load(path))
    return found


def again():
    identifier.cache_clear()
    return identifier()


def test_the_model_is_unpacked_once_and_kept(cache, monkeypatch):
    times = unpacked(monkeypatch)
    first = [identifier().rank(text) for text in TEXTS]
    assert [again().rank(text) for text in TEXTS] == first
    assert len(times) == 1
    assert [path.name.split("-")[0] for path in cache.iterdir()] == ["py3langid"]  # nothing half-done beside it


@pytest.mark.parametrize("damage", ["cut", "gone", "no table"])
def test_what_is_kept_and_cannot_be_read_is_made_anew(cache, monkeypatch, damage):
    first = identifier().rank(TEXTS[0])
    [path] = cache.glob("*/nb_ptc.npy")
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:5000] if damage == "cut" else b"?" * 5000)
    times = unpacked(monkeypatch)
    assert again().rank(TEXTS[0]) == again().rank(TEXTS[0]) == first
    assert len(times) == 1


def test_tables_that_others_could_have_written_are_not_read(tmp_path):
    folder = tmp_path / "kept"
    tables = dict.fromkeys(("nb_ptc", "nb_pc", "nb_classes", "tk_nextmove", "tk_row", "tk_output"), np.arange(3))
    keep_tables(folder, tables)
    assert read_tables(folder) is not None
    folder.chmod(0o777)
    assert read_tables(folder) is None


def test_without_a_cache_that_can_be_written_languages_are_told_all_the_same(cache, monkeypatch):
    cache.write_text("a file stands where the folder should be")
    times = unpacked(monkeypatch)
    assert again().classify(TEXTS[0]) == again().classify(TEXTS[0])
    assert len(times) == 2


def test_a_table_on_disk_has_the_same_numbers_and_cannot_be_changed():
    table = np.arange(30_000, dtype=np.uint16).reshape(-1, 3)
    mapped = on_disk(table)
    assert mapped.dtype == table.dtype
    assert np.array_equal(mapped, table)
    assert not mapped.flags.writeable


def test_languages_are_those_of_py3langid_in_memory():
    assert [identifier().classify(text) for text in TEXTS] == [py3langid.classify(text) for text in TEXTS]
    assert identifier().rank(TEXTS[0]) == py3langid.rank(TEXTS[0])


def test_where_there_is_no_room_on_disk_the_table_stays_in_memory(monkeypatch):
    def full(**_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    table = np.arange(3)
    assert on_disk(table) is table
