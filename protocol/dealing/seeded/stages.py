"""Stages of a seeded deal: who must post which kind of entry, and the shapes of the bodies."""

from enum import StrEnum

from protocol.crypto.seeded_random import SEED
from protocol.dealing.entry_phrases import EntryMeaning, count_phrase, fixed_phrase
from protocol.dealing.stages import CLOSED_ROW, READY_ROW, DutyHolder, StageSpec
from protocol.limits import MAX_LOOSE
from protocol.schema import Shape, exactly, fields, many, uint

GIVE_SIZE = 32  # length in bytes
SALT_SIZE = 32


class SeededStage(StrEnum):
    """Stage of a seeded deal."""

    COMMIT = "commit"
    GIVE = "give"
    SHOW = "show"
    READY = "ready"
    OPEN = "open"
    CLOSED = "closed"


STAGES: dict[SeededStage, StageSpec] = {
    SeededStage.COMMIT: StageSpec(DutyHolder.EVERYONE, ("commit",), "deal.seeded.commit", 0),
    SeededStage.GIVE: StageSpec(DutyHolder.CONCERNED, ("give",), "deal.seeded.give", 30),
    SeededStage.SHOW: StageSpec(DutyHolder.CONCERNED, ("show",), "deal.seeded.show", 70),
    SeededStage.READY: READY_ROW,
    SeededStage.OPEN: StageSpec(DutyHolder.EVERYONE, ("open_seed",), "deal.seeded.open", 0),
    SeededStage.CLOSED: CLOSED_ROW,
}

ENTRY_SHAPES: dict[str, Shape] = {
    "commit": fields(exactly(32)),  # commitment to the seat's seed
    "give": fields(exactly(GIVE_SIZE)),  # give for all draws of the present round
    # Pieces of the author's cards that are to be shown, in order.
    "show": fields(many(uint(MAX_LOOSE - 1), 1, MAX_LOOSE)),
    "open_seed": fields(exactly(SEED), exactly(SALT_SIZE)),  # seed, and salt of the commitment
}

# Part of an action that opens a card: the newest epoch of its own cards that the author had seen.
OPEN_PART = fields(uint())

ENTRY_MEANINGS: dict[str, EntryMeaning] = {
    "commit": fixed_phrase("entry.commit.seed"),
    "give": fixed_phrase("entry.give"),
    "show": count_phrase("entry.show.seeded"),
    "open_seed": fixed_phrase("entry.open_seed"),
}
