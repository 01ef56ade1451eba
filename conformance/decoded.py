"""Payloads of opened frames as text: messages, parcels, trades and entries, with field names.

The names are those of docs/protocol, chapters 4, 6, 19, 25, 26, 29 and 30. What does not decode is
said to be so: a trace shows wrong bytes too.
"""

from collections.abc import Iterator
from typing import Any

from protocol import wire
from protocol.audit.entry_fields import field_names
from protocol.dealing.registry import DEALINGS
from protocol.errors import RemoteError
from protocol.match.log import decode_entry

SHOWN_BYTES = 96  # of one value; the bytes of the whole frame stand above
SHOWN_ITEMS = 8  # of one list
SHOWN_TEXT = 200  # characters
SHOWN_DEPTH = 5  # lists in lists
SHOWN_RECORDS = 32  # entries of one parcel
ENTRY_PLACES = {"entry": 2, "post": 1}  # place of an encoded entry among the fields

_PIPE = ("key", "purpose")
FIELDS: dict[str, tuple[str, ...]] = {
    # from players
    "invite": ("secret",),
    "hello": ("version", "name"),
    "list": (),
    "find": ("text", "games", "start", "most"),
    "create": ("terms",),
    "join": ("place",),
    "spectate": ("place",),
    "ask_rules": ("place",),
    "give_rules": ("text",),
    "resume": ("match", "holds", "claim"),
    "tail": ("match", "first", "entries"),
    "leave": (),
    "replay": ("match", "number"),
    "post": ("match", "entry"),
    "relay": ("match", "seat", "envelope"),
    "pong": ("match", "challenge"),
    "kept": ("match", "ticket"),
    "appear": ("wants",),
    "vanish": (),
    "talk": ("text",),
    "call": ("key", "table"),
    "open": _PIPE,
    "send": (*_PIPE, "data"),
    "grant": (*_PIPE, "bytes"),
    "close": _PIPE,
    "witness": ("head",),
    "which": ("ids",),
    "records": ("records",),
    "certify": ("trade",),
    "prove": ("slot",),
    "follow": ("old_size", "new_size"),
    # from tables
    "keys": ("history",),
    "welcome": ("version", "name", "addresses"),
    "moved": ("address", "about"),
    "tables": ("tables",),
    "found": ("text", "start", "before", "total", "tables", "next"),
    "created": ("table",),
    "rules": ("table", "text"),
    "waiting": ("table", "seats", "people"),
    "match": ("table", "match", "seat", "entries", "claim"),
    "ticket": ("match", "ticket", "secret"),
    "entry": ("match", "number", "entry", "head"),
    "relayed": ("match", "seat", "envelope"),
    "refused": ("match", "sha256", "number", "hash", "code", "signature"),
    "missing": ("match", "number"),
    "present": ("match", "seats"),
    "ping": ("match", "challenge"),
    "trips": ("match", "milliseconds"),
    "waited": ("match", "waited"),
    "left": (),
    "announced": ("text",),
    "people": ("came", "went"),
    "hidden": ("code",),
    "said": ("key", "text"),
    "called": ("key", "table"),
    "knock": _PIPE,
    "opened": _PIPE,
    "sent": (*_PIPE, "data"),
    "granted": (*_PIPE, "bytes"),
    "closed": (*_PIPE, "code"),
    "head": ("head",),
    "lacking": ("ids",),
    "certified": ("trade", "seen", "head"),
    "proof": ("slot", "head", "path", "found", "attestation"),
    "followed": ("old_size", "new_size", "path"),
    "error": ("code",),
    # parcels and lines
    "invitation": ("version", "inviter", "terms", "nonce", "created", "signature"),
    "entries": ("match", "first", "records"),
    "ways": ("about", "run", "ways"),
    "alive": (),
    "data": ("number", "heard", "more", "part"),
    "heard": ("number",),
}
TRADE_FIELDS: dict[str, tuple[str, ...]] = {
    "meet": ("version", "key", "name", "trusted"),
    "standing": ("own", "other", "unanswered"),
    "merge": ("own_revision", "other_revision", "message"),
    "image": ("message",),
    "offer": ("give", "want", "waives"),
    "say": ("text",),
    "propose": ("content",),
    "agree": ("trade",),
    "sign": ("content", "signature"),
    "counter": ("trade", "signature"),
    "done": ("trade",),
    "reject": ("trade", "code"),
    "waive": ("record",),
    "exit": (),
}
MERGE_FIELDS: dict[str, tuple[str, ...]] = {
    "ranges": ("space", "ranges"),
    "ids": ("space", "ids"),
    "have": ("space", "have"),
    "want": ("shorts",),
    "records": ("records",),
    "turn": (),
    "images": ("digests",),
    "image": ("digest", "size", "part"),
    "no_image": ("digest",),
}


