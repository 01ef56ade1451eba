"""Tables are remembered at first sight, and must keep their keys from then on."""

from dataclasses import replace

import pytest

from player.storage.known_tables import FILE, KnownTables
from protocol.errors import LocalError
from protocol.i18n import english_text
from protocol.identity.keys import Identity, JoinLink, fingerprint
from tests.support.errors import raises_text

ONE, OTHER = Identity(b"1" * 32).public, Identity(b"2" * 32).public
BARE = JoinLink("example.org", 7500)


def test_known_table_first_seen_is_trusted_and_then_fixed(tmp_path):
    assert KnownTables(tmp_path).expected(BARE) is None
    assert KnownTables(tmp_path).remember(BARE, ONE)
    assert KnownTables(tmp_path).expected(BARE) == fingerprint(ONE)
    assert not KnownTables(tmp_path).remember(BARE, ONE)


def test_known_table_at_another_port_is_another_table(tmp_path):
    KnownTables(tmp_path).remember(BARE, ONE)
    assert KnownTables(tmp_path).expected(JoinLink("example.org", 7501)) is None


def test_link_fingerprint_takes_precedence_and_is_remembered(tmp_path):
    known = KnownTables(tmp_path)
    known.remember(BARE, ONE)
    full = JoinLink("example.org", 7500, fingerprint(OTHER))
    assert known.expected(full) == fingerprint(OTHER)
    known.remember(full, OTHER)
    assert known.expected(BARE) == fingerprint(OTHER)
    assert known.resolved(BARE) == full


def test_known_table_refusal_explains_and_says_how_to_accept(tmp_path):
    known = KnownTables(tmp_path)
    known.remember(BARE, ONE)
    said = english_text(known.refusal(BARE).phrase)
    assert (
        fingerprint(ONE) in said and "between you" in said and "with that link, you accept" in said
    )
    refusal = known.refusal(JoinLink("example.org", 7500, fingerprint(OTHER)))
    assert "Copy the link again" in english_text(refusal.phrase)


@pytest.mark.parametrize(
    "link",
    [
        BARE,
        JoinLink("::1", 7500),
        JoinLink("example.org", 443, web_scheme="wss"),
        JoinLink("127.0.0.1", 8080, web_scheme="ws", path="/a/b"),
    ],
    ids=str,
)
def test_links_of_visited_tables_have_their_addresses_and_keys(tmp_path, link):
    KnownTables(tmp_path).remember(link, ONE)
    whole = replace(link, fingerprint=fingerprint(ONE))
    assert KnownTables(tmp_path).links() == [whole]


@pytest.mark.parametrize("damage", [b"{", b"[]", b"\xff"])
def test_damaged_known_tables_file_is_reported(tmp_path, damage):
    (tmp_path / FILE).write_bytes(damage)
    with raises_text(LocalError, match="move it away"):
        KnownTables(tmp_path).expected(BARE)
