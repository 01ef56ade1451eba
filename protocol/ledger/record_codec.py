"""Encoding of records: the shape of each kind, and conversion between bytes and values. Each
content has one valid encoding.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity.keys import KEY_SIZE
from protocol.ledger.record_contents import (
    Attestation,
    CardRules,
    CardTransfer,
    CardType,
    Content,
    Creator,
    FraudProof,
    Instance,
    PrintRun,
    Trade,
    Waive,
)
from protocol.limits import (
    MAX_CARD_KEY,
    MAX_CARD_NAME,
    MAX_CARD_TEXT,
    MAX_CARD_VALUE,
    MAX_CARD_VALUES,
    MAX_CREATOR_LINK,
    MAX_EDITION,
    MAX_PACK,
    MAX_RUN_TYPES,
    MAX_STATEMENT,
    MAX_TRADE_WAIVES,
    MAX_TRANSFERS,
    MAX_WITNESSES,
)
from protocol.schema import Shape, between, either, exactly, fields, flag, many, nothing, uint
from protocol.view.harmless import is_safe_to_show
from protocol.wire import decode, encode

# versions of the record formats; records last for ever, so they are separate from the protocol's
# version. Trades and waives of version 1 did not list waives, and are refused.
FORMAT = 1
TRADE_FORMAT = 2
NONCE_SIZE = 16  # bytes of an instance's nonce


@dataclass(frozen=True, slots=True)
class _Kind:
    name: str
    shape: Shape  # shape of the fields
    make: Callable[..., Content]  # creates the content from decoded fields
    holds: Callable[[Any], bool]  # conditions that a shape cannot express
    version: int = FORMAT


def _safe_text(low: int, high: int) -> Shape:
    """Match a text of `low` to `high` characters that cannot control a terminal."""
    return lambda value: type(value) is str and low <= len(value) <= high and is_safe_to_show(value)


_KEY = _ID = exactly(KEY_SIZE)
_LINK = either(nothing, _ID)
_STATEMENT = between(1, MAX_STATEMENT)
_TRANSFER = fields(_ID, uint(1), uint(), _LINK, _LINK)


def _ascending(items: tuple[Any, ...]) -> bool:
    return all(left < right for left, right in pairwise(items))


def _firsts(pairs: tuple[tuple[Any, Any], ...]) -> tuple[Any, ...]:
    return tuple(first for first, _ in pairs)


def _is_revision_valid(content: Creator | CardType | CardRules) -> bool:
    return (content.revision == 0) == (content.previous is None)


def _is_creator_valid(it: Creator) -> bool:
    if it.witnesses:
        quorum = 1 <= it.quorum <= len(it.witnesses)
    else:
        quorum = it.quorum == 0
    return _is_revision_valid(it) and quorum and _ascending(it.witnesses)


def _is_type_valid(it: CardType) -> bool:
    return (
        _is_revision_valid(it)
        and (it.type is None) == (it.revision == 0)
        and _ascending(_firsts(it.values))
    )


def _is_trade_valid(it: Trade) -> bool:
    first = all((one.index == 0) == (one.prev is None and one.over is None) for one in it.transfers)
    cards = _ascending(tuple(one.instance for one in it.transfers))
    return it.a < it.b and first and cards and _ascending(it.waives)


def _is_always_valid(content: object) -> bool:
    return True


def _to_tuples(value: Any) -> Any:
    """Convert nested lists to tuples."""
    if type(value) is list:
        return tuple(map(_to_tuples, value))
    return value


def _to_lists(value: Any) -> Any:
    """Convert nested tuples to lists for the encoding."""
    if isinstance(value, CardTransfer):
        return [value.instance, value.sender, value.index, value.prev, value.over]
    if type(value) is tuple:
        return [_to_lists(item) for item in value]
    return value


def _make(kind: Callable[..., Content]) -> Callable[..., Content]:
    return lambda *values: kind(*map(_to_tuples, values))


def _trade(a: bytes, b: bytes, transfers: list[Any], number: int, waives: list[bytes]) -> Trade:
    moved = tuple(CardTransfer(*transfer) for transfer in transfers)
    return Trade(a, b, moved, number, tuple(waives))


_REVISED = (uint(), _LINK)
_KINDS: dict[type, _Kind] = {
    Creator: _Kind(
        "creator",
        fields(
            *(
                _KEY,
                *_REVISED,
                _safe_text(1, MAX_CARD_NAME),
                _LINK,
                _safe_text(0, MAX_CREATOR_LINK),
            ),
            *(many(_KEY, 0, MAX_WITNESSES), uint(MAX_WITNESSES)),
        ),
        _make(Creator),
        _is_creator_valid,
    ),
    CardType: _Kind(
        "type",
        fields(
            *(
                _KEY,
                _LINK,
                *_REVISED,
                _safe_text(1, MAX_CARD_NAME),
                _safe_text(0, MAX_EDITION),
                _LINK,
            ),
            many(
                fields(_safe_text(1, MAX_CARD_KEY), either(uint(), _safe_text(0, MAX_CARD_VALUE))),
                0,
                MAX_CARD_VALUES,
            ),
            *(flag, _safe_text(0, MAX_CARD_TEXT)),
        ),
        _make(CardType),
        _is_type_valid,
    ),
    PrintRun: _Kind(
        "run",
        fields(
            *(
                _KEY,
                _safe_text(0, MAX_EDITION),
                uint(),
                many(fields(_ID, uint()), 1, MAX_RUN_TYPES),
            ),
            *(_ID, _ID, uint(MAX_PACK)),
        ),
        _make(PrintRun),
        lambda it: (
            it.pack_size > 0
            and all(many for _, many in it.copies)
            and _ascending(_firsts(it.copies))
        ),
    ),
    Instance: _Kind(
        "instance", fields(_KEY, _ID, uint(), exactly(NONCE_SIZE)), Instance, _is_always_valid
    ),
    CardRules: _Kind(
        "rules",
        fields(
            *(_KEY, *_REVISED, _safe_text(1, MAX_CARD_NAME), uint(), _ID),
            many(fields(_safe_text(1, MAX_CARD_KEY), uint(1)), 0, MAX_CARD_VALUES),
        ),
        _make(CardRules),
        lambda it: _is_revision_valid(it) and _ascending(_firsts(it.required)),
    ),
    Trade: _Kind(
        "trade",
        fields(
            _KEY,
            _KEY,
            many(_TRANSFER, 1, MAX_TRANSFERS),
            uint(),
            many(_ID, 0, MAX_TRADE_WAIVES),
        ),
        _trade,
        _is_trade_valid,
        TRADE_FORMAT,
    ),
    Waive: _Kind("waive", fields(_KEY, _ID), Waive, _is_always_valid, TRADE_FORMAT),
    Attestation: _Kind("seen", fields(_KEY, _ID, _ID, uint()), Attestation, _is_always_valid),
    FraudProof: _Kind(
        "lie", fields(_KEY, _STATEMENT, _STATEMENT), FraudProof, lambda it: it.first < it.second
    ),
}
_NAMED = {kind.name: kind for kind in _KINDS.values()}


def kind_of(content: Content) -> str:
    """Return the name of a content's kind in the encoding."""
    return _KINDS[type(content)].name


