"""Cheats with keys."""

from typing import ClassVar

from protocol.codes import Code
from protocol.crypto.dlog_proofs import prove_knowledge
from protocol.crypto.group import (
    ELEMENT_BYTES,
    IDENTITY,
    ONE,
    ZERO,
    random_scalar,
    times_base,
    total,
)
from protocol.dealing import Post
from tests.adversary.cheats.base import GARBAGE
from tests.adversary.cheats.verified.base import (
    INVALID,
    FirstOfAll,
    Recorder,
    VerifiedCheat,
    deal_of,
    flipped,
    plus_order,
    recorded,
    simple,
)


class CopiesKey(VerifiedCheat):
    """Posts its neighbour's key with the neighbour's proof."""

    kind = "key"
    friends: ClassVar = {0: Recorder}

    def twist(self, match, post):
        theirs = recorded(match, "key")
        # wait for the neighbour's key
        return Post("key", [*theirs.body[:2], *post.body[2:]]) if theirs else None


class RogueKey(VerifiedCheat):
    """Posts a key that cancels the others, so that all cards would be under a key that it knows."""

    kind, place, seats = "key", 2, 3

    def twist(self, match, post):
        z = random_scalar(GARBAGE)
        X = times_base(z) - total(deal_of(match).keys.values())
        return Post(
            "key",
            [
                X.encoded,
                prove_knowledge(z, X, self.place_of(match, "key"), GARBAGE),
                *post.body[2:],
            ],
        )


class IdentityKey(VerifiedCheat):
    """Posts the neutral element as key: its logarithm is zero, and its shares are empty."""

    kind, code = "key", Code.BAD_POINT

    def twist(self, match, post):
        proof = prove_knowledge(ZERO, IDENTITY, self.place_of(match, "key"), GARBAGE)
        return Post("key", [IDENTITY.encoded, proof, *post.body[2:]])


class KeyOfAnotherPlace(VerifiedCheat):
    """Posts a valid proof that was made for another purpose, seat or deal."""

    kind = "key"
    what = "purpose"

    def twist(self, match, post):
        half, place = (
            self.half(match),
            self.place_of(match, "share" if self.what == "purpose" else "key"),
        )
        if self.what == "seat":
            place = deal_of(match).proof_place(0, "key")
        return Post(
            "key",
            [half._X.encoded, prove_knowledge(half._x, half._X, place, GARBAGE), *post.body[2:]],
        )


class KeyProofForAnotherSeat(KeyOfAnotherPlace):
    """Posts a valid proof that was made for another seat."""

    what = "seat"


class KeyOfAnEarlierDeal(FirstOfAll):
    """Posts the key of the first deal, with its proof, in the next one."""

    kind = "key"


class KeyShareForNothing(VerifiedCheat):
    """Shares its key although the table has not agreed to that."""

    kind, code = "key", Code.BAD_KEY_SHARE

    def twist(self, match, post):
        return Post("key", [*post.body[:2], [times_base(ONE).encoded], []])


KEYS = [
    simple(
        "WrongKeyProof",
        "key",
        Code.BAD_PROOF,
        lambda b: [b[0], flipped(b[1]), *b[2:]],
        "A proof with a bit wrong.",
    ),
    simple(
        "NoPointForKey",
        "key",
        Code.BAD_POINT,
        lambda b: [INVALID, *b[1:]],
        "A key that is no point.",
    ),
    simple(
        "AnotherKey",
        "key",
        Code.BAD_PROOF,
        lambda b: [times_base(ONE).encoded, *b[1:]],
        "A key not proven.",
    ),
    simple(
        "KeyProofTwoSpellings",
        "key",
        Code.BAD_PROOF,
        lambda b: [b[0], b[1][:ELEMENT_BYTES] + plus_order(b[1][ELEMENT_BYTES:]), *b[2:]],
        "A proof whose answer has the order added.",
    ),
    CopiesKey,
    RogueKey,
    IdentityKey,
    KeyOfAnotherPlace,
    KeyProofForAnotherSeat,
    KeyOfAnEarlierDeal,
    KeyShareForNothing,
]
