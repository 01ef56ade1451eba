"""The tickets of a table: their contents, which of them are spent, and which first messages count.

    key    = the table's secret for tickets (`table.signer.requests`), the same at all hosts of a table
    salt   = HKDF-HMAC-SHA-512(key, ("ticket salt", match id, seat, number)), 16 bytes
    sealer, secret = HKDF-HMAC-SHA-512(key, ("ticket", salt)), 32 bytes each
    ticket = salt, AES-256-GCM(sealer, nonce 0, match id, seat, number)

The salt is pseudo-random, so no two tickets have anything in common that others can see. A sealer
encrypts this one plaintext only. The number is the time at which the ticket was made, in
milliseconds, so a table that was started again makes higher ones, without having stored anything.
"""

from collections.abc import Callable
from typing import NamedTuple

from protocol.crypto.hashing import derive
from protocol.crypto.primitives.aes_gcm import NONCE_SIZE, AesGcm
from protocol.limits import MAX_TICKET_SEATS, TICKET_MESSAGES_KEPT
from protocol.session.ticket import Ticket, TicketShown, is_proof_valid
from table.config import Rate
from table.net.token_bucket import TokenBucket

_SALT, _MATCH, _NUMBER = 16, 32, 7  # bytes
_NONCE = bytes(NONCE_SIZE)


class TicketSeat(NamedTuple):
    """The seat that a ticket is for."""

    match_id: bytes
    seat: int


class _Opened(NamedTuple):
    seat: TicketSeat
    number: int
    secret: bytes


class _SeatTickets:
    """A table's memory of one seat's tickets."""

    __slots__ = ("bucket", "made", "messages", "spent")

    def __init__(self, rate: Rate) -> None:
        self.made = 0  # the number of the newest one
        self.spent = 0  # all numbers below this one are spent
        # ephemeral keys of the first messages that have counted, the oldest first
        self.messages: dict[bytes, None] = {}
        self.bucket = TokenBucket(rate)


class Tickets:
    """Maker and judge of a table's tickets. Its memory is bounded, and lost with the process: then a
    spent ticket counts again, until its seat has stored a newer one.
    """

    def __init__(self, key: Callable[[], bytes], rate: Rate, now: Callable[[], float]) -> None:
        """`key` returns the table's secret for tickets; `rate`: of tickets that are accepted of one
        seat; `now`: the wall clock, in seconds.
        """
        self._key, self._rate, self._now = key, rate, now
        self._seats: dict[TicketSeat, _SeatTickets] = {}  # the one touched last is last

    def make(self, seat: TicketSeat) -> Ticket:
        """Make the next ticket of a seat."""
        known = self._touched(seat)
        known.made = number = max(known.made + 1, int(self._now() * 1000))
        text = seat.match_id + bytes([seat.seat]) + number.to_bytes(_NUMBER, "big")
        key = self._key()
        salt = derive(key, "ticket salt", *seat, number, length=_SALT)
        sealer, secret = _keys(key, salt)
        return Ticket(salt + AesGcm(sealer).encrypt(_NONCE, text), secret)

    def kept(self, seat: TicketSeat, ticket: bytes) -> None:
        """Note that a seat has stored this ticket: those before it are spent. A ticket of another seat
        changes nothing.
        """
        opened = self._open(ticket)
        if opened is not None and opened.seat == seat:
            known = self._touched(seat)
            if opened.number > known.spent:
                known.spent = opened.number
                known.messages.clear()

    def check(self, shown: TicketShown) -> TicketSeat | None:
        """Return the seat of this ticket; None if it is no ticket of ours, or if the message lacks the
        proof that its sender has the secret of the ticket.
        """
        opened = self._open(shown.ticket)
        return opened.seat if opened is not None and is_proof_valid(shown, opened.secret) else None

    def take(self, shown: TicketShown, seat: TicketSeat, now: float) -> bool:
        """Accept a ticket that `check` has found good; False if it is spent, if its message is the
        copy of an earlier one, or if the seat shows too many. `now`: seconds of a steady clock.
        """
        opened, known = self._open(shown.ticket), self._touched(seat)
        if opened is None or opened.number < known.spent or shown.ephemeral in known.messages:
            return False
        if not known.bucket.take(now):
            return False
        known.messages[shown.ephemeral] = None
        if len(known.messages) > TICKET_MESSAGES_KEPT:
            del known.messages[next(iter(known.messages))]
        return True

    def _open(self, ticket: bytes) -> _Opened | None:
        salt, sealed = ticket[:_SALT], ticket[_SALT:]
        sealer, secret = _keys(self._key(), salt)
        try:
            text = AesGcm(sealer).decrypt(_NONCE, sealed)
        except ValueError:
            return None
        seat = TicketSeat(text[:_MATCH], text[_MATCH])
        return _Opened(seat, int.from_bytes(text[-_NUMBER:], "big"), secret)

    def _touched(self, seat: TicketSeat) -> _SeatTickets:
        known = self._seats.pop(seat, None) or _SeatTickets(self._rate)
        self._seats[seat] = known
        if len(self._seats) > MAX_TICKET_SEATS:
            del self._seats[next(iter(self._seats))]
        return known


def _keys(key: bytes, salt: bytes) -> tuple[bytes, bytes]:
    both = derive(key, "ticket", salt, length=64)
    return both[:32], both[32:]
