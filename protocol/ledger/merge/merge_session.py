"""One merge: two sides take turns, each turn some messages, until one has nothing left to say.

Compare (`ranges`, `ids`, `have`), ask (`want`), give (`records`): both sides do each at the same
time. Who asks waits until it knows all that it lacks, so that everything comes in one order,
parents first.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

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


def trust_nobody(key: bytes) -> bool:
    """No creator is trusted."""
    return False


class MergeSession:
    """This side of a session. `mine` is not changed: whoever merges adds what `received` gives, to
    it and elsewhere.

    `salt`: the same on both sides, at least 16 bytes; neither side alone may have chosen it, nor
    anybody known it before. `calling`: whether this side begins. `given`: ids on the table, whose
    closures the other side may have, and which are taken from it whoever made the cards; None: it
    may have all that is known here. `trusted`: whether a creator's records are taken anyway; of
    each other one come `MAX_UNTRUSTED`. `alarms`: what everybody may have.
    """

    def __init__(
        self,
        mine: RecordSet,
        salt: bytes,
        calling: bool,
        given: Iterable[bytes] | None = None,
        trusted: Callable[[bytes], bool] = trust_nobody,
        alarms: Iterable[Alarm] = (),
    ) -> None:
        inside = () if given is None else tuple(given)
        self._known = mine.copy()
        cheats = {one.id: one for alarm in alarms for one in (alarm.first, alarm.second)}
        for record in cheats.values():
            self._known.add(record)
        marks = {name: short_id(salt, name) for name in self._known.ids()}
        listings = [
            RecordRanges(self._order(given), marks),
            RecordRanges(sorted((0, name) for name in cheats), marks),
        ]
        shorts = {mark[:SHORT] for mark in marks.values()}  # of all that is known here
        # and has not yet
        self._gives: dict[bytes, Place] = {**listings[CHEATS].names(), **listings[RECORDS].names()}
        self._sides = [RangeComparison(listing, shorts.__contains__) for listing in listings]
        self._intake = RecordReceiver(
            self._known, lambda name: short_id(salt, name)[:SHORT], inside, trusted
        )
        self._accused: set[bytes] = set()  # shorts that the other side has listed as naming a cheat
        self._asked: list[Place] = []  # what this turn of the other side has asked for
        self._expected = {"ranges"}  # kinds of messages that answer what was said last
        # turns of the other side with ranges; bytes that were no records
        self._comparisons = self._listed = 0
        self._silent = True  # whether this turn of the other side has said nothing yet
        self._over = False
        self._out: list[bytes] = []
        if calling:
            for side in self._sides:
                side.begin()
            self._out = self._say()

    def _order(self, given: Iterable[bytes] | None) -> Sequence[Place]:
        """Of what the other side may have."""
        if given is None:
            return self._known.order()
        return [(self._known.depth(one.id) or 0, one.id) for one in self._known.closure(given)]

    @property
    def done(self) -> bool:
        """Whether there is nothing left to say or to hear."""
        return self._over and not self._out

    @property
    def partial(self) -> bool:
        """Whether the other side has more that it may give, or gave more than was taken: another
        session may help.
        """
        return self._intake.partial

    def outgoing(self) -> list[bytes]:
        """All messages of this side's turn, once; none if it is the other's turn, or all is
        said.
        """
        out, self._out = self._out, []
        return out

    def received(self, message: bytes) -> list[LedgerRecord]:
        """Take one message of the other side's turn: news that may be kept, checked, parents first.

        What has no parents among them or in the own set is one of two records that name a cheat.

        Raises: RemoteError, and the session is over; what is still held `broken_off` gives.
        """
        try:
            if self._out or self._over:
                raise RemoteError(Code.BAD_MESSAGE)
            return self._take(*decode(message), len(message))
        except RemoteError:
            self._over, self._out = True, []
            raise

    def abort(self) -> list[LedgerRecord]:
        """The line is gone, or the other side was refused: what may be kept of that which is held
        here.
        """
        self._over, self._out = True, []
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
        """The other side has said all of its turn; if that was nothing, or there is no answer, all
        is done.
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
        """All messages of a turn of this side."""
        out: list[bytes] = []
        said: set[str] = set()
        for space, side in enumerate(self._sides):
            for name, items in side.answers().items():
                said |= {name} if items else set()
                out += pack_messages(name, items, space)
        asked, self._asked = sorted(self._asked), []
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
        """The next questions. All lists have been heard by now, since nothing is left that they
        could answer.
        """
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
