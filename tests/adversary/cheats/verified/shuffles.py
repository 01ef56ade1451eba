"""Cheats with shuffles."""

from typing import ClassVar

from protocol.codes import Code
from protocol.crypto.elgamal import Ciphertext, encode_ciphertexts
from protocol.crypto.group import (
    ELEMENT_BYTES,
    ZERO,
    hash_to_point,
    random_scalar,
    times_base,
)
from protocol.crypto.shuffle import Witness, prove_shuffle, shuffle
from protocol.dealing import Post
from protocol.dealing.card_state import piece_points
from tests.adversary.cheats.base import GARBAGE
from tests.adversary.cheats.verified.base import (
    INVALID,
    PROOF,
    FirstOfAll,
    Recorder,
    VerifiedCheat,
    deal_of,
    flipped,
    plus_order,
    recorded,
    simple,
)


class ShuffleCheat(VerifiedCheat):
    """Changes its own shuffle, and proves it as well as possible."""

    kind = "shuffle"

    def twist(self, match, post):
        deal = deal_of(match)
        before = tuple(deal.deck[card] for card in deal.pile)
        after, witness = shuffle(before, deal.key, GARBAGE)
        after, witness = self.change(deal, before, list(after), witness)
        proof = prove_shuffle(
            before,
            after,
            witness,
            deal.key,
            self.place_of(match, "shuffle", deal.shuffles),
            GARBAGE,
        )
        return Post("shuffle", [encode_ciphertexts(after), proof])

    def change(self, deal, before, after, witness):
        raise NotImplementedError


def masked(e, r, key):
    """Return the card re-encrypted by any r."""
    return Ciphertext(e.C1 + times_base(r), e.C2 + r * key)


class DoublesCard(ShuffleCheat):
    """One card twice, in two masks, and another not at all."""

    def change(self, deal, before, after, witness):
        after[0] = masked(after[1], random_scalar(GARBAGE), deal.key)
        return after, witness


class SwapsCard(ShuffleCheat):
    """Replaces one of the cards with a face of its choice."""

    def change(self, deal, before, after, witness):
        r = random_scalar(GARBAGE)
        after[0] = Ciphertext(times_base(r), piece_points(len(after))[3] + r * deal.key)
        return after, witness


class InventsFace(ShuffleCheat):
    """Puts in a card that is no piece at all."""

    def change(self, deal, before, after, witness):
        after[0] = Ciphertext(after[0].C1, after[0].C2 + hash_to_point("piece", 1000))
        return after, witness


class KeepsTheSum(ShuffleCheat):
    """Shifts two faces in opposite directions, so that their sum stays."""

    def change(self, deal, before, after, witness):
        more = times_base(random_scalar(GARBAGE))
        after[0] = Ciphertext(after[0].C1, after[0].C2 + more)
        after[1] = Ciphertext(after[1].C1, after[1].C2 - more)
        return after, witness


class ShufflesOn(ShuffleCheat):
    """Swaps two cards after the permutation that it proves."""

    def change(self, deal, before, after, witness):
        after[0], after[1] = after[1], after[0]
        return after, witness


class MasksForItself(ShuffleCheat):
    """Masks one card under its own key, so that it alone could open it."""

    def change(self, deal, before, after, witness):
        j, r = witness.psi[0], witness.r_prime[witness.psi[0]]
        after[0] = masked(before[j], r, deal.keys[self.number])
        return after, witness


class LeavesCardAsItWas(ShuffleCheat):
    """Masks one card by zero, to follow it; the shuffle argument itself would hold."""

    code = Code.BAD_PROOF

    def change(self, deal, before, after, witness):
        j = witness.psi[0]
        r_prime = tuple(ZERO if card == j else r for card, r in enumerate(witness.r_prime))
        after[0] = before[j]
        return after, Witness(witness.psi, r_prime)


class LeavesCardInClear(LeavesCardAsItWas):
    """Masks one card of the fresh deck by zero: everybody could read it until the next shuffle."""

    place, code = 0, Code.BAD_POINT


class LeavesAllInClear(ShuffleCheat):
    """Masks no card: after seat 0 the whole deck would be in clear."""

    place, code = 0, Code.BAD_POINT

    def change(self, deal, before, after, witness):
        return [before[j] for j in witness.psi], Witness(witness.psi, (ZERO,) * len(before))


class OneMaskForAll(ShuffleCheat):
    """Masks all cards of the fresh deck by one scalar, which shows its order to everybody."""

    place = 0

    def change(self, deal, before, after, witness):
        r = random_scalar(GARBAGE)
        return [masked(before[j], r, deal.key) for j in witness.psi], Witness(
            witness.psi, (r,) * len(before)
        )


