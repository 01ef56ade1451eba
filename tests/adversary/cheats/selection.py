"""Cheats with the list that goes round in the selection: too many pieces, too few, foreign ones,
unreadable envelopes.
"""

from protocol.codes import Code
from protocol.dealing import Post
from protocol.dealing.layered.primitives import from_bitmap, to_bitmap
from protocol.dealing.layered.state import LayeredState
from protocol.match.state import Match
from tests.adversary.cheats.base import GARBAGE, Cheat, When, deal_of, read_own, sealed


class ListCheat(Cheat):
    """Sends a false list."""

    kind = "hop"
    when = When.PROTEST
    done = False

    def twist(self, match: Match, post: Post) -> Post:
        own, deal = self.layered(match), deal_of(match)
        listed = from_bitmap(read_own(own, deal, post), deal.context.piece_count)
        assert listed is not None
        changed = self.changed(match, deal, listed)
        if changed == listed:
            return post
        own.sent = (len(deal.route(deal.stage)), len(changed))
        return sealed(own, deal, "hop", to_bitmap(changed, deal.context.piece_count))

    def changed(self, match: Match, deal: LayeredState, listed: frozenset[int]) -> frozenset[int]:
        raise NotImplementedError


class TakesEight(ListCheat):
    """Takes a piece every time, and one more than its hand holds; another seat will be short."""

    code = Code.TOOK_TOO_MANY
    dealing_options = {"take": 25, "swap": 0}  # noqa: RUF012  # the others are slower
    held = 0

    def changed(self, match, deal, listed):
        own = self.layered(match)
        took, self.held = len(own.taken_elements) > self.held, len(own.taken_elements)
        if took or self.done or len(listed) <= deal.stock_size:
            return listed
        extra = min(listed)
        self.done = self.held == deal.context.dealt_per_seat
        if not self.done:
            own.taken_elements.add(extra)
            self.held += 1
        return listed - {extra}


class TakesTwo(ListCheat):
    """Takes two pieces in one step. With two seats the other one sees that only one step was
    made.
    """

    code = Code.TOOK_TOO_MANY
    seats = 2

    def changed(self, match, deal, listed):
        own = self.layered(match)
        if self.done or len(own.taken_elements) != 1:
            return listed
        self.done = True
        extra = min(listed)
        own.taken_elements.add(extra)
        return listed - {extra}


class TakesNone(ListCheat):
    """Never takes a piece, so that the selection would not end."""

    code = Code.TOOK_NONE
    when = When.CLOSE

    def changed(self, match, deal, listed):
        own = self.layered(match)
        back = frozenset(own.taken_elements)
        own.taken_elements.clear()
        return listed | back


class PutsBack(ListCheat):
    """Puts back a piece that another seat has taken."""

    code = Code.BAD_HOP
    seats = 2  # so that the victim is the next seat to see it

    def changed(self, match, deal, listed):
        others = (
            frozenset(range(deal.context.piece_count)) - listed - self.layered(match).taken_elements
        )
        if self.done or not others:
            return listed
        self.done = True
        return listed | {min(others)}


class KeepsTheStock(ListCheat):
    """As first seat, withholds the stock when the list is finished."""

    code = Code.TOOK_NONE
    when = When.CLOSE
    place = 0
    kind = "stock"

    def twist(self, match: Match, post: Post) -> Post:
        return sealed(self.layered(match), deal_of(match), "hop", post.body[0])


class GarbageHop(Cheat):
    """Posts an envelope that does not open."""

    code, when, kind = Code.BAD_HOP, When.PROTEST, "hop"

    def twist(self, match, post):
        return Post("hop", [GARBAGE.randbytes(len(post.body[0]))])


class EmptyHop(Cheat):
    """Posts an envelope with nothing in it."""

    code, when, kind = Code.BAD_HOP, When.PROTEST, "hop"

    def twist(self, match, post):
        return sealed(self.layered(match), deal_of(match), "hop", b"")


class LongHop(Cheat):
    """Posts an envelope that is longer than the others."""

    code, when, kind = Code.BAD_HOP, When.AT_ONCE, "hop"

    def twist(self, match, post):
        return Post("hop", [post.body[0] + b"\0"])


class HopOfAnotherRound(Cheat):
    """Sends its first envelope again and again."""

    code, when, kind = Code.BAD_HOP, When.PROTEST, "hop"
    first: Post | None = None

    def twist(self, match, post):
        self.first = self.first or post
        return self.first


class HopOfAnotherHand(Cheat):
    """Sends an envelope of an earlier deal."""

    code, when, kind = Code.BAD_HOP, When.PROTEST, "hop"
    options = {"target": 1000}  # noqa: RUF012
    first: Post | None = None

    def twist(self, match, post):
        self.first = self.first or post
        return self.first if match.deal_number == 1 else post


class StockOfAnother(Cheat):
    """As first seat, publishes a stock with another seat's piece, in exchange for one that nobody
    took.
    """

    code, when, kind = Code.BAD_HOP, When.PROTEST, "stock"
    place = 0

    def twist(self, match, post):
        deal, own = deal_of(match), self.layered(match)
        stock = from_bitmap(post.body[0], deal.context.piece_count)
        theirs = frozenset(range(deal.context.piece_count)) - stock - own.taken_elements
        return Post(
            "stock", [to_bitmap(stock - {min(stock)} | {min(theirs)}, deal.context.piece_count)]
        )


class StockTooSmall(Cheat):
    """As first seat, publishes a stock of the wrong size."""

    code, when, kind = Code.BAD_STOCK, When.AT_ONCE, "stock"
    place = 0

    def twist(self, match, post):
        pieces = deal_of(match).context.piece_count
        stock = from_bitmap(post.body[0], pieces)
        return Post("stock", [to_bitmap(stock - {min(stock)}, pieces)])


CHEATS = [
    TakesEight,
    TakesTwo,
    TakesNone,
    PutsBack,
    KeepsTheStock,
    GarbageHop,
    EmptyHop,
    LongHop,
    HopOfAnotherRound,
    HopOfAnotherHand,
    StockOfAnother,
    StockTooSmall,
]
