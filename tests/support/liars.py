"""Seats that are honest up to some entry, and then post a provable lie."""

from player.client.seat import Seat
from protocol.dealing import Post
from protocol.match.state import Match

# kinds of entries of a verified deal
STEPS = ("key", "confirm", "shuffle", "shares", "turn_up", "stand_in", "show")


def flipped(raw: bytes, place: int = 0) -> bytes:
    """Flip the lowest bit of one byte."""
    return raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :]


def spoiled(post: Post, seat: int) -> Post | None:
    """Turn a post of verified dealing, or a move that shows a piece, into a lie. Return None if
    nothing in it can be false.
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
    """Seat that lies in its first post of one of these kinds after some entry."""

    kinds: tuple[str, ...] = STEPS
    since = 0
    told: int | None = None  # number of the entry before the lie

    def respond(self, match: Match) -> Post | None:
        """Return an honest post, or the lie."""
        post = super().respond(match)
        return post and self._perhaps(match, post)

    def move(self, match: Match, action: tuple[object, ...]) -> Post:
        """Return an honest move, or the lie."""
        return self._perhaps(match, super().move(match, action))

    def _perhaps(self, match: Match, post: Post) -> Post:
        if self.told is not None or post.kind not in self.kinds or match.next_number < self.since:
            return post
        lie = spoiled(post, self.number)
        if lie is None:
            return post
        self.told = match.next_number
        return lie
