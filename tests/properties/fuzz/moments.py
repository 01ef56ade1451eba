"""Moments of seeded matches, and the result of the fold for any entry at each moment."""

from functools import cache
from typing import NamedTuple

from protocol import wire
from protocol.dealing import TABLE
from protocol.dealing.residue.options import BREAKABLE_BITS
from protocol.errors import Refused, RemoteError
from protocol.limits import MAX_NAME
from protocol.match import clock
from protocol.match.fold import apply
from protocol.match.log import Entry
from protocol.match.log_reader import LogReader
from protocol.match.state import Match
from protocol.schema import fields, text, uint
from tests.adversary.cheats.verified.leavers import AccusesFalsely
from tests.support.offline import Offline, make_offline

PREFIX = 2  # bytes in front of an input for `fold` that choose the moment
MATCHES = (
    {"seats": 2, "seed": 1, "game": "block-dominoes", "options": {"hand": 2, "scoring": "fives"}},
    {"seats": 3, "seed": 2, "game": "draw-dominoes", "options": {"hand": 2}},
    {"seats": 2, "seed": 3, "game": "draw-dominoes", "options": {"hand": 2}, "dealing": "verified"},
    {
        **{
            "seats": 3,
            "seed": 4,
            "game": "block-dominoes",
            "options": {"hand": 2},
            "dealing": "verified",
        },
        "dealing_options": {"leavers": "threshold"},
    },
    {
        **{
            "seats": 3,
            "seed": 5,
            "game": "block-dominoes",
            "options": {"hand": 1},
            "dealing": "verified",
        },
        **{"dealing_options": {"leavers": "threshold"}, "seat_types": {1: AccusesFalsely}},
    },
    {
        "seats": 2,
        "seed": 6,
        "game": "draw-dominoes",
        "options": {"hand": 2},
        "dealing": "commutative",
    },
    {
        "seats": 2,
        "seed": 7,
        "game": "texas-holdem",
        "options": {"rebuys": 1, "limit": "fixed"},
        "dealing": "commutative",
    },
    {
        **{
            "seats": 2,
            "seed": 9,
            "game": "draw-dominoes",
            "options": {"hand": 2, "target": 1},
            "dealing": "residue",
        },
        "dealing_options": {"bits": BREAKABLE_BITS},
    },
    {
        "seats": 2,
        "seed": 8,
        "game": "ligretto",
        "options": {"rounds": 1, "rescues": 0},
        "dealing": "verified",
    },
)
LEFT = 3  # number of the match in which a seat leaves
# kinds that `seeds` makes at every moment
ANY_TIME = {"leave", "protest", "sit_out", "sit_in", "doubt", "ended", clock.SLOW}
_POSTED = fields(uint(TABLE), uint(), text(MAX_NAME), lambda body: type(body) is list)


class Moment(NamedTuple):
    """A match just before one of its entries."""

    match: Match
    entry: Entry


def honest_file(which: int) -> bytes:
    """Return the log file of one of the matches."""
    return _played(which).file()


def input_for(number: int, author: int, seen: int, kind: str, body: list) -> bytes:
    """Return an input of `fold`: the moment's number, and the entry without the fields that only
    the log checks.
    """
    return number.to_bytes(PREFIX, "big") + wire.encode([author, seen, kind, body])


def fold(data: bytes) -> None:
    """Offer an entry at a moment: it stands, or is `Refused`; if it stands, only its author may be
    named.
    """
    moment = moments()[int.from_bytes(data[:PREFIX], "big") % len(moments())]
    posted = wire.decode(data[PREFIX:])
    if not _POSTED(posted):
        return
    author, seen, kind, body = posted
    if author >= moment.match.setup.seats and author != TABLE:
        return  # `Log.check` accepts no such author
    number = min(seen, moment.match.next_number - 1)
    try:
        after = apply(moment.match, Entry(b"", b"", b"", author, 0, number, b"", kind, body))
    except Refused:
        return
    except RemoteError as error:  # a reader of the log would treat it as damage, and name nobody
        raise AssertionError(kind) from error
    named = {fault.seat for fault in after.faults[len(moment.match.faults) :]}
    assert kind in clock.CLOCK_KINDS or named <= {author}
    assert after.over or after.duties(), "the match goes on, and nobody is to post"
    assert len(after.scores) == after.setup.seats


def seeds() -> list[bytes]:
    """Return, for every moment, the entry that followed, and entries that any seat might post
    instead.
    """
    made = []
    for number, (match, entry) in enumerate(moments()):
        seen = match.next_number - 1
        made.append(input_for(number, entry.author, entry.seen_number, entry.kind, entry.body))
        made.append(input_for(number, 0, seen, "leave", []))
        made.append(input_for(number, 1, seen, "protest", [seen]))
        made += [input_for(number, 0, seen, kind, []) for kind in ("sit_out", "sit_in")]
        made.append(input_for(number, 0, seen, "doubt", [seen, 1000]))
        made += [
            input_for(number, TABLE, seen, clock.SLOW, [seat, 30_000]) for seat in match.present
        ]
        due = [(seat, match.next_clock_entry(seat)) for seat in match.present]
        made += [
            input_for(number, TABLE, seen, what.kind, [seat, what.after])
            for seat, what in due
            if what
        ]
    return made


@cache
def moments() -> tuple[Moment, ...]:
    """Return two moments of each match for each combination of entry kind, match stage and deal
    stage.
    """
    kept: dict[tuple, Moment] = {}
    for which in range(len(MATCHES)):
        for match, entry in _moments_of(_played(which)):
            place = (which, match.stage, getattr(match.deal, "stage", None), entry.kind)
            kept.setdefault((*place, "first"), Moment(match, entry))
            kept[(*place, "last")] = Moment(match, entry)
    return tuple(kept.values())


def _moments_of(offline: Offline) -> list[Moment]:
    first, *rest = offline.live.records
    reader = LogReader(first.entry, first.head)
    found = []
    for record in rest:
        before = reader.match
        entry = reader.feed(record.entry, record.head)
        assert entry is not None
        found.append(Moment(before, entry))
    return found


@cache
def _played(which: int) -> Offline:
    offline = make_offline(**MATCHES[which])  # type: ignore[arg-type]
    if which == LEFT:
        _lose_a_seat(offline)
    offline.play()
    assert offline.live.match.over
    return offline


def _lose_a_seat(offline: Offline) -> None:
    """Make the last seat silent after the deal, so that the others stand in for it."""
    last = len(offline.seats) - 1
    while offline.live.match.game is None or offline.live.match.stage != "playing":
        assert sum(offline.step(seat) for seat in offline.seats)
    gone = offline.seats.pop(last)
    while gone.number in offline.live.match.present and not offline.live.match.over:
        offline.play()
        if not offline.live.match.over:
            offline.wait_out(gone.number)


def stages_met() -> set[str]:
    """Return the stages of match and deals at these moments."""
    deals = {str(moment.match.deal.stage) for moment in moments() if moment.match.deal is not None}
    return {str(moment.match.stage) for moment in moments()} | deals
