"""Cheats at poker: cards turned up, exchanged and shown, or not shown."""

from protocol.codes import Code
from protocol.crypto.elgamal import prove_share, share
from protocol.crypto.group import ELEMENT_BYTES, ONE
from protocol.dealing import Post
from protocol.dealing.facts import NOBODY
from protocol.dealing.verified.stages import VerifiedStage
from protocol.games.operations import EVERYBODY, Reveal
from tests.adversary.cheats.base import GARBAGE, When
from tests.adversary.cheats.verified.base import PROOF, VerifiedCheat, deal_of, turned
from tests.adversary.cheats.verified.refused import RefusedOnce

HANDS: dict[str, int | str] = {"hands": 3}


class AtPoker(VerifiedCheat):
    """A cheat at hold'em."""

    game = "texas-holdem"
    options = HANDS


class AtDraw(VerifiedCheat):
    """A cheat at five-card draw."""

    game = "five-card-draw"
    options = HANDS


class BoardCheat(AtPoker):
    """Changes its shares of the cards that are turned up."""

    kind = "shares"

    def twist(self, match, post):
        deal = deal_of(match)
        if all(deal.holders[card] != EVERYBODY for card in deal.requested):
            return post
        return self.changed(match, post)

    def changed(self, match, post):
        """Return the changed post of shares."""

    def forged(self, match, card, x):
        """Return a share made with another key, and a proof of it."""
        half, deal = self.half(match), deal_of(match)
        D = share(x, deal.deck[card])
        proof = prove_share(
            half._x, half._X, deal.deck[card], D, self.place_of(match, "share", card), GARBAGE
        )
        return D.encoded, proof


class GivesWrongShareOfBoard(BoardCheat):
    """Gives a share that would turn the card into another."""

    def changed(self, match, post):
        D, proof = self.forged(match, deal_of(match).requested[0], self.half(match)._x + ONE)
        return Post("shares", [D + post.body[0][ELEMENT_BYTES:], proof + post.body[1][PROOF:]])


class TurnsBoardRound(BoardCheat):
    """Gives its shares of the flop in a different order."""

    def changed(self, match, post):
        if len(post.body[0]) == ELEMENT_BYTES:
            return post
        return Post("shares", [turned(post.body[0], ELEMENT_BYTES), turned(post.body[1], PROOF)])


class GivesOneShareLess(BoardCheat):
    """Withholds the share of one card of the board."""

    def changed(self, match, post):
        return Post(
            "shares",
            [
                post.body[0][ELEMENT_BYTES:] or bytes(ELEMENT_BYTES),
                post.body[1][PROOF:] or bytes(PROOF),
            ],
        )


class WithholdsBoard(BoardCheat):
    """Withholds a share of a card that is to be turned up; it could end a losing hand in this way,
    and is named.
    """

    code, when = Code.LAPSED, When.LAPSE

    def changed(self, match, post):
        return None


class ExchangeShares(AtDraw):
    """Changes its shares of the cards that another seat takes in exchange."""

    kind = "shares"

    def twist(self, match, post):
        deal = deal_of(match)
        return (
            self.changed(match, post)
            if deal.discarded and deal.stage is VerifiedStage.SHARES
            else post
        )


class GivesWrongShareOfExchange(ExchangeShares):
    """Gives a share that would turn the other seat's new card into another."""

    changed = GivesWrongShareOfBoard.changed
    forged = BoardCheat.forged


class WithholdsExchange(ExchangeShares):
    """Gives no share, so that the other seat never sees its new cards."""

    code, when = Code.LAPSED, When.LAPSE

    def changed(self, match, post):
        return None


class MoveOnce(RefusedOnce):
    """Makes one move that is refused, and goes on honestly."""

    game, options, verb = "five-card-draw", HANDS, "exchange"
    code = Code.ILLEGAL_MOVE

    def wrong(self, match, post):
        return None

    def respond(self, match):
        self._last_step = (None, None)  # forget the refused move
        return super().respond(match)

    def move(self, match, action):
        post = super().move(match, action)
        if self.done or action[0] != self.verb:
            return post
        self.done = self.acted = True
        return self.instead(match, post)

    def instead(self, match, post):
        """Return the move that is refused."""


class ExchangesWhatItDoesNotHave(MoveOnce):
    """Exchanges a sixth card of five."""

    def instead(self, match, post):
        return Post("move", [["exchange", 0, 5], []])


class ExchangesOneTwice(MoveOnce):
    """Names one card twice, to get two new ones."""

    def instead(self, match, post):
        return Post("move", [["exchange", 0, 0], []])


class ExchangesAfterwards(MoveOnce):
    """Exchanges more cards after its turn to exchange is over."""

    verb = "call"

    def move(self, match, action):
        return (
            super().move(match, action)
            if deal_of(match).discarded
            else VerifiedCheat.move(self, match, action)
        )

    def instead(self, match, post):
        return Post("move", [["exchange", 0], []])


