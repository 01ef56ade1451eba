"""List of a directory: a file that any web server can serve (docs/protocol, 37).

The file is one frame with the head, and then the reports, one after another, by ascending key. The
head is a canonical MessagePack list:

    "fairdeal tables 1"
    key of the directory
    number, which grows with each list
    time of expiry, seconds since 1970
    digest of the bytes of all reports
    signature
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from protocol import wire
from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.directory.report import TableReport, encode_report, read_report
from protocol.errors import LocalError, RemoteError
from protocol.identity.keys import (
    KEY_SIZE,
    SIGNATURE_SIZE,
    Identity,
    check_key,
    fingerprint,
    verify,
)
from protocol.limits import (
    FRAME_HEADER,
    LIST_CLOCK_SECONDS,
    LIST_LIFE_SECONDS,
    MAX_DIRECTORY_LIST,
    MAX_DIRECTORY_TABLES,
    MAX_HANDSHAKE_FRAME,
    MAX_TABLE_REPORT,
)
from protocol.schema import exactly, fields, text, uint

MAGIC = "fairdeal tables 1"
LABEL, ROWS_LABEL = "directory list", "directory list reports"
_DIGEST = 32
_HEAD = fields(
    text(len(MAGIC)),
    exactly(KEY_SIZE),
    uint(),
    uint(),
    exactly(_DIGEST),
    exactly(SIGNATURE_SIZE),
)


class TableList(NamedTuple):
    """The tables that a directory lists. `expires`: seconds since 1970. `digest` is of the
    reports.
    """

    public: bytes
    number: int
    expires: int
    digest: bytes
    reports: tuple[TableReport, ...]

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the directory."""
        return fingerprint(self.public)


class SeenList(NamedTuple):
    """Record of the newest list of a directory, kept so that no older one is taken."""

    number: int
    expires: int
    digest: bytes


def encode_list(
    reports: Sequence[TableReport], number: int, expires: int, identity: Identity
) -> bytes:
    """Return the file of a list, signed with the directory's identity."""
    rows = b"".join(map(encode_report, sorted(reports)))
    of_rows = digest(ROWS_LABEL, rows)
    signature = identity.sign(LABEL, number, expires, of_rows)
    head = wire.encode([MAGIC, identity.public, number, expires, of_rows, signature])
    return wire.encode_frame(head) + rows


def decode_list(data: bytes) -> TableList:
    """Read the file of a list. Raises: RemoteError.

    The signature is the directory's over all of it. Reports are read as by `read_report`: their own
    signatures are checked when somebody looks at them.
    """
    end = wire.frame_size(data[:FRAME_HEADER])
    if len(data) > MAX_DIRECTORY_LIST or end > FRAME_HEADER + MAX_HANDSHAKE_FRAME:
        raise RemoteError(Code.FRAME_SIZE)
    head = wire.decode(data[FRAME_HEADER:end])
    if not _HEAD(head) or head[0] != MAGIC:
        raise RemoteError(Code.BAD_MESSAGE)
    _, public, number, expires, of_rows, signature = head
    check_key(public)
    verify(public, signature, LABEL, number, expires, of_rows)
    rows = data[end:]
    if digest(ROWS_LABEL, rows) != of_rows:
        raise RemoteError(Code.BAD_SIGNATURE)
    found = wire.decode_sequence(rows, MAX_DIRECTORY_TABLES, MAX_TABLE_REPORT)
    return TableList(public, number, expires, digest=of_rows, reports=_reports(found))


def _reports(rows: list[Any]) -> tuple[TableReport, ...]:
    reports = tuple(map(read_report, rows))
    keys = [report.public for report in reports]
    if any(one >= other for one, other in pairwise(keys)):
        raise RemoteError(Code.BAD_MESSAGE)
    return reports


def check_against_seen(found: TableList, seen: SeenList | None, now: float) -> SeenList:
    """Return what is stored of a list from now on. `seen`: what was stored of the same directory;
    `now`: seconds since 1970.

    A list that a directory has signed while its clock was ahead is refused, and its number shuts out
    no later list: else the readers of such a list would never read another one.

    Raises: LocalError for an expired or an older list, for one of the future, and for another list
    with the same number.
    """
    newest = SeenList(found.number, found.expires, found.digest)
    latest = now + LIST_LIFE_SECONDS + LIST_CLOCK_SECONDS
    if found.expires > latest:
        raise LocalError("wrong.directory.future")
    if seen is not None:
        # what is older than a list that has expired long ago has expired as well
        counts = now - LIST_LIFE_SECONDS < seen.expires <= latest
        if counts and found.number < seen.number:
            raise LocalError("wrong.directory.old", number=found.number, seen=seen.number)
        if found.number == seen.number and newest != seen:
            raise LocalError(
                "wrong.directory.forked", number=found.number, fingerprint=found.fingerprint
            )
    if found.expires <= now:
        raise LocalError("wrong.directory.expired", minutes=int(now - found.expires) // 60)
    return newest
