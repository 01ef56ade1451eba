"""A merge with a peer that lies, floods, or never ends: bounds hold, and the own set stays
valid.
"""

import tracemalloc
from random import Random

import pytest

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.ledger.alarms import Alarm
from protocol.ledger.merge.merge_session import MergeSession
from protocol.ledger.merge.messages import END, SHORT, START, decode, encode
from protocol.ledger.record_contents import Instance
from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import sign_record
from protocol.limits import (
    MAX_MERGE_COMPARISONS,
    MAX_MERGE_LISTED,
    MAX_ORPHANS,
    MAX_UNTRUSTED,
    MERGE_LIST,
    MERGE_WANTS,
)
from tests.support.histories import History
from tests.support.merging import SALT, converse, everybody, merged

TURN = encode("turn")
NOTHING = [[*START, [[*END, 0, bytes(16)]]]]  # the whole range, declared empty


class Crooked(RecordSet):
    """Set that presents its orphans as complete records."""

    def add(self, record):
        new = super().add(record)
        self._depths.setdefault(record.id, 1)
        self._orphans = 0
        self._order = None
        return new


def instances(history, count, type_id=None):
    return [
        sign_record(
            Instance(history.creator.public, type_id or history.type.id, number, bytes(16)),
            history.creator,
        )
        for number in range(1000, 1000 + count)
    ]


def answering(records, **options):
    """Return an honest peer that has answered a caller with an empty set, at its next message."""
    merge = MergeSession(RecordSet(records), SALT, False, **options)
    for message in (encode("ranges", 0, NOTHING), TURN):
        merge.received(message)
    return merge, merge.outgoing()


def refused(merge, *messages):
    with pytest.raises(RemoteError) as error:
        for message in messages:
            merge.received(message)
    assert merge.done and merge.outgoing() == []
    with pytest.raises(RemoteError):
        merge.received(TURN)
    return error.value.code


@pytest.fixture(scope="module")
def history():
    return History(1, cards=8, trades=6)


class TestWhatIsSaid:
    def test_message_out_of_turn_or_after_end_is_refused(self, history):
        assert refused(MergeSession(RecordSet(), SALT, True), TURN) is Code.BAD_MESSAGE
        merge = MergeSession(RecordSet(), SALT, False)
        merge.received(TURN)
        assert merge.done
        with pytest.raises(RemoteError):
            merge.received(encode("ranges", 0, NOTHING))

    @pytest.mark.parametrize(
        "message",
        (
            encode("ids", 0, [[*START, *END, b""]]),
            encode("have", 0, [[*START, b"8 bytes "]]),
            encode("ranges", 2, NOTHING),
            encode("ranges", 0, [[*START, [[*END, 0, b"short"]]]]),
            encode("ranges", 0, [[*END, [[*END, 0, bytes(16)]]]]),
            encode("ranges", 0, [[*START, [[2, b"", 0, bytes(16)], [1, b"", 0, bytes(16)]]]]),
            encode("ranges", 0, [*NOTHING, *NOTHING]),
            encode("ranges", 0, []),
            encode("want", b""),
            encode("want", b"7 bytes"),
            encode("want", b"unlisted"),
            encode("records", []),
            encode("turn", 1),
            encode("end"),
            b"\xc0",
        ),
        ids=range(15),
    )
    def test_malformed_or_unasked_message_is_refused(self, history, message):
        assert (
            refused(MergeSession(RecordSet(history.records), SALT, False), message)
            is Code.BAD_MESSAGE
        )

    def test_session_frames_stay_within_their_limit(self):
        assert refused(MergeSession(RecordSet(), SALT, False), bytes(65_519)) is Code.FRAME_SIZE

    def test_endless_ranges_are_refused(self):
        """Lying fingerprints make the peer ask again and again without agreement."""
        records = History(2, cards=2 * MERGE_LIST, trades=0).records
        merge = MergeSession(RecordSet(records), SALT, False)
        with pytest.raises(RemoteError) as error:
            for _ in range(MAX_MERGE_COMPARISONS + 1):
                merge.received(encode("ranges", 0, NOTHING))
                merge.received(TURN)
                assert sum(map(len, merge.outgoing())) < 1000
        assert error.value.code is Code.TOO_MANY

    def test_only_listed_records_are_given_once(self, history):
        merge, said = answering(history.records)
        assert [decode(message)[0] for message in said] == ["ids", "turn"]
        listed = decode(said[0])[1][1][0][-1]
        merge.received(encode("want", listed[:SHORT]))
        assert refused(merge, encode("want", listed[:SHORT])) is Code.BAD_MESSAGE
        merge, _ = answering(history.records, given=[])
        assert refused(merge, encode("want", listed[:SHORT])) is Code.BAD_MESSAGE

    @pytest.mark.slow
    def test_requests_above_the_batch_size_are_refused(self, history):
        for count, code in ((MERGE_WANTS, Code.BAD_MESSAGE), (MERGE_WANTS + 1, Code.BAD_MESSAGE)):
            merge = MergeSession(RecordSet(history.records), SALT, False)
            assert refused(merge, encode("want", bytes(SHORT * count))) is code
        many = RecordSet([*history.records[:2], *instances(history, MERGE_WANTS)])
        merge, other = MergeSession(many, SALT, False), MergeSession(RecordSet(), SALT, True)
        for speaker, hearer in ((other, merge), (merge, other)) * 2:
            for message in speaker.outgoing():
                hearer.received(message)
        (first, *_) = other.outgoing()
        shorts = decode(first)[1][0]
        assert len(shorts) == MERGE_WANTS * SHORT
        merge.received(first)
        assert refused(merge, encode("want", b"any more")) is Code.TOO_MANY