def decode_payload(payload: bytes) -> list[str]:
    """Return the lines that describe an opened payload."""
    try:
        value = wire.decode(payload)
    except RemoteError as error:
        return [f"no message: {error.code}"]
    if type(value) is not list or not value:
        return [f"no message: {shown(value)}"]
    if type(value[0]) is str:
        return [call_text(value[0], value[1:], FIELDS), *_entries_in(value)]
    if len(value) > 2 and type(value[0]) is bytes and type(value[2]) is str:
        salt, number, name, *values = value
        rows = [f"payload {number} of salt {shown(salt)}", call_text(name, values, TRADE_FIELDS)]
        return [*rows, *_inner(name, values)]
    return [f"no message: {shown(value)}"]


def call_text(name: str, values: list[Any], names: dict[str, tuple[str, ...]]) -> str:
    """Return a message as text: its name, and its fields with their names."""
    known = names.get(name, ())
    if len(known) != len(values):
        return f"{shown(name)}, of another shape: {shown(values)}"
    pairs = zip(known, values, strict=True)
    return f"{name}({', '.join(f'{field}={shown(value)}' for field, value in pairs)})"


def shown(value: object, depth: int = 0) -> str:
    """Return a decoded value as text; long values are cut."""
    if type(value) is bytes:
        more = f"…{len(value)} bytes" if len(value) > SHOWN_BYTES else ""
        return f"0x{value[:SHOWN_BYTES].hex()}{more}"
    if type(value) is list:
        if depth == SHOWN_DEPTH:
            return f"[… {len(value)} items]"
        items = [shown(item, depth + 1) for item in value[:SHOWN_ITEMS]]
        more_items = [f"… {len(value)} items"] if len(value) > SHOWN_ITEMS else []
        return f"[{', '.join([*items, *more_items])}]"
    if type(value) is str:
        return ascii(value[:SHOWN_TEXT])
    return "nil" if value is None else str(value).lower() if type(value) is bool else str(value)


def entry_text(raw: bytes) -> str:
    """Return an encoded entry as text, with the names of the fields of its body."""
    try:
        entry = decode_entry(raw)
    except RemoteError as error:
        return f"no entry: {error.code}"
    names = next(
        (
            found
            for dealing in DEALINGS
            if len(found := field_names(dealing, entry.kind)) == len(entry.body)
        ),
        None,
    )
    if names is None:
        body = shown(entry.body)
    else:
        body = ", ".join(
            f"{name}={shown(value)}" for name, value in zip(names, entry.body, strict=True)
        )
    return (
        f"entry: author={entry.author} sequence={entry.sequence} seen={entry.seen_number} "
        f"{shown(entry.kind)}({body})"
    )


def _entries_in(value: list[Any]) -> Iterator[str]:
    """Generate the texts of the entries in a message or parcel."""
    name = value[0]
    place = ENTRY_PLACES.get(name)
    if place is not None and len(value) > place + 1 and type(value[place + 1]) is bytes:
        yield entry_text(value[place + 1])
    if name == "entries" and len(value) == 4 and type(value[3]) is list:
        for record in value[3][:SHOWN_RECORDS]:
            if type(record) is list and record and type(record[0]) is bytes:
                yield entry_text(record[0])


def _inner(name: str, values: list[Any]) -> Iterator[str]:
    """Generate the text of the message in a payload of a trade."""
    if name in ("merge", "image") and values and type(values[-1]) is bytes:
        try:
            inner = wire.decode(values[-1])
        except RemoteError as error:
            yield f"no message: {error.code}"
            return
        if type(inner) is list and inner and type(inner[0]) is str:
            yield call_text(inner[0], inner[1:], MERGE_FIELDS)
