"""Shapes of the heads and proofs of a witness (27.1), for programs that only pass them on."""

from protocol.identity.keys import SIGNATURE_SIZE
from protocol.limits import MAX_INT
from protocol.schema import either, exactly, fields, many, nothing, uint

# bits of a slot in the map from slots to trades (27.1.2): the most siblings in a map proof
SLOT_BITS = 256
_HASH = exactly(32)
HEAD = fields(uint(), _HASH, _HASH, exactly(SIGNATURE_SIZE))
LOG_PATH = many(_HASH, 0, MAX_INT.bit_length())
MAP_PATH = many(_HASH, 0, SLOT_BITS)
FOUND = either(nothing, fields(_HASH, _HASH))
