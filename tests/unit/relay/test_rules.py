"""The rules of a relay, without sockets: parties are words."""

from random import Random

import pytest

from protocol import wire
from protocol.codes import Code
from protocol.identity.keys import Identity, fingerprint
from protocol.messages.relay import (
    LABEL,
    Challenge,
    Claim,
    Closed,
    Guest,
    Open,
    TurnAway,
    encode,
    signed_fields,
)
from relay.rules import End, Join, Refuse, RelayBounds, Say, State, Switchboard

URL = "wss://relay.example.org"
ANN, BOB = (Identity(bytes([number]) * 32) for number in (1, 2))
HOME, AWAY = "192.0.2.1", "198.51.100.7"


def switchboard(**bounds) -> Switchboard[str]:
    return Switchboard(frozenset({URL}), RelayBounds(**bounds), Random(1))


def said(message) -> bytes:
    (payload,) = wire.FrameDecoder(1_024).feed(encode(message))
    return payload


def challenged(board, party, address=HOME) -> bytes:
    (effect,) = board.add_table(party, address)
    assert isinstance(effect, Say) and isinstance(effect.message, Challenge)
    return effect.message.challenge


def claim(identity, challenge, relay=URL) -> Claim:
    signature = identity.sign(LABEL, *signed_fields(challenge, relay))
    return Claim(identity.public, relay, signature)


def opened(board, party, identity=ANN, address=HOME):
    challenge = challenged(board, party, address)
    return board.table_message(party, said(claim(identity, challenge)))


def guest(board, party, identity=ANN, address=AWAY) -> bytes:
    """Let a guest come; return its token."""
    effects = board.add_guest(party, fingerprint(identity.public), address)
    (told,) = [effect for effect in effects if isinstance(effect, Say)]
    assert isinstance(told.message, Guest) and told.message.address == address
    return told.message.token


def test_claim_opens_channel():
    board = switchboard()
    assert opened(board, "table") == [Say("table", Open())]
    assert board.state("table") is State.OPEN


def changed(values: Claim, **new) -> Claim:
    return Claim(**(vars(values) | new))


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        (lambda c: changed(claim(BOB, c), public=ANN.public), Code.BAD_SIGNATURE),
        (lambda c: claim(ANN, c[:-1] + b"x"), Code.BAD_SIGNATURE),
        (lambda c: changed(claim(ANN, c), public=bytes(32)), Code.BAD_IDENTITY),
        (lambda c: claim(ANN, c, "wss://another.example.org"), Code.WRONG_RELAY),
        (
            lambda c: changed(claim(ANN, c, "wss://another.example.org"), relay=URL),
            Code.BAD_SIGNATURE,
        ),
        (lambda c: Open(), Code.BAD_MESSAGE),
        (lambda c: TurnAway(bytes(16)), Code.BAD_MESSAGE),
    ],
)
def test_wrong_claim_is_refused_and_displaces_nobody(wrong, code):
    board = switchboard()
    opened(board, "table")
    challenge = challenged(board, "stranger")
    effects = board.table_message("stranger", said(wrong(challenge)))
    assert effects == [Say("stranger", Closed(code)), End("stranger")]
    assert board.state("stranger") is None and board.state("table") is State.OPEN
    guest(board, "ann")


def test_replayed_claim_is_refused():
    board = switchboard()
    answer = said(claim(ANN, challenged(board, "table")))
    board.table_message("table", answer)
    challenged(board, "copy")
    assert board.table_message("copy", answer)[0] == Say("copy", Closed(Code.BAD_SIGNATURE))
    # and a second time on its own line, where a claim has been made
    assert board.table_message("table", answer)[0] == Say("table", Closed(Code.BAD_MESSAGE))


def test_same_table_displaces_its_own_line_and_guests():
    board = switchboard()
    opened(board, "old")
    token = guest(board, "joined")
    board.add_line("line", token)
    guest(board, "waiting")
    assert opened(board, "new") == [
        Say("old", Closed(Code.TAKEN_OVER)),
        End("old"),
        End("joined"),
        End("line"),
        Refuse("waiting"),
        Say("new", Open()),
    ]
    assert board.channels == 1 and board.remove("old") == []


def test_guest_of_no_table_is_refused():
    board = switchboard()
    opened(board, "table", BOB)
    assert board.add_guest("guest", fingerprint(ANN.public), AWAY) == [Refuse("guest")]


def test_line_with_token_joins_its_guest_once():
    board = switchboard()
    opened(board, "table")
    token = guest(board, "guest")
    assert board.add_line("line", token) == [Join("guest", "line")]
    assert board.table_of("line") == fingerprint(ANN.public)
    assert board.add_line("thief", token) == [Refuse("thief")]


def test_token_of_another_tables_guest_turns_nobody_away():
    board = switchboard()
    opened(board, "ann's", ANN)
    opened(board, "bob's", BOB)
    token = guest(board, "guest")
    assert board.table_message("bob's", said(TurnAway(token))) == []
    assert board.table_message("ann's", said(TurnAway(token))) == [Refuse("guest")]
    assert board.add_line("line", token) == [Refuse("line")]


def test_end_of_one_end_is_the_end_of_the_other():
    board = switchboard()
    opened(board, "table")
    for number, (first, other) in enumerate((("guest", "line"), ("line", "guest"))):
        board.add_line("line", guest(board, "guest"))
        assert board.remove(first) == [End(other)], number
    assert board.remove("nobody") == []


