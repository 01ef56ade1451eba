"""Messages between a table and a directory (docs/protocol, 37). The table has called.

A message is a canonical MessagePack list that starts with its name, in one frame.

    challenge    directory: 32 random bytes, its key, and the table's host as the directory sees it
    report       table: its report, and its signature of challenge, directory and report
    listed       directory: the report counts; seconds until the next one is wanted
    refused      directory: a code; seconds in which another try is in vain
"""

from dataclasses import dataclass

from protocol.codes import Code
from protocol.crypto.hashing import Field
from protocol.identity.keys import KEY_SIZE, SIGNATURE_SIZE
from protocol.limits import (
    DIRECTORY_NONCE,
    MAX_NAME,
    MAX_RELAYED_ADDRESS,
    MAX_REPORT_WAIT,
    MAX_TABLE_REPORT,
)
from protocol.messages.named import NamedMessages
from protocol.schema import between, exactly, fields, text, uint

LABEL = "directory claim"  # of the signature


@dataclass(frozen=True)
class Challenge:
    """Bytes to sign, and the host at which the table seems to be."""

    nonce: bytes
    directory: bytes
    host: str


@dataclass(frozen=True)
class Report:
    """A table's report, encoded, and its claim."""

    report: bytes
    claim: bytes


@dataclass(frozen=True)
class Listed:
    """The report counts."""

    seconds: int


@dataclass(frozen=True)
class Refused:
    """The report does not count."""

    code: Code
    seconds: int


DirectoryMessage = Challenge | Report | Listed | Refused

_SECONDS = uint(MAX_REPORT_WAIT)
_MESSAGES: NamedMessages[DirectoryMessage] = NamedMessages(
    {
        "challenge": (
            Challenge,
            fields(exactly(DIRECTORY_NONCE), exactly(KEY_SIZE), text(MAX_RELAYED_ADDRESS)),
        ),
        "report": (Report, fields(between(1, MAX_TABLE_REPORT), exactly(SIGNATURE_SIZE))),
        "listed": (Listed, fields(_SECONDS)),
        "refused": (Refused, fields(text(MAX_NAME), _SECONDS)),
    }
)


def encode(message: DirectoryMessage) -> bytes:
    """Return the message in its frame."""
    return _MESSAGES.encode(message)


def decode(payload: bytes) -> DirectoryMessage:
    """Read a message without its frame. Raises: RemoteError."""
    return _MESSAGES.decode(payload)


def claim_fields(nonce: bytes, directory: bytes, report: bytes) -> tuple[Field, ...]:
    """Return what a table signs under `LABEL`: nobody else, no other directory and no other
    connection can use the signature.
    """
    return nonce, directory, report
