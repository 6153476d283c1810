"""The model that detects languages lies on disk, and says what py3langid says."""

import tempfile

import numpy as np

from focused.method.text.language_model import identifier, on_disk


def test_a_table_on_disk_has_the_same_numbers_and_cannot_be_changed():
    table = np.arange(30_000, dtype=np.uint16).reshape(-1, 3)
    mapped = on_disk(table)
    assert mapped.dtype == table.dtype
    assert np.array_equal(mapped, table)
    assert not mapped.flags.writeable


def test_languages_are_those_of_py3langid_in_memory():
    import py3langid

    texts = [
        "Die Sterne der Galaxie bewegen sich",
        "Les étoiles de la galaxie",
        "星系中的恒星",
        "",
        "%%%",
        "Звёзды галактики",
    ]
    assert [identifier().classify(text) for text in texts] == [py3langid.classify(text) for text in texts]
    assert identifier().rank(texts[0]) == py3langid.rank(texts[0])


def test_where_there_is_no_room_on_disk_the_table_stays_in_memory(monkeypatch):
    def full(**_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    table = np.arange(3)
    assert on_disk(table) is table
