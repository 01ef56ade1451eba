"""Stages of a residue deal: who must post which kind of entry, and the shapes of the bodies."""

from enum import StrEnum

from protocol.crypto.residue import bit_proof, key_proof
from protocol.dealing import CHUNK_KIND
from protocol.dealing.entry_phrases import EntryMeaning, PostedEntry, count_phrase, fixed_phrase
from protocol.dealing.stages import CLOSED_ROW, READY_ROW, DutyHolder, StageSpec
from protocol.limits import LEAST_RESIDUE_BITS, MAX_CHUNK, MAX_CHUNKS, MAX_PIECES, MAX_RESIDUE_BITS
from protocol.schema import Shape, between, exactly, fields, uint
from protocol.view.phrase import Phrase, phrase

BITS_SIZE = 2  # bytes for a seat's bits of one card
DIGEST_SIZE = 32  # length in bytes


class ResidueStage(StrEnum):
    """Stage of a residue deal."""

    KEYS = "keys"
    SHUFFLE = "shuffle"
    TELL = "tell"
    READY = "ready"
    CLOSED = "closed"


STAGES: dict[ResidueStage, StageSpec] = {
    ResidueStage.KEYS: StageSpec(DutyHolder.EVERYONE, ("key",), "deal.residue.keys", 0),
    ResidueStage.SHUFFLE: StageSpec(DutyHolder.TURN, (CHUNK_KIND,), "deal.residue.shuffle", 5),
    ResidueStage.TELL: StageSpec(DutyHolder.CONCERNED, ("tell",), "deal.residue.tell", 90),
    ResidueStage.READY: READY_ROW,
    ResidueStage.CLOSED: CLOSED_ROW,
}


def _bit_proof_size(bits: int) -> int:
    return bit_proof.proof_size((1 << bits) - 1)


ENTRY_SHAPES: dict[str, Shape] = {
    # The modulus m, and the proof that it is a product of two primes, both 3 modulo 4.
    "key": fields(
        between(LEAST_RESIDUE_BITS // 8, MAX_RESIDUE_BITS // 8),
        between(key_proof.proof_size(LEAST_RESIDUE_BITS), key_proof.proof_size(MAX_RESIDUE_BITS)),
    ),
    # Digest of the whole body, number of the chunk, and the chunk. The body is the new cards, and
    # the proof that they are the old ones in another order.
    CHUNK_KIND: fields(exactly(DIGEST_SIZE), uint(MAX_CHUNKS - 1), between(1, MAX_CHUNK)),
    # The author's bits of each card that it owes, ascending, and the proof that they are right.
    "tell": fields(
        between(BITS_SIZE, BITS_SIZE * MAX_PIECES),
        between(_bit_proof_size(LEAST_RESIDUE_BITS), _bit_proof_size(MAX_RESIDUE_BITS)),
    ),
}


def _chunk_phrase(posted: PostedEntry) -> Phrase:
    number = posted.body[1]
    return phrase("entry.chunk", number=number + 1) if number else phrase("entry.chunk.first")


ENTRY_MEANINGS: dict[str, EntryMeaning] = {
    "key": fixed_phrase("entry.key.residue"),
    CHUNK_KIND: _chunk_phrase,
    "tell": count_phrase("entry.tell", each=BITS_SIZE),
}

# Part of an action that shows a piece: its card.
OPEN_PART = fields(uint(MAX_PIECES - 1))