def test_flood_of_one_address_pushes_out_its_own():
    board = switchboard(waiting=8, waiting_of_address=4)
    opened(board, "table")
    honest = guest(board, "honest")
    refused = []
    for number in range(100):
        effects = board.add_guest(f"flood {number}", fingerprint(ANN.public), "203.0.113.5")
        refused += [effect.party for effect in effects if isinstance(effect, Refuse)]
    assert len(refused) == 96 and "honest" not in refused
    assert board.add_line("line", honest) == [Join("honest", "line")]


def test_guests_of_one_address_and_of_one_table_are_bounded():
    board = switchboard(guests=5, guests_of_address=3)
    opened(board, "table")
    for number in range(3):
        board.add_line(f"line {number}", guest(board, f"guest {number}"))
    whose = fingerprint(ANN.public)
    assert board.add_guest("fourth", whose, AWAY) == [Refuse("fourth")]
    for number in range(3, 5):
        address = f"203.0.113.{number}"
        board.add_line(f"line {number}", guest(board, f"guest {number}", address=address))
    assert board.add_guest("sixth", whose, "203.0.113.9") == [Refuse("sixth")]
    board.remove("guest 0")
    guest(board, "sixth")


def test_channels_of_one_address_are_bounded():
    board = switchboard(channels=3, channels_of_address=1)
    opened(board, "first", ANN)
    assert opened(board, "second", BOB)[0] == Say("second", Closed(Code.TOO_MANY_HERE))
    opened(board, "third", BOB, AWAY)
    opened(board, "fourth", Identity(bytes([3]) * 32), "203.0.113.1")
    late = opened(board, "fifth", Identity(bytes([4]) * 32), "203.0.113.2")
    assert late[0] == Say("fifth", Closed(Code.TOO_MANY))
    # the same table comes again, though all is full
    assert opened(board, "again", ANN)[-1] == Say("again", Open())


def test_claim_without_a_place_displaces_nothing():
    board = switchboard(channels=3, channels_of_address=1)
    opened(board, "ann's", ANN)
    board.add_line("line", guest(board, "joined"))
    token = guest(board, "waiting")
    opened(board, "bob's", BOB, AWAY)
    # Ann's table comes from another address, at which there is no place
    assert opened(board, "moved", ANN, AWAY) == [
        Say("moved", Closed(Code.TOO_MANY_HERE)),
        End("moved"),
    ]
    assert board.state("moved") is None and board.state("ann's") is State.OPEN
    assert board.state("joined") is State.JOINED
    assert board.add_line("another", token) == [Join("waiting", "another")]
    # once there is one, it comes, and leaves its place at the old address
    board.remove("bob's")
    assert opened(board, "moved", ANN, AWAY)[-1] == Say("moved", Open())
    assert opened(board, "bob's", BOB, HOME) == [Say("bob's", Open())]


class CountedAddress(str):
    """Counts how often it is compared."""

    __slots__ = ()
    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        CountedAddress.compared += 1
        return str.__eq__(self, other)


def test_expected_lines_are_found_without_scanning_all_channels():
    board = switchboard()
    for number in range(300):
        identity = Identity(number.to_bytes(32, "big"))
        opened(board, f"table {number}", identity, CountedAddress(f"10.0.{number >> 3}.1"))
    guest(board, "first", Identity((8).to_bytes(32, "big")))
    guest(board, "second", Identity((9).to_bytes(32, "big")))
    CountedAddress.compared = 0
    assert board.expected_lines(CountedAddress("10.0.1.1")) == 2
    assert board.expected_lines(CountedAddress("10.0.2.1")) == 0
    assert CountedAddress.compared < 10
    board.remove("first")
    assert board.expected_lines("10.0.1.1") == 1
    board.remove("table 9")
    assert board.expected_lines("10.0.1.1") == 0


def test_addresses_of_one_organisation_count_as_one():
    board = switchboard(channels_of_address=2, guests_of_address=3, waiting_of_address=2)
    networks = [f"2001:db8:1:{number}::/64" for number in range(4)]
    opened(board, "first", ANN, networks[0])
    opened(board, "second", BOB, networks[1])
    late = opened(board, "third", Identity(bytes([3]) * 32), networks[2])
    assert late[0] == Say("third", Closed(Code.TOO_MANY_HERE))
    # guests, too; the table is told the address of each
    for number in range(2):
        guest(board, f"guest {number}", address=networks[number])
    assert board.expected_lines(networks[3]) == 2
    effects = board.add_guest("guest 2", fingerprint(ANN.public), networks[2])
    assert effects[0] == Refuse("guest 0")
    board.add_line("line", effects[1].message.token)
    guest(board, "guest 3", address=networks[3])
    assert board.add_guest("guest 4", fingerprint(ANN.public), networks[0]) == [Refuse("guest 4")]
    guest(board, "elsewhere", address="2001:db8:2::/64")


def test_everybody_gone_leaves_nothing():
    board = switchboard()
    opened(board, "table")
    board.add_line("line", guest(board, "joined"))
    guest(board, "waiting")
    assert set(board.remove("table")) == {End("joined"), End("line"), Refuse("waiting")}
    left = [board._tables, board._channels, board._guests, board._lines, board._tokens]
    assert not any(left) and not board._channels_of


@pytest.mark.parametrize(
    "payload",
    [b"", b"\xc0", b"\x90", wire.encode(["claim"]), wire.encode(["open", 1]), b"\x93\xff"],
)
def test_malformed_message_ends_the_line(payload):
    board = switchboard()
    challenged(board, "table")
    (told, ended) = board.table_message("table", payload)
    assert isinstance(told.message, Closed) and ended == End("table")
    assert board.table_message("table", payload) == []
