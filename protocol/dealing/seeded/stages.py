"""The stages of a seeded deal as one table: who must post what, and what an entry's body looks
like.
"""

from enum import Enum, StrEnum
from typing import NamedTuple

from protocol.crypto.seeded_random import SEED
from protocol.dealing.entry_phrases import EntryMeaning, count_phrase, fixed_phrase
from protocol.limits import MAX_LOOSE
from protocol.schema import Shape, exactly, fields, many, uint

GIVE = 32  # bytes
SALT = 32


class SeededStage(StrEnum):
    """Where a deal stands."""

    COMMIT = "commit"
    GIVE = "give"
    SHOW = "show"
    READY = "ready"
    OPEN = "open"
    CLOSED = "closed"


class DutyHolder(Enum):
    """Whose duty a stage is."""

    EVERYONE = "every seat that has not done so"
    GIVERS = "every seat that has not done so, if another draws"
    OWNERS = "every seat that has not done so and whose cards are to be seen"
    NOBODY = "nobody"


class StageSpec(NamedTuple):
    """One row of `STAGES`: whose duty, which kind of entry, and for people a key of the catalogue
    and per cent.
    """

    duty_holder: DutyHolder
    kind: str
    progress_key: str
    percent: int


STAGES: dict[SeededStage, StageSpec] = {
    SeededStage.COMMIT: StageSpec(DutyHolder.EVERYONE, "commit", "deal.seeded.commit", 0),
    SeededStage.GIVE: StageSpec(DutyHolder.GIVERS, "give", "deal.seeded.give", 30),
    SeededStage.SHOW: StageSpec(DutyHolder.OWNERS, "show", "deal.seeded.show", 70),
    SeededStage.READY: StageSpec(DutyHolder.NOBODY, "", "deal.ready", 100),
    SeededStage.OPEN: StageSpec(DutyHolder.EVERYONE, "open_seed", "deal.seeded.open", 0),
    SeededStage.CLOSED: StageSpec(DutyHolder.NOBODY, "", "deal.closed", 100),
}

ENTRY_SHAPES: dict[str, Shape] = {
    "commit": fields(exactly(32)),  # to the seat's seed
    "give": fields(exactly(GIVE)),  # to all that others draw now
    # what one's own cards are that all are to see, in order
    "show": fields(many(uint(MAX_LOOSE - 1), 1, MAX_LOOSE)),
    "open_seed": fields(exactly(SEED), exactly(SALT)),  # the seed, and the salt of the commitment
}

# the part that goes with an action that opens a card: how often its author had seen cards of its
# own hidden
OPEN_PART = fields(uint())

ENTRY_MEANINGS: dict[str, EntryMeaning] = {
    "commit": fixed_phrase("entry.commit.seed"),
    "give": fixed_phrase("entry.give"),
    "show": count_phrase("entry.show.seeded"),
    "open_seed": fixed_phrase("entry.open_seed"),
}
