"""Stages of a verified deal: who must post which kind of entry, and the shapes of the bodies."""

from enum import Enum, StrEnum
from typing import NamedTuple

from protocol.crypto.dlog_proofs import PROOF_SIZE
from protocol.crypto.elgamal import CIPHERTEXT_SIZE
from protocol.crypto.envelopes import envelope_size
from protocol.crypto.group import ELEMENT_BYTES
from protocol.crypto.shuffle import proof_size
from protocol.dealing.entry_phrases import (
    EntryMeaning,
    PostedEntry,
    count_phrase,
    fixed_phrase,
    seat_phrase,
)
from protocol.limits import MAX_INT, MAX_PIECES, MAX_PILE, MAX_SEATS
from protocol.schema import Shape, between, exactly, fields, many, uint
from protocol.view.phrase import Phrase, phrase


class VerifiedStage(StrEnum):
    """Stage of a verified deal."""

    KEYS = "keys"
    CONFIRM = "confirm"  # this stage and the next only with leavers=threshold
    ANSWER = "answer"
    SHUFFLE = "shuffle"
    SHARES = "shares"
    TURN_UP = "turn up"  # only if an own deck has places that are turned up when it is dealt
    # Only with leavers=threshold, and once for each departed seat with missing parts.
    STAND_IN = "stand in"
    READY = "ready"
    SHOW = "show"
    CLOSED = "closed"


KEY_STAGES = (
    VerifiedStage.KEYS,
    VerifiedStage.CONFIRM,
    VerifiedStage.ANSWER,
)  # a seat that leaves in these stages takes its key with it


class DutyHolder(Enum):
    """Seats that have the duty of a stage."""

    TURN = "the seat whose turn it is"
    EVERYONE = "every seat that has not done so"
    ACCUSED = "every seat that has not done so and was said to have shared its key wrongly"
    STAND_INS = "every seat that has not done so and is not the one that is replaced"
    GIVERS = "every seat that has not done so and does not hold all the cards in question"
    OWNERS = "every seat that has not done so and has places of its own deck to turn up"
    HOLDERS = "every seat that has to show, has not done so and holds a card that it has not shown"
    NOBODY = "nobody"


class StageSpec(NamedTuple):
    """Row of `STAGES`: seats with the duty, and kind of entry."""

    duty_holder: DutyHolder
    kind: str


STAGES: dict[VerifiedStage, StageSpec] = {
    VerifiedStage.KEYS: StageSpec(DutyHolder.EVERYONE, "key"),
    VerifiedStage.CONFIRM: StageSpec(DutyHolder.EVERYONE, "confirm"),
    VerifiedStage.ANSWER: StageSpec(DutyHolder.ACCUSED, "answer"),
    VerifiedStage.SHUFFLE: StageSpec(DutyHolder.TURN, "shuffle"),
    VerifiedStage.SHARES: StageSpec(DutyHolder.GIVERS, "shares"),
    VerifiedStage.TURN_UP: StageSpec(DutyHolder.OWNERS, "turn_up"),
    VerifiedStage.STAND_IN: StageSpec(DutyHolder.STAND_INS, "stand_in"),
    VerifiedStage.READY: StageSpec(DutyHolder.NOBODY, ""),
    VerifiedStage.SHOW: StageSpec(DutyHolder.HOLDERS, "show"),
    VerifiedStage.CLOSED: StageSpec(DutyHolder.NOBODY, ""),
}

# Catalogue key of each stage, and progress in per cent at its beginning. The percentage counts
# within the deal, the draw or the close.
STAGE_PROGRESS: dict[VerifiedStage, tuple[str, int]] = {
    VerifiedStage.KEYS: ("deal.verified.keys", 0),
    VerifiedStage.CONFIRM: ("deal.verified.confirm", 5),
    VerifiedStage.ANSWER: ("deal.verified.answer", 10),
    VerifiedStage.SHUFFLE: ("deal.verified.shuffle", 15),
    VerifiedStage.SHARES: ("deal.verified.shares", 80),
    VerifiedStage.STAND_IN: ("deal.verified.stand_in", 90),
    VerifiedStage.TURN_UP: ("deal.verified.turn_up", 95),
    VerifiedStage.READY: ("deal.ready", 100),
    VerifiedStage.SHOW: ("deal.verified.show", 0),
    VerifiedStage.CLOSED: ("deal.closed", 100),
}

