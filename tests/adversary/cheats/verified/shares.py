"""Cheats with shares."""

from typing import ClassVar

from protocol.codes import Code
from protocol.crypto.dlog_proofs import Equality, prove_equality
from protocol.crypto.elgamal import Ciphertext, prove_share, share
from protocol.crypto.group import (
    ELEMENT_BYTES,
    ONE,
    encode,
    hash_to_point,
    hash_to_scalar,
    random_scalar,
    times_base,
)
from protocol.dealing import Post
from protocol.dealing.card_state import CardState, piece_points
from tests.adversary.cheats.base import GARBAGE
from tests.adversary.cheats.verified.base import (
    INVALID,
    PROOF,
    FirstOfAll,
    Recorder,
    VerifiedCheat,
    deal_of,
    plus_order,
    recorded,
    replaced,
    simple,
    turned,
)


class ShareCheat(VerifiedCheat):
    """Gives a false share, proven as well as possible, for the first card that is due."""

    kind = "shares"

    def twist(self, match, post):
        deal, half = deal_of(match), self.half(match)
        card = deal.owed(self.number)[0]
        D, proof = self.false(match, deal, half, card)
        return Post(
            "shares", [D.encoded + post.body[0][ELEMENT_BYTES:], proof + post.body[1][PROOF:]]
        )

    def false(self, match, deal, half, card):
        raise NotImplementedError

    def proven(self, match, deal, half, card, D):
        """Return a proof of a share, as honest as possible."""
        return prove_share(
            half._x, half._X, deal.deck[card], D, self.place_of(match, "share", card), GARBAGE
        )


class WrongShare(ShareCheat):
    """Gives a share by a secret that is not that of its key: its neighbour's card would be ruined,
    or another.
    """

    def false(self, match, deal, half, card):
        D = share(half._x + ONE, deal.deck[card])
        return D, self.proven(match, deal, half, card, D)


class WrongShareProvenWithItsSecret(ShareCheat):
    """Gives a share by another secret, with a proof by this secret."""

    def false(self, match, deal, half, card):
        x, e = half._x + ONE, deal.deck[card]
        D = share(x, e)
        return D, prove_share(x, times_base(x), e, D, self.place_of(match, "share", card), GARBAGE)


class ShareOfAnotherCard(ShareCheat):
    """Gives the share of another card that is due, with its proof: the neighbour could not read
    this card.
    """

    def false(self, match, deal, half, card):
        other = deal.owed(self.number)[1]
        D = share(half._x, deal.deck[other])
        return D, self.proven(match, deal, half, other, D)


class ShareOfItsOwnCard(ShareCheat):
    """Gives the share of a card that it holds, with its proof."""

    def false(self, match, deal, half, card):
        other = next(card for card, holder in deal.holders.items() if holder == self.number)
        D = share(half._x, deal.deck[other])
        return D, self.proven(match, deal, half, other, D)


class ShareProofWithoutTheFace(ShareCheat):
    """Gives the right share, with a proof that does not bind C2 and would hold for any face on this
    C1.
    """

    def false(self, match, deal, half, card):
        e = deal.deck[card]
        D = share(half._x, e)
        return D, prove_equality(
            half._x, Equality(half._X, e.C1, D), self.place_of(match, "share", card), GARBAGE
        )


class ShareProofForAnotherFace(ShareCheat):
    """Gives the right share, proven for a card with this C1 and a better face."""

    def false(self, match, deal, half, card):
        e = deal.deck[card]
        better = Ciphertext(e.C1, e.C2 + piece_points(28)[27] - piece_points(28)[0])
        D = share(half._x, e)
        return D, prove_share(
            half._x, half._X, better, D, self.place_of(match, "share", card), GARBAGE
        )


class ShareTurnsCardIntoAnother(ShareCheat):
    """Shifts the share by the difference of two faces, so that the receiver would read the other
    face.
    """

    def false(self, match, deal, half, card):
        D = share(half._x, deal.deck[card]) + piece_points(28)[0] - piece_points(28)[27]
        return D, self.proven(match, deal, half, card, D)


class ShareProofWithoutTheStatement(ShareCheat):
    """Uses a challenge that does not depend on the share, so that a false share can be fitted to it
    afterwards.
    """

    def false(self, match, deal, half, card):
        e, omega, t2 = deal.deck[card], random_scalar(GARBAGE), hash_to_point("anything", 1)
        c = hash_to_scalar("weak", times_base(omega).encoded, t2.encoded)
        s = omega + c * half._x
        return c.inverse() * (s * e.C1 - t2), encode([c, s])


class ShareProofElsewhere(ShareCheat):
    """Gives the right share, with a valid proof for another position."""

    def false(self, match, deal, half, card):
        e = deal.deck[card]
        D = share(half._x, e)
        return D, prove_share(
            half._x, half._X, e, D, self.place_of(match, "share", card + 1), GARBAGE
        )


