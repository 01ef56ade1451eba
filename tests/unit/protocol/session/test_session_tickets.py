"""A session whose first message has a ticket."""

from random import Random

import pytest

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity.keys import Identity
from protocol.session.session import FirstMessage, PeerAuthenticated, Role, Session
from protocol.session.ticket import PAYLOAD, Ticket, is_proof_valid

TICKET = Ticket(bytes(range(72)), b"s" * 32)


def side(role, seed, **values):
    rng = Random(seed)
    return Session(role, Identity(rng.randbytes(32)), rng.randbytes(32), rng, **values)


def test_table_hears_of_ticket_before_it_answers():
    player = side(Role.PLAYER, 1, ticket=TICKET)
    table = side(Role.TABLE, 2, takes_tickets=True)
    events = table.receive_with_ticket(player.start())
    first = next(events)
    assert isinstance(first, FirstMessage) and first.ticket.ticket == TICKET.shown
    assert is_proof_valid(first.ticket, TICKET.secret)
    assert not is_proof_valid(first.ticket, bytes(32))
    assert table.take_handshake_bytes() == b""
    assert list(events) == []  # it goes on
    (established,) = player.receive(table.take_handshake_bytes())
    (seen,) = table.receive(player.take_handshake_bytes())
    assert isinstance(established, PeerAuthenticated) and isinstance(seen, PeerAuthenticated)
    assert established.binding == seen.binding


def test_table_that_read_only_the_first_message_answers_later():
    player = side(Role.PLAYER, 1)
    table = side(Role.TABLE, 2, takes_tickets=True)
    assert next(table.receive_with_ticket(player.start())) == FirstMessage(None)
    assert list(table.receive(b"")) == []
    assert len(list(player.receive(table.take_handshake_bytes()))) == 1


@pytest.mark.parametrize("size", [1, PAYLOAD - 1, PAYLOAD + 1])
def test_payload_of_another_length_is_refused(size):
    table = side(Role.TABLE, 2, takes_tickets=True)
    first = wire.encode_frame(Random(1).randbytes(32) + bytes(size))
    with pytest.raises(RemoteError) as refused:
        list(table.receive_with_ticket(first))
    assert refused.value.code is Code.BAD_HANDSHAKE


def test_session_without_tickets_refuses_one():
    with pytest.raises(RemoteError):
        list(side(Role.TABLE, 2).receive(side(Role.PLAYER, 1, ticket=TICKET).start()))


def test_changed_ticket_ends_the_handshake():
    player = side(Role.PLAYER, 1, ticket=TICKET)
    table = side(Role.TABLE, 2, takes_tickets=True)
    first = bytearray(player.start())
    first[-1] ^= 1
    list(table.receive_with_ticket(bytes(first)))
    with pytest.raises(RemoteError):
        list(player.receive(table.take_handshake_bytes()))


def test_two_connections_with_one_ticket_have_different_proofs():
    first, second = (side(Role.PLAYER, seed, ticket=TICKET).start() for seed in (1, 2))
    assert first[36:108] == second[36:108] == TICKET.shown
    assert first[108:] != second[108:]
