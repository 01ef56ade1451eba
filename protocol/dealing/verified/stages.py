"""The stages of a verified deal as one table: who must post what, and what an entry's body looks
like.
"""

from enum import Enum, StrEnum
from typing import NamedTuple

from protocol.crypto.dlog_proofs import PROOF_SIZE
from protocol.crypto.elgamal import CIPHERTEXT_SIZE
from protocol.crypto.group import SIZE
from protocol.crypto.envelopes import envelope_size
from protocol.crypto.shuffle import proof_size
from protocol.dealing.entry_phrases import (Meaning, Posted, count, name, say)
from protocol.limits import MAX_INT, MAX_PIECES, MAX_PILE, MAX_SEATS
from protocol.schema import Shape, between, exactly, fields, many, uint
from protocol.view.phrase import Phrase, phrase


class Stage(StrEnum):
    """Where a deal stands."""

    KEYS = "keys"
    CONFIRM = "confirm"  # with leavers=threshold only, as the next
    ANSWER = "answer"
    SHUFFLE = "shuffle"
    SHARES = "shares"
    TURN_UP = "turn up"  # with own decks of which places are turned up at once
    # with leavers=threshold, as often as parts of a seat that left are missing
    STAND_IN = "stand in"
    READY = "ready"
    SHOW = "show"
    CLOSED = "closed"


NOT_SHARED = (Stage.KEYS, Stage.CONFIRM, Stage.ANSWER)  # here a seat's key is lost with it


class Who(Enum):
    """Whose duty a stage is."""

    TURN = "the seat whose turn it is"
    EVERYONE = "every seat that has not done so"
    ACCUSED = "every seat that has not done so and was said to have shared its key wrongly"
    STAND_INS = "every seat that has not done so and is not the one that is replaced"
    GIVERS = "every seat that has not done so and does not hold all the cards in question"
    OWNERS = "every seat that has not done so and has places of its own deck to turn up"
    HOLDERS = "every seat that has to show, has not done so and holds a card that it has not shown"
    NOBODY = "nobody"


class Row(NamedTuple):
    """One row of `STAGES`."""

    who: Who
    kind: str


STAGES: dict[Stage, Row] = {
    Stage.KEYS: Row(Who.EVERYONE, "key"),
    Stage.CONFIRM: Row(Who.EVERYONE, "confirm"),
    Stage.ANSWER: Row(Who.ACCUSED, "answer"),
    Stage.SHUFFLE: Row(Who.TURN, "shuffle"),
    Stage.SHARES: Row(Who.GIVERS, "shares"),
    Stage.TURN_UP: Row(Who.OWNERS, "turn_up"),
    Stage.STAND_IN: Row(Who.STAND_INS, "stand_in"),
    Stage.READY: Row(Who.NOBODY, ""),
    Stage.SHOW: Row(Who.HOLDERS, "show"),
    Stage.CLOSED: Row(Who.NOBODY, ""),
}

# What a stage is, in words for people, and how far the deal (or draw, or close) is in per cent when
# it begins.
DOING: dict[Stage, tuple[str, int]] = {
    Stage.KEYS: ("deal.verified.keys", 0),
    Stage.CONFIRM: ("deal.verified.confirm", 5),
    Stage.ANSWER: ("deal.verified.answer", 10),
    Stage.SHUFFLE: ("deal.verified.shuffle", 15),
    Stage.SHARES: ("deal.verified.shares", 80),
    Stage.STAND_IN: ("deal.verified.stand_in", 90),
    Stage.TURN_UP: ("deal.verified.turn_up", 95),
    Stage.READY: ("deal.ready", 100),
    Stage.SHOW: ("deal.verified.show", 0),
    Stage.CLOSED: ("deal.closed", 100),
}

SEALED_SHARE = envelope_size(SIZE)

KINDS: dict[str, Shape] = {
    # X_j; that its logarithm is known; and with leavers=threshold the commitments A_1 ... A_q-1,
    # and for every other seat, ascending, its share of x_j, sealed
    "key": fields(
        exactly(SIZE),
        exactly(PROOF_SIZE),
        many(exactly(SIZE), 0, MAX_SEATS),
        many(exactly(SEALED_SHARE), 0, MAX_SEATS),
    ),
    # the seats whose share to us is wrong, ascending
    "confirm": fields(many(uint(MAX_SEATS - 1), 0, MAX_SEATS)),
    # those shares in the open, by receiver, ascending
    "answer": fields(many(exactly(SIZE), 1, MAX_SEATS)),
    # the new deck or pile; the argument that it is the old one, shuffled
    "shuffle": fields(
        between(CIPHERTEXT_SIZE, CIPHERTEXT_SIZE * MAX_PILE),
        between(proof_size(1), proof_size(MAX_PILE)),
    ),
    # one share, and one proof, for each card in question that is not one's own, ascending
    "shares": fields(
        between(SIZE, SIZE * MAX_PIECES), between(PROOF_SIZE, PROOF_SIZE * MAX_PIECES)
    ),
    # the same for each card in question, made with one's share of the key of the seat that is
    # replaced
    "stand_in": fields(
        between(SIZE, SIZE * MAX_PIECES), between(PROOF_SIZE, PROOF_SIZE * MAX_PIECES)
    ),
    # the same, with one's own key, for each place of one's own deck that is turned up when it is
    # dealt
    "turn_up": fields(between(SIZE, SIZE * MAX_PILE), between(PROOF_SIZE, PROOF_SIZE * MAX_PILE)),
    # the same for each card that one holds and has not shown
    "show": fields(between(SIZE, SIZE * MAX_PIECES), between(PROOF_SIZE, PROOF_SIZE * MAX_PIECES)),
}


def _doubts(posted: Posted) -> Phrase:
    doubted = tuple(map(name, posted.body[0]))
    return phrase("entry.confirm.doubts", doubted=doubted) if doubted else phrase("entry.confirm")


MEANINGS: dict[str, Meaning] = {
    "key": say("entry.key"),
    "confirm": _doubts,
    "answer": count("entry.answer"),
    "shuffle": say("entry.shuffle"),
    "shares": count("entry.shares", each=SIZE),
    "stand_in": count("entry.stand_in", each=SIZE),
    "turn_up": count("entry.turn_up", each=SIZE),
    "show": count("entry.show", each=SIZE),
}

# the part that goes with an action that shows a piece
OPEN_PART = fields(uint(MAX_PIECES - 1), exactly(SIZE), exactly(PROOF_SIZE))  # card, share, proof

# the part that goes with an action that opens a loose card: the shuffles that its author had seen,
# share, proof
OPEN_LOOSE = fields(uint(MAX_INT), exactly(SIZE), exactly(PROOF_SIZE))

# the part that goes with an action that turns up places of an own deck: which, and one share and
# one proof for each
TURN_PART = fields(
    many(uint(MAX_PILE - 1), 1, MAX_PILE),
    between(SIZE, SIZE * MAX_PILE),
    between(PROOF_SIZE, PROOF_SIZE * MAX_PILE),
)
