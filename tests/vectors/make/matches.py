"""Vectors of chapters 6, 9 and 10: whole small matches, and the audits of correct and of changed
logs.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from conformance.player.kit_match import KitMatch
from conformance.seat import HonestSeat
from protocol.audit.report_text import roster_text
from protocol.audit.verdict import AuditReport, Verdict, audit
from protocol.dealing import Post
from protocol.errors import RemoteError
from protocol.games import Action
from protocol.identity.keys import Identity
from protocol.match.clock import Allowance
from protocol.match.log import EntryContent, Record, decode_entry, make_entry
from protocol.match.log_file import MAGIC, encode_record
from protocol.match.setup import Person, Setup, TableIdentity
from protocol.match.terms import make_terms
from protocol.options import Selection
from tests.adversary.cheats import draws, selection, slots
from tests.adversary.cheats.base import GARBAGE, Cheat
from tests.golden.play import opened
from tests.golden.scenarios import SCENARIOS
from tests.support.guest_games.offline_match import until_playing, written
from tests.support.intruding import CROSSED, UNFIT, accepted, echo, listed
from tests.support.offline import make_offline
from tests.vectors.make.forms import Bad, Vector, random_for

Records = list[list[bytes]]  # entry and head of each
FULL = [("protocol", echo(27)), ("run", 2, "b", "a"), ("send", 2, listed(["i"] * 74))]


def audit_match(records: Records) -> dict[str, Any]:
    """Operation of 10.2: audit a file of these records. An unreadable file, or one with a fault,
    counts as a refusal with the code.
    """
    report = _audit(records)
    if report.faults:
        raise RemoteError(report.faults[0].code)
    if report.damage_code is not None:
        raise RemoteError(report.damage_code)
    assert report.reader is not None
    match, log = report.reader.match, report.reader.log
    entries = [decode_entry(raw) for raw, _ in records]
    return {
        "verdict": str(report.verdict),
        "match": log.match_id,
        "entries": [
            [entry.author, entry.kind, hashed]
            for entry, hashed in zip(entries, log.chain_hashes, strict=True)
        ],
        "duties": [list(duty) for duty in match.duties()],
        "words": roster_text(match),
        "scores": list(match.scores),
        "winners": list(match.winners),
        "sha256 of the file": sha256(_file(records)).digest(),
    }


def judge_match(records: Records) -> dict[str, Any]:
    """Operation of 6.7, 10.3: return the verdict, and every fault as [seat (the table: 255), entry,
    code].
    """
    report = _audit(records)
    return {"verdict": str(report.verdict), "faults": [list(fault) for fault in report.faults]}


def judge_file(file: bytes) -> dict[str, Any]:
    """Operation of 10.2, 10.3: judge the bytes of a file. Also return the last entry before an
    unreadable part, or null.
    """
    report = audit(file)
    return {
        "verdict": str(report.verdict),
        "faults": [list(fault) for fault in report.faults],
        "after": None if report.rest is None else report.rest.after,
    }


def _audit(records: Records) -> AuditReport:
    return audit(_file(records))


def _file(records: Records) -> bytes:
    return MAGIC + b"".join(encode_record(entry, head) for entry, head in records)


OPERATIONS = {"audit match": audit_match, "judge match": judge_match, "judge file": judge_file}


def vectors() -> list[Vector]:
    """Return all vectors of this module."""
    layered, verified = make_match("layered"), make_match("verified")
    return [
        _whole("two seats, dealt layered, with draws", layered),
        _whole("two seats, dealt verified, with draws", verified),
        _part("the same as far as the roster", layered, 6),
        Vector(
            "17.2",
            "two seats without a table",
            "audit match",
            {"records": _driven("block commutative no table")},
        ),
        *(
            Vector(section, text, "audit match", {"records": _driven(name)})
            for section, text, name in (
                ("9.9", "all-fives: what ends make scores at once", "draw fives"),
                ("18.9", "hold'em with fixed limit", "holdem fixed limit"),
                ("18.7", "a hand that is all in and not shown", "holdem all in and silent"),
                ("21.3", "the matches game, misère, without a table", "matches misere no table"),
                ("21.4", "Nim", "nim none"),
                ("21.5", "hexapawn, five wide, without a table", "hexapawn wide no table"),
                ("21.6", "Connect Four, a draw on a full board", "connect-four small"),
                ("21.7", "PopOut: a pop that makes four for the other", "connect-four popout"),
                ("22.5", "the intruder breaks a goal", "intruder none"),
                ("22.4", "the intruder stops, without a table", "intruder no table"),
            )
        ),
        *_judged(),
        *_with_ends(),
    ]


def make_match(dealing: str, name: str = "a match", **other: Any) -> KitMatch:
    """Make a match of two people at a table with fixed randomness, without entries."""
    rng = random_for(f"{name}, {dealing}")
    table, *people = (Identity(rng.randbytes(32)) for _ in range(3))
    given: dict[str, Any] = {
        "table": TableIdentity(table.public, "Friday table", "main"),
        "nonce": rng.randbytes(32),
        "created": 1_800_000_000,
        "terms": make_terms(
            Selection("draw-dominoes", (("hand", 3), ("target", 1))),
            Selection(dealing),
            Allowance(extensions=1, step=300, turn=120).options(),
            2,
        ),
        "people": tuple(
            Person(who, one.public) for who, one in zip(("Ann", "Bob"), people, strict=True)
        ),
    }
    seats = [
        HonestSeat(one, number, random_for(f"{name}, {dealing}, {number}"))
        for number, one in enumerate(people)
    ]
    return KitMatch(table, Setup(**given | other), rng, seats)


def played(room: KitMatch, entries: int | None = None) -> Records:
    """Return the log with this many entries, or the whole log."""
    while (entries is None or len(room.records) < entries) and room.step():
        pass
    return plain(room.records)


def plain(records: list[Record]) -> Records:
    """Convert records for JSON."""
    return [list(record) for record in records]


def _whole(text: str, room: KitMatch) -> Vector:
    records = played(room)
    assert _audit(records).verdict is Verdict.CLEAN
    last, first = len(records) - 1, records[0][0]
    head, other = records[5][1], records[4][1]
    bad = (
        Bad("a bit of an entry", {"records/5/0": _flip(records[5][0], 60)}, "bad_signature"),
        Bad("a bit of a head", {"records/5/1": _flip(head, 3)}, "bad_signature"),
        Bad("the head before", {"records/5/1": other}, "bad_signature"),
        Bad("an entry in another's place", {"records/6": records[5]}, "bad_signature"),
        Bad(
            "a bit of the first entry's signature",
            {"records/0/0": _flip(first, len(first) - 1)},
            "bad_entry_signature",
        ),
        Bad(
            "a bit of the last", {f"records/{last}/0": _flip(records[last][0], 60)}, "bad_signature"
        ),
    )
    return Vector("10.2", text, "audit match", {"records": records}, bad)


def _part(text: str, room: KitMatch, entries: int) -> Vector:
    return Vector("10.3", text, "audit match", {"records": plain(room.records[:entries])})


def _flip(raw: bytes, at: int) -> bytes:
    return raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :]


def _judged() -> list[Vector]:
    """Make logs with a fault, each as short as possible."""
    return [
        Vector(section, text, "judge match", {"records": records})
        for section, text, records in (
            ("6.7", "a seat leaves", _posted(0, "leave", [])),
            ("6.6", "a nonce that was not committed to", _posted(1, "nonce", [bytes(32)])),
            ("6.7", "an entry that its author did not sign", _forged()),
            ("6.7", "an entry that must be refused, its author having seen all", _accepted()),
            ("6.7", "an entry of another log", _of_another_log()),
            ("6.7", "an entry after the end", _after_the_end()),
            (
                "6.9",
                "the table's clock: warning, then lapse",
                _lapsed([("warning", 290_000), ("lapse", 300_000)]),
            ),
            ("6.9", "a warning before its time", _lapsed([("warning", 289_999)])),
            ("6.9", "a slow step, when nothing is dealt", _lapsed([("slow", 300_000)])),
            ("6.9", "a lapse without a warning", _lapsed([("lapse", 300_000)])),
            (
                "6.9",
                "a lapse right after a late warning",
                _lapsed([("warning", 299_000), ("lapse", 300_000)]),
            ),
            (
                "13.9",
                "three seats that share keys: one leaves, the others play on",
                _driven("draw leaver on turn"),
            ),
            ("21.2", "one of two leaves a game with nothing hidden", _driven("hexapawn leaver")),
            ("21.2", "a turn lapses in a game with nothing hidden", _driven("nim turn lapses")),
            ("9.10", "a partner leaves, the other plays on alone", _driven("block partner leaves")),
            ("22.6", "a message with numbers that fit no exponential", _intruding(CROSSED, UNFIT)),
            (
                "22.6",
                "strands say a name more than they may",
                _intruding(FULL, ("run", 1, "a", "b")),
            ),
            ("8.12", "a seat takes two pieces", _cheated(selection.TakesTwo)),
            ("8.12", "a seat takes none", _cheated(selection.TakesNone)),
            ("8.12", "a slot is written over", _cheated(slots.OverwritesSlot)),
            ("8.12", "a wrong key for a drawn piece", _cheated(draws.WrongKeyToDrawer)),
        )
    ]


def _with_ends() -> list[Vector]:
    """Make files with unsigned bytes after the last entry. They remove no fault, and add none."""
    zeros, torn = bytes(4), b"\0\0\1"
    left, forged = _posted(0, "leave", [], entries=1), _forged(entries=1)
    files = (
        ("a seat leaves; nothing behind it", left, b""),
        ("a seat leaves; four zero bytes behind it", left, zeros),
        ("a seat leaves; its entry again behind it", left, encode_record(*left[-1])),
        ("a seat leaves; the beginning of a frame behind it", left, torn),
        ("the table forges; four zero bytes behind it", forged, zeros),
        ("nobody is at fault; four zero bytes at the end", left[:1], zeros),
        ("nobody is at fault; the beginning of a frame at the end", left[:1], torn),
    )
    return [
        Vector("10.2", text, "judge file", {"file": _file(records) + end})
        for text, records, end in files
    ]


def _begun(name: str, entries: int) -> KitMatch:
    room = make_match("layered", name)
    played(room, entries)
    return room


def _posted(seat: int, kind: str, body: list[Any], entries: int = 3) -> Records:
    room = _begun(f"posting {kind}", entries)
    room.offer(room.others[seat].entry(room.log, Post(kind, body)), seat)
    return plain(room.records)


def _forged(entries: int = 3) -> Records:
    room = _begun("forging", entries)
    log = room.log
    raw = make_entry(
        room.identity, log.match_id, EntryContent(1, log.sequence(1), log.newest_head, "leave", [])
    )
    return plain([*room.records, room.signed(raw)])


def _accepted() -> Records:
    room = _begun("accepting", 3)
    raw = room.others[0].entry(room.log, Post("receipt", [[0, 0]]))
    return plain([*room.records, room.signed(raw)])


def _of_another_log() -> Records:
    room = _begun("forking", 3)
    log, seat = room.log, room.others[0]
    raw = make_entry(
        seat.identity, log.match_id, EntryContent(0, log.sequence(0), (2, bytes(32)), "leave", [])
    )
    return plain([*room.records, room.signed(raw)])


def _after_the_end() -> Records:
    room = _begun("going on", 3)
    room.offer(room.others[0].entry(room.log, Post("leave", [])), 0)
    raw = room.others[1].entry(room.log, Post("leave", []))
    return plain([*room.records, room.signed(raw)])


def _lapsed(words: list[tuple[str, int]]) -> Records:
    """Make a log with the table's entries about seat 0's time. The last one may be illegal."""
    room = _begun(f"the clock {words}", 1)
    *before, (kind, waited) = words
    for earlier, milliseconds in before:
        room.post(Post(earlier, [0, milliseconds]))
    return plain([*room.records, room.signed(room.table_entry(Post(kind, [0, waited])))])


def _driven(name: str) -> Records:
    """Play a match of `tests.golden`, with a table or without, and with hidden values from fixed
    seeds.
    """
    match = opened(SCENARIOS[name], 0)
    while not match.reader.over:
        list(match.round())
    return [[record.entry, record.head] for record in match.live.records]


def _intruding(moves: Sequence[Action], unseen: Action) -> Records:
    """Make a log of moves against a protocol of its own. The table accepts the last move without a
    check.
    """
    match = make_offline(1, 1, "intruder", {"protocol": "own"}, dealing="none")
    until_playing(match)
    for move in moves:
        match.live.offer(written(match, 0, move), 0)
    return plain([*match.live.records, accepted(match, unseen)])


def _cheated(cheat: type[Cheat]) -> Records:
    """Play matches until this cheat can act, with as few pieces as possible."""
    options = cheat.options | {"hand": 2, "target": 1}
    GARBAGE.seed(99)  # because other cheats in this process may have used it
    for seed in range(50):
        match = make_offline(2, seed, cheat.game, options, cheat.dealing_options, {1: cheat})
        match.play()
        if cheat.code in {fault.code for fault in audit(match.file()).faults}:
            return [[record.entry, record.head] for record in match.live.records]
    raise AssertionError(f"{cheat.__name__} had no occasion")