class ShareOfNeighbour(VerifiedCheat):
    """Repeats its neighbour's shares, in two of the places where its own shares are due as well."""

    kind, seats = "shares", 3
    friends: ClassVar = {0: Recorder}

    def twist(self, match, post):
        theirs = recorded(match, "shares")
        return Post("shares", theirs.body) if theirs else None  # wait for the neighbour's shares


class OneShareOfNeighbour(VerifiedCheat):
    """Repeats only the share of one card that both owe, with its proof."""

    kind, seats = "shares", 3
    friends: ClassVar = {0: Recorder}

    def twist(self, match, post):
        deal = deal_of(match)
        if recorded(match, "shares") is None:
            return None  # wait for the neighbour's share
        theirs, mine = (
            list(CardState.owed(deal, 0)),
            list(deal.owed(1)),
        )  # cards whose share is given already count too
        both = next(card for card in mine if card in theirs)
        at, of = mine.index(both), theirs.index(both)
        shares, proofs = recorded(match, "shares").body
        return Post(
            "shares",
            [
                replaced(
                    post.body[0],
                    at,
                    shares[ELEMENT_BYTES * of : ELEMENT_BYTES * of + ELEMENT_BYTES],
                ),
                replaced(post.body[1], at, proofs[PROOF * of : PROOF * of + PROOF]),
            ],
        )


class SharesOfAnEarlierDeal(FirstOfAll):
    """Repeats its shares of the first deal in the next one."""

    kind = "shares"


class ShareOfDraw(ShareCheat):
    """Waits for a draw, then gives a wrong share."""

    game = "draw-dominoes"
    options: ClassVar = {"hand": 3}

    def twist(self, match, post):
        return super().twist(match, post) if deal_of(match).drawn else post

    def false(self, match, deal, half, card):
        D = share(half._x, deal.deck[deal.stock[0] if deal.stock else 0])
        return D, self.proven(match, deal, half, card, D)


def _shares(name, code, change, doc):
    return simple(name, "shares", code, change, doc)


SHARES = [
    _shares(
        "TooFewShares",
        Code.BAD_PROOF,
        lambda b: [b[0][ELEMENT_BYTES:], b[1][PROOF:]],
        "None for one of the cards.",
    ),
    _shares(
        "TooManyShares",
        Code.BAD_PROOF,
        lambda b: [b[0] + b[0][:ELEMENT_BYTES], b[1] + b[1][:PROOF]],
        "One too many.",
    ),
    _shares(
        "SharesBackwards",
        Code.BAD_PROOF,
        lambda b: [turned(b[0], ELEMENT_BYTES), turned(b[1], PROOF)],
        "Another order.",
    ),
    _shares(
        "FewerProofs", Code.BAD_PROOF, lambda b: [b[0], b[1][PROOF:]], "A share without a proof."
    ),
    _shares(
        "TrailingByteAfterShares",
        Code.BAD_PROOF,
        lambda b: [b[0] + b"\0", b[1]],
        "A byte too many.",
    ),
    _shares(
        "NoPointForShare",
        Code.BAD_POINT,
        lambda b: [INVALID + b[0][ELEMENT_BYTES:], b[1]],
        "A share that is no point.",
    ),
    _shares(
        "IdentityForShare",
        Code.BAD_POINT,
        lambda b: [bytes(ELEMENT_BYTES) + b[0][ELEMENT_BYTES:], b[1]],
        "Nothing for a share.",
    ),
    _shares(
        "ProofsExchanged",
        Code.BAD_PROOF,
        lambda b: [b[0], turned(b[1], PROOF)],
        "Proofs in another order.",
    ),
    _shares(
        "ShareProofZero",
        Code.BAD_PROOF,
        lambda b: [b[0], bytes(PROOF) + b[1][PROOF:]],
        "A proof of zeros.",
    ),
    _shares(
        "ShareProofTwoSpellings",
        Code.BAD_PROOF,
        lambda b: [b[0], plus_order(b[1][:ELEMENT_BYTES]) + b[1][ELEMENT_BYTES:]],
        "A proof whose challenge has the order added.",
    ),
    WrongShare,
    WrongShareProvenWithItsSecret,
    ShareOfAnotherCard,
    ShareOfItsOwnCard,
    ShareProofWithoutTheFace,
    ShareProofForAnotherFace,
    ShareTurnsCardIntoAnother,
    ShareProofWithoutTheStatement,
    ShareProofElsewhere,
    ShareOfNeighbour,
    OneShareOfNeighbour,
    SharesOfAnEarlierDeal,
    ShareOfDraw,
]
