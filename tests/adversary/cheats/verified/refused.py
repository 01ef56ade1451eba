"""Posts that are refused without effect, and silence."""

from typing import ClassVar

from protocol.codes import Code
from protocol.crypto.group import (
    ELEMENT_BYTES,
)
from protocol.dealing import Post
from protocol.games.dominoes.state import DominoesPhase
from tests.adversary.cheats.base import When
from tests.adversary.cheats.conduct import silent
from tests.adversary.cheats.play import OnlyOnce
from tests.adversary.cheats.verified.base import VerifiedCheat, deal_of


class RefusedOnce(VerifiedCheat):
    """Posts one entry that is refused, and goes on honestly."""

    when = When.REFUSED
    done = False

    def respond(self, match):
        post = super().respond(match)
        wrong = None if self.done else self.wrong(match, post)
        if wrong is None:
            return post
        self.done = self.acted = True
        return wrong

    def wrong(self, match, post):
        """Return the post that replaces its duty; None if it has no duty."""


def refused(name, kind, change, doc):
    """Return a cheat with a body of the wrong shape."""

    def wrong(self, match, post):
        return (
            Post(post.kind, change(post.body)) if post is not None and post.kind == kind else None
        )

    return type(name, (RefusedOnce,), {"code": Code.BAD_ENTRY, "wrong": wrong, "__doc__": doc})


class PostsAgain(RefusedOnce):
    """Repeats its last post instead of waiting for the others."""

    code = Code.NOT_NOW
    kind_ = "key"
    place = 0
    last: Post | None = None

    def wrong(self, match, post):
        if post is not None and post.kind == self.kind_:
            self.last = post
            return None
        return self.last if post is None and match.deal is not None else None


class ShufflesTwice(PostsAgain):
    """Shuffles again before the next seat does."""

    kind_ = "shuffle"


class GivesSharesTwice(PostsAgain):
    """Gives its shares again."""

    kind_ = "shares"


class ShufflesOutOfTurn(RefusedOnce):
    """Shuffles before the seat whose turn it is."""

    code = Code.NOT_NOW

    def wrong(self, match, post):
        deal = match.deal
        if deal is None or deal.stage != "shuffle" or deal.turn == self.number:
            return None
        return self.half(match)._shuffle(deal)


class ShowsTooEarly(RefusedOnce):
    """Shows its hand while the game is still in progress."""

    code = Code.NOT_NOW

    def wrong(self, match, post):
        if post is not None or match.deal is None or not match.deal.ready:
            return None
        deal = deal_of(match)
        return Post("show", self.half(match)._give_shares(deal, deal.hidden_of(self.number)))


class PlaysBeforeTheShares(RefusedOnce):
    """Plays the card that it draws before the others have given their shares of it."""

    code = Code.NOT_NOW
    game = "draw-dominoes"
    options: ClassVar = {"hand": 3}
    place = 0  # it is asked before its neighbour answers

    def wrong(self, match, post):
        deal = match.deal
        if (
            deal is None
            or deal.stage != "shares"
            or not deal.drawn
            or match.pending_action.seat != self.number
        ):
            return None
        card = deal.drawn[-1]
        return Post(
            "move", [["play", 0, 0], [[card, *self.half(match)._give_shares(deal, [card])]]]
        )


class ProtestsForNothing(RefusedOnce):
    """Protests, although in verified dealing no wrong is visible to one seat alone."""

    code = Code.NOT_NOW

    def wrong(self, match, post):
        return (
            Post("protest", [match.next_number - 1])
            if match.deal is not None and match.deal.ready
            else None
        )


class StandsInForNobody(RefusedOnce):
    """Gives parts of cards although nobody has left."""

    code = Code.NOT_NOW

    def wrong(self, match, post):
        return (
            Post("stand_in", [bytes(ELEMENT_BYTES), bytes(2 * ELEMENT_BYTES)])
            if match.deal is not None and match.deal.ready
            else None
        )


class ConfirmsUnasked(RefusedOnce):
    """Complains of a wrongly shared key although no key is shared."""

    code = Code.NOT_NOW

    def wrong(self, match, post):
        return Post("confirm", [[0]]) if post is not None and post.kind == "shuffle" else None


class LayeredEntry(RefusedOnce):
    """Posts an entry of the other dealing protocol."""

    code = Code.BAD_ENTRY

    def wrong(self, match, post):
        return Post("strip", [[bytes(32)]]) if post is not None and post.kind == "shares" else None


class NamesTheCardItDraws(OnlyOnce):
    """Asks for a particular card of the stock."""

    dealing, code = "verified", Code.BAD_ENTRY
    seats = 2
    game = "draw-dominoes"
    options: ClassVar = {"hand": 3}

    def wrong(self, match, post):
        return Post("move", [post.body[0], [[20]]]) if post.body[0][0] == "draw" else None


class PlaysAgain(OnlyOnce):
    """Opens again a tile that is already in the line."""

    dealing, code = "verified", Code.TILE_PLAYED
    seats = 2

    def wrong(self, match, post):
        deal = deal_of(match)
        mine = [
            (card, piece) for card, piece in deal.shown.items() if deal.holders[card] == self.number
        ]
        if not mine or match.game.phase is not DominoesPhase.PLAY:
            return None
        card, piece = mine[0]
        return Post("move", [["play", piece, 0], [[card, *self._half._give_shares(deal, [card])]]])


REFUSED = [
    refused("ShortKey", "key", lambda b: [b[0][1:], *b[1:]], "A key of 31 bytes."),
    refused(
        "LongKeyProof", "key", lambda b: [b[0], b[1] + b"\0", *b[2:]], "A proof with a byte more."
    ),
    refused("KeyAlone", "key", lambda b: b[:1], "A key without a proof."),
    refused("EmptyShuffle", "shuffle", lambda b: [b"", b[1]], "No deck."),
    refused("HugeShuffle", "shuffle", lambda b: [b[0] * 9, b[1]], "More cards than there can be."),
    refused("NoShares", "shares", lambda b: [b"", b""], "No shares."),
    refused("ShareAsNumber", "shares", lambda b: [7, b[1]], "A number for bytes."),
    refused("NoShow", "show", lambda b: [b"", b""], "Shows nothing."),
    PostsAgain,
    ShufflesTwice,
    GivesSharesTwice,
    ShufflesOutOfTurn,
    ShowsTooEarly,
    PlaysBeforeTheShares,
    ProtestsForNothing,
    StandsInForNobody,
    ConfirmsUnasked,
    LayeredEntry,
    NamesTheCardItDraws,
    PlaysAgain,
]

SILENT = [silent(kind) for kind in ("sit", "nonce", "key", "shuffle", "shares", "show", "receipt")]
