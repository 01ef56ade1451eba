"""Cheats with openings of pieces that are played, and of pieces left at the end."""

from typing import ClassVar

from player.client.seat import Seat
from protocol.codes import Code
from protocol.crypto.elgamal import prove_share, share
from protocol.crypto.group import (
    ELEMENT_BYTES,
    ONE,
    decode_point,
)
from protocol.dealing import Post
from protocol.dealing.card_state import piece_points
from protocol.games.dominoes.layout import open_ends
from protocol.games.dominoes.state import DominoesPhase
from protocol.games.operations import Reveal
from tests.adversary.cheats.base import GARBAGE
from tests.adversary.cheats.verified.base import (
    INVALID,
    PROOF,
    VerifiedCheat,
    deal_of,
    flipped,
    simple,
    turned,
)


class OpeningCheat(VerifiedCheat):
    """Changes a move that opens a piece."""

    code = Code.NOT_HELD

    def move(self, match, action):
        post = super().move(match, action)
        if post.body[0][0] != "play":
            return post
        changed = self.changed(match, post)
        self.acted = self.acted or changed != post
        return changed

    def changed(self, match, post):
        """Return the changed move."""
        action, ((shown, *_),) = post.body
        card = self.other_card(match, shown)
        return post if card is None else Post("move", [action, [self.part(match, card)]])

    def other_card(self, match, card):
        """Return the card to open instead, or None."""

    def part(self, match, card):
        """Return our own share of any card, with an honest proof."""
        half = self.half(match)
        shares, proofs = half._give_shares(deal_of(match), [card])
        return [card, shares, proofs]


class OpensAnothersCard(OpeningCheat):
    """Opens a card of its neighbour."""

    def other_card(self, match, card):
        return next(
            (c for c, holder in deal_of(match).holders.items() if holder != self.number), None
        )


class OpensStockCard(OpeningCheat):
    """Opens a card of the stock."""

    game = "draw-dominoes"

    def other_card(self, match, card):
        return next(iter(deal_of(match).stock), None)


class OpensShownCard(OpeningCheat):
    """Opens a card for a second time, as another piece."""

    def other_card(self, match, card):
        deal = deal_of(match)
        return next((c for c in deal.shown if deal.holders[c] == self.number), None)


class OpensNoCard(OpeningCheat):
    """Opens a card that does not exist."""

    def changed(self, match, post):
        return Post("move", [post.body[0], [[207, *post.body[1][0][1:]]]])


class OpensAsAnotherFace(OpeningCheat):
    """Claims a better face for its card."""

    code = Code.BAD_OPENING

    def changed(self, match, post):
        game, state = match.setup.game, match.game
        if state.phase is not DominoesPhase.PLAY:
            return post
        for piece in range(len(game.tiles)):
            ends = open_ends(game.tiles[piece], state.ends)
            if ends and piece not in self.hand and piece not in state.played:
                return Post("move", [["play", piece, ends[0]], post.body[1]])
        return post


class OpensWithAnotherOfItsCards(OpeningCheat):
    """Claims the face of one of its cards, and opens another."""

    code = Code.BAD_OPENING

    def other_card(self, match, card):
        return next((c for c in deal_of(match).hidden_of(self.number) if c != card), None)


class OpensWithFalseShare(OpeningCheat):
    """Shifts its own share by the difference of two faces, so that its card would be the better
    one.
    """

    code = Code.BAD_PROOF

    def changed(self, match, post):
        deal, half, ((card, D, _),) = deal_of(match), self.half(match), post.body[1]
        moved = decode_point(D) + piece_points(28)[0] - piece_points(28)[27]
        place = self.place_of(match, "share", card)
        return Post(
            "move",
            [
                post.body[0],
                [
                    [
                        card,
                        moved.encoded,
                        prove_share(half._x, half._X, deal.deck[card], moved, place, GARBAGE),
                    ]
                ],
            ],
        )


class OpensWithNothing(OpeningCheat):
    """Gives the neutral element as a share."""

    code = Code.BAD_POINT

    def changed(self, match, post):
        ((card, _, proof),) = post.body[1]
        return Post("move", [post.body[0], [[card, bytes(ELEMENT_BYTES), proof]]])


class OpensWithShareOfNeighbour(OpeningCheat):
    """Repeats another seat's share of this card."""

    code = Code.BAD_PROOF

    def changed(self, match, post):
        ((card, _, proof),) = post.body[1]
        (given,) = deal_of(match).shares[card].values()
        return Post("move", [post.body[0], [[card, given.encoded, proof]]])