class ExchangesWithAPart(MoveOnce):
    """Adds a part to an exchange, which has none."""

    code = Code.BAD_ENTRY

    def instead(self, match, post):
        return Post("move", [["exchange", 0], [[], [bytes(ELEMENT_BYTES)]]])


class ShowsWithFewerParts(MoveOnce):
    """Shows a whole hand with one opening."""

    verb, code = "show", Code.BAD_ENTRY

    def instead(self, match, post):
        return Post("move", [post.body[0], post.body[1][:1]])


class ShowsWithMoreParts(MoveOnce):
    """Shows with one opening too many."""

    verb, code = "show", Code.BAD_ENTRY

    def instead(self, match, post):
        return Post("move", [post.body[0], [*post.body[1], post.body[1][0]]])


class ShowsHalfAHand(MoveOnce):
    """Shows only a chosen half of its hand."""

    verb = "show"

    def instead(self, match, post):
        return Post("move", [post.body[0][:-1], post.body[1][:-1]])


class MucksWithAPart(MoveOnce):
    """Throws its hand away, and adds an opening."""

    verb, code = "show", Code.BAD_ENTRY

    def instead(self, match, post):
        return Post("move", [["muck"], post.body[1]])


class ShowingCheat(AtDraw):
    """Changes how it shows its hand."""

    code = Code.BAD_OPENING

    def move(self, match, action):
        post = super().move(match, action)
        if action[0] != "show":
            return post
        changed = self.changed(match, post)
        self.acted = self.acted or changed != post
        return changed

    def changed(self, match, post):
        """Return the changed move."""

    def better(self, match):
        """Return an ace that the seat does not hold."""
        return next(piece for piece in range(51, 0, -1) if piece not in self.hand)

    def part(self, match, card):
        shares, proofs = self.half(match)._give_shares(deal_of(match), [card])
        return [card, shares, proofs]


class ShowsABetterCard(ShowingCheat):
    """Claims that one of its cards is an ace."""

    def changed(self, match, post):
        action, part = post.body
        return Post("move", [[action[0], self.better(match), *action[2:]], part])


class ShowsInAnotherOrder(ShowingCheat):
    """Opens its cards in each other's places."""

    def changed(self, match, post):
        action, part = post.body
        return Post("move", [action, part[::-1]])


class ShowsOneCardTwice(ShowingCheat):
    """Shows one of its cards as two."""

    code = Code.NOT_HELD

    def changed(self, match, post):
        action, part = post.body
        return Post("move", [action, [part[0], part[0], *part[2:]]])


class ShowsAnothersCard(ShowingCheat):
    """Shows a card of its neighbour."""

    code = Code.NOT_HELD

    def changed(self, match, post):
        deal, (action, part) = deal_of(match), post.body
        theirs = next(
            card for card, holder in deal.holders.items() if holder not in (self.number, NOBODY)
        )
        return Post("move", [action, [self.part(match, theirs), *part[1:]]])


class ShowsWhatItPutAway(ShowingCheat):
    """Shows a card that it exchanged before."""

    code = Code.NOT_HELD
    given = (0, 0, b"")  # deal number, piece, part

    def move(self, match, action):
        if action[0] == "exchange" and len(action) > 1:
            piece = self.hand[action[1]]
            self.given = (
                match.deal_number,
                piece,
                self.half(match).part(deal_of(match), Reveal(piece)),
            )
        return super().move(match, action)

    def changed(self, match, post):
        number, piece, part = self.given
        if not part or number != match.deal_number:
            return post
        return Post("move", [["show", piece, *post.body[0][2:]], [part, *post.body[1][1:]]])


class ShowsWithFalseShare(ShowingCheat):
    """Shifts a share so that its card would be another."""

    code = Code.BAD_PROOF

    def changed(self, match, post):
        half, deal, (action, part) = self.half(match), deal_of(match), post.body
        card = part[0][0]
        D = share(half._x + ONE, deal.deck[card])
        proof = prove_share(
            half._x, half._X, deal.deck[card], D, self.place_of(match, "share", card), GARBAGE
        )
        return Post("move", [action, [[card, D.encoded, proof], *part[1:]]])


CHEATS = [
    GivesWrongShareOfBoard,
    TurnsBoardRound,
    GivesOneShareLess,
    WithholdsBoard,
    GivesWrongShareOfExchange,
    WithholdsExchange,
    ExchangesWhatItDoesNotHave,
    ExchangesOneTwice,
    ExchangesAfterwards,
    ExchangesWithAPart,
    ShowsWithFewerParts,
    ShowsWithMoreParts,
    ShowsHalfAHand,
    MucksWithAPart,
    ShowsABetterCard,
    ShowsInAnotherOrder,
    ShowsOneCardTwice,
    ShowsAnothersCard,
    ShowsWhatItPutAway,
    ShowsWithFalseShare,
]
