"""Cheats with commitments and with the openings at the close."""

from protocol.codes import Code
from protocol.dealing import Post
from protocol.dealing.layered.primitives import hand_commitment
from tests.adversary.cheats.base import GARBAGE, Cheat, When, deal_of


class CopiesCommitment(Cheat):
    """Repeats another seat's commitment, hoping to open it the same way."""

    code, when, kind = Code.COPIED_COMMITMENT, When.CLOSE, "commit"

    def twist(self, match, post):
        others = [other for other in deal_of(match).commitments if other is not None]
        return Post("commit", list(others[0][:2])) if others else None


class OpensAnotherHand(Cheat):
    """Opens a hand with one of its elements exchanged for one of another seat's."""

    code, when, kind = Code.BAD_HAND_OPENING, When.CLOSE, "open_seat"

    def twist(self, match, post):
        theirs = min(set(deal_of(match).taken) - set(post.body[1]))
        post.body[1] = sorted([*post.body[1][1:], theirs])
        return post


class CommitsTo(Cheat):
    """Commits to another hand than it took, and opens that."""

    kind = "open_seat"
    when = When.CLOSE

    def other(self, match):
        raise NotImplementedError

    def respond(self, match):
        post = super().respond(match)
        if post is not None and post.kind == "commit":
            own = self.layered(match)
            hand = tuple(self.other(match))
            self.acted = True
            return Post(
                "commit",
                [own.r1, hand_commitment(deal_of(match).deal_id, own.seat, own.r1, own.r2, hand)],
            )
        return post

    def twist(self, match, post):
        post.body[1] = list(self.other(match))
        return post


class CommitsToNothing(CommitsTo):
    """Commits to elements that do not exist, so that it needs no slot keys either."""

    code = Code.BAD_HAND_OPENING

    def other(self, match):
        pieces = deal_of(match).context.piece_count
        return range(pieces, pieces + deal_of(match).context.dealt_per_seat)

    def twist(self, match, post):
        post = super().twist(match, post)
        post.body[3] = []
        return post


class CommitsToSix(CommitsTo):
    """Commits to one element fewer than it took."""

    code = Code.BAD_HAND_OPENING

    def other(self, match):
        return sorted(self.layered(match).taken_elements)[1:]

    def twist(self, match, post):
        post = super().twist(match, post)
        post.body[3] = post.body[3][1:]
        return post


class CommitsToTheStock(CommitsTo):
    """Commits to an element that lies in the stock."""

    code = Code.BAD_HAND_OPENING

    def other(self, match):
        return sorted([*sorted(self.layered(match).taken_elements)[1:], min(deal_of(match).stock)])


class CopiesSlotKey(CommitsTo):
    """Claims another seat's element instead of its own, and copies the slot's key from that seat's
    opening.
    """

    code = Code.HAND_NOT_HELD
    seats = 2

    def other(self, match):
        own = self.layered(match)
        return sorted([*sorted(own.taken_elements)[1:], self._theirs(match)])

    def _theirs(self, match):
        return min(set(deal_of(match).taken) - self.layered(match).taken_elements)

    def twist(self, match, post):
        deal, own = deal_of(match), self.layered(match)
        honest = deal.openings[1 - own.seat]
        if honest is None:
            return None  # wait for that opening
        keys = {
            element: own.slot_keys[deal.taken.index(element)].private
            for element in own.taken_elements
        }
        keys[self._theirs(match)] = honest.slot_keys[honest.hand.index(self._theirs(match))]
        post = super().twist(match, post)
        post.body[3] = [keys[element] for element in post.body[1]]
        return post


def opens(name, field, garbage, expected, game="block-dominoes"):
    """Return a cheat that opens garbage in one field of `open_seat`."""

    def twist(self, match, post):
        post.body[field] = garbage(post.body[field])
        return post

    doc = f"Opens garbage in field {field}."
    body = {
        "code": expected,
        "when": When.CLOSE,
        "kind": "open_seat",
        "game": game,
        "twist": twist,
        "__doc__": doc,
    }
    return type(name, (Cheat,), body)


def _keys(keys):
    return [GARBAGE.randbytes(32) for _ in keys]


OpensOtherLayerKeys = opens("OpensOtherLayerKeys", 0, _keys, Code.BAD_LAYER_KEY)
OpensNoLayerKeys = opens("OpensNoLayerKeys", 0, lambda keys: [], Code.BAD_LAYER_KEY)
OpensLayerKeysInOtherOrder = opens(
    "OpensLayerKeysInOtherOrder", 0, lambda keys: keys[::-1], Code.BAD_LAYER_KEY
)
OpensNoHand = opens("OpensNoHand", 1, lambda hand: [], Code.BAD_HAND_OPENING)
OpensHandTwice = opens("OpensHandTwice", 1, lambda hand: sorted(hand * 2), Code.BAD_HAND_OPENING)
OpensHandUnsorted = opens("OpensHandUnsorted", 1, lambda hand: hand[::-1], Code.BAD_HAND_OPENING)
OpensHandBeyond = opens("OpensHandBeyond", 1, lambda hand: [*hand[1:], 207], Code.BAD_HAND_OPENING)
OpensOtherSalt = opens("OpensOtherSalt", 2, lambda r2: bytes(32), Code.BAD_HAND_OPENING)
OpensOtherSlotKeys = opens("OpensOtherSlotKeys", 3, _keys, Code.HAND_NOT_HELD)
OpensNoSlotKeys = opens("OpensNoSlotKeys", 3, lambda keys: [], Code.HAND_NOT_HELD)
OpensTooManyChoices = opens(
    "OpensTooManyChoices", 4, lambda old: [*old, [0, bytes(32)]], Code.PEEKED, "draw-dominoes"
)
OpensBadScalar = opens(
    "OpensBadScalar",
    4,
    lambda old: [[207, b"\xff" * 32] for _ in old] or [[0, bytes(32)]],
    Code.PEEKED,
)

CHEATS = [
    CopiesCommitment,
    OpensAnotherHand,
    CommitsToNothing,
    CommitsToSix,
    CommitsToTheStock,
    CopiesSlotKey,
    OpensOtherLayerKeys,
    OpensNoLayerKeys,
    OpensLayerKeysInOtherOrder,
    OpensNoHand,
    OpensHandTwice,
    OpensHandUnsorted,
    OpensHandBeyond,
    OpensOtherSalt,
    OpensOtherSlotKeys,
    OpensNoSlotKeys,
    OpensTooManyChoices,
    OpensBadScalar,
]
