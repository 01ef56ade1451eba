"""What a vector is, how it is written as JSON, and how it is held against the code.

A vector names an operation, gives its input and the output that must come of it, and changes to the
input after which it must be refused, with the code. In JSON a byte string is text that begins with
0x; all other text is text.
"""

import copy
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from protocol.crypto.hashing import digest
from protocol.crypto.seeded_random import SeededRandom
from protocol.errors import LocalError, RemoteError

FOLDER = Path(__file__).parents[1] / "fairdeal"
Input = dict[str, Any]
Operation = Callable[..., Mapping[str, Any]]


class Bad(NamedTuple):
    """One fault: what of the input is different (path, as `steps/3/1`, to new value), and the code
    of the refusal.

    No code: what a person typed or keeps on disk is refused with a sentence, not with a code.
    """

    fault: str
    change: Mapping[str, Any]
    code: str | None


class Vector(NamedTuple):
    """One test vector; `section` is that of docs/protocol which it tests."""

    section: str
    description: str
    operation: str
    given: Input
    bad: tuple[Bad, ...] = ()


def second(encoded: bytes) -> bytes:
    """A point with bit 255 set: a decoder that masks the bit takes it for the same point."""
    return encoded[:-1] + bytes([encoded[-1] | 0x80])


def random_for(name: str) -> SeededRandom:
    """The fixed randomness of one vector: independent of all others, so that a new one changes
    none.
    """
    return SeededRandom(digest("test vectors"), name)


def changed(given: Input, change: Mapping[str, Any]) -> Input:
    """The input with the values at some paths replaced."""
    given = copy.deepcopy(given)
    for path, value in change.items():
        *way, last = path.split("/")
        place: Any = given
        for step in way:
            place = place[int(step) if isinstance(place, list) else step]
        place[int(last) if isinstance(place, list) else last] = value
    return given


def refusal(operation: Operation, given: Input) -> str | None:
    """The code with which an input is refused, None if that has no code. Raises: AssertionError if
    it is accepted.
    """
    try:
        output = operation(**given)
    except RemoteError as error:
        return str(error.code)
    except LocalError:
        return None
    raise AssertionError(f"accepted: {output}")


def record(vector: Vector, operations: Mapping[str, Operation]) -> dict[str, Any]:
    """The vector as a JSON object, its output computed. Raises: AssertionError if a bad input is
    not refused so.
    """
    operation = operations[vector.operation]
    for bad in vector.bad:
        found = refusal(operation, changed(vector.given, bad.change))
        assert found == bad.code, f"{vector.description}: {bad.fault}: {found}"
    return {
        "section": vector.section,
        "description": vector.description,
        "operation": vector.operation,
        "input": to_json(vector.given),
        "output": to_json(operation(**vector.given)),
        "bad": [
            {"fault": bad.fault, "change": to_json(bad.change), "code": bad.code}
            for bad in vector.bad
        ],
    }


def to_json(value: Any) -> Any:
    """A value as JSON has it. Raises: ValueError for text that would be read as bytes."""
    if isinstance(value, bytes):
        return f"0x{value.hex()}"
    if isinstance(value, str) and value.startswith("0x"):
        raise ValueError("text that looks like bytes")
    if isinstance(value, Mapping):
        return {key: to_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple | frozenset):
        return [to_json(item) for item in value]
    return value


def from_json(value: Any) -> Any:
    """The other way round."""
    if isinstance(value, str) and value.startswith("0x"):
        return bytes.fromhex(value[2:])
    if isinstance(value, dict):
        return {key: from_json(item) for key, item in value.items()}
    return [from_json(item) for item in value] if isinstance(value, list) else value


def text_of(title: str, records: list[dict[str, Any]]) -> str:
    """A file's text."""
    return (
        json.dumps({"format": "fairdeal vectors 1", "title": title, "vectors": records}, indent=0)
        + "\n"
    )