SEALED_SHARE = envelope_size(ELEMENT_BYTES)

ENTRY_SHAPES: dict[str, Shape] = {
    # Public key X_j, and a proof of knowledge of x_j. With leavers=threshold also the commitments
    # A_1 ... A_q-1, and for every other seat, ascending, its sealed share of x_j.
    "key": fields(
        exactly(ELEMENT_BYTES),
        exactly(PROOF_SIZE),
        many(exactly(ELEMENT_BYTES), 0, MAX_SEATS),
        many(exactly(SEALED_SHARE), 0, MAX_SEATS),
    ),
    # Seats whose shares for the author are wrong, ascending.
    "confirm": fields(many(uint(MAX_SEATS - 1), 0, MAX_SEATS)),
    # The disputed shares, unsealed, by receiver, ascending.
    "answer": fields(many(exactly(ELEMENT_BYTES), 1, MAX_SEATS)),
    # The new cards of the pile, and the proof that they are the old cards, shuffled.
    "shuffle": fields(
        between(CIPHERTEXT_SIZE, CIPHERTEXT_SIZE * MAX_PILE),
        between(proof_size(1), proof_size(MAX_PILE)),
    ),
    # A share and a proof for each requested card of another holder, ascending.
    "shares": fields(
        between(ELEMENT_BYTES, ELEMENT_BYTES * MAX_PIECES),
        between(PROOF_SIZE, PROOF_SIZE * MAX_PIECES),
    ),
    # A share and a proof for each missing part, computed with the author's share of the replaced
    # seat's key.
    "stand_in": fields(
        between(ELEMENT_BYTES, ELEMENT_BYTES * MAX_PIECES),
        between(PROOF_SIZE, PROOF_SIZE * MAX_PIECES),
    ),
    # A share and a proof for each place of the author's own deck that is turned up when it is
    # dealt.
    "turn_up": fields(
        between(ELEMENT_BYTES, ELEMENT_BYTES * MAX_PILE), between(PROOF_SIZE, PROOF_SIZE * MAX_PILE)
    ),
    # A share and a proof for each card that the author holds and has not shown.
    "show": fields(
        between(ELEMENT_BYTES, ELEMENT_BYTES * MAX_PIECES),
        between(PROOF_SIZE, PROOF_SIZE * MAX_PIECES),
    ),
}


def _doubt_phrase(posted: PostedEntry) -> Phrase:
    doubted = tuple(map(seat_phrase, posted.body[0]))
    return phrase("entry.confirm.doubts", doubted=doubted) if doubted else phrase("entry.confirm")


ENTRY_MEANINGS: dict[str, EntryMeaning] = {
    "key": fixed_phrase("entry.key"),
    "confirm": _doubt_phrase,
    "answer": count_phrase("entry.answer"),
    "shuffle": fixed_phrase("entry.shuffle"),
    "shares": count_phrase("entry.shares", each=ELEMENT_BYTES),
    "stand_in": count_phrase("entry.stand_in", each=ELEMENT_BYTES),
    "turn_up": count_phrase("entry.turn_up", each=ELEMENT_BYTES),
    "show": count_phrase("entry.show", each=ELEMENT_BYTES),
}

# Part of an action that shows a piece.
OPEN_PART = fields(
    uint(MAX_PIECES - 1), exactly(ELEMENT_BYTES), exactly(PROOF_SIZE)
)  # card, share, proof

# Part of an action that opens a loose card: number of shuffles that the author had seen, share,
# proof.
OPEN_CARD_PART = fields(uint(MAX_INT), exactly(ELEMENT_BYTES), exactly(PROOF_SIZE))

# Part of an action that turns up places of an own deck: the places, and a share and a proof for
# each.
TURN_PART = fields(
    many(uint(MAX_PILE - 1), 1, MAX_PILE),
    between(ELEMENT_BYTES, ELEMENT_BYTES * MAX_PILE),
    between(PROOF_SIZE, PROOF_SIZE * MAX_PILE),
)
