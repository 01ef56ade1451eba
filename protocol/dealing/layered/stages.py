"""Stages of a layered deal: who must post which kind of entry, and the shapes of the bodies.

An entry is an error if its kind is not in the row of the present stage, or if its author has no
duty. No other code decides which kinds may come. Numbers of stages are those of docs/protocol, 8.2.
"""

from enum import StrEnum

from protocol.dealing.entry_phrases import (
    EntryMeaning,
    count_phrase,
    fixed_phrase,
    next_seat_phrase,
)
from protocol.dealing.layered.primitives import KEY_SIZE
from protocol.dealing.stages import CLOSED_ROW, READY_ROW, DutyHolder, StageSpec
from protocol.limits import MAX_DRAWS, MAX_ENVELOPE, MAX_PILE, MAX_SEATS
from protocol.schema import Shape, between, either, exactly, fields, many, uint
from protocol.view.phrase import phrase


class LayeredStage(StrEnum):
    """Stage of a layered deal."""

    PSEUDONYMISE = "pseudonymise"  # stage 1
    RANDOMISE = "randomise"  # stage 2
    SELECT = "select"  # stage 3
    COMMIT = "commit"  # stage 4
    REVEAL = "reveal"  # stage 5
    PREPARE = "prepare"  # stage 6
    ASSIGN = "assign"  # stage 7
    READY = "ready"
    DRAW_KEYS = "draw keys"
    DRAW_QUERY = "draw query"
    DRAW_REPLY = "draw reply"
    OPEN_SEATS = "open seats"
    OPEN_TABLE = "open table"
    CLOSED = "closed"


STAGES: dict[LayeredStage, StageSpec] = {
    LayeredStage.PSEUDONYMISE: StageSpec(
        DutyHolder.TABLE, ("pseudonyms",), "deal.layered.pseudonymise", 0
    ),
    LayeredStage.RANDOMISE: StageSpec(DutyHolder.TURN, ("layer",), "deal.layered.randomise", 2),
    LayeredStage.SELECT: StageSpec(DutyHolder.TURN, ("hop", "stock"), "deal.layered.select", 10),
    LayeredStage.COMMIT: StageSpec(DutyHolder.EVERYONE, ("commit",), "deal.layered.commit", 50),
    LayeredStage.REVEAL: StageSpec(DutyHolder.TURN, ("strip",), "deal.layered.reveal", 55),
    LayeredStage.PREPARE: StageSpec(
        DutyHolder.TURN, ("slot_hop", "slots"), "deal.layered.prepare", 60
    ),
    LayeredStage.ASSIGN: StageSpec(DutyHolder.TABLE, ("assign",), "deal.layered.assign", 98),
    LayeredStage.READY: READY_ROW,
    LayeredStage.DRAW_KEYS: StageSpec(DutyHolder.TURN, ("draw_key",), "deal.layered.draw_keys", 0),
    LayeredStage.DRAW_QUERY: StageSpec(
        DutyHolder.TURN, ("draw_query",), "deal.layered.draw_query", 60
    ),
    LayeredStage.DRAW_REPLY: StageSpec(
        DutyHolder.TABLE, ("draw_reply",), "deal.layered.draw_reply", 80
    ),
    LayeredStage.OPEN_SEATS: StageSpec(
        DutyHolder.EVERYONE, ("open_seat",), "deal.layered.open_seats", 0
    ),
    LayeredStage.OPEN_TABLE: StageSpec(
        DutyHolder.TABLE, ("open_table",), "deal.layered.open_table", 90
    ),
    LayeredStage.CLOSED: CLOSED_ROW,
}

# Percentage that the whole stage adds; both stages have many hops.
ROUTE_PROGRESS = {LayeredStage.SELECT: 40, LayeredStage.PREPARE: 38}

# Only seat 0 ends a round trip. Any other author would reveal to the seat after it who took the
# last piece.
ROUTE_ENDS = {"stock": 0, "slots": 0}

