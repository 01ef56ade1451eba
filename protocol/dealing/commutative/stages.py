"""The stages of a commutative deal as one table: who must post what, and what an entry's body looks like."""

from enum import Enum, StrEnum
from typing import NamedTuple

from protocol.crypto.group import SIZE
from protocol.dealing.words import Meaning, count, say
from protocol.limits import MAX_PIECES, MAX_SEATS
from protocol.schema import Shape, between, exactly, fields, many, uint

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
    """One row of `STAGES`: whose duty, which kind of entry, and the stage in words and per cent for people."""

    who: Who
    kind: str
    words: str
    percent: int


STAGES: dict[Stage, Row] = {
    Stage.COMMIT: Row(Who.EVERYONE, "commit", "everybody commits to a key", 0),
    Stage.PACK: Row(Who.TURN, "pack", "everybody packs and shuffles", 10),
    Stage.CHOOSE: Row(Who.TURN, "choose", "the last to shuffle chooses", 70),
    Stage.UNWRAP: Row(Who.TURN, "unwrap", "everybody unwraps for the others", 75),
    Stage.READY: Row(Who.NOBODY, "", "dealt", 100),
    Stage.OPEN: Row(Who.EVERYONE, "open_key", "everybody opens the key, and checks", 0),
    Stage.CLOSED: Row(Who.NOBODY, "", "closed", 100),
}

_PLACE = uint(MAX_PIECES - 1)

KINDS: dict[str, Shape] = {
    "commit": fields(exactly(32)),  # to the seat's key of this deal
    "pack": fields(between(SIZE, SIZE * MAX_PIECES)),  # the deck, every card in one more envelope, in a new order
    "choose": fields(many(many(_PLACE, 0, MAX_PIECES), 1, MAX_SEATS)),  # for each seat that is dealt to: its cards
    "unwrap": fields(between(SIZE, SIZE * MAX_PIECES)),  # the cards asked for and not one's own, less one's envelope
    "open_key": fields(exactly(SIZE), exactly(SALT)),  # the key, and the salt of the commitment
}

MEANINGS: dict[str, Meaning] = {
    "commit": say("commits to the key of its envelopes"),
    "pack": count("packs {} pieces into its envelopes and shuffles them", each=SIZE),
    "choose": lambda posted: f"chooses {sum(map(len, posted.body[0]))} pieces for everybody",
    "unwrap": count("takes its envelopes off {} pieces of others", each=SIZE),
    "open_key": say("opens the key of its envelopes"),
}

# parts that go with actions of the game
OPEN_PART = fields(_PLACE)  # the card that is shown
LOOK_PART = many(_PLACE, 1, MAX_PIECES)  # the cards of the stock that are chosen
