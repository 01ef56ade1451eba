"""Fuzz targets: data that is kept and exchanged: entries, logs, keys, links, names, options,
actions. Conventions as in `wires`.
"""

import json
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from random import Random
from typing import Any

from protocol import wire
from protocol.audit.compare import compare
from protocol.audit.fairness.arrival_times import parse_times
from protocol.audit.history import MatchHistory
from protocol.audit.refusal_audit import RefusalFinding, judge_refusal
from protocol.audit.replay_frames import replay_frame
from protocol.audit.report_text import report_lines
from protocol.audit.verdict import Verdict, audit, report_data
from protocol.crypto import envelopes
from protocol.crypto.joint_randomness import JointRandomness
from protocol.dealing.registry import DEALINGS, create_dealing
from protocol.errors import Refused, RemoteError
from protocol.games.decks.accepted_lists import parse_limit
from protocol.games.registry import BUILT_IN, create_game
from protocol.i18n import english
from protocol.identity import keyfile, names
from protocol.identity import keys as identity
from protocol.identity.address import parse_address_text
from protocol.identity.keys import JoinLink
from protocol.limits import MAX_MESSAGE
from protocol.match import clock, setup
from protocol.match.log import Log, decode_entry
from protocol.match.log_file import MAGIC, read_records
from protocol.match.log_reader import LogReader
from protocol.match.packed_log import LogPacker, plain_log, read_packed
from protocol.match.refusal import Refusal, SavedRefusal, decode_saved_refusal, encode_saved_refusal
from protocol.match.terms import make_terms
from protocol.messages import table as messages
from protocol.messages.parcel import (
    PARCEL_SEATS,
    EntriesParcel,
    decode_parcel,
    encode_parcel,
    invite,
    split_entries,
)
from protocol.messages.tail import check_tail, parse_tail, split_tail
from protocol.options import OPTIONS, Selection
from protocol.rules import RuleError, load, parse
from protocol.view.harmless import is_safe_to_show
from tests.properties.fuzz.moments import LEFT, MATCHES, honest_file, moments
from tests.support.intruding import crossed
from verification.notation.printer import print_protocol
from verification.notation.protocol_parser import decode_protocol, parse_protocol
from verification.protocols.catalog import BUILT_IN_PROTOCOLS

KEY = bytes(range(32))


def entry(data: bytes) -> None:
    """Read an entry alone, as a first entry, and as the next one of a log."""
    for read in (decode_entry, Log, _reader().log.check):
        try:
            read(data)
        except RemoteError:
            continue


@cache
def _reader() -> LogReader:
    """Return the reader of a match a few entries before its end."""
    pairs = list(read_records(honest_file(0)))
    reader = LogReader(*pairs[0])
    for pair in pairs[1:-2]:
        reader.feed(*pair)
    return reader


def entry_seeds() -> list[bytes]:
    """Return all entries of one match."""
    return [raw for raw, _ in read_records(honest_file(0))]


def tail(data: bytes) -> None:
    """Read the end of a log that a player gives back: an accepted one equals, entry for entry, the
    log that the table has signed.
    """
    decoded = messages.decode(data, messages.Sender.PLAYER, messages.ConnectionPhase.SEATED)
    if decoded.name != "tail":
        return
    records, log = list(read_records(honest_file(0))), _log()
    given = parse_tail(*decoded.values[1:])
    hashes = check_tail(given, log.match_id, log.setup.table.key)
    assert given.records == records[given.first : given.first + len(given.records)]
    assert hashes == log.chain_hashes[given.first - 1 : given.first + len(given.records)]


def tail_seeds() -> list[bytes]:
    """Return ends of one match, of several lengths."""
    records, log = list(read_records(honest_file(0))), _log()
    return [
        messages.encode("tail", log.match_id, *part.values())
        for end in (6, 12)
        for part in split_tail(5, log.chain_hashes[4], records[5:end])
    ]


@cache
def _log() -> Log:
    first, *rest = read_records(honest_file(0))
    reader = LogReader(*first)
    for record in rest:
        reader.feed(*record)
    return reader.log


def refusal(data: bytes) -> None:
    """Read a kept refusal with its log; an accepted one is encoded as before."""
    assert judge_refusal(honest_file(0), data) in RefusalFinding
    assert encode_saved_refusal(decode_saved_refusal(data)) == data


def refusal_seeds() -> list[bytes]:
    """Return refusals of an entry at heads of its own log, without valid signatures."""
    log = _reader().log
    raw = entry_seeds()[-1]
    heads = [(number, log.chain_hashes[number]) for number in (0, 5)]
    words = [Refusal(sha256(raw).digest(), *head, "not_now", bytes(64)) for head in heads]
    return [encode_saved_refusal(SavedRefusal(raw, word)) for word in words]


def setup_body(data: bytes) -> None:
    """Read a first entry's body; an accepted setup is encoded as before."""
    body = wire.decode(data)
    assert setup.parse_setup(body).body() == body


