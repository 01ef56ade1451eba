"""Base classes of cheats: honest seats with one deviation and its expected result."""

from enum import Enum
from random import Random
from typing import Any

from player.client.seat import Seat
from protocol import wire
from protocol.codes import Code
from protocol.crypto.envelopes import unseal
from protocol.dealing import Post, SeatHalf
from protocol.dealing.layered import seat_route as route
from protocol.dealing.layered.blame import hop_padding
from protocol.dealing.layered.seat import LayeredSeat
from protocol.dealing.layered.seat_secrets import SeatSecrets
from protocol.dealing.layered.state import LayeredState
from protocol.match.state import Match

GARBAGE = Random(99)


class When(Enum):
    """Time at which a cheat is named."""

    AT_ONCE = "by the fold, in the entry itself"
    PROTEST = "after a protest of whoever was wronged"
    CLOSE = "when the deal closes, without a protest"
    LAPSE = "when its time is over"
    REFUSED = "never: the entry is refused, and the match goes on"
    ANY = "at a moment that chance decides"


class Shameless(LayeredSeat):
    """Seat that never protests."""

    def _wrong_entry(self, deal: LayeredState) -> int | None:
        super()._wrong_entry(deal)  # the seat learns its pieces here


class Cheat(Seat):
    """Cheat that turns one post of an honest seat into another. `number` is the seat in which it
    must sit.
    """

    code: Code
    when: When
    seats = 3
    place = 1
    game = "block-dominoes"
    options: dict[str, int | str] = {}  # noqa: RUF012
    dealing_options: dict[str, int | str] = {}  # noqa: RUF012
    kind = ""  # the kind of post that `twist` changes

    acted = False  # whether the cheat had an opportunity

    def respond(self, match: Match) -> Post | None:
        post = super().respond(match)
        if post is None or post.kind != self.kind:
            return post
        before = wire.encode([post.kind, post.body])
        twisted = self.twist(match, Post(post.kind, wire.decode(wire.encode(post.body))))
        if twisted is None or wire.encode([twisted.kind, twisted.body]) != before:
            self.acted = True
        return twisted

    def twist(self, match: Match, post: Post) -> Post | None:
        """Return the post that replaces the honest one."""
        return post

    shameless = False

    def _private_half(self, match: Match) -> SeatHalf[Any]:
        if self.shameless and self._half_of != match.deal_number:
            assert match.deal is not None
            self._half = Shameless(match.deal.context, self.number, self._key, self._rng)
            self._half_of = match.deal_number
        return super()._private_half(match)

    def layered(self, match: Match) -> SeatSecrets:
        """Return our secrets of the present deal."""
        half = self._private_half(match)
        assert isinstance(half, LayeredSeat)
        return half._own


def deal_of(match: Match) -> LayeredState:
    assert isinstance(match.deal, LayeredState)
    return match.deal


def read_own(own: SeatSecrets, deal: LayeredState, post: Post) -> bytes:
    """Return the content that we have just sealed to the next seat."""
    key = own.pair_key(own.seat, (own.seat + 1) % deal.seat_count)
    number, padded = len(deal.route(deal.stage)), hop_padding(deal, deal.stage)
    return unseal(key, post.body[0], "hop", deal.deal_id, str(deal.stage), number, padded_to=padded)


def sealed(own: SeatSecrets, deal: LayeredState, kind: str, plaintext: bytes) -> Post:
    """Return a different hop in its place."""
    return Post(kind, [route._seal_hop(own, deal, len(deal.route(deal.stage)), plaintext)])
