"""The phases of a trade and its messages: one row a message. This table lives here and nowhere else
(chapter 26.3 repeats it, and a test compares): what may come when, and of which shape.

A payload is encode([salt of the sender's session, number of the payload, name, field, …]); `salt`
is 16 bytes, new for each session, and numbers count up from 0 on either side. A payload that was
there before is no news.
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
    MAX_TRUSTED_TOLD,
)
from protocol.schema import Shape, between, either, exactly, fields, many, nothing, text, uint

SALT = 16  # bytes


class TradePhase(StrEnum):
    """Where a session stands, as one side sees it."""

    MEETING = "meeting"  # the other has said nothing yet
    GREETED = "greeted"  # it has said who it is
    TALKING = "talking"  # no proposal is on the table
    PROPOSED = "proposed"  # mine is, and nobody has signed
    ASKED = "asked"  # the other's is, and I have not said yes
    AGREED = "agreed"  # the other's is, and I have said yes: I sign when its signature is there
    SIGNED = "signed"  # mine is, and I have signed it first
    CLOSED = "closed"  # somebody has left, or done wrong


class MessageRule(NamedTuple):
    """One row of `MESSAGES`."""

    phases: frozenset[TradePhase]  # of the receiver, in which it may come
    shape: Shape  # of all fields together


MET = frozenset(TradePhase) - {TradePhase.MEETING, TradePhase.GREETED, TradePhase.CLOSED}
_ID = exactly(32)
_IDS = many(_ID, 0, MAX_OFFER)
_SIGNATURE = exactly(SIGNATURE_SIZE)
_STANDING = fields(uint(), _SIGNATURE)


def _when(phases: frozenset[TradePhase], *shapes: Shape) -> MessageRule:
    return MessageRule(phases, fields(*shapes))


MESSAGES: dict[str, MessageRule] = {
    # version of the protocol, own key, own name, creators that one trusts (ascending)
    "meet": _when(
        frozenset({TradePhase.MEETING}),
        uint(),
        exactly(KEY_SIZE),
        text(MAX_NAME),
        many(_ID, 0, MAX_TRUSTED_TOLD),
    ),
    # own standing; the newest standing of the other's that one knows, or nil; all cards of trades
    # that one has signed first and the other has not answered (ascending)
    "standing": _when(frozenset({TradePhase.GREETED}), _STANDING, either(nothing, _STANDING), _IDS),
    # revision of the sender's offer, of the receiver's; a message of the merge under these two
    # (chapter 25)
    "merge": _when(MET, uint(), uint(), between(1, MAX_MESSAGE - MAX_TRADE_OVERHEAD)),
    # a message about images (chapter 25.6)
    "image": _when(MET, between(1, MAX_MESSAGE - MAX_TRADE_OVERHEAD)),
    # own cards to give, and the other's that one would like: instances, ascending; its revision is
    # one more each time
    "offer": _when(MET, _IDS, _IDS),
    "say": _when(MET, text(MAX_SAY)),
    "propose": _when(MET - {TradePhase.SIGNED}, between(1, MAX_TRADE)),  # content of the trade
    "agree": _when(MET, _ID),  # "my person has said yes to this trade: sign, and I shall"
    "sign": _when(MET, between(1, MAX_TRADE), _SIGNATURE),  # content, the first signature
    "counter": _when(MET, _ID, _SIGNATURE),  # trade, the second signature
    "done": _when(MET, _ID),  # "I have both"
    "reject": _when(
        MET, _ID, text(MAX_NAME)
    ),  # trade; a code, or `NO_CODE` if a person has said it
    "waive": _when(MET, between(1, MAX_TRADE)),  # a record: "I never finished this"
    "exit": _when(frozenset(TradePhase) - {TradePhase.CLOSED}),
}
NO_CODE = "no"


class Payload(NamedTuple):
    """One decoded payload."""

    salt: bytes
    number: int
    name: str
    values: list[Any]


def encode(payload: Payload) -> bytes:
    """A payload's bytes. A payload of ours that breaks its shape is a bug of ours."""
    assert MESSAGES[payload.name].shape(payload.values), payload.name
    return wire.encode([payload.salt, payload.number, payload.name, *payload.values])


_SALT, _NUMBER, _NAME = exactly(SALT), uint(), text(MAX_NAME)


def decode(data: bytes) -> Payload:
    """A payload, whose fields are still to be held against its row. Raises:
    RemoteError(BAD_ENCODING, BAD_MESSAGE).
    """
    value = wire.decode(data)
    if type(value) is not list or len(value) < 3:
        raise RemoteError(Code.BAD_MESSAGE)
    salt, number, name, *values = value
    if not (_SALT(salt) and _NUMBER(number) and _NAME(name)):
        raise RemoteError(Code.BAD_MESSAGE)
    return Payload(salt, number, name, values)


def check(payload: Payload, phase: TradePhase) -> None:
    """Raise `RemoteError(BAD_MESSAGE)` unless the payload may come in this phase, in this shape."""
    row = MESSAGES.get(payload.name)
    if row is None or phase not in row.phases or not row.shape(payload.values):
        raise RemoteError(Code.BAD_MESSAGE)
