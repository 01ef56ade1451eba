"""A ticket: what brings a seat of a running match back to a table that is full.

A table gives a ticket and a secret to a seat, within a session. The player shows the ticket in the
clear, in the payload of the first handshake message, with a proof that it has the secret. The proof
fits one ephemeral key. So whoever copies the message can only send the same message again, and
cannot go on with its handshake.
"""

from typing import NamedTuple

from protocol.crypto.hashing import constant_time_equal, derive
from protocol.limits import TICKET, TICKET_PROOF

PAYLOAD = TICKET + TICKET_PROOF  # bytes of the payload of a first message with a ticket


class Ticket(NamedTuple):
    """A ticket, which only the table can read, and the secret that its bearer must have."""

    shown: bytes
    secret: bytes


class TicketShown(NamedTuple):
    """The ticket in a player's first message: see `is_proof_valid`."""

    ticket: bytes
    proof: bytes
    ephemeral: bytes  # the player's public key of this handshake


def ticket_payload(ticket: Ticket, ephemeral: bytes) -> bytes:
    """Return the payload of the first message of a handshake with this ephemeral public key."""
    return ticket.shown + _proof(ticket.secret, ephemeral)


def read_payload(payload: bytes, ephemeral: bytes) -> TicketShown:
    """Take a payload of `PAYLOAD` bytes apart."""
    return TicketShown(payload[:TICKET], payload[TICKET:], ephemeral)


def is_proof_valid(shown: TicketShown, secret: bytes) -> bool:
    """Check that the bearer of a ticket has its secret."""
    return constant_time_equal(shown.proof, _proof(secret, shown.ephemeral))


def _proof(secret: bytes, ephemeral: bytes) -> bytes:
    return derive(secret, "ticket proof", ephemeral, length=TICKET_PROOF)