def content_bytes(content: Content) -> bytes:
    """Return the bytes that are hashed and signed. The shape is not checked here, but by
    `read_content`.
    """
    values = (getattr(content, name) for name in type(content).__slots__)
    kind = _KINDS[type(content)]
    return encode([kind.version, kind.name, *map(_to_lists, values)])


def is_outdated(data: bytes) -> bool:
    """Check for a content of a version that is refused now, though it is not damaged. Raises:
    RemoteError(BAD_ENCODING).
    """
    value = decode(data)
    if type(value) is not list or len(value) < 2:
        return False
    kind = _NAMED.get(value[1]) if type(value[1]) is str else None
    return kind is not None and type(value[0]) is int and 0 < value[0] < kind.version


def read_content(data: bytes) -> Content:
    """Read a content. Keys are not checked.

    Raises: RemoteError(BAD_ENCODING); RemoteError(BAD_CONTENT) for a wrong shape.
    """
    value = decode(data)
    if type(value) is not list or len(value) < 2 or type(value[0]) is not int:
        raise RemoteError(Code.BAD_CONTENT)
    kind = _NAMED.get(value[1]) if type(value[1]) is str else None
    if kind is None or value[0] != kind.version or not kind.shape(value[2:]):
        raise RemoteError(Code.BAD_CONTENT)
    content = kind.make(*value[2:])
    if not kind.holds(content):
        raise RemoteError(Code.BAD_CONTENT)
    return content
