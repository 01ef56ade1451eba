"""Logs with valid signatures, whose table and seats fill them with contents that are hard to
show.
"""

from functools import cache
from random import Random

from protocol.crypto.hashing import digest
from protocol.dealing import TABLE
from protocol.match.log import EntryContent, make_entry
from protocol.match.log_file import encode_record
from protocol.match.setup import Person, Setup, TableIdentity
from tests.support.at_once import StoredAtOnce
from tests.support.guest_games.offline_match import until_playing, written
from tests.support.offline import Offline, make_offline
from tests.unit.verification.game.test_game import HELLO

MARKUP = "</script><img src=x onerror=alert(1)>"
NAMES = (
    *(
        "<img src=x onerror=a()>",
        "</script><script>",
        "{Who}{0.__class__}",
        "javascript:alert(1)",
        "\u05d0\u05d1 3, 4",
    ),
    *("%s%n<!--", "]]>&lt;&#60;", "' onclick='a()", "__proto__", "constructor"),
)
TURNED = "\u202e\u2066\x00\x1b]0;x\x07"
TEXT = (
    f"# Protocol: Clean{MARKUP}{TURNED}\n{HELLO.replace('Protocol:', 'Protocol :')}#{MARKUP * 200}"
)
SENT = f"#{MARKUP}{TURNED}\n{{ number_of_i ,i }}pk(b) #{'x' * 3000}"


def named(game: str, dealing: str, seats: int, options: dict[str, int | str]) -> Offline:
    """Make a match with these names of people and table."""
    offline = make_offline(seats, 1, game, options, dealing=dealing)
    rng, old = Random(1), offline.live.match.setup
    people = tuple(Person(NAMES[number], one.identity) for number, one in enumerate(old.people))
    where = TableIdentity(offline.live._identity.public, NAMES[0], NAMES[1])
    setup = Setup(where, old.nonce, old.created, old.terms, people, old.games)
    offline.live = StoredAtOnce(offline.live._identity, setup, rng.randbytes(32))
    first = offline.live.records[0]
    offline.readers = [type(reader)(first.entry, first.head) for reader in offline.readers]
    return offline


def forged(offline: Offline, count: int) -> bytes:
    """Return the log with `count` further entries that cannot stand: of every author, with unknown
    kinds, deep and long bodies.
    """
    log, table = offline.live.log, offline.live._identity
    author, nested = offline.seats[0]._identity, MARKUP
    for _ in range(3):
        nested = [nested, TURNED]
    number, before, data = log.next_number, log.chain_hashes[-1], offline.file()
    for at in range(count):
        body = [
            nested,
            MARKUP * (1000 if at == 1 else 1),
            {0: b"x" * 9, 1: 2**63 - 1, 2: []}[at % 3],
        ]
        signs, whose = ((table, TABLE), (author, 0), (author, 8), (table, 200))[at % 4]
        kind = ("<b>\u202e", "move", "protest", "__proto__")[at % 4]
        raw = make_entry(
            signs, log.match_id, EntryContent(whose, at, (number - 1, before), kind, body)
        )
        raw = b"no entry " + MARKUP.encode() if at == 2 else raw
        before = digest("chain", before, number, raw)
        data += encode_record(raw, table.sign("head", log.match_id, number, before))
        number += 1
    return data


@cache
def intruder() -> bytes:
    """Make a log of the game intruder with a protocol of its own. Its comment gives another name,
    and one message has another one. Entries that cannot stand follow.
    """
    offline = named("intruder", "none", 1, {"protocol": "own"})
    until_playing(offline)
    for move in (("protocol", TEXT), ("run", 1, "a", "b"), ("run", 2, "b", "i"), ("send", 2, SENT)):
        offline.live.offer(written(offline, 0, move), 0)
    return forged(offline, 12)


@cache
def ten_seats() -> bytes:
    """Make a log of hold'em with ten seats, with entries of the table that cannot stand during the
    deal.
    """
    return forged(underway("texas-holdem", "commutative", 10, 40), 12)


def underway(game: str, dealing: str, seats: int, entries: int) -> Offline:
    """Make a match with `entries` entries of the seats."""
    offline = named(game, dealing, seats, {})
    for _ in range(entries):
        assert any(offline.step(seat) for seat in offline.seats)
    return offline
