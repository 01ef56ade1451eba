"""Contacts are remembered by their keys, and a known name with an unknown key causes a warning."""

import pytest

from player.storage.contacts import FILE, introduce, listing, read_contacts, remember, with_oneself
from protocol.errors import LocalError
from protocol.identity.keys import Identity, fingerprint, short_fingerprint
from protocol.match.setup import Person
from tests.support.errors import raises_text

ANN, IMPOSTOR = (Person("Ann", Identity(seed * 32).public) for seed in (b"a", b"i"))
DAY = 1_700_000_000


def test_matches_are_counted_and_names_kept(tmp_path):
    remember(tmp_path, [ANN], "Club", DAY)
    remember(tmp_path, [ANN._replace(name="Annie")], "Pub", DAY + 9)
    (contact,) = read_contacts(tmp_path).values()
    assert contact.fingerprint == fingerprint(ANN.identity)
    assert (contact.names, contact.matches, contact.last, contact.table) == (
        ("Ann", "Annie"),
        2,
        DAY + 9,
        "Pub",
    )


def test_contacts_distinguish_known_and_new_people(tmp_path):
    assert introduce({}, ANN) == [introduce({}, ANN)[0]]
    assert "you have not played together before" in introduce({}, ANN)[0]
    remember(tmp_path, [ANN], "Club", DAY)
    (line,) = introduce(read_contacts(tmp_path), ANN._replace(name="Annie"))
    assert "together once" in line and "then called Ann" in line


def test_contact_watching_own_match_is_not_new():
    known = with_oneself({}, fingerprint(ANN.identity))
    assert introduce(known, ANN) == [f"Ann ({short_fingerprint(ANN.identity)}): your own seat."]
    assert (
        "you have not played together before" in introduce(known, IMPOSTOR._replace(name="Bob"))[0]
    )
    assert with_oneself({}, None) == {}


@pytest.mark.parametrize("name", ["Ann", "ann", "Аnn"])  # the last one with a Cyrillic capital
def test_known_name_with_another_key_causes_warning(tmp_path, name):
    remember(tmp_path, [ANN], "Club", DAY)
    lines = introduce(read_contacts(tmp_path), IMPOSTOR._replace(name=name))
    assert "you have not played together before" in lines[0]
    assert lines[1].startswith("WARNING")


def test_contact_listing_shows_whole_fingerprints(tmp_path):
    remember(tmp_path, [ANN], "Club", DAY)
    assert fingerprint(ANN.identity) in listing(read_contacts(tmp_path))
    assert "not played" in listing({})


@pytest.mark.parametrize("damage", [b'{"x": {}}', b'{"x": 1}', b"nonsense"])
def test_damaged_contacts_file_is_reported(tmp_path, damage):
    (tmp_path / FILE).write_bytes(damage)
    with raises_text(LocalError, match="move it away"):
        read_contacts(tmp_path)


def test_failed_write_leaves_contacts_unchanged(tmp_path, monkeypatch):
    remember(tmp_path, [ANN], "Club", DAY)
    before = (tmp_path / FILE).read_bytes()

    def fail(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    with raises_text(LocalError, match="No space"):
        remember(tmp_path, [IMPOSTOR], "Club", DAY)
    assert (tmp_path / FILE).read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == [FILE]
