"""What every cheat at verified dealing starts from."""

from typing import ClassVar

from player.seat.seat import Seat
from protocol.codes import Code
from protocol.crypto.group import (
    ELEMENT_BYTES,
    ORDER,
)
from protocol.dealing import Post
from protocol.dealing.verified.seat import VerifiedSeat
from protocol.dealing.verified.state import VerifiedState
from tests.adversary.cheats.base import Cheat, When

INVALID = b"\xff" * ELEMENT_BYTES  # no point and no scalar
PROOF = 2 * ELEMENT_BYTES
ANOTHER_HAND: dict[str, int | str] = {"target": 1000}


class VerifiedCheat(Cheat):
    """A cheat with the secrets of its own half at hand."""

    dealing = "verified"
    seats = 2
    when = When.AT_ONCE
    code = Code.BAD_PROOF

    def half(self, match) -> VerifiedSeat:
        half = self._private_half(match)
        assert isinstance(half, VerifiedSeat)
        return half

    def place_of(self, match, purpose, position=0):
        return deal_of(match).proof_place(self.number, purpose, position)


class Recorder(Seat):
    """An honest seat; what it posts is public anyway, and kept here for its neighbours."""

    posts: ClassVar[dict] = {}  # (match id, deal number, kind) -> first post

    def respond(self, match):
        post = super().respond(match)
        if post is not None:
            self.posts.setdefault((match.match_id, match.deal_number, post.kind), post)
        return post


def deal_of(match) -> VerifiedState:
    assert isinstance(match.deal, VerifiedState)
    return match.deal


def recorded(match, kind):
    """The first post of this kind that the neighbour made in this deal."""
    return Recorder.posts.get((match.match_id, match.deal_number, kind))


def simple(name, kind, code, change, doc, **more):
    """A cheat that changes the body of one kind of entry by a function of it."""

    def twist(self, match, post):
        return Post(post.kind, change(post.body))

    return type(
        name, (VerifiedCheat,), {"kind": kind, "code": code, "twist": twist, "__doc__": doc, **more}
    )


def flipped(raw, at=0):
    return raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :]


def plus_order(raw):
    """The same scalar in a second spelling."""
    return (int.from_bytes(raw, "little") + ORDER).to_bytes(ELEMENT_BYTES, "little")


class FirstOfAll(VerifiedCheat):
    """Posts again what it posted in the first deal of the match."""

    options = ANOTHER_HAND
    first: Post | None = None

    def twist(self, match, post):
        self.first = self.first or post
        return self.first


def replaced(raw, at, piece):
    """The bytes with their at-th block exchanged."""
    size = len(piece)
    return raw[: size * at] + piece + raw[size * at + size :]


def turned(raw, size):
    """The blocks in the other order."""
    return b"".join(raw[at : at + size] for at in range(len(raw) - size, -1, -size))
