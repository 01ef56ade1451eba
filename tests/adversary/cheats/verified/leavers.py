"""Cheats with shared keys (`leavers=threshold`): a false share is named, a false accusation does no
harm.
"""

from typing import ClassVar

from protocol.codes import Code
from protocol.crypto.group import ELEMENT_BYTES, ONE, times_base
from protocol.dealing import Post
from protocol.dealing.verified.key_sharing import replaced_cards
from protocol.match.state import MatchStage
from tests.adversary.cheats.base import GARBAGE, When
from tests.adversary.cheats.verified.base import INVALID, VerifiedCheat, deal_of, simple

SHARED: dict[str, int | str] = {"leavers": "threshold"}


class SharingCheat(VerifiedCheat):
    """A cheat at a table where keys are shared."""

    seats = 3
    code = Code.BAD_KEY_SHARE
    dealing_options = SHARED


class SealsGarbage(SharingCheat):
    """Seals no share to a seat, and opens a false number when that seat complains."""

    kind = "key"

    def twist(self, match, post):
        return Post(
            "key", [*post.body[:3], [GARBAGE.randbytes(len(post.body[3][0])), *post.body[3][1:]]]
        )

    def respond(self, match):
        post = super().respond(match)
        return (
            Post("answer", [[ONE.encoded]]) if post is not None and post.kind == "answer" else post
        )


class SharesAnotherKey(SealsGarbage):
    """Commits to another polynomial than the one it shares, so that no share fits."""

    def twist(self, match, post):
        return Post(
            "key", [*post.body[:2], [times_base(ONE).encoded, *post.body[2][1:]], post.body[3]]
        )

    def respond(self, match):
        return VerifiedCheat.respond(self, match)  # it opens the shares that it made


class OpensNoShare(SealsGarbage):
    """Opens fewer shares than were asked for, after not sealing two."""

    def twist(self, match, post):
        return Post("key", [*post.body[:3], [GARBAGE.randbytes(len(raw)) for raw in post.body[3]]])


class SealsGarbageAndOpensTheTruth(SealsGarbage):
    """Seals no share to a seat, and opens the true one when asked: nothing is lost, and nobody is
    named.
    """

    when = When.REFUSED

    def respond(self, match):
        return VerifiedCheat.respond(self, match)


class AccusesFalsely(SharingCheat):
    """Accuses both other seats of wrong sharing: they open shares that it had already, and the
    match goes on.
    """

    when, kind = When.REFUSED, "confirm"

    def twist(self, match, post):
        return Post("confirm", [deal_of(match).receivers(self.number)])


class LeavingFriend(SharingCheat):
    """Leaves after it has seen its hand."""

    def respond(self, match):
        post = super().respond(match)
        return (
            Post("leave", [])
            if match.stage is MatchStage.PLAYING and self.number not in match.gone
            else post
        )


class StandsInWrongly(SharingCheat):
    """Stands in for a leaver with a part that does not come from its share of the leaver's key."""

    code, kind = Code.BAD_PROOF, "stand_in"
    friends: ClassVar = {2: LeavingFriend}
    left = 2

    def twist(self, match, post):
        parts, proofs = post.body
        return Post("stand_in", [times_base(ONE).encoded + parts[ELEMENT_BYTES:], proofs])


class StandsInForNothing(StandsInWrongly):
    """Stands in for a leaver with the identity, as a share of zero would give."""

    code = Code.BAD_POINT

    def twist(self, match, post):
        parts, proofs = post.body
        return Post("stand_in", [bytes(ELEMENT_BYTES) + parts[ELEMENT_BYTES:], proofs])


class StandsInWithItsOwnKey(StandsInWrongly):
    """Stands in for a leaver with a proven part made with its own key."""

    def twist(self, match, post):
        deal = deal_of(match)
        return Post("stand_in", self.half(match)._give_shares(deal, replaced_cards(deal)))


def _sharing(name, kind, code, change, doc):
    return simple(name, kind, code, change, doc, seats=3, dealing_options=SHARED)


CHEATS = [
    _sharing(
        "NoCommitments",
        "key",
        Code.BAD_KEY_SHARE,
        lambda b: [*b[:2], [], b[3]],
        "Shares without commitments.",
    ),
    _sharing(
        "OneSealedTooFew",
        "key",
        Code.BAD_KEY_SHARE,
        lambda b: [*b[:3], b[3][1:]],
        "No share for one seat.",
    ),
    _sharing(
        "DegreeTooHigh",
        "key",
        Code.BAD_KEY_SHARE,
        lambda b: [*b[:2], b[2] * 2, b[3]],
        "None could use it.",
    ),
    _sharing(
        "IdentityCommitment",
        "key",
        Code.BAD_POINT,
        lambda b: [*b[:2], [bytes(ELEMENT_BYTES)], b[3]],
        "Shares of x.",
    ),
    _sharing(
        "InvalidCommitment",
        "key",
        Code.BAD_POINT,
        lambda b: [*b[:2], [INVALID], b[3]],
        "What is no point.",
    ),
    _sharing("AccusesItself", "confirm", Code.BAD_ENTRY, lambda b: [[1]], "Accuses itself."),
    _sharing(
        "AccusesTwice", "confirm", Code.BAD_ENTRY, lambda b: [[0, 0]], "Accuses a seat twice."
    ),
    _sharing(
        "AccusesNobodyThere",
        "confirm",
        Code.BAD_ENTRY,
        lambda b: [[7]],
        "Accuses a seat that there is not.",
    ),
    SealsGarbage,
    SharesAnotherKey,
    OpensNoShare,
    StandsInWrongly,
    StandsInForNothing,
    StandsInWithItsOwnKey,
]
HARMLESS = [SealsGarbageAndOpensTheTruth, AccusesFalsely]
