"""Stages of a verified deal: who must post which kind of entry, and the shapes of the bodies."""

from enum import StrEnum

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
from protocol.dealing.stages import CLOSED_ROW, READY_ROW, DutyHolder, StageSpec
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
    TURN_UP = "turn up"  # only if an own deck has places that are turned up at the deal
    # Only with leavers=threshold, and once for each departed seat with missing parts.
    STAND_IN = "stand in"
    READY = "ready"
    SHOW = "show"
    CLOSED = "closed"


# A seat that leaves in these stages takes its key with it.
KEY_STAGES = (VerifiedStage.KEYS, VerifiedStage.CONFIRM, VerifiedStage.ANSWER)


STAGES: dict[VerifiedStage, StageSpec] = {
    VerifiedStage.KEYS: StageSpec(DutyHolder.EVERYONE, ("key",), "deal.verified.keys", 0),
    VerifiedStage.CONFIRM: StageSpec(DutyHolder.EVERYONE, ("confirm",), "deal.verified.confirm", 5),
    VerifiedStage.ANSWER: StageSpec(DutyHolder.CONCERNED, ("answer",), "deal.verified.answer", 10),
    VerifiedStage.SHUFFLE: StageSpec(DutyHolder.TURN, ("shuffle",), "deal.verified.shuffle", 15),
    VerifiedStage.SHARES: StageSpec(DutyHolder.CONCERNED, ("shares",), "deal.verified.shares", 80),
    VerifiedStage.TURN_UP: StageSpec(
        DutyHolder.CONCERNED, ("turn_up",), "deal.verified.turn_up", 95
    ),
    VerifiedStage.STAND_IN: StageSpec(
        DutyHolder.CONCERNED, ("stand_in",), "deal.verified.stand_in", 90
    ),
    VerifiedStage.READY: READY_ROW,
    VerifiedStage.SHOW: StageSpec(DutyHolder.CONCERNED, ("show",), "deal.verified.show", 0),
    VerifiedStage.CLOSED: CLOSED_ROW,
}

SEALED_SHARE_SIZE = envelope_size(ELEMENT_BYTES)

ENTRY_SHAPES: dict[str, Shape] = {
    # Public key X_j, and a proof of knowledge of x_j. With leavers=threshold also the commitments
    # A_1 ... A_q-1, and for every other seat, ascending, its sealed share of x_j.
    "key": fields(
        exactly(ELEMENT_BYTES),
        exactly(PROOF_SIZE),
        many(exactly(ELEMENT_BYTES), 0, MAX_SEATS),
        many(exactly(SEALED_SHARE_SIZE), 0, MAX_SEATS),
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
    # A share and a proof for each place of the author's own deck that is turned up at the deal.
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

# Part of an action that shows a piece: card, share, proof.
OPEN_PART = fields(uint(MAX_PIECES - 1), exactly(ELEMENT_BYTES), exactly(PROOF_SIZE))

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
