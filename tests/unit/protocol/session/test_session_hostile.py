"""Attacks on a session by somebody on the wire, or by its peer."""

import json
import random
from pathlib import Path

import pytest

from protocol import wire
from protocol.codes import Code
from protocol.crypto.primitives.x25519 import public_key
from protocol.errors import LocalError, RemoteError
from protocol.identity.keys import Identity
from protocol.limits import MAX_FRAME, MAX_HANDSHAKE_FRAME
from protocol.session.noise import Handshake
from protocol.session.session import PROLOGUE, MessageReceived, Role
from tests.unit.protocol.session.session_links import ALICE, MALLORY, TABLE, Link, player, table

VECTORS = Path(__file__).parents[3] / "vectors"
X25519 = json.loads((VECTORS / "wycheproof_x25519.json").read_text())["testGroups"][0]["tests"]
LOW_ORDER = sorted({test["public"] for test in X25519 if not any(bytes.fromhex(test["shared"]))})
WEAK = [b"\1" + bytes(31), bytes(32), (2**255 - 20).to_bytes(32, "little"), b"\xff" * 32]


def fails(session, data, *codes):
    """Check that the session ends with one of these codes, delivers no event, and stays ended."""
    events = []
    with pytest.raises(RemoteError) as caught:
        for event in session.receive(data):
            events.append(event)
    assert caught.value.code in codes
    assert events == []
    assert session.over
    assert not session.writable
    assert session.eof() is None
    assert list(session.receive(data)) == []
    return True


def fails_unestablished(session, data, *codes):
    assert fails(session, data, *codes or (Code.BAD_HANDSHAKE,))
    assert session.close(Code.BAD_HANDSHAKE) == b""
    with pytest.raises(LocalError):
        session.send(b"x")
    return True


def flipped(data, at):
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


# --- the handshake, by somebody on the wire ---


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2])
def test_encrypted_handshake_with_changed_byte_is_refused(number):
    message = Link().until(number)
    for at in range(4, len(message)):
        link = Link()
        link.until(number)
        assert fails_unestablished(link.reader(number), flipped(message, at))


def test_first_message_with_changed_byte_is_refused():
    first = Link().until(0)
    for at in range(4, len(first)):
        link = Link()
        link.until(0)
        assert list(link.table.receive(flipped(first, at))) == []
        assert fails_unestablished(link.player, link.table.take_handshake_bytes())


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 1, 2])
def test_handshake_message_of_wrong_length_is_refused(number):
    payload = Link().until(number)[4:]
    for changed in [payload[:size] for size in range(1, len(payload))] + [
        payload + b"x",
        payload + payload,
    ]:
        link = Link()
        link.until(number)
        assert fails_unestablished(link.reader(number), wire.encode_frame(changed))


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 1, 2])
def test_cut_handshake_messages_deliver_nothing(number):
    message = Link().until(number)
    for size in range(len(message)):
        link = Link()
        link.until(number)
        assert list(link.reader(number).receive(message[:size])) == []
        assert link.reader(number).take_handshake_bytes() == b""
        assert link.reader(number).eof() is Code.CUT_OFF


def states(name):
    """Return one side in each of its states, created afresh: not begun, first message sent,
    established.
    """
    fresh, begun, established = Link(), Link(), Link().establish()
    begun.until(0 if name == "player" else 1)
    for state, link in {"fresh": fresh, "begun": begun, "established": established}.items():
        yield state, getattr(link, name)


# (side, seed, message) -> the states in which the message is not refused at once.
TAKEN = {
    ("player", 1, 1): ["begun"],
    ("table", 1, 0): ["fresh"],
    ("table", 1, 2): ["begun"],
    ("table", 1, 3): ["established"],
    ("table", 2, 0): ["fresh"],  # nothing distinguishes first messages; the third must fit
}


@pytest.mark.parametrize("name", ["player", "table"])
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_message_in_wrong_state_is_refused(name, seed, number):
    """Seed 1: messages repeated, reordered or reflected within the session; seed 2: spliced from
    another session.
    """
    other = Link(seed).establish()
    message = [*other.messages, other.player.send(b"x")][number]
    taken = []
    for state, session in states(name):
        was_writable = session.writable
        try:
            events = list(session.receive(message))
        except RemoteError as error:
            assert error.code in (Code.BAD_HANDSHAKE, Code.BAD_RECORD)
        except LocalError:
            assert (name, state) == ("player", "fresh")  # the session was not started
        else:
            taken.append(state)
            # Only the right message in its place has an effect. (Both sessions of seed 1 are the
            # same.)
            if events or session.writable is not was_writable:
                assert seed == 1
    assert taken == TAKEN.get((name, seed, number), [])


