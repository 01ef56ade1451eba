"""Vectors of chapter 38: histories of a table's keys, and what a player makes of several."""

from collections.abc import Sequence
from typing import Any

from protocol.identity.key_history import (
    KeyHistory,
    KeyPin,
    commit,
    decode_history,
    encode_history,
    learn,
    rotate,
    succession,
)
from protocol.identity.keys import Identity, fingerprint
from tests.vectors.make.forms import Bad, Vector

FIRST, SECOND, THIRD, OTHER = (Identity(bytes([number]) * 32) for number in range(0x31, 0x35))
COMMITTED = commit(KeyHistory(FIRST.public), FIRST, SECOND.public)
ROTATED = rotate(COMMITTED, FIRST, SECOND, THIRD.public)
AGAIN = rotate(ROTATED, SECOND, THIRD, None)
THIEF = commit(KeyHistory(FIRST.public), FIRST, OTHER.public)


def take_history(history: bytes) -> dict[str, Any]:
    """Operation of 38.2: check a history, and read it."""
    found = decode_history(history)
    return {"key": found.key, "number": found.number, "next": found.next}


def follow_histories(histories: Sequence[bytes], expected: str) -> dict[str, Any]:
    """Operation of 38.3 and 38.4: pin histories of tables that were visited as expected, one after
    another, and say how the last one leads from the expected fingerprint.
    """
    pins: dict[bytes, KeyPin] = {}
    for each in histories:
        pins = learn(pins, found := decode_history(each))
    conflicts = sorted(key for key, pin in pins.items() if pin.in_conflict)
    return {"succession": str(succession(pins, expected, found).value), "conflicts": conflicts}


OPERATIONS = {"take key history": take_history, "follow key histories": follow_histories}


def vectors() -> list[Vector]:
    """Return all vectors of key histories."""
    committed, rotated, again, thief = map(encode_history, (COMMITTED, ROTATED, AGAIN, THIEF))
    after = ROTATED.rotations[0]
    others = {
        "another following key": after._replace(next=bytes(32)),
        "signed by the old key alone": after._replace(new_signature=after.old_signature),
        "signed by the new key alone": after._replace(old_signature=after.new_signature),
    }
    bad = [
        Bad(name, {"history": encode_history(ROTATED._replace(rotations=(each,)))}, "bad_signature")
        for name, each in others.items()
    ]
    bad += [
        Bad(
            "of another key",
            {"history": encode_history(ROTATED._replace(key=OTHER.public))},
            "bad_message",
        ),
        Bad("a byte too many", {"history": rotated + b"\xc0"}, "bad_encoding"),
    ]
    expected = fingerprint(FIRST.public)
    follow = {
        "a rotation as committed": [committed, rotated],
        "two rotations, of which the first was missed": [committed, again],
        "a rotation without a commitment before": [rotated],
        "two commitments of one key": [committed, thief, rotated],
        "the key that was expected": [committed, committed],
        "another table": [encode_history(KeyHistory(OTHER.public))],
    }
    return [
        Vector(
            "38.2",
            "a history with a rotation",
            "take key history",
            {"history": rotated},
            tuple(bad),
        ),
        Vector("38.2", "a history with a commitment", "take key history", {"history": committed}),
        *(
            Vector(
                "38.4",
                name,
                "follow key histories",
                {"histories": histories, "expected": expected},
            )
            for name, histories in follow.items()
        ),
    ]
