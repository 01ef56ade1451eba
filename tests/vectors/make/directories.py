"""Vectors of chapter 37: reports of tables, claims, lists, addresses that may be called."""

from collections.abc import Sequence
from typing import Any

from protocol.directory.reachable import is_callable
from protocol.directory.report import TableReport, decode_report, encode_report, sign_report
from protocol.directory.table_list import SeenList, check_against_seen, decode_list, encode_list
from protocol.identity.address import parse_address_text
from protocol.identity.keys import Identity, fingerprint, verify
from protocol.messages.directory import LABEL, Report, claim_fields, encode
from tests.vectors.make.forms import Bad, Vector

TABLE, OTHER, DIRECTORY = (bytes([number]) * 32 for number in (0x1A, 0x1B, 0x1C))
NOW = 1_900_000_000  # seconds since 1970
FIELDS: tuple[Any, ...] = (
    *("Corner", ["draw-dominoes", "nim"], "93.184.216.34:7500", 1, 3),
    *(NOW, NOW + 900),
)


def make_report(identity: bytes, fields: Sequence[Any]) -> dict[str, Any]:
    """Operation of 37.1: sign and encode a report."""
    name, games, *rest = fields
    plain = TableReport(b"", name, tuple(games), *rest, signature=bytes(64))
    return {"report": encode_report(sign_report(plain, Identity(identity)))}


def take_report(report: bytes) -> dict[str, Any]:
    """Operation of 37.1: check a report, and read it."""
    found = decode_report(report)
    values = [*found[1:-1]]
    values[1] = list(found.games)
    return {"fingerprint": found.fingerprint, "fields": values, "link": str(found.link)}


def report_message(
    identity: bytes, nonce: bytes, directory: bytes, report: bytes
) -> dict[str, Any]:
    """Operation of 37.2.3: the message by which a table reports."""
    signed = claim_fields(nonce, directory, report)
    claim = Identity(identity).sign(LABEL, *signed)
    return {"message": encode(Report(report, claim))}


def check_claim(
    public: bytes, nonce: bytes, directory: bytes, report: bytes, claim: bytes
) -> dict[str, Any]:
    """Operation of 37.2.3: check a claim."""
    verify(public, claim, LABEL, *claim_fields(nonce, directory, report))
    return {"fingerprint": fingerprint(public)}


def make_list(
    identity: bytes, number: int, expires: int, reports: Sequence[bytes]
) -> dict[str, Any]:
    """Operation of 37.3.1: the file of a list."""
    rows = [decode_report(report) for report in reports]
    return {"file": encode_list(rows, number, expires, Identity(identity))}


def take_list(file: bytes, seen: Sequence[Any] | None, now: int) -> dict[str, Any]:
    """Operation of 37.3.2, 37.3.4: check a list, also against the newest that was seen."""
    found = decode_list(file)
    newest = check_against_seen(found, None if seen is None else SeenList(*seen), now)
    return {
        "directory": found.fingerprint,
        "seen": [*newest],
        "reports": [encode_report(report) for report in found.reports],
    }


def may_call(address: str) -> dict[str, Any]:
    """Operation of 37.4: whether an address from a list may be called."""
    found = parse_address_text(address)
    return {"callable": found is not None and is_callable(found)}


OPERATIONS = {
    "make report": make_report,
    "take report": take_report,
    "report message": report_message,
    "check directory claim": check_claim,
    "make list": make_list,
    "take list": take_list,
    "may call": may_call,
}
ADDRESSES = (
    *("93.184.216.34:7500", "[2606:4700::1111]:7500", "wss://relay.example.org/t/abc"),
    *("127.0.0.1:7500", "10.0.0.1:7500", "192.168.1.1:7500", "169.254.1.1:7500"),
    *("100.64.0.1:7500", "224.0.0.1:7500", "[::1]:7500", "[fe80::1]:7500", "[fc00::1]:7500"),
    *("[2002:7f00:1::]:7500", "[64:ff9b::7f00:1]:7500", "[::ffff:93.184.216.34]:7500"),
    *("93.184.216.34:22", "93.184.216.34:5432", "localhost:7500", "nas.local:7500"),
)


