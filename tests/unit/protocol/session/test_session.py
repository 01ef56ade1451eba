"""A session between two honest sides, and its ends."""

import gc
import random
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.limits import MAX_FRAME, MAX_HANDSHAKE_FRAME, MAX_MESSAGE
from protocol.session import noise
from protocol.session.session import (
    LINE_PROLOGUE,
    MessageReceived,
    PeerAuthenticated,
    SessionClosed,
)
from tests.unit.protocol.session.session_links import ALICE, TABLE, Link, player, table


def test_session_authenticates_both_sides():
    link = Link().establish()
    (seen_by_player,), (seen_by_table,) = link.events["player"], link.events["table"]
    assert isinstance(seen_by_player, PeerAuthenticated)
    assert (seen_by_player.peer, seen_by_table.peer) == (TABLE.public, ALICE.public)
    assert seen_by_player.binding == seen_by_table.binding
    assert len(seen_by_player.binding) == 64
    assert link.player.writable
    assert link.table.writable


def test_session_bindings_differ():
    bindings = {Link(seed).establish().events["table"][0].binding for seed in range(5)}
    assert len(bindings) == 5


def test_handshake_frames_are_within_their_limit():
    assert max(map(len, Link().establish().messages)) < MAX_HANDSHAKE_FRAME // 2


def test_handshake_hides_identities():
    said = b"".join(Link().establish().messages)
    assert ALICE.public not in said
    assert TABLE.public not in said


def test_established_session_keeps_no_handshake_key():
    """A later reader of the program's memory finds no key that opens messages under another key of
    the session.
    """
    link = Link().establish()
    kept, new = set(), [link.player, link.table]
    while new:
        kept |= {id(each) for each in new}
        new = [
            each
            for each in gc.get_referents(*new)
            if id(each) not in kept and not isinstance(each, type | ModuleType)
        ]
        assert not [
            each for each in new if isinstance(each, noise.Handshake | noise.SymmetricState)
        ]


def test_records_are_delivered_both_ways():
    link = Link().establish()
    for size in (0, 1, 1000, MAX_MESSAGE):
        payload = b"x" * size
        assert list(link.table.receive(link.player.send(payload))) == [MessageReceived(payload)]
        assert list(link.player.receive(link.table.send(payload))) == [MessageReceived(payload)]
    assert len(link.player.send(b"x" * MAX_MESSAGE)) == 4 + MAX_FRAME
    with pytest.raises(LocalError):
        link.player.send(b"x" * (MAX_MESSAGE + 1))


def test_session_works_byte_by_byte():
    link = Link()
    events = {link.player: [], link.table: []}
    wires = [(link.table, bytearray(link.player.start())), (link.player, bytearray())]
    sent = False
    while any(queue for _, queue in wires):
        for (receiver, queue), (_, back) in (wires, reversed(wires)):
            while queue:
                events[receiver] += receiver.receive(bytes([queue.pop(0)]))
                back += receiver.take_handshake_bytes()
        if link.player.writable and not sent:
            sent = True
            wires[0][1].extend(link.player.send(b"hello") + link.player.close())
    assert [type(event) for event in events[link.table]] == [
        PeerAuthenticated,
        MessageReceived,
        SessionClosed,
    ]
    assert [type(event) for event in events[link.player]] == [PeerAuthenticated]


def test_last_handshake_message_may_share_segment_with_record():
    link = Link()
    list(link.player.receive(link.until(1)))
    record = link.player.send(b"x" * 5000)  # it includes bytes that `outgoing` has not returned yet
    assert link.player.take_handshake_bytes() == b""
    events = list(link.table.receive(record))
    assert events[1:] == [MessageReceived(b"x" * 5000)]


