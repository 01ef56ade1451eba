"""Cheats while a piece is drawn from the stock."""

from protocol.codes import Code
from protocol.crypto.group import decode_point
from protocol.crypto.oblivious_transfer import choose
from protocol.dealing import Post
from protocol.dealing.layered.seat_draws import _seal_share
from tests.adversary.cheats.base import GARBAGE, Cheat, When, deal_of


class DrawCheat(Cheat):
    """Cheats in the first draw of the match."""

    game = "draw-dominoes"
    options = {"hand": 3}  # noqa: RUF012  # so that somebody soon has to draw


class WrongKeyToDrawer(DrawCheat):
    """Seals a made-up layer key to the drawer."""

    code, when, kind = Code.BAD_DRAW_KEY, When.PROTEST, "draw_key"

    def twist(self, match, post):
        own, deal = self.layered(match), deal_of(match)
        drawing = deal.draws[-1]
        if post.body[0]:
            post.body[0] = _seal_share(
                own, deal, GARBAGE.randbytes(32), drawing.seat, "draw key", drawing.number
            )
        return post


class GarbageToDrawer(DrawCheat):
    """Posts an envelope to the drawer that does not open."""

    code, when, kind = Code.BAD_DRAW_KEY, When.PROTEST, "draw_key"

    def twist(self, match, post):
        if post.body[0]:
            post.body[0] = GARBAGE.randbytes(80)
        return post


class WrongChainToNext(DrawCheat):
    """Seals other keys to the next seat than to the drawer."""

    code, when, kind = Code.BAD_DRAW_KEY, When.PROTEST, "draw_key"

    def twist(self, match, post):
        own, deal = self.layered(match), deal_of(match)
        number, following = deal.draws[-1].number, own.seat + 1
        if post.body[1]:
            garbage = GARBAGE.randbytes(32 * (own.seat + 1))
            post.body[1] = _seal_share(own, deal, garbage, following, "draw chain", number)
        return post


class NoKeyToDrawer(DrawCheat):
    """Posts an empty envelope where a key is due; after the refusal falls silent."""

    code, when, kind = Code.LAPSED, When.LAPSE, "draw_key"

    def twist(self, match, post):
        return Post("draw_key", [b"", post.body[1]]) if post.body[0] else post


class Peeks(DrawCheat):
    """Asks the table for another piece than the one it drew."""

    code, when, kind = Code.PEEKED, When.CLOSE, "draw_query"
    shameless = True

    def __init__(self, identity, number, rng, *more, **others):
        super().__init__(identity, number, rng, *more, **others)
        self._peeked = {}

    def twist(self, match, post):
        own, deal = self.layered(match), deal_of(match)
        if deal.duties_since not in self._peeked:
            drawn = set(own.known_pieces)
            free = [
                i
                for i, position in enumerate(deal.stock_positions)
                if position not in {known.position for known in own.known_pieces.values()}
                and i != own.choices[-1][0]
            ]
            if not free:
                return post
            x, R = choose(decode_point(deal.transfer_point), free[0], deal.stock_size, own.rng)
            own.choices[-1] = (free[0], x.encoded)
            self._peeked[deal.duties_since] = (Post("draw_query", [R.encoded]), drawn)
        return self._peeked[deal.duties_since][0]

    @property
    def hand(self):
        """Return the hand without pieces that the seat may not show."""
        if self._half is None:
            return ()
        return tuple(
            piece for piece in self._half.hand if not self._half._own.known_pieces[piece].layer_keys
        )


class LiesAboutPeeking(Peeks):
    """Asks for another piece, and claims at the close that it asked for the one it drew."""

    kind = "draw_query"

    def respond(self, match):
        post = super().respond(match)
        if post is not None and post.kind == "open_seat" and post.body[4]:
            stock = deal_of(match).stock_size
            post.body[4] = [[(choice + 1) % stock, x] for choice, x in post.body[4]]
        return post


class IdentityQuery(DrawCheat):
    """Posts the neutral element as its query."""

    code, when, kind = Code.BAD_DRAW_QUERY, When.AT_ONCE, "draw_query"

    def twist(self, match, post):
        return Post("draw_query", [bytes(32)])


class GarbageQuery(DrawCheat):
    """Posts a query that is no group element."""

    code, when, kind = Code.BAD_DRAW_QUERY, When.AT_ONCE, "draw_query"

    def twist(self, match, post):
        return Post("draw_query", [b"\xff" * 32])


class DrawsFromHands(DrawCheat):
    """Names for its draw an element that was dealt; after the refusal names a right one."""

    code, when = Code.NOT_IN_STOCK, When.REFUSED
    done = False

    def move(self, match, action):
        post = super().move(match, action)
        if action[0] == "draw" and not self.done:
            self.done = self.acted = True
            return Post("move", [["draw"], [[deal_of(match).taken[0]]]])
        return post


CHEATS = [
    WrongKeyToDrawer,
    GarbageToDrawer,
    WrongChainToNext,
    NoKeyToDrawer,
    Peeks,
    LiesAboutPeeking,
    IdentityQuery,
    GarbageQuery,
    DrawsFromHands,
]