SEALED_PIECE_SIZE = 2 + KEY_SIZE + 16  # piece (2 bytes, big-endian), key, AES-GCM tag
ELEMENTS = many(exactly(KEY_SIZE), 1, MAX_PILE)
OPTIONAL_ELEMENTS = many(exactly(KEY_SIZE), 0, MAX_PILE)
ENVELOPE = between(0, MAX_ENVELOPE)

ENTRY_SHAPES: dict[str, Shape] = {
    # P_0 to P_M-1; S, the table's point for oblivious transfer.
    "pseudonyms": fields(ELEMENTS, exactly(KEY_SIZE)),
    # input list, each element encrypted under a key of its own, shuffled
    "layer": fields(ELEMENTS),
    # sealed to the next seat: bitmap of the elements that nobody has taken yet
    "hop": fields(ENVELOPE),
    "stock": fields(between(1, (MAX_PILE + 7) // 8)),  # bitmap of the elements that nobody took
    "commit": fields(exactly(KEY_SIZE), exactly(KEY_SIZE)),  # R1, b
    # The author's keys of the taken elements, ascending by place in the final list.
    "strip": fields(ELEMENTS),
    # Sealed to the next seat: a slot for each taken element; empty slots are zero.
    "slot_hop": fields(ENVELOPE),
    "slots": fields(ELEMENTS),  # filled slots: one-time X25519 public keys
    # Ephemeral public key; sealed pieces, by slot.
    "assign": fields(exactly(KEY_SIZE), many(exactly(SEALED_PIECE_SIZE), 1, MAX_PILE)),
    # Envelope to the drawer: the author's key. Envelope to the next seat: all keys so far.
    "draw_key": fields(ENVELOPE, ENVELOPE),
    "draw_query": fields(exactly(KEY_SIZE)),  # R, the point of the oblivious transfer
    "draw_reply": fields(many(exactly(SEALED_PIECE_SIZE), 1, MAX_PILE)),
    # Layer keys, elements taken, R2, private keys of the author's slots, (choice, x) of each of its
    # draws, and after a protest its private match key.
    "open_seat": fields(
        OPTIONAL_ELEMENTS,
        many(uint(MAX_PILE - 1), 0, MAX_PILE),
        exactly(KEY_SIZE),
        OPTIONAL_ELEMENTS,
        many(fields(uint(MAX_PILE - 1), exactly(KEY_SIZE)), 0, MAX_DRAWS),
        either(exactly(0), exactly(KEY_SIZE)),
    ),
    # (piece, K_i) by position; y, the secret of S; the secret of the ephemeral key (empty before
    # `assign`).
    "open_table": fields(
        many(fields(uint(MAX_PILE - 1), exactly(KEY_SIZE)), 0, MAX_PILE),
        either(exactly(0), exactly(KEY_SIZE)),
        either(exactly(0), exactly(KEY_SIZE)),
    ),
}

ENTRY_MEANINGS: dict[str, EntryMeaning] = {
    "pseudonyms": count_phrase("entry.pseudonyms"),
    "layer": count_phrase("entry.layer"),
    "hop": next_seat_phrase("entry.hop"),
    "stock": lambda posted: phrase(
        "entry.stock", count=sum(byte.bit_count() for byte in posted.body[0])
    ),
    "commit": fixed_phrase("entry.commit.hand"),
    "strip": count_phrase("entry.strip"),
    "slot_hop": next_seat_phrase("entry.slot_hop"),
    "slots": count_phrase("entry.slots"),
    "assign": count_phrase("entry.assign", place=1),
    "draw_key": fixed_phrase("entry.draw_key"),
    "draw_query": fixed_phrase("entry.draw_query"),
    "draw_reply": count_phrase("entry.draw_reply"),
    "open_seat": fixed_phrase("entry.open"),
    "open_table": fixed_phrase("entry.open"),
}

# Part of an action that shows a piece: position i, K_i, layer keys.
OPEN_PART = fields(uint(MAX_PILE - 1), exactly(KEY_SIZE), many(exactly(KEY_SIZE), 0, MAX_SEATS))
DRAW_PART = fields(uint(MAX_PILE - 1))  # part of a draw: the requested element of the stock
