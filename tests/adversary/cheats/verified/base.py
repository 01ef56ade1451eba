"""Base classes of the cheats in verified dealing."""

from typing import ClassVar

from player.client.seat import Seat
from protocol.codes import Code
from protocol.crypto.group import (
    ELEMENT_BYTES,
    ORDER,
)
from protocol.dealing import Post
from protocol.dealing.verified.seat import VerifiedSeat
from protocol.dealing.verified.state import VerifiedState
from tests.adversary.cheats.base import Cheat, When

INVALID = b"\xff" * ELEMENT_BYTES  # neither a point nor a scalar
PROOF = 2 * ELEMENT_BYTES
ANOTHER_HAND: dict[str, int | str] = {"target": 1000}


class VerifiedCheat(Cheat):
    """Cheat with access to its own secrets of the deal."""

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
    """Honest seat whose public posts are recorded here for the cheat in the next seat."""

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
    """Return the neighbour's first post of this kind in this deal."""
    return Recorder.posts.get((match.match_id, match.deal_number, kind))


def simple(name, kind, code, change, doc, **more):
    """Return a cheat that changes the body of one kind of entry with a function."""

    def twist(self, match, post):
        return Post(post.kind, change(post.body))

    return type(
        name, (VerifiedCheat,), {"kind": kind, "code": code, "twist": twist, "__doc__": doc, **more}
    )


def flipped(raw, at=0):
    return raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :]


def plus_order(raw):
    """Return the same scalar in a second encoding."""
    return (int.from_bytes(raw, "little") + ORDER).to_bytes(ELEMENT_BYTES, "little")


class FirstOfAll(VerifiedCheat):
    """Repeats its posts of the first deal of the match."""

    options = ANOTHER_HAND
    first: Post | None = None

    def twist(self, match, post):
        self.first = self.first or post
        return self.first


def replaced(raw, at, piece):
    """Return the bytes with block `at` replaced."""
    size = len(piece)
    return raw[: size * at] + piece + raw[size * at + size :]


def turned(raw, size):
    """Return the blocks in reverse order."""
    return b"".join(raw[at : at + size] for at in range(len(raw) - size, -1, -size))
