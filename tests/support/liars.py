"""Seats that are honest up to a moment, and then post one thing that proves a lie."""

from player.seat.seat import Seat
from protocol.dealing import Post
from protocol.match.state import Match

STEPS = ("key", "confirm", "shuffle", "shares", "turn_up", "stand_in", "show")  # of a verified deal


def flipped(raw: bytes, place: int = 0) -> bytes:
    """The bytes with one low bit of one of them changed."""
    return raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :]


def spoiled(post: Post, seat: int) -> Post | None:
    """A post of verified dealing, or a move that shows a piece, as a lie; None if there is nothing
    in it to spoil.
    """
    match post.kind, post.body:
        case "confirm", _:
            return Post("confirm", [[seat]])
        case "key" | "shuffle" | "shares" | "turn_up" | "stand_in" | "show", [first, proof, *rest]:
            return Post(post.kind, [first, flipped(proof, 40), *rest])
        case "move", [action, [[card, share, proof], *parts]]:
            return Post("move", [action, [[card, share, flipped(proof)], *parts]])
    return None


class Liar(Seat):
    """Lies in its first post of one of these kinds from an entry on."""

    kinds: tuple[str, ...] = STEPS
    since = 0
    told: int | None = None  # the entry before which it lied

    def respond(self, match: Match) -> Post | None:
        """An honest post, or the lie."""
        post = super().respond(match)
        return post and self._perhaps(match, post)

    def move(self, match: Match, action: tuple[object, ...]) -> Post:
        """An honest move, or the lie."""
        return self._perhaps(match, super().move(match, action))

    def _perhaps(self, match: Match, post: Post) -> Post:
        if self.told is not None or post.kind not in self.kinds or match.next_number < self.since:
            return post
        lie = spoiled(post, self.number)
        if lie is None:
            return post
        self.told = match.next_number
        return lie
