"""The stages of a commutative deal as one table: who must post what, and what an entry's body looks
like.
"""

from enum import Enum, StrEnum
from typing import NamedTuple

from protocol.crypto.group import SIZE
from protocol.dealing.entry_phrases import (Meaning, count, say)
from protocol.limits import MAX_PIECES, MAX_SEATS
from protocol.schema import Shape, between, exactly, fields, many, uint
from protocol.view.phrase import phrase

SALT = 32  # bytes in a commitment to a key


class Stage(StrEnum):
    """Where a deal stands."""

    COMMIT = "commit"
    PACK = "pack"
    CHOOSE = "choose"
    UNWRAP = "unwrap"
    READY = "ready"
    OPEN = "open"
    CLOSED = "closed"


class Who(Enum):
    """Whose duty a stage is."""

    TURN = "the seat whose turn it is"
    EVERYONE = "every seat that has not done so"
    NOBODY = "nobody"


class Row(NamedTuple):
    """One row of `STAGES`: whose duty, which kind of entry, and for people a key of the catalogue
    and per cent.
    """

    who: Who
    kind: str
    doing: str
    percent: int


STAGES: dict[Stage, Row] = {
    Stage.COMMIT: Row(Who.EVERYONE, "commit", "deal.commutative.commit", 0),
    Stage.PACK: Row(Who.TURN, "pack", "deal.commutative.pack", 10),
    Stage.CHOOSE: Row(Who.TURN, "choose", "deal.commutative.choose", 70),
    Stage.UNWRAP: Row(Who.TURN, "unwrap", "deal.commutative.unwrap", 75),
    Stage.READY: Row(Who.NOBODY, "", "deal.ready", 100),
    Stage.OPEN: Row(Who.EVERYONE, "open_key", "deal.commutative.open", 0),
    Stage.CLOSED: Row(Who.NOBODY, "", "deal.closed", 100),
}

_PLACE = uint(MAX_PIECES - 1)

KINDS: dict[str, Shape] = {
    "commit": fields(exactly(32)),  # to the seat's key of this deal
    # the deck, every card in one more envelope, in a new order
    "pack": fields(between(SIZE, SIZE * MAX_PIECES)),
    # for each seat that is dealt to: its cards
    "choose": fields(many(many(_PLACE, 0, MAX_PIECES), 1, MAX_SEATS)),
    # the cards asked for and not one's own, less one's envelope
    "unwrap": fields(between(SIZE, SIZE * MAX_PIECES)),
    "open_key": fields(exactly(SIZE), exactly(SALT)),  # the key, and the salt of the commitment
}

MEANINGS: dict[str, Meaning] = {
    "commit": say("entry.commit.key"),
    "pack": count("entry.pack", each=SIZE),
    "choose": lambda posted: phrase("entry.choose", count=sum(map(len, posted.body[0]))),
    "unwrap": count("entry.unwrap", each=SIZE),
    "open_key": say("entry.open_key"),
}

# parts that go with actions of the game
OPEN_PART = fields(_PLACE)  # the card that is shown
LOOK_PART = many(_PLACE, 1, MAX_PIECES)  # the cards of the stock that are chosen