def setup_seeds() -> list[bytes]:
    """Return the setups of all matches."""
    return [
        wire.encode(decode_entry(raw).body)
        for raw in (next(read_records(honest_file(n)))[0] for n in range(len(MATCHES)))
    ]


def log_file(data: bytes) -> None:
    """Audit, compare and replay any file: a verdict, a result and a frame of the last entry; none
    raises.

    Appended bytes remove no fault, and make none.
    """
    report = audit(MAGIC + data)
    assert report_lines(report) and json.dumps(report_data(report))
    more = audit(MAGIC + data + bytes(4))
    assert more.faults == report.faults and more.verdict is not Verdict.CLEAN
    assert (
        (more.verdict is Verdict.FAULT) is (report.verdict is Verdict.FAULT) is bool(report.faults)
    )
    assert report.rest is None or report.rest.reason.key != "report.rest.failure"
    compare(MAGIC + data, honest_file(0))
    history = MatchHistory(MAGIC + data).read()
    for whose in ("all", None, 0) if history.steps else ():
        replay_frame(history, len(history.steps) - 1, whose, english)


def log_seeds() -> list[bytes]:
    """Return the shortest match, its first entries, and a match that a seat leaves, without the
    magic.
    """
    whole, left = (honest_file(which)[len(MAGIC) :] for which in (0, LEFT))
    return [whole, whole[:4000], whole[:1500], left]


def file_records(data: bytes) -> None:
    """Read the records of a log file."""
    list(read_records(data))


def packed_records(data: bytes) -> None:
    """Read the records of a packed log file, and of its plain form."""
    assert list(read_records(plain_log(data))) == list(read_packed(data))


def packed_seeds() -> list[bytes]:
    """Return a match, and its beginning, as a table packs it."""
    records = list(read_records(honest_file(0)))
    found = []
    for count in (len(records), 4):
        packer = LogPacker()
        found.append(b"".join(map(packer.add, records[:count])) + packer.finish())
    return found


def parcel(data: bytes) -> None:
    """Check that an accepted parcel encodes to the same bytes; split, it has the same entries in
    parcels that fit.
    """
    taken = decode_parcel(data)
    assert encode_parcel(taken) == data
    if isinstance(taken, EntriesParcel):
        parts = list(split_entries(taken, MAX_MESSAGE))
        assert all(len(encode_parcel(part)) <= MAX_MESSAGE for part in parts)
        assert tuple(record for part in parts for record in part.records) == taken.records
        assert [part.first for part in parts] == [
            taken.first + sum(len(part.records) for part in parts[:at]) for at in range(len(parts))
        ]


def parcel_seeds() -> list[bytes]:
    """Return an invitation, and the entries of the shortest match."""
    terms = make_terms(
        Selection("five-card-draw", (("hands", 1),)), Selection("commutative"), (), PARCEL_SEATS
    )
    records = tuple(read_records(honest_file(0)))
    offer = invite(identity.Identity(KEY), "Ann", terms, bytes(32), 1_700_000_000)
    return [
        encode_parcel(offer),
        *(encode_parcel(EntriesParcel(KEY, n, records[:n])) for n in (1, len(records))),
    ]


def key_file(data: bytes) -> None:
    """Read a key file, and open one without a passphrase."""
    file = keyfile.parse_keyfile(data)
    if not file.protected:
        keyfile.open_keyfile(file, None)


def key_file_seeds() -> list[bytes]:
    """Return a key file in clear, and one under a passphrase at the lowest cost."""
    cost = keyfile.Cost(keyfile.MIN_KEYFILE_OPS, keyfile.MIN_KEYFILE_MEMORY)
    return [
        keyfile.new_keyfile(KEY, None, Random(1)),
        keyfile.new_keyfile(KEY, b"words", Random(1), cost),
    ]


def address(data: bytes) -> None:
    """Check that an accepted address has one text, and the same text in a link."""
    text = data.decode("utf-8", "replace")
    if (read := parse_address_text(text)) is not None:
        assert str(read) == text
        assert (
            JoinLink.parse(
                f"fairdeal{'+' if read.web_scheme else '://'}{text}/{'a' * 40}"
            ).address_text
            == text
        )


def join_link(data: bytes) -> None:
    """Check that an accepted link means the same when it is written and read again."""
    link = JoinLink.parse(data.decode("utf-8", "replace"))
    assert JoinLink.parse(str(link)) == link


def arrival_times(data: bytes) -> None:
    """Read a file of arrival times."""
    parse_times(data.decode("utf-8", "replace"))


def name(data: bytes) -> None:
    """Check that an accepted name is harmless, and so is its skeleton."""
    text = data.decode("utf-8", "replace")
    names.name_skeleton(text)
    names.check_name(text)
    assert is_safe_to_show(text)


