"""Stages of a commutative deal: who must post which kind of entry, and the shapes of the bodies."""

from enum import StrEnum

from protocol.crypto.group import ELEMENT_BYTES
from protocol.dealing.entry_phrases import EntryMeaning, count_phrase, fixed_phrase
from protocol.dealing.stages import CLOSED_ROW, READY_ROW, DutyHolder, StageSpec
from protocol.limits import MAX_PIECES, MAX_SEATS
from protocol.schema import Shape, between, exactly, fields, many, uint
from protocol.view.phrase import phrase

SALT_SIZE = 32  # length in bytes of the salt in a commitment to a key


class CommutativeStage(StrEnum):
    """Stage of a commutative deal."""

    COMMIT = "commit"
    PACK = "pack"
    CHOOSE = "choose"
    UNWRAP = "unwrap"
    READY = "ready"
    OPEN = "open"
    CLOSED = "closed"


STAGES: dict[CommutativeStage, StageSpec] = {
    CommutativeStage.COMMIT: StageSpec(
        DutyHolder.EVERYONE, ("commit",), "deal.commutative.commit", 0
    ),
    CommutativeStage.PACK: StageSpec(DutyHolder.TURN, ("pack",), "deal.commutative.pack", 10),
    CommutativeStage.CHOOSE: StageSpec(DutyHolder.TURN, ("choose",), "deal.commutative.choose", 70),
    CommutativeStage.UNWRAP: StageSpec(DutyHolder.TURN, ("unwrap",), "deal.commutative.unwrap", 75),
    CommutativeStage.READY: READY_ROW,
    CommutativeStage.OPEN: StageSpec(
        DutyHolder.EVERYONE, ("open_key",), "deal.commutative.open", 0
    ),
    CommutativeStage.CLOSED: CLOSED_ROW,
}

# A card: its place in the deck.
_CARD = uint(MAX_PIECES - 1)

ENTRY_SHAPES: dict[str, Shape] = {
    "commit": fields(exactly(32)),  # commitment to the seat's key for this deal
    # The deck with the author's envelope on every card, in a new order.
    "pack": fields(between(ELEMENT_BYTES, ELEMENT_BYTES * MAX_PIECES)),
    # Cards of each seat that takes part.
    "choose": fields(many(many(_CARD, 0, MAX_PIECES), 1, MAX_SEATS)),
    # Requested cards of other holders, without the author's envelope.
    "unwrap": fields(between(ELEMENT_BYTES, ELEMENT_BYTES * MAX_PIECES)),
    # The key, and the salt of the commitment.
    "open_key": fields(exactly(ELEMENT_BYTES), exactly(SALT_SIZE)),
}

ENTRY_MEANINGS: dict[str, EntryMeaning] = {
    "commit": fixed_phrase("entry.commit.key"),
    "pack": count_phrase("entry.pack", each=ELEMENT_BYTES),
    "choose": lambda posted: phrase("entry.choose", count=sum(map(len, posted.body[0]))),
    "unwrap": count_phrase("entry.unwrap", each=ELEMENT_BYTES),
    "open_key": fixed_phrase("entry.open_key"),
}

# Parts that go with actions of the game:
OPEN_PART = fields(_CARD)  # the card that is shown
LOOK_PART = many(_CARD, 1, MAX_PIECES)  # the chosen cards of the stock