def vectors() -> list[Vector]:
    """Return all vectors of directories."""
    return [*_reports(), *_lists(), *_addresses()]


def _changed(report: bytes, before: bytes, after: bytes) -> bytes:
    assert len(before) == len(after) and before in report
    return report.replace(before, after)


def _reports() -> list[Vector]:
    report = make_report(TABLE, FIELDS)["report"]
    directory = Identity(DIRECTORY).public
    nonce = b"\x1d" * 32
    claim = Identity(TABLE).sign(LABEL, *claim_fields(nonce, directory, report))
    steering = make_report(TABLE, ("Cor\x1bner", *FIELDS[1:]))["report"]
    twice = make_report(TABLE, (FIELDS[0], ["nim", "nim"], *FIELDS[2:]))["report"]
    elsewhere = make_report(TABLE, (*FIELDS[:2], "0x7f.1:7500", *FIELDS[3:]))["report"]
    bad_report = (
        Bad("another name", {"report": _changed(report, b"Corner", b"Cornea")}, "bad_signature"),
        Bad("a name that steers", {"report": steering}, "bad_name"),
        Bad("a game twice", {"report": twice}, "bad_message"),
        Bad("no address", {"report": elsewhere}, "bad_message"),
        Bad("a byte too many", {"report": report + b"\xc0"}, "bad_encoding"),
    )
    bad_claim = (
        Bad("for another nonce", {"nonce": bytes(32)}, "bad_signature"),
        Bad("for another directory", {"directory": Identity(OTHER).public}, "bad_signature"),
        Bad("of another table", {"public": Identity(OTHER).public}, "bad_signature"),
        Bad("for another report", {"report": steering}, "bad_signature"),
    )
    place = {"nonce": nonce, "directory": directory, "report": report}
    checked = {"public": Identity(TABLE).public, **place, "claim": claim}
    made = {"identity": TABLE, "fields": [*FIELDS]}
    return [
        Vector("37.1", "a table signs its report", "make report", made),
        Vector("37.1", "a report is read", "take report", {"report": report}, bad_report),
        Vector("37.2", "a table reports", "report message", {"identity": TABLE, **place}),
        Vector("37.2", "a directory checks", "check directory claim", checked, bad_claim),
    ]


def _lists() -> list[Vector]:
    reports = [make_report(identity, FIELDS)["report"] for identity in (TABLE, OTHER)]
    made = {"identity": DIRECTORY, "number": 3, "expires": NOW + 900, "reports": reports}
    file = make_list(**made)["file"]
    newest = take_list(file, None, NOW)["seen"]
    bad = (
        Bad("expired", {"now": NOW + 900}, None),
        Bad("older than one seen", {"seen": [4, NOW, bytes(32)]}, None),
        Bad("another one with its number", {"seen": [3, NOW + 900, bytes(32)]}, None),
        Bad("a changed row", {"file": _changed(file, b"Corner", b"Cornea")}, "bad_signature"),
        Bad("cut short", {"file": file[:-1]}, "bad_signature"),
        Bad("an endless head", {"file": b"\x7f" + file[1:]}, "frame_size"),
    )
    given = {"file": file, "seen": None, "now": NOW}
    return [
        Vector("37.3", "a directory signs a list", "make list", made),
        Vector("37.3", "the first list that is seen", "take list", given, bad),
        Vector("37.3", "the same list again", "take list", {**given, "seen": newest}),
        Vector("37.3", "an empty list", "make list", {**made, "reports": []}),
    ]


def _addresses() -> list[Vector]:
    return [
        Vector("37.4", f"may {address} be called", "may call", {"address": address})
        for address in ADDRESSES
    ]