def public_key(data: bytes) -> None:
    """Read identity keys and match keys."""
    for check in (identity.check_key, envelopes.check_public):
        try:
            check(data)
        except RemoteError:
            continue


def options(data: bytes) -> None:
    """Read option lists: for the clock, for every dealing and every game."""
    listed = wire.decode(data)
    if not OPTIONS(listed):
        return
    pairs = tuple((key, item) for key, item in listed)
    checks: list[Callable[[], object]] = [lambda: clock.parse_clock(pairs)]
    checks += [
        lambda one=one: create_dealing(one, dict(pairs), 3) for one in (*DEALINGS, "nothing")
    ]
    limits = [parse_limit(item) for _, item in pairs]
    assert all(parse_limit(str(limit)) == limit for limit in limits if limit is not None)
    checks += [
        lambda game=game, n=n: create_game(game, n, dict(pairs))
        for game in BUILT_IN.specs
        for n in range(1, 9)
    ]
    for check in checks:
        try:
            check()
        except Refused:
            continue


def option_seeds() -> list[bytes]:
    """Return options of the clock, of a game and of a dealing."""
    lists: list[list[Any]] = [
        [["extensions", 2], ["step", 30], ["turn", 60]],
        [["hand", 3], ["highest", 9]],
        [["limit-01", "strength<=9"], ["limit-02", "age>=3"]],
    ]
    return [wire.encode(one) for one in (*lists, [["leavers", "threshold"]], [["target", 50]])]


def action(data: bytes) -> None:
    """Read an action in every game."""
    raw = wire.decode(data)
    for game in _games():
        try:
            game.parse(raw)
        except Refused:
            continue


@cache
def _games() -> tuple[Any, ...]:
    made = []
    for game in BUILT_IN.specs:
        for seats in range(2, 5):
            try:
                made.append(create_game(game, seats, {}))
            except Refused:
                continue
    return tuple(made)


def action_seeds() -> list[bytes]:
    """Return all actions of the matches."""
    moves = [moment.entry.body[0] for moment in moments() if moment.entry.kind == "move"]
    return [wire.encode(move) for move in moves]


def notation(data: bytes) -> None:
    """Read a protocol's text; its printed form is read as the same protocol."""
    found = decode_protocol(data)
    assert parse_protocol(print_protocol(found)) == found


def notation_seeds() -> list[bytes]:
    """Return the bundled protocols, without their comments."""
    names = ("needham-schroeder", "woo-lam", "session")
    return [
        b"".join(BUILT_IN_PROTOCOLS[name].text.encode().partition(b"Protocol:")[1:])
        for name in names
    ]


RULES = """\
LIST = [a * 2 for a, b in enumerate([1, 2]) if b > 1] + sorted([3, 1], reverse = True)
def g(a, b = 1):
    n, out = 0, []
    for x in range(9):
        if x == 1: continue
        elif not x in LIST: out.append("%d" % x)
        else: break
        n += x // 2 if x else 1
    return (out[1:], {"a": n}, b)
"""


def rules(data: bytes) -> None:
    """Read and run a rule file, and call each of its functions with valid arguments."""
    module = load(parse(data.decode("utf-8", "surrogateescape")))
    table = {
        "turn": 0,
        "seats": 2,
        "regions": {"deck": [0, 1]},
        "counters": {},
        "faces": [None, {"name": "a"}],
    }
    for name in sorted(module.functions):
        with suppress(RuleError):
            module.call(name, table, 1, {"name": "play", "card": 1, "face": {"name": "a"}})


def rules_seeds() -> list[bytes]:
    """Return files that use the whole grammar."""
    return [
        f"def f(g, me, act):\n    return [move(act['card'], 'deck', me), face(g, 1)]\n{RULES}".encode()
    ]


def intruder(data: bytes) -> None:
    """Read a message to a strand, or a protocol to play against: refused, or the game goes on."""
    written = data.decode("latin-1")
    if written.startswith("Protocol"):
        rules, moves, action = (
            create_game("intruder", 1, {"protocol": "own"}),
            [],
            ["protocol", written],
        )
    else:
        rules, moves, action = (
            create_game("intruder", 1, {}),
            [("run", 1, "a", "i")],
            ["send", 1, written],
        )
    state = rules.start(JointRandomness(KEY, [KEY]))
    for move in moves:
        state = rules.apply(state, 0, move)
    parsed = rules.parse(action)
    rules.check(state, 0, parsed)
    rules.wants(rules.apply(state, 0, parsed))


def intruder_seeds() -> list[bytes]:
    """Return messages that the strand accepts, or nearly."""
    return [
        b"{NA(1),NA(1)}pk(a)",
        b"{NA(1),number_of_i}pk(a)",
        b"{|exp(exp(pk(i),NA(1)),x)|}inv(pk(i))",
        b"exp(" * 7 + b"NA(1)" + b",number_of_i)" * 7,
        crossed(2).encode(),
        *notation_seeds(),
    ]