def test_repeated_record_is_refused():
    link = Link().establish()
    record = link.player.send(b"x")
    assert list(link.table.receive(record)) == [MessageReceived(b"x")]
    assert fails(link.table, record, Code.BAD_RECORD)


def test_replayed_first_message_admits_nobody():
    old = Link(1).establish()
    rng = random.Random(99)
    fresh = table(rng)
    assert list(fresh.receive(old.messages[0])) == []
    assert fails_unestablished(fresh, old.messages[2])


def test_replayed_answer_is_refused():
    old = Link(1).establish()
    link = Link(2)
    link.until(0)
    assert fails_unestablished(link.player, old.messages[1])


def test_reflected_messages_are_refused():
    link = Link()
    first = link.until(0)
    assert fails_unestablished(link.player, first)
    link = Link()
    second = link.until(1)
    assert fails_unestablished(link.table, second)
    link = Link().establish()
    assert fails(link.player, link.player.send(b"x"), Code.BAD_RECORD)


@pytest.mark.parametrize(
    "data", [b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc", bytes(4)]
)
def test_bytes_of_other_protocols_are_refused(data):
    for _, session in states("table"):
        assert fails(session, data, Code.FRAME_SIZE, Code.BAD_RECORD)


def test_frame_sizes_are_bounded_before_and_after_authentication():
    for size in (0, MAX_HANDSHAKE_FRAME + 1, MAX_FRAME, 2**31, 2**32 - 1):
        assert fails_unestablished(
            table(random.Random(1)), size.to_bytes(4, "big"), Code.FRAME_SIZE
        )
    link = Link()
    link.until(1)
    assert fails_unestablished(
        link.player, (MAX_HANDSHAKE_FRAME + 1).to_bytes(4, "big"), Code.FRAME_SIZE
    )
    for size in (0, MAX_FRAME + 1, 2**31, 2**32 - 1):
        assert fails(Link().establish().table, size.to_bytes(4, "big"), Code.FRAME_SIZE)


@pytest.mark.parametrize("point", LOW_ORDER)
def test_low_order_points_are_refused(point):
    assert fails_unestablished(table(random.Random(1)), wire.encode_frame(bytes.fromhex(point)))
    link = Link()
    link.until(0)
    assert fails_unestablished(link.player, wire.encode_frame(bytes.fromhex(point) + bytes(165)))


def test_low_order_point_list_is_right():
    assert len(LOW_ORDER) >= 7


def test_low_order_static_key_is_refused():
    """The attacker follows Noise, but its static key gives zero with any other key."""
    for point in LOW_ORDER:
        rogue = RogueTable()
        assert fails_unestablished(
            rogue.player, rogue.answer_with_zero_static(bytes.fromhex(point))
        )


# --- the handshake, with a peer that follows Noise but lies about its identity ---


def credential(identity, role, static_public, handshake_hash):
    return wire.encode([identity.public, identity.sign(role.value, static_public, handshake_hash)])


class RogueTable:
    """A player, and a table whose Noise state the test controls."""

    def __init__(self, seed=1, expected=None):
        rng = random.Random(seed)
        self.player = player(rng, expected=expected)
        self.static = rng.randbytes(32)
        self.public = public_key(self.static)
        self.noise = Handshake(initiator=False, prologue=PROLOGUE, static=self.static, rng=rng)
        self.noise.read(self.player.start()[4:])

    @property
    def hash(self):
        return self.noise.hash

    def answer(self, payload):
        return wire.encode_frame(self.noise.write(payload))

    def answer_with_zero_static(self, point):
        """Answer with message 2 and this static key: everything is right except the zero shared
        secret.
        """
        payload = credential(MALLORY, Role.TABLE, point, self.hash)
        parts = [self.noise._write_token(token) for token in self.noise._next_line(mine=True)[:2]]
        parts.append(self.noise._symmetric.encrypt_and_hash(point))
        self.noise._symmetric.mix_key(bytes(32))
        return wire.encode_frame(b"".join(parts) + self.noise._symmetric.encrypt_and_hash(payload))


class RoguePlayer:
    """A table, and a player whose Noise state the test controls."""

    def __init__(self, seed=1):
        rng = random.Random(seed)
        self.table = table(rng)
        self.static = rng.randbytes(32)
        self.public = public_key(self.static)
        self.noise = Handshake(initiator=True, prologue=PROLOGUE, static=self.static, rng=rng)
        assert list(self.table.receive(wire.encode_frame(self.noise.write()))) == []
        self.hash_before_answer = self.noise.hash
        self.credential_seen = self.noise.read(self.table.take_handshake_bytes()[4:])

    @property
    def hash(self):
        return self.noise.hash

    def answer(self, payload):
        return wire.encode_frame(self.noise.write(payload))


def test_rogue_peers_with_true_credentials_are_accepted():
    rogue = RogueTable()
    (event,) = rogue.player.receive(
        rogue.answer(credential(MALLORY, Role.TABLE, rogue.public, rogue.hash))
    )
    assert event.peer == MALLORY.public
    rogue = RoguePlayer()
    (event,) = rogue.table.receive(
        rogue.answer(credential(MALLORY, Role.PLAYER, rogue.public, rogue.hash))
    )
    assert event.peer == MALLORY.public


def lies(rogue, identity, role):
    """Return credentials that do not belong to this session, by kind of defect."""
    good = credential(identity, role, rogue.public, rogue.hash)
    peer, signature = wire.decode(good)
    return {
        "another session": credential(identity, role, rogue.public, bytes(64)),
        "another static key": credential(identity, role, public_key(b"z" * 32), rogue.hash),
        "the other role": credential(identity, role.other, rogue.public, rogue.hash),
        "another identity's signature": wire.encode([MALLORY.public, signature]),
        "another label": wire.encode([peer, identity.sign("entry", rogue.public, rogue.hash)]),
        **{f"weak key {key.hex()}": wire.encode([key, signature]) for key in WEAK},
        **{
            f"weak key, signature for all {key.hex()}": wire.encode([key, b"\1" + bytes(63)])
            for key in WEAK
        },
        **{f"flipped {at}": flipped(good, at) for at in (4, 20, len(good) - 1)},
    }


def malformed(rogue, identity, role):
    peer, signature = wire.decode(credential(identity, role, rogue.public, rogue.hash))
    return {
        "empty": b"",
        "garbage": b"garbage",
        "nil": wire.encode(None),
        "no signature": wire.encode([peer]),
        "one too many": wire.encode([peer, signature, b""]),
        "short key": wire.encode([peer[:31], signature]),
        "short signature": wire.encode([peer, signature[:63]]),
        "text": wire.encode(["x" * 32, signature]),
        "trailing byte": wire.encode([peer, signature]) + b"\0",
        "long form": b"\xdc\0\2" + wire.encode([peer, signature])[1:],
        "nested": b"\x91" * 200,
    }


@pytest.mark.parametrize("case", lies(RogueTable(), TABLE, Role.TABLE))
def test_table_lying_about_its_identity_is_refused(case):
    rogue = RogueTable()
    lie = lies(rogue, TABLE, Role.TABLE)[case]
    assert fails_unestablished(rogue.player, rogue.answer(lie), Code.BAD_IDENTITY)
    assert rogue.player.take_handshake_bytes() == b""


@pytest.mark.parametrize("case", lies(RoguePlayer(), ALICE, Role.PLAYER))
def test_player_lying_about_its_identity_is_refused(case):
    rogue = RoguePlayer()
    lie = lies(rogue, ALICE, Role.PLAYER)[case]
    assert fails_unestablished(rogue.table, rogue.answer(lie), Code.BAD_IDENTITY)


@pytest.mark.parametrize("case", malformed(RogueTable(), TABLE, Role.TABLE))
def test_malformed_credentials_are_refused(case):
    rogue = RogueTable()
    assert fails_unestablished(
        rogue.player, rogue.answer(malformed(rogue, TABLE, Role.TABLE)[case])
    )
    rogue = RoguePlayer()
    assert fails_unestablished(
        rogue.table, rogue.answer(malformed(rogue, ALICE, Role.PLAYER)[case])
    )


def test_first_message_with_payload_is_refused():
    rng = random.Random(1)
    noise = Handshake(initiator=True, prologue=PROLOGUE, static=rng.randbytes(32), rng=rng)
    assert fails_unestablished(table(rng), wire.encode_frame(noise.write(b"x")))


def test_another_prologue_version_is_refused():
    rng = random.Random(1)
    session = player(rng)
    noise = Handshake(initiator=False, prologue=b"fairdeal/2", static=rng.randbytes(32), rng=rng)
    noise.read(session.start()[4:])
    assert fails_unestablished(session, wire.encode_frame(noise.write(b"")))


def test_relaying_table_cannot_pass_on_credential():
    """The relay talks to the real table as a player, and passes the table's answers to our
    player.
    """
    behind = RoguePlayer(seed=5)
    front = RogueTable(seed=6)
    assert fails_unestablished(
        front.player, front.answer(behind.credential_seen), Code.BAD_IDENTITY
    )


def test_credential_of_the_table_is_refused_from_player():
    rogue = RoguePlayer()
    assert fails_unestablished(rogue.table, rogue.answer(rogue.credential_seen), Code.BAD_IDENTITY)


def test_stolen_player_identity_cannot_impersonate_a_table():
    """Key-compromise impersonation: Alice's seed lets an attacker act as Alice, but not as another
    towards Alice.
    """
    rogue = RogueTable()
    stolen = Identity(b"a" * 32)
    signature = stolen.sign(Role.TABLE.value, rogue.public, rogue.hash)
    lie = wire.encode([TABLE.public, signature])
    assert fails_unestablished(rogue.player, rogue.answer(lie), Code.BAD_IDENTITY)


def test_no_record_is_delivered_before_authentication():
    """A record follows the lie in the same segment, under keys that both sides have."""
    rogue = RoguePlayer()
    third = rogue.answer(lies(rogue, ALICE, Role.PLAYER)["another session"])
    sender, _ = rogue.noise.split()
    assert fails_unestablished(
        rogue.table, third + wire.encode_frame(sender.encrypt(b"\0hello")), Code.BAD_IDENTITY
    )


def test_record_replacing_last_handshake_message_is_refused():
    rogue = RoguePlayer()
    rogue.answer(credential(ALICE, Role.PLAYER, rogue.public, rogue.hash))
    sender, _ = rogue.noise.split()
    assert fails_unestablished(rogue.table, wire.encode_frame(sender.encrypt(b"\0hello")))


# --- records ---


def ended_by(session, data):
    assert fails(session, data, Code.BAD_RECORD)
    with pytest.raises(LocalError):
        session.send(b"x")
    return True


def test_record_forgery_of_any_byte_ends_session():
    for at in range(4, len(Link().establish().player.send(b"payload"))):
        link = Link().establish()
        record = link.player.send(b"payload")
        assert ended_by(link.table, flipped(record, at))
        assert list(link.table.receive(record)) == []  # not even the genuine record


def test_records_before_a_forgery_are_delivered():
    link = Link().establish()
    taken = []
    with pytest.raises(RemoteError) as caught:
        for event in link.table.receive(link.player.send(b"good") + wire.encode_frame(bytes(40))):
            taken.append(event)
    assert taken == [MessageReceived(b"good")]
    assert caught.value.code is Code.BAD_RECORD


def test_close_record_after_forgery_has_the_reason():
    link = Link().establish()
    assert ended_by(link.table, wire.encode_frame(b"x"))
    (event,) = link.player.receive(link.table.close(Code.BAD_RECORD))
    assert event.code is Code.BAD_RECORD


@pytest.mark.parametrize("order", [[0, 0], [1], [1, 0], [0, 2], [0, 1, 1], [0, 1, 0], [2]])
def test_replayed_reordered_or_dropped_records_end_session(order):
    link = Link().establish()
    records = [link.player.send(bytes([number])) for number in range(3)]
    with pytest.raises(RemoteError) as caught:
        for position, number in enumerate(order):
            assert list(link.table.receive(records[number])) == [MessageReceived(bytes([position]))]
    assert caught.value.code is Code.BAD_RECORD
    assert all(list(link.table.receive(record)) == [] for record in records)


def test_truncated_records_end_the_session():
    for size in range(1, 20):
        link = Link().establish()
        assert ended_by(link.table, wire.encode_frame(link.player.send(b"abc")[4 : 4 + size]))


def test_records_of_another_session_are_refused():
    one, two = Link(1).establish(), Link(2).establish()
    assert ended_by(two.table, one.player.send(b"x"))
    assert ended_by(two.player, one.table.send(b"x"))
    same_identities_again = Link(3).establish()
    assert ended_by(same_identities_again.table, one.player.send(b"x"))


@pytest.mark.parametrize(
    "plaintext", [b"", b"\2", b"\2x", b"\xff", b"\1no_such_code", b"\1\xff", b"\1BAD_RECORD"]
)
def test_unknown_records_are_refused(plaintext):
    link = Link().establish()
    assert ended_by(link.table, link.player._record(plaintext))


@pytest.mark.slow
def test_garbage_records_give_one_error():
    rng = random.Random(7)
    for _ in range(100):
        garbage = wire.encode_frame(rng.randbytes(rng.randrange(1, 300)))
        assert ended_by(Link().establish().table, garbage)
        link = Link()
        link.until(0)
        assert fails_unestablished(link.player, garbage)


def test_session_errors_reveal_no_cause():
    link = Link()
    second = link.until(1)
    with pytest.raises(RemoteError) as caught:
        list(link.player.receive(flipped(second, 60)))
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_expected_fingerprint_is_compared_completely():
    link = Link(expected="")
    with pytest.raises(RemoteError):
        list(link.player.receive(link.until(1)))
