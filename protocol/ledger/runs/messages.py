"""The messages of a sale: one row each. This table lives here and nowhere else (chapter 28 repeats
it).

A payload is encode([name, field, …]). They need a line that keeps their order, loses none and says
who is there: a session, or a pipe. Either side ends the visit by ending the line.
"""

from typing import Any

from protocol import wire
from protocol.codes import Code
from protocol.crypto.joint_randomness import NONCE
from protocol.errors import RemoteError
from protocol.identity.keys import KEY_SIZE, SIGNATURE_SIZE
from protocol.ledger.runs.sale_terms import PAID
from protocol.ledger.runs.sealed_run import SALT
from protocol.limits import (
    MAX_MESSAGE,
    MAX_NAME,
    MAX_PACK,
    MAX_RUN_PACKS,
    MAX_SALE_IMAGE,
    MAX_SHELF,
    MAX_TERMS,
    MAX_TRADE,
    MAX_TRADE_OVERHEAD,
    MAX_TRANSFERS,
)
from protocol.schema import Shape, between, exactly, fields, many, text, uint

_ID, _SIGNATURE, _NONCE = exactly(KEY_SIZE), exactly(SIGNATURE_SIZE), exactly(NONCE)
_MERGE = fields(uint(), between(1, MAX_MESSAGE - MAX_TRADE_OVERHEAD))
_PATH = many(_ID, 0, MAX_RUN_PACKS.bit_length())
MERGE_SALT = 16  # bytes

OF_BUYER: dict[str, Shape] = {
    "browse": fields(),
    # number of the round, salt: "let us merge what we have of this" (chapter 25)
    "gather": fields(uint(), exactly(MERGE_SALT)),
    "merge": _MERGE,  # number of the round, a message of the merge
    "buy": fields(_ID, _ID, PAID),  # run, commitment to the own coin, what is paid
    "accept": fields(_SIGNATURE),  # of the terms
    "opened": fields(_NONCE),  # the own coin
    "sign": fields(between(1, MAX_TRADE), _SIGNATURE),  # content of the trade, the first signature
}
OF_CREATOR: dict[str, Shape] = {
    # run, packs that are unsold, cards of the creator's own that a pack costs
    "shelf": fields(many(fields(_ID, uint(MAX_RUN_PACKS), uint(MAX_TRANSFERS - 1)), 0, MAX_SHELF)),
    "merge": _MERGE,
    "terms": fields(between(1, MAX_TERMS)),  # a receipt: the terms and the creator's signature
    "coin": fields(_NONCE),  # the own coin
    # number, salt, cards, proof
    "pack": fields(uint(MAX_RUN_PACKS), exactly(SALT), many(_ID, 1, MAX_PACK), _PATH),
    "counter": fields(
        _ID, _SIGNATURE, many(between(1, MAX_TRADE), 0, MAX_PACK)
    ),  # trade, signature, the cards' records
    "image": fields(between(1, MAX_SALE_IMAGE)),  # of a type whose card is sold
    "waive": fields(between(1, MAX_TRADE)),  # a record: "I never finished this"
    "reject": fields(text(MAX_NAME)),  # a code: this sale is off
}


def encode_message(rows: dict[str, Shape], name: str, *values: object) -> bytes:
    """A payload's bytes. One of ours that breaks its shape is a bug of ours."""
    assert rows[name](list(values)), name
    return wire.encode([name, *values])


def decode_message(rows: dict[str, Shape], data: bytes) -> tuple[str, list[Any]]:
    """Name and fields of a payload. Raises: RemoteError(BAD_ENCODING, BAD_MESSAGE)."""
    value = wire.decode(data)
    if type(value) is not list or not value or type(value[0]) is not str:
        raise RemoteError(Code.BAD_MESSAGE)
    name, *values = value
    if name not in rows or not rows[name](values):
        raise RemoteError(Code.BAD_MESSAGE)
    return name, values