class ShuffleOfNeighbour(VerifiedCheat):
    """Posts the neighbour's deck and proof as its own, so that only the neighbour has shuffled."""

    kind = "shuffle"
    friends: ClassVar = {0: Recorder}

    def twist(self, match, post):
        return Post("shuffle", recorded(match, "shuffle").body)


class ProofOfNeighbour(VerifiedCheat):
    """A shuffle of its own with the neighbour's proof."""

    kind = "shuffle"
    friends: ClassVar = {0: Recorder}

    def twist(self, match, post):
        return Post("shuffle", [post.body[0], recorded(match, "shuffle").body[1]])


class ShuffleOfAnEarlierDeal(FirstOfAll):
    """Repeats its shuffle of the first deal in the next one, whose order it would know."""

    kind = "shuffle"


class ShuffleProvenElsewhere(VerifiedCheat):
    """Posts a valid shuffle with a proof for another place."""

    kind = "shuffle"

    def twist(self, match, post):
        deal = deal_of(match)
        before = tuple(deal.deck[card] for card in deal.pile)
        after, witness = shuffle(before, deal.key, GARBAGE)
        place = self.place_of(match, "shuffle", deal.shuffles + 1)
        return Post(
            "shuffle",
            [
                encode_ciphertexts(after),
                prove_shuffle(before, after, witness, deal.key, place, GARBAGE),
            ],
        )


class ShuffleOfFirstDeck(VerifiedCheat):
    """Shuffles the deck in clear once more, instead of the neighbour's output."""

    kind = "shuffle"

    def twist(self, match, post):
        deal = deal_of(match)
        before = deal.first_deck()
        after, witness = shuffle(before, deal.key, GARBAGE)
        place = self.place_of(match, "shuffle", deal.shuffles)
        return Post(
            "shuffle",
            [
                encode_ciphertexts(after),
                prove_shuffle(before, after, witness, deal.key, place, GARBAGE),
            ],
        )


def _shuffle(name, code, change, doc):
    return simple(name, "shuffle", code, change, doc)


SHUFFLES = [
    _shuffle(
        "DropsCard", Code.BAD_POINT, lambda b: [b[0][PROOF:], b[1]], "A deck with one card fewer."
    ),
    _shuffle(
        "AddsCard",
        Code.BAD_POINT,
        lambda b: [b[0] + b[0][:PROOF], b[1]],
        "A deck with one card more.",
    ),
    _shuffle(
        "CopiesCard",
        Code.BAD_PROOF,
        lambda b: [b[0][:PROOF] + b[0][:PROOF] + b[0][2 * PROOF :], b[1]],
        "Twice.",
    ),
    _shuffle(
        "TrailingByteAfterDeck", Code.BAD_POINT, lambda b: [b[0] + b"\0", b[1]], "A byte too many."
    ),
    _shuffle(
        "TrailingByteAfterProof", Code.BAD_PROOF, lambda b: [b[0], b[1] + b"\0"], "A byte too many."
    ),
    _shuffle(
        "NoPointInDeck",
        Code.BAD_POINT,
        lambda b: [b[0][:-ELEMENT_BYTES] + INVALID, b[1]],
        "Something that is no point.",
    ),
    _shuffle(
        "NoPointInProof",
        Code.BAD_PROOF,
        lambda b: [b[0], b[1][:-ELEMENT_BYTES] + INVALID],
        "Something that is no point.",
    ),
    _shuffle(
        "IdentityInDeck",
        Code.BAD_POINT,
        lambda b: [bytes(ELEMENT_BYTES) + b[0][ELEMENT_BYTES:], b[1]],
        "A card without a mask.",
    ),
    _shuffle(
        "TwoSpellings",
        Code.BAD_PROOF,
        lambda b: [b[0], plus_order(b[1][:ELEMENT_BYTES]) + b[1][ELEMENT_BYTES:]],
        "Order added.",
    ),
    _shuffle(
        "BitInProof",
        Code.BAD_PROOF,
        lambda b: [b[0], flipped(b[1], 700)],
        "A proof with a bit wrong.",
    ),
    DoublesCard,
    SwapsCard,
    InventsFace,
    KeepsTheSum,
    ShufflesOn,
    MasksForItself,
    LeavesCardAsItWas,
    LeavesCardInClear,
    LeavesAllInClear,
    OneMaskForAll,
    ShuffleOfNeighbour,
    ProofOfNeighbour,
    ShuffleOfAnEarlierDeal,
    ShuffleProvenElsewhere,
    ShuffleOfFirstDeck,
]