@pytest.mark.slow
@settings(max_examples=20)
@given(st.lists(st.binary(max_size=50), max_size=8), st.data())
def test_session_works_for_any_stream_split(payloads, data):
    link = Link()
    list(link.player.receive(link.until(1)))
    stream = (
        link.player.take_handshake_bytes()
        + b"".join(map(link.player.send, payloads))
        + link.player.close(Code.CLOSING)
    )
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    events = []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        events += link.table.receive(stream[start:end])
    assert events[1:] == [*map(MessageReceived, payloads), SessionClosed(Code.CLOSING)]


def test_wrong_table_is_detected_before_player_identifies_itself():
    link = Link(expected="a" * 40)
    second = link.until(1)
    with pytest.raises(RemoteError) as caught:
        list(link.player.receive(second))
    assert caught.value.code is Code.WRONG_TABLE_KEY
    assert link.player.take_handshake_bytes() == b""
    assert link.player.close(Code.WRONG_TABLE_KEY) == b""
    assert not link.player.writable


def test_line_between_people_is_no_visit_to_table():
    """The handshake of the one cannot be passed on as that of the other."""
    link = Link(prologue=LINE_PROLOGUE)
    link.until(1)
    with pytest.raises(RemoteError) as refused:
        list(link.player.receive(link.messages[1]))
    assert refused.value.code is Code.BAD_HANDSHAKE


def test_without_fingerprint_any_table_is_accepted():
    link = Link(expected=None).establish()
    assert link.events["player"][0].peer == TABLE.public


def test_session_calls_at_wrong_time_raise_error():
    rng = random.Random(1)
    for call in (
        lambda: player(rng).send(b"x"),
        lambda: table(rng).send(b"x"),
        lambda: table(rng).start(),
    ):
        with pytest.raises(LocalError):
            call()
    with pytest.raises(LocalError):
        list(player(rng).receive(Link().until(1)))  # before `start`
    started = player(rng)
    started.start()
    with pytest.raises(LocalError):
        started.start()


@pytest.mark.parametrize("code", [None, *Code])
def test_close_record_ends_the_session(code):
    link = Link().establish()
    stream = link.player.send(b"last") + link.player.close(code)
    assert not link.player.writable
    with pytest.raises(LocalError):
        link.player.send(b"x")
    assert link.player.close() == b""
    assert list(link.table.receive(stream + b"whatever comes after")) == [
        MessageReceived(b"last"),
        SessionClosed(code),
    ]
    assert link.table.over
    assert list(link.table.receive(b"and after")) == []
    with pytest.raises(LocalError):
        link.table.send(b"x")
    assert list(link.player.receive(link.table.close())) == [SessionClosed(None)]
    assert link.table.eof() is None
    assert link.player.eof() is None


def test_peer_may_finish_after_our_close():
    link = Link().establish()
    link.player.close()
    assert list(link.player.receive(link.table.send(b"x") + link.table.close())) == [
        MessageReceived(b"x"),
        SessionClosed(None),
    ]


def test_stream_end_without_close_is_reported_as_cut():
    assert Link().player.eof() is Code.CUT_OFF
    for number in range(3):
        link = Link()
        link.until(number)
        assert link.reader(number).eof() is Code.CUT_OFF
    record = Link().establish().player.send(b"x")
    for size in range(len(record) + 1):
        link = Link().establish()
        list(link.table.receive(record[:size]))
        assert link.table.eof() is Code.CUT_OFF
        assert link.table.over
        assert link.table.eof() is None  # reported once


def test_stream_end_after_own_close_is_no_cut():
    link = Link().establish()
    link.player.close()
    assert link.player.eof() is None


def test_exhausted_nonces_end_the_session():
    link = Link().establish()
    link.player._sender.nonce = link.table._receiver.nonce = noise.MAX_NONCE - 1
    assert list(link.table.receive(link.player.send(b"x"))) == [MessageReceived(b"x")]
    with pytest.raises(LocalError):
        link.player.send(b"x")
    with pytest.raises(RemoteError):
        list(link.table.receive(b"\0\0\0\x20" + bytes(32)))
