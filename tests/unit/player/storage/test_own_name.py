"""The name in the data folder: the newest one that was given, and the login name before."""

import argparse
from random import Random

import pytest

from player.cli.arguments import NOBODY, held_data, name_of
from player.storage.own_name import FILE, read_name, store_name


def named(data, name=None, bot=None):
    return argparse.Namespace(name=name, bot=bot, data=data)


@pytest.fixture(autouse=True)
def login(monkeypatch):
    """The system's login name comes from the environment."""
    monkeypatch.setenv("LOGNAME", "ann.login")


def test_name_is_kept_for_later_commands(tmp_path):
    assert name_of(named(tmp_path), Random(1)) == "ann.login"
    with held_data(named(tmp_path, " Cleo ")):
        pass
    assert name_of(named(tmp_path), Random(1)) == "Cleo"
    assert name_of(named(tmp_path, "Dan"), Random(1)) == "Dan"


def test_name_of_a_bot_is_not_kept(tmp_path):
    with held_data(named(tmp_path, "Botty", "greedy")):
        pass
    assert read_name(tmp_path) is None


def test_unfit_name_is_not_kept(tmp_path):
    with held_data(named(tmp_path, "a:b")):
        pass
    assert read_name(tmp_path) is None


def test_damaged_name_file_counts_for_nothing(tmp_path):
    store_name(tmp_path, "Cleo")
    (tmp_path / FILE).write_bytes(b"\xff\xfe")
    assert read_name(tmp_path) is None
    (tmp_path / FILE).write_bytes(b"\xef\xbb\xbfJose\xcc\x81\r\n")
    assert read_name(tmp_path) == "José"


def test_login_that_is_no_name_becomes_a_usual_one(tmp_path, monkeypatch):
    monkeypatch.setenv("LOGNAME", "nobody")
    assert name_of(named(tmp_path), Random(1)) == NOBODY


def test_folder_without_room_stops_no_match(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    store_name(tmp_path / "file" / "below", "Cleo")
