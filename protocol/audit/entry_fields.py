"""Fields in the bodies of entries, with their names from the specification, shortened for a
screen.
"""

from typing import Any

from protocol.match.log import ENDED, Entry
from protocol.match.setup import KIND

SHOWN_BYTES = 4  # bytes shown of a byte string; the log has the rest
MAX_CHARACTERS = 160  # characters shown of one field

_MATCH_FIELDS: dict[str, tuple[str, ...]] = {
    KIND: ("version", "table", "nonce", "created", "terms", "people"),
    "sit": ("key", "commitment"),
    "nonce": ("nonce",),
    "move": ("action", "parts"),
    "receipt": ("scores",),
    "protest": ("number",),
    "leave": (),
    "doubt": ("number", "most"),
    "sit_out": (),
    "sit_in": (),
    **dict.fromkeys(("warning", "extension", "lapse", "slow"), ("seat", "waited")),
    ENDED: (),
}
_DEALING_FIELDS: dict[str, dict[str, tuple[str, ...]]] = {
    "layered": {
        "pseudonyms": ("P", "S"),
        "layer": ("list",),
        "hop": ("envelope",),
        "stock": ("bitmap",),
        "commit": ("R1", "b"),
        "strip": ("layer keys",),
        "slot_hop": ("envelope",),
        "slots": ("slots",),
        "assign": ("ephemeral key", "pieces"),
        "draw_key": ("to the drawer", "to the next seat"),
        "draw_query": ("R",),
        "draw_reply": ("pieces",),
        "open_seat": ("layer keys", "elements", "R2", "slot keys", "draws", "match key"),
        "open_table": ("deck", "y", "ephemeral secret"),
    },
    "verified": {
        "key": ("X", "proof", "commitments", "shares"),
        "confirm": ("seats",),
        "answer": ("shares",),
        "shuffle": ("cards", "proof"),
        **dict.fromkeys(("shares", "stand_in", "turn_up", "show"), ("D", "proofs")),
    },
    "commutative": {
        "commit": ("commitment",),
        "pack": ("deck",),
        "choose": ("cards",),
        "unwrap": ("cards",),
        "open_key": ("k", "salt"),
    },
    "seeded": {
        "commit": ("commitment",),
        "give": ("number",),
        "show": ("pieces",),
        "open_seed": ("seed", "salt"),
    },
    "residue": {
        "key": ("m", "proof"),
        "chunk": ("digest", "number", "bytes"),
        "tell": ("bits", "proof"),
    },
    "none": {},
}


def field_names(dealing: str, kind: str) -> tuple[str, ...]:
    """Return the names of the fields in a body of this kind; empty for an unknown kind."""
    return _DEALING_FIELDS[dealing].get(kind, _MATCH_FIELDS.get(kind, ()))


def entry_fields(dealing: str, entry: Entry) -> list[list[str]]:
    """Return pairs of name and value in the order of the body.

    A forged entry may have additional fields: their names are numbers.
    """
    names = field_names(dealing, entry.kind)
    return [
        [names[place] if place < len(names) else str(place + 1), _short(_text(value))]
        for place, value in enumerate(entry.body)
    ]


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value[:SHOWN_BYTES].hex() + (
            f"… ({len(value)} bytes)" if len(value) > SHOWN_BYTES else ""
        )
    if isinstance(value, list):
        few = [_text(item) for item in value[: MAX_CHARACTERS // 2]]
        return f"[{', '.join(few)}]"
    return "".join(
        char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in str(value)
    )


def _short(text: str) -> str:
    if len(text) <= MAX_CHARACTERS:
        return text
    return f"{text[:MAX_CHARACTERS]}…"