class TestRecords:
    def hearing(self, history, theirs):
        """Return a peer with an empty set that has been told of these records and has asked for all
        of them.
        """
        merge = MergeSession(RecordSet(), SALT, True, None, everybody)
        other = MergeSession(theirs, SALT, False)
        for message in merge.outgoing():
            other.received(message)
        for message in other.outgoing():
            merge.received(message)
        for message in merge.outgoing():
            other.received(message)
        return merge, other.outgoing()

    def test_unrequested_or_repeated_record_is_refused(self, history):
        foreign = History(3, trades=0).records[0]
        merge, said = self.hearing(history, RecordSet(history.records))
        assert refused(merge, encode("records", [foreign.raw])) is Code.BAD_MESSAGE
        merge, said = self.hearing(history, RecordSet(history.records))
        raws = decode(said[0])[1][0]
        assert refused(merge, encode("records", [raws[0], raws[0]])) is Code.BAD_MESSAGE
        assert [one.raw for one in merge.abort()] == raws[:1]

    def test_bad_signature_ends_merge_and_keeps_earlier_records(self, history):
        merge, said = self.hearing(history, RecordSet(history.records))
        raws = decode(said[0])[1][0]
        given = merge.received(encode("records", raws[:3]))
        assert [one.raw for one in given] == raws[:3]
        assert (
            refused(merge, encode("records", [raws[3], raws[4][:-1] + b"\0"])) is Code.BAD_SIGNATURE
        )
        assert [one.raw for one in merge.abort()] == [raws[3]]

    def test_promised_but_missing_record_is_not_awaited(self, history):
        merge, said = self.hearing(history, RecordSet(history.records))
        merge.received(encode("records", decode(said[0])[1][0][:2]))
        merge.received(TURN)
        assert merge.outgoing() == [TURN] and merge.done and merge.partial

    def test_children_of_missing_records_are_not_kept(self, history):
        merge, said = self.hearing(history, RecordSet(history.records))
        raws = decode(said[0])[1][0]
        given = merge.received(encode("records", raws[2:]))
        assert given == [] == merge.received(TURN)
        assert merge.outgoing() == [TURN] and merge.done and merge.partial

    @pytest.mark.slow
    def test_orphan_flood_is_cut_off(self, history):
        orphans = Crooked(instances(history, MAX_ORPHANS + 1, b"?" * 32))
        mine = RecordSet(history.records)
        merge, other = (
            MergeSession(mine, SALT, True, None, everybody),
            MergeSession(orphans, SALT, False),
        )
        with pytest.raises(RemoteError) as error:
            converse(merge, other)
        assert error.value.code is Code.TOO_MANY and merge.abort() == []
        assert list(mine) == list(RecordSet(history.records)) and not mine.orphans

    @pytest.mark.slow
    def test_orphans_accusing_nobody_are_dropped(self, history):
        orphans = Crooked(instances(history, 40, b"?" * 32))
        course = converse(
            MergeSession(RecordSet(), SALT, True, None, everybody),
            MergeSession(orphans, SALT, False),
        )
        assert course.news == ([], [])
        records = instances(history, 3, b"?" * 32)
        lying = MergeSession(
            RecordSet(), SALT, False, alarms=[Alarm(history.creator.public, *records[:2])]
        )
        assert converse(MergeSession(RecordSet(), SALT, True, None, everybody), lying).news == (
            [],
            [],
        )

    @pytest.mark.slow
    def test_chain_deeper_than_recursion_limit_is_merged(self):
        history = History(4, cards=1, people=3, trades=1100, spends=0)
        mine = RecordSet()
        assert len(merged(mine, RecordSet(history.records)).news[0]) == len(history.records)
        assert list(mine) == history.records


