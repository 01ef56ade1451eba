"""Shapes of a witness's heads and proofs, for programs that only pass them on."""

from protocol.identity.keys import SIGNATURE_SIZE
from protocol.limits import MAX_INT
from protocol.schema import either, exactly, fields, many, nothing, uint

SLOT_BITS = 256  # bits of the map's keys
_HASH = exactly(32)
HEAD = fields(uint(), _HASH, _HASH, exactly(SIGNATURE_SIZE))
LOG_PATH = many(_HASH, 0, MAX_INT.bit_length())
MAP_PATH = many(_HASH, 0, SLOT_BITS)
FOUND = either(nothing, fields(_HASH, _HASH))
