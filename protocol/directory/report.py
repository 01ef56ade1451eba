"""Report of a table for a directory, signed with the table's key (docs/protocol, 37)."""

from typing import Any, NamedTuple

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity.address import Address, parse_address_text
from protocol.identity.keys import (
    KEY_SIZE,
    SIGNATURE_SIZE,
    Identity,
    JoinLink,
    check_key,
    fingerprint,
    verify,
)
from protocol.identity.names import is_name_safe
from protocol.limits import (
    MAX_ADDRESS,
    MAX_INT,
    MAX_NAME,
    MAX_REPORT_GAME,
    MAX_REPORT_GAMES,
    MAX_REPORT_SEATS,
    MAX_TABLE_REPORT,
)
from protocol.view.harmless import is_safe_to_show

LABEL = "table report"  # of the signature


class TableReport(NamedTuple):
    """Description of a table by itself.

    `games`: their names, ascending. `address`: where players call. `taken`, `free`: seats.
    `number` grows with each report of the table. `expires`: seconds since 1970.
    """

    public: bytes
    name: str
    games: tuple[str, ...]
    address: str
    taken: int
    free: int
    number: int
    expires: int
    signature: bytes

    @property
    def fingerprint(self) -> str:
        """The table's fingerprint."""
        return fingerprint(self.public)

    @property
    def where(self) -> Address:
        """The address. Raises: RemoteError(BAD_MESSAGE) if it is none."""
        address = parse_address_text(self.address)
        if address is None:
            raise RemoteError(Code.BAD_MESSAGE)
        return address

    @property
    def link(self) -> JoinLink:
        """The link by which players join. Raises: RemoteError."""
        where = self.where
        return JoinLink(where.host, where.port, self.fingerprint).with_address(where)


def signed_part(report: TableReport) -> bytes:
    """Return what a table signs under `LABEL`: all of its report but key and signature."""
    values = [*report[1:-1]]
    values[1] = list(report.games)
    return wire.encode(values)


def sign_report(report: TableReport, identity: Identity) -> TableReport:
    """Return the report with key and signature of this identity."""
    report = report._replace(public=identity.public)
    return report._replace(signature=identity.sign(LABEL, signed_part(report)))


def encode_report(report: TableReport) -> bytes:
    """Return the only encoding of a report: a canonical MessagePack list."""
    values: list[Any] = [*report]
    values[2] = list(report.games)
    return wire.encode(values)


def decode_report(data: bytes) -> TableReport:
    """Read a report, and check all of it. Raises: RemoteError."""
    if len(data) > MAX_TABLE_REPORT:
        raise RemoteError(Code.FRAME_SIZE)
    report = read_report(wire.decode(data))
    check_report(report)
    return report


def read_report(row: Any) -> TableReport:
    """Read a decoded report; checks types and sizes alone. Raises: RemoteError(BAD_MESSAGE).

    A list has thousands of reports, and a person looks at a few: `check_report` does the rest.
    """
    if not _has_shape(row):
        raise RemoteError(Code.BAD_MESSAGE)
    public, name, games, *rest = row
    return TableReport(public, name, tuple(games), *rest)


def _has_shape(row: Any) -> bool:
    if type(row) is not list or len(row) != len(TableReport._fields):
        return False
    public, name, games, address, taken, free, number, expires, signature = row
    return (
        type(public) is bytes
        and len(public) == KEY_SIZE
        and type(name) is str
        and 0 < len(name) <= MAX_NAME
        and _are_games(games)
        and type(address) is str
        and 0 < len(address) <= MAX_ADDRESS
        and _is_number(taken, MAX_REPORT_SEATS)
        and _is_number(free, MAX_REPORT_SEATS)
        and _is_number(number, MAX_INT)
        and _is_number(expires, MAX_INT)
        and type(signature) is bytes
        and len(signature) == SIGNATURE_SIZE
    )


def _is_number(value: Any, most: int) -> bool:
    return type(value) is int and 0 <= value <= most


def _are_games(games: Any) -> bool:
    if type(games) is not list or not 0 < len(games) <= MAX_REPORT_GAMES:
        return False
    before = ""
    for game in games:
        if type(game) is not str or len(game) > MAX_REPORT_GAME or game <= before:
            return False
        before = game
    return True


def check_report(report: TableReport) -> None:
    """Check address, texts, key and signature of a report. Raises: RemoteError."""
    _ = report.where
    if not is_name_safe(report.name):
        raise RemoteError(Code.BAD_NAME)
    if not all(map(is_safe_to_show, report.games)):
        raise RemoteError(Code.BAD_MESSAGE)
    check_key(report.public)
    verify(report.public, report.signature, LABEL, signed_part(report))