class TestStrangers:
    @pytest.mark.slow
    def test_untrusted_creator_gets_a_limited_share(self, history):
        records = RecordSet([*history.records[:2], *instances(history, MAX_UNTRUSTED + 5)])
        for trusted, count in ((everybody, len(records)), (lambda key: False, MAX_UNTRUSTED)):
            mine = RecordSet()
            merge = MergeSession(mine, SALT, True, None, trusted)
            news = converse(merge, MergeSession(records, SALT, False)).news[0]
            assert len(news) == count and merge.partial == (count < len(records))
            assert all(not mine.missing(record) and mine.add(record) for record in news)

    @pytest.mark.slow
    def test_offered_card_comes_with_its_full_history(self):
        history = History(5, cards=1, people=3, trades=MAX_UNTRUSTED + 20, spends=0)
        card = history.cards[0].id
        mine, theirs = RecordSet(), RecordSet(history.records)
        merge = MergeSession(mine, SALT, True, [card])
        news = converse(merge, MergeSession(theirs, SALT, False, [card])).news[0]
        assert tuple(news) == theirs.closure([card]) and not merge.partial

    def test_lost_line_keeps_received_records(self):
        history = History(6, cards=40, trades=30, spends=0)
        mine, theirs = RecordSet(), RecordSet(history.records)
        merge, other = (
            MergeSession(mine, SALT, True, None, everybody),
            MergeSession(theirs, SALT, False),
        )
        news = []
        for _ in range(3):
            for message in merge.outgoing():
                other.received(message)
            for message in other.outgoing()[:1]:
                news += merge.received(message)
            if news:
                break
            merge.received(TURN)
        for record in news + merge.abort():
            assert not mine.missing(record) and mine.add(record)
        assert len(mine) > 0
        merged(mine, theirs)
        assert list(mine) == list(theirs)


@pytest.mark.slow
def test_listing_a_million_records_frees_memory(history):
    """The session records and requests no more than its limits; no record comes, so it ends."""
    rng, mine = Random(1), RecordSet(history.records)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        merge = MergeSession(mine, SALT, True)
        merge.outgoing()
        merge.received(encode("ranges", 0, [[*START, [[*END, 1_000_000, bytes(16)]]]]))
        merge.received(TURN)
        assert decode(merge.outgoing()[0])[0] == "ids"
        for _ in range(1_000_000 // 7_000 + 1):
            assert merge.received(encode("have", 0, [[*START, rng.randbytes(7_000 * SHORT)]])) == []
        merge.received(TURN)
        said = [decode(message) for message in merge.outgoing()]
        assert [name for name, _ in said] == ["want", "turn"] and len(
            said[0][1][0]
        ) == MERGE_WANTS * SHORT
        assert merge.received(TURN) == [] and merge.done and merge.partial
        assert tracemalloc.get_traced_memory()[1] - before < 100 * 1024**2
        del merge
        assert tracemalloc.get_traced_memory()[0] - before < 1024**2
    finally:
        tracemalloc.stop()
    assert list(mine) == list(RecordSet(history.records))


@pytest.mark.slow
def test_listed_items_without_records_are_bounded(history):
    merge = MergeSession(RecordSet(history.records), SALT, True)
    merge.outgoing()
    merge.received(encode("ranges", 0, [[*START, [[*END, 1, bytes(16)]]]]))
    merge.received(TURN)
    merge.outgoing()
    message = encode("have", 1, [[*START, bytes(7_000 * SHORT)]])
    for _ in range(MAX_MERGE_LISTED // len(message)):
        merge.received(message)
    assert refused(merge, message) is Code.TOO_MANY
