"""The file of the person's settings: strict, bounded, and forgotten if it is broken."""

import json

import pytest

from player.storage.settings import FILE, SETTINGS, read_settings, store_settings
from protocol.limits import MAX_SETTINGS


def test_settings_are_kept_one_by_one(tmp_path):
    assert read_settings(tmp_path) == {}
    store_settings(tmp_path, {"theme": "dark"})
    store_settings(tmp_path, {"text": 150})
    assert read_settings(tmp_path) == {"theme": "dark", "text": 150}


def test_all_settings_together_fit(tmp_path):
    store_settings(tmp_path, {name: values[-1] for name, values in SETTINGS.items()})
    assert read_settings(tmp_path).keys() == SETTINGS.keys()


@pytest.mark.parametrize(
    "broken",
    [
        b"",
        b"nonsense",
        b"[]",
        b"[" * 900,
        b'{"theme": "pink"}',
        b'{"theme": ["dark"]}',
        b'{"text": true}',
        b'{"text": 100.0}',
        b'{"text": 101}',
        b'{"theme": "dark", "more": 1}',
        b"\xff",
        json.dumps({"theme": "dark"}).encode() + b" " * MAX_SETTINGS,
    ],
)
def test_broken_file_means_usual_settings(tmp_path, broken):
    (tmp_path / FILE).write_bytes(broken)
    assert read_settings(tmp_path) == {}
    store_settings(tmp_path, {"theme": "light"})
    assert read_settings(tmp_path) == {"theme": "light"}
