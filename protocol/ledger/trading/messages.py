"""Phases of a trade and its messages, one row each: the phases and the shape of every message.
Chapter 26.3 repeats this table, and a test compares them.

A payload is encode([salt of the sender's session, number of the payload, name, field, …]). The salt
has 16 bytes and is new for each session. Each side numbers its payloads from 0. Repeated payloads
are ignored.
"""

from enum import StrEnum
from typing import Any, NamedTuple

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity.keys import KEY_SIZE, SIGNATURE_SIZE
from protocol.limits import (
    MAX_MESSAGE,
    MAX_NAME,
    MAX_OFFER,
    MAX_SAY,
    MAX_TRADE,
    MAX_TRADE_OVERHEAD,
    MAX_TRADE_WAIVES,
    MAX_TRUSTED_TOLD,
)
from protocol.schema import Shape, between, either, exactly, fields, many, nothing, text, uint

SALT = 16  # bytes of a session's salt


class TradePhase(StrEnum):
    """Phase of a session, as one side sees it."""

    MEETING = "meeting"  # the other side has sent nothing yet
    GREETED = "greeted"  # the other side has sent `meet`
    TALKING = "talking"  # there is no proposal
    PROPOSED = "proposed"  # proposal of this side, without signatures
    ASKED = "asked"  # proposal of the other side, without agreement of this side
    # proposal of the other side, and this side has agreed: it signs after the other's signature
    AGREED = "agreed"
    SIGNED = "signed"  # proposal of this side, which has signed first
    CLOSED = "closed"  # one side has left, or made an error


class MessageRule(NamedTuple):
    """A row of `MESSAGES`: the rules for one message."""

    phases: frozenset[TradePhase]  # phases of the receiver in which the message may come
    shape: Shape  # shape of the list of all fields


MET = frozenset(TradePhase) - {TradePhase.MEETING, TradePhase.GREETED, TradePhase.CLOSED}
_ID = exactly(32)
_IDS = many(_ID, 0, MAX_OFFER)
_SIGNATURE = exactly(SIGNATURE_SIZE)
_STANDING = fields(uint(), _ID, _SIGNATURE)


def _when(phases: frozenset[TradePhase], *shapes: Shape) -> MessageRule:
    return MessageRule(phases, fields(*shapes))


MESSAGES: dict[str, MessageRule] = {
    # version of the protocol, own key, own name, trusted creators (ascending)
    "meet": _when(
        frozenset({TradePhase.MEETING}),
        uint(),
        exactly(KEY_SIZE),
        text(MAX_NAME),
        many(_ID, 0, MAX_TRUSTED_TOLD),
    ),
    # own standing; newest known standing of the other side, or nil; all cards of trades that the
    # sender has signed first and the other side has not answered (ascending)
    "standing": _when(frozenset({TradePhase.GREETED}), _STANDING, either(nothing, _STANDING), _IDS),
    # revisions of the sender's and the receiver's offer; a message of the merge for these two
    # (chapter 25)
    "merge": _when(MET, uint(), uint(), between(1, MAX_MESSAGE - MAX_TRADE_OVERHEAD)),
    # a message about images (chapter 25.6)
    "image": _when(MET, between(1, MAX_MESSAGE - MAX_TRADE_OVERHEAD)),
    # own cards to give, and cards of the other side that the sender wants: instances, ascending;
    # waives that a trade of the own cards must list, ascending; each offer increases its revision
    # by one
    "offer": _when(MET, _IDS, _IDS, many(_ID, 0, MAX_TRADE_WAIVES)),
    "say": _when(MET, text(MAX_SAY)),
    "propose": _when(MET - {TradePhase.SIGNED}, between(1, MAX_TRADE)),  # content of the trade
    "agree": _when(MET, _ID),  # the person has agreed, and signs after the other's signature
    "sign": _when(MET, between(1, MAX_TRADE), _SIGNATURE),  # content, the first signature
    "counter": _when(MET, _ID, _SIGNATURE),  # trade, the second signature
    "done": _when(MET, _ID),  # the sender has both signatures
    # trade; a code, or `NO_CODE` for a person's decision
    "reject": _when(MET, _ID, text(MAX_NAME)),
    "waive": _when(MET, between(1, MAX_TRADE)),  # a record: the sender never finished this trade
    "exit": _when(frozenset(TradePhase) - {TradePhase.CLOSED}),
}
NO_CODE = "no"


class Payload(NamedTuple):
    """A decoded payload."""

    salt: bytes
    number: int
    name: str
    values: list[Any]


def encode(payload: Payload) -> bytes:
    """Return the bytes of a payload. An own payload of the wrong shape is a bug, and fails an
    assertion.
    """
    assert MESSAGES[payload.name].shape(payload.values), payload.name
    return wire.encode([payload.salt, payload.number, payload.name, *payload.values])


_SALT = exactly(SALT)
_NUMBER = uint()
_NAME = text(MAX_NAME)


def decode(data: bytes) -> Payload:
    """Read a payload. Its fields are not checked here, but by `check`.

    Raises: RemoteError(BAD_ENCODING, BAD_MESSAGE).
    """
    value = wire.decode(data)
    if type(value) is not list or len(value) < 3:
        raise RemoteError(Code.BAD_MESSAGE)
    salt, number, name, *values = value
    if not (_SALT(salt) and _NUMBER(number) and _NAME(name)):
        raise RemoteError(Code.BAD_MESSAGE)
    return Payload(salt, number, name, values)


def check(payload: Payload, phase: TradePhase) -> None:
    """Check that a payload may come in this phase, with these fields. Raises:
    RemoteError(BAD_MESSAGE).
    """
    row = MESSAGES.get(payload.name)
    if row is None or phase not in row.phases or not row.shape(payload.values):
        raise RemoteError(Code.BAD_MESSAGE)
