"""Merge session: two sides take turns of several messages, until one side has nothing left to send.

Both sides compare (`ranges`, `ids`, `have`), ask (`want`) and give (`records`) at the same time. A
side asks only when it has the full list of its missing records. So all records come in one order,
parents first.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.ledger.alarms import Alarm
from protocol.ledger.merge.accusations import accusing_records
from protocol.ledger.merge.messages import (
    CHEATS,
    RECORDS,
    SHORT,
    decode,
    encode,
    pack_messages,
    split_shorts,
)
from protocol.ledger.merge.range_comparison import RangeComparison
from protocol.ledger.merge.record_ranges import RecordRanges, short_id
from protocol.ledger.merge.record_receiver import RecordReceiver
from protocol.ledger.record_set import Place, RecordSet
from protocol.ledger.records import LedgerRecord
from protocol.limits import MAX_MERGE_COMPARISONS, MAX_MERGE_LISTED, MAX_ORPHANS, MERGE_WANTS
from protocol.steps import Steps, finish


def trust_nobody(key: bytes) -> bool:
    """Trust no creator."""
    return False


class Listed(NamedTuple):
    """Records that a side lists in a session, by space. `known`: a branch of its set, with the
    records of its alarms.
    """

    known: RecordSet
    records: RecordRanges
    cheats: RecordRanges


def list_records(
    mine: RecordSet,
    salt: bytes,
    given: Iterable[bytes] | None = None,
    alarms: Iterable[Alarm] = (),
) -> Steps[Listed]:
    """Work out what a session compares, in steps. The arguments are those of `MergeSession`."""
    known = mine.branch()
    cheats: list[Place] = []
    for record in dict.fromkeys(record for alarm in alarms for record in alarm.records):
        yield
        known.add(record)
        cheats.append((0, record.id))
    order: Sequence[Place]
    if given is None:
        order = known.order()
    else:
        closure = yield from known.closure_steps(given)
        order = [(known.depth(record.id) or 0, record.id) for record in closure]
    marks: dict[bytes, bytes] = {}
    for _, name in (*order, *cheats):
        yield
        marks[name] = short_id(salt, name)
    return Listed(known, RecordRanges(order, marks), RecordRanges(sorted(cheats), marks))


class MergeSession:
    """A side of a session. It does not change `mine`: the caller adds the results of `received`.

    `salt`: the same on both sides, at least 16 bytes. Neither side alone may have chosen it, and
    nobody may have known it before.

    `calling`: this side begins.

    `given`: ids of the offered cards. The other side may have their closures, and this side accepts
    these from it for cards of any creator. None: the other side may have all records of this side.

    `trusted`: tests for creators whose records are always accepted. Of each other creator,
    `MAX_UNTRUSTED` records are accepted.

    `alarms`: alarms that are passed on to everybody.

    `listed`: the result of `list_records` for the same arguments, if it was worked out in steps.
    """

    def __init__(
        self,
        mine: RecordSet,
        salt: bytes,
        calling: bool,
        given: Iterable[bytes] | None = None,
        trusted: Callable[[bytes], bool] = trust_nobody,
        alarms: Iterable[Alarm] = (),
        listed: "Listed | None" = None,
    ) -> None:
        inside = () if given is None else tuple(given)
        listed = listed or finish(list_records(mine, salt, given, alarms))
        self._known = listed.known
        listings = [listed.records, listed.cheats]
        # short ids that this side lists
        shorts = {*listings[RECORDS].names(), *listings[CHEATS].names()}
        # short ids that this side may give and has not given yet
        self._gives: dict[bytes, Place] = {**listings[CHEATS].names(), **listings[RECORDS].names()}
        self._sides = [RangeComparison(listing, shorts.__contains__) for listing in listings]
        self._intake = RecordReceiver(
            self._known, lambda name: short_id(salt, name)[:SHORT], inside, trusted
        )
        self._accused: set[bytes] = set()  # short ids that the other side has listed as accusations
        self._asked: list[Place] = []  # records requested in this turn of the other side
        self._expected = {"ranges"}  # kinds of messages that answer this side's last turn
        # turns of the other side with ranges; bytes of its messages other than records
        self._comparisons = self._listed = 0
        self._silent = True  # the other side has sent nothing in this turn yet
        self._over = False
        self._out: list[bytes] = []
        if calling:
            for side in self._sides:
                side.begin()
            self._out = self._say()

    @property
    def listed(self) -> int:
        """Number of records that are compared: the work to begin the session."""
        return len(self._gives)

    @property
    def done(self) -> bool:
        """The session has nothing left to send or to receive."""
        return self._over and not self._out

    @property
    def partial(self) -> bool:
        """The other side may give more records, or gave more than were accepted: another session
        may help.
        """
        return self._intake.partial

    def outgoing(self) -> list[bytes]:
        """Return all messages of this side's turn, once. Empty in the other side's turn, and at the
        end.
        """
        out = self._out
        self._out = []
        return out

    def received(self, message: bytes) -> list[LedgerRecord]:
        """Process a message of the other side. Returns new checked records to store, parents first.

        A record without parents here or among them is one of two records that prove a cheat.

        Raises: RemoteError. The session is over then, and `abort` returns the remaining records.
        """
        try:
            if self._out or self._over:
                raise RemoteError(Code.BAD_MESSAGE)
            return self._take(*decode(message), len(message))
        except RemoteError:
            self._over = True
            self._out = []
            raise

    def abort(self) -> list[LedgerRecord]:
        """End the session after a lost connection or an error. Returns the received records that
        may be stored.
        """
        self._over = True
        self._out = []
        return self._last()

    def _take(self, name: str, values: list[Any], size: int) -> list[LedgerRecord]:
        if name == "turn":
            return self._turn()
        self._silent = False
        if name == "records":
            for raw in values[0]:
                self._intake.take(raw)
            return self._intake.ready_records()
        self._listed += size
        if self._listed > MAX_MERGE_LISTED:
            raise RemoteError(Code.TOO_MANY)
        if name == "want":
            self._want(split_shorts(values[0]))
        elif name in self._expected:
            self._compare(name, *values)
        else:
            raise RemoteError(Code.BAD_MESSAGE)
        return []

    def _compare(self, name: str, space: int, items: list[Any]) -> None:
        side = self._sides[space]
        if name == "ranges":
            side.ranges(items)
            return
        news = side.ids(items) if name == "ids" else side.have(items)
        if space == CHEATS and len(self._accused) < MAX_ORPHANS:
            self._accused.update(news)

    def _want(self, shorts: list[bytes]) -> None:
        if len(self._asked) + len(shorts) > MERGE_WANTS:
            raise RemoteError(Code.TOO_MANY)
        for short in shorts:
            place = self._gives.pop(short, None)
            if place is None:
                raise RemoteError(Code.BAD_MESSAGE)
            self._asked.append(place)

    def _turn(self) -> list[LedgerRecord]:
        """Process the end of the other side's turn. An empty turn, or a turn without an answer,
        ends the session.
        """
        self._comparisons += "ranges" in self._expected
        if self._comparisons > MAX_MERGE_COMPARISONS:
            raise RemoteError(Code.TOO_MANY)
        self._over = self._silent
        if not self._over:
            self._out = self._say()
            self._over = len(self._out) == 1
            self._silent = True
        return self._last() if self._over else []

    def _say(self) -> list[bytes]:
        """Return all messages of this side's turn."""
        out: list[bytes] = []
        said: set[str] = set()
        for space, side in enumerate(self._sides):
            for name, items in side.answers().items():
                said |= {name} if items else set()
                out += pack_messages(name, items, space)
        asked = sorted(self._asked)
        self._asked = []
        out += pack_messages("records", (self._raw(name) for _, name in asked))
        if said.isdisjoint(_ANSWERS):
            out += self._wants()
        self._expected = {
            answer
            for question, answers in _ANSWERS.items()
            if question in said
            for answer in answers
        }
        return [*out, encode("turn")]

    def _wants(self) -> list[bytes]:
        """Return the next request. All lists have arrived by now, since no question is open."""
        self._intake.request(short for side in self._sides for short in side.missing_shorts())
        wants = self._intake.next_request()
        return [encode("want", b"".join(wants))] if wants else []

    def _raw(self, name: bytes) -> bytes:
        record = self._known.get(name)
        assert record is not None, "what is listed is known"
        return record.raw

    def _last(self) -> list[LedgerRecord]:
        accused = [
            one
            for one in self._intake.received_records()
            if self._intake.short(one.id) in self._accused
        ]
        return self._intake.final_records(accusing_records(accused, self._known) if accused else ())


_ANSWERS = {"ranges": ("ranges", "ids"), "ids": ("have",)}
