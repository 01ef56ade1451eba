"""Messages of a sale, one row each. Chapter 28 repeats this table.

A payload is encode([name, field, …]). The line must keep the order, lose nothing, and authenticate
both sides: a session, or a pipe. Either side ends the visit by closing the line.
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
    MAX_TRADE_WAIVES,
    MAX_TRANSFERS,
)
from protocol.schema import Shape, between, exactly, fields, many, text, uint

_ID = exactly(KEY_SIZE)
_SIGNATURE = exactly(SIGNATURE_SIZE)
_NONCE = exactly(NONCE)
_MERGE = fields(uint(), between(1, MAX_MESSAGE - MAX_TRADE_OVERHEAD))
_PATH = many(_ID, 0, MAX_RUN_PACKS.bit_length())
MERGE_SALT = 16  # bytes of the salt of a merge

OF_BUYER: dict[str, Shape] = {
    "browse": fields(),
    # asks for a merge of both sides' records (chapter 25): number of the merge, salt
    "gather": fields(uint(), exactly(MERGE_SALT)),
    "merge": _MERGE,  # number of the merge, a message of the merge
    # run, commitment to the own coin, cards to pay, waives that their trade must list
    "buy": fields(_ID, _ID, PAID, many(_ID, 0, MAX_TRADE_WAIVES)),
    "accept": fields(_SIGNATURE),  # signature of the terms
    "opened": fields(_NONCE),  # opening of the buyer's coin
    "sign": fields(between(1, MAX_TRADE), _SIGNATURE),  # content of the trade, the first signature
}
OF_CREATOR: dict[str, Shape] = {
    # run, number of unsold packs, price of a pack in the creator's own cards
    "shelf": fields(many(fields(_ID, uint(MAX_RUN_PACKS), uint(MAX_TRANSFERS - 1)), 0, MAX_SHELF)),
    "merge": _MERGE,
    "terms": fields(between(1, MAX_TERMS)),  # a receipt: the terms and the creator's signature
    "coin": fields(_NONCE),  # opening of the creator's coin
    # number, salt, cards, proof
    "pack": fields(uint(MAX_RUN_PACKS), exactly(SALT), many(_ID, 1, MAX_PACK), _PATH),
    # trade, signature, records of the cards
    "counter": fields(_ID, _SIGNATURE, many(between(1, MAX_TRADE), 0, MAX_PACK)),
    "image": fields(between(1, MAX_SALE_IMAGE)),  # image of a type with a sold card
    "waive": fields(between(1, MAX_TRADE)),  # a record: the creator never finished this trade
    "reject": fields(text(MAX_NAME)),  # a code: the creator refuses the sale
}


def encode_message(rows: dict[str, Shape], name: str, *values: object) -> bytes:
    """Return the bytes of a payload. An own payload of the wrong shape is a bug, and fails an
    assertion.
    """
    assert rows[name](list(values)), name
    return wire.encode([name, *values])


def decode_message(rows: dict[str, Shape], data: bytes) -> tuple[str, list[Any]]:
    """Return name and fields of a payload. Raises: RemoteError(BAD_ENCODING, BAD_MESSAGE)."""
    value = wire.decode(data)
    if type(value) is not list or not value or type(value[0]) is not str:
        raise RemoteError(Code.BAD_MESSAGE)
    name, *values = value
    if name not in rows or not rows[name](values):
        raise RemoteError(Code.BAD_MESSAGE)
    return name, values
