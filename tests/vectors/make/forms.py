"""Format of a vector: its JSON form, and the comparison with the code.

A vector has an operation, its input, and the required output. It also has changes to the input,
each with the code with which the changed input must be refused. In JSON a byte string is text that
begins with 0x; all other text is text.
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
    """A wrong input: the changes (path such as `steps/3/1` to new value), and the code of the
    refusal.

    Without a code: input of a person, or a file, which is refused with a sentence.
    """

    fault: str
    change: Mapping[str, Any]
    code: str | None


class Vector(NamedTuple):
    """A test vector. `section` is the section of docs/protocol that it tests."""

    section: str
    description: str
    operation: str
    given: Input
    bad: tuple[Bad, ...] = ()


def second(encoded: bytes) -> bytes:
    """Set bit 255 of a point. A decoder that masks the bit reads the same point."""
    return encoded[:-1] + bytes([encoded[-1] | 0x80])


def random_for(name: str) -> SeededRandom:
    """Make the fixed random source of one vector. It is independent of all others, so a new vector
    changes none.
    """
    return SeededRandom(digest("test vectors"), name)


def changed(given: Input, change: Mapping[str, Any]) -> Input:
    """Return the input with the values at some paths replaced."""
    given = copy.deepcopy(given)
    for path, value in change.items():
        *way, last = path.split("/")
        place: Any = given
        for step in way:
            place = place[int(step) if isinstance(place, list) else step]
        place[int(last) if isinstance(place, list) else last] = value
    return given


def refusal(operation: Operation, given: Input) -> str | None:
    """Return the code with which an input is refused, or None for a refusal without a code. Raises:
    AssertionError if the input is accepted.
    """
    try:
        output = operation(**given)
    except RemoteError as error:
        return str(error.code)
    except LocalError:
        return None
    raise AssertionError(f"accepted: {output}")


def record(vector: Vector, operations: Mapping[str, Operation]) -> dict[str, Any]:
    """Convert a vector to a JSON object, with its computed output. Raises: AssertionError if a
    wrong input is not refused as it should be.
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
    """Convert a value for JSON. Raises: ValueError for text that would be read as bytes."""
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
    """Convert a value from JSON."""
    if isinstance(value, str) and value.startswith("0x"):
        return bytes.fromhex(value[2:])
    if isinstance(value, dict):
        return {key: from_json(item) for key, item in value.items()}
    return [from_json(item) for item in value] if isinstance(value, list) else value


def text_of(title: str, records: list[dict[str, Any]]) -> str:
    """Return the text of a file."""
    return (
        json.dumps({"format": "fairdeal vectors 1", "title": title, "vectors": records}, indent=0)
        + "\n"
    )