class Lender(Seat):
    """Accomplice that gives its secret key to its friend."""

    lent: ClassVar[dict] = {}  # (match id, deal number) -> private half

    def respond(self, match):
        post = super().respond(match)
        if match.deal is not None and self._half is not None:
            self.lent[match.match_id] = self._half
        return post


class Borrower(VerifiedCheat):
    """Plays its accomplice's tile with the real opening, because none of its own fits."""

    code, place = Code.NOT_HELD, 1
    friends: ClassVar = {0: Lender}

    def move(self, match, action):
        half = Lender.lent.get(match.match_id)
        if action[0] == "pass" and half is not None:
            for piece in half.hand:
                ends = open_ends(match.setup.game.tiles[piece], match.game.ends)
                if ends:
                    self.acted = True
                    return Post(
                        "move", [["play", piece, ends[0]], [half.part(match.deal, Reveal(piece))]]
                    )
        return super().move(match, action)


class PlaysUnheld(VerifiedCheat):
    """Plays a tile that it does not hold, with a card of its own."""

    code = Code.BAD_OPENING

    def move(self, match, action):
        game, state = match.setup.game, match.game
        held = deal_of(match).hidden_of(self.number)
        if state.phase is not DominoesPhase.PLAY or action[0] != "pass":
            return super().move(match, action)
        for piece in range(len(game.tiles)):
            ends = open_ends(game.tiles[piece], state.ends)
            if ends and piece not in state.played:
                self.acted = True
                shares, proofs = self.half(match)._give_shares(deal_of(match), [held[0]])
                return Post("move", [["play", piece, ends[0]], [[held[0], shares, proofs]]])
        return super().move(match, action)


OPENINGS = [
    OpensAnothersCard,
    OpensStockCard,
    OpensShownCard,
    OpensNoCard,
    OpensAsAnotherFace,
    OpensWithAnotherOfItsCards,
    OpensWithFalseShare,
    OpensWithNothing,
    OpensWithShareOfNeighbour,
    Borrower,
    PlaysUnheld,
]


class ShowsAnotherShare(VerifiedCheat):
    """Gives a false share of a leftover card, to hide that it could have played the card."""

    kind = "show"

    def twist(self, match, post):
        deal, half = deal_of(match), self.half(match)
        card = deal.hidden_of(self.number)[0]
        D = share(half._x + ONE, deal.deck[card])
        proof = prove_share(
            half._x, half._X, deal.deck[card], D, self.place_of(match, "share", card), GARBAGE
        )
        return Post(
            "show", [D.encoded + post.body[0][ELEMENT_BYTES:], proof + post.body[1][PROOF:]]
        )


class ShowsAnothersCards(VerifiedCheat):
    """Shows as many cards of its neighbour instead of its own."""

    kind = "show"

    def twist(self, match, post):
        deal = deal_of(match)
        theirs = [card for card, holder in deal.holders.items() if holder != self.number]
        return Post(
            "show",
            self.half(match)._give_shares(deal, theirs[: len(post.body[0]) // ELEMENT_BYTES]),
        )


def _show(name, code, change, doc, **more):
    return simple(name, "show", code, change, doc, **more)


SHOWS = [
    _show(
        "ShowsTooFew",
        Code.BAD_PROOF,
        lambda b: b if len(b[0]) == ELEMENT_BYTES else [b[0][ELEMENT_BYTES:], b[1][PROOF:]],
        "Keeps one.",
    ),
    _show(
        "ShowsOneTwice",
        Code.BAD_PROOF,
        lambda b: [b[0] + b[0][:ELEMENT_BYTES], b[1] + b[1][:PROOF]],
        "One more.",
    ),
    _show(
        "ShowsBackwards",
        Code.BAD_PROOF,
        lambda b: [turned(b[0], ELEMENT_BYTES), turned(b[1], PROOF)],
        "Another order.",
    ),
    _show(
        "ShowsNoPoint",
        Code.BAD_POINT,
        lambda b: [INVALID + b[0][ELEMENT_BYTES:], b[1]],
        "What is no point.",
    ),
    _show(
        "ShowsIdentity",
        Code.BAD_POINT,
        lambda b: [bytes(ELEMENT_BYTES) + b[0][ELEMENT_BYTES:], b[1]],
        "Nothing.",
    ),
    _show(
        "ShowsWithBadProof",
        Code.BAD_PROOF,
        lambda b: [b[0], flipped(b[1], 40)],
        "A proof with a bit wrong.",
    ),
    ShowsAnotherShare,
    ShowsAnothersCards,
]
