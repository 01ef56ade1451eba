"""Fuzz targets: data that a table reads back from a store on other machines: notes of a match,
seeds, lobby items.
"""

from protocol import wire
from table.storage.shared.backend import Item
from table.storage.shared.lobby_items import decode_item
from table.storage.shared.match_notes import BadNote, Note, decode_note, encode_note, fold_notes
from table.storage.shared.sealed_seeds import decode_seed

WRITER, HEAD = bytes(16), b"h" * 64
RECORDS = [0, bytes(32), [], [b"zero", b"one"], "rules", False]


def note(data: bytes) -> None:
    """Check that an accepted note is written again the same way, and that the notes give damage or
    a log.
    """
    taken = decode_note(data)
    assert encode_note(taken) == data
    try:
        assert len(fold_notes([Item(1, data)]).entries) <= len(data)
    except BadNote:
        return


def note_seeds() -> list[bytes]:
    """Return one note of each kind."""
    bodies = {
        "records": RECORDS,
        "heads": [[HEAD]],
        "claim": [],
        "released": [],
        "proof": [],
        "exported": [],
    }
    return [encode_note(Note(kind, 0, WRITER, "host", 0, 0, body)) for kind, body in bodies.items()]


def item(data: bytes) -> None:
    """Read an item of the lobby."""
    decode_item(data)


def item_seeds() -> list[bytes]:
    """Return items of several kinds."""
    items = (
        ["store", bytes(32)],
        ["gone", 3],
        ["words", 0, [[b"slot", b"word"]], []],
        ["ahead", b"head"],
        ["proof"],
    )
    return [wire.encode([WRITER, 7, each]) for each in items]


def seed(data: bytes) -> None:
    """Read a sealed seed, or a mark."""
    assert len(decode_seed(data)) < len(data)


def seed_seeds() -> list[bytes]:
    """Return both."""
    return [wire.encode([WRITER, bytes(60)]), wire.encode([WRITER, b""])]
