"""A journal whose match counts entries that are gone: its report of them, and their replacement."""

from contextlib import ExitStack, closing

import pytest

from protocol.match.log import NO_HASH
from table.storage.disk.journal import Journal
from table.storage.disk.match_rows import Claim
from table.storage.disk.replication_state import ReplicationState, Role
from table.storage.interface import MatchBeginning, NewRecords
from tests.unit.table.match.test_tail_recovery import ENTRIES, STORED, another_branch, played

LIVE = played(2).live
M, HASHES, ENTRY = (
    LIVE.log.match_id,
    LIVE.log.chain_hashes,
    [record.entry for record in LIVE.records],
)
NAME = bytes(16)


def written(journal: Journal, over: bool = False) -> None:
    """Write a whole match; its counter stays when the last records go."""
    begin = NewRecords(M, 0, NO_HASH, 0, tuple(ENTRY[:STORED]), begin=MatchBeginning(b"sealed"))
    assert journal.write(
        [begin, NewRecords(M, STORED, HASHES[STORED - 1], 0, tuple(ENTRY[STORED:]), over=over)]
    ) == [
        1,
        1,
    ]


def loses_its_end(journal: Journal) -> None:
    journal._database.execute("DELETE FROM records WHERE number >= ?", (STORED,))


def following(claim: int, entries: list[bytes]) -> NewRecords:
    return NewRecords(M, STORED, HASHES[STORED - 1], claim, tuple(entries))


@pytest.fixture
def pair(tmp_path):
    """Return a primary that has lost the end of its match, a complete standby, and a function that
    synchronises both.
    """
    with ExitStack() as stack:
        first, second = (stack.enter_context(closing(Journal(tmp_path / name))) for name in "ab")
        for journal, role in (first, Role.PRIMARY), (second, Role.STANDBY):
            journal.stand(ReplicationState(role, NAME, peer="b:1"))

        def ship() -> None:
            for each in first.unsent():
                second.follow(each, second.standing._replace(number=each.number, hash=each.hash))
                first.acknowledged(each.number)

        written(first)
        ship()
        loses_its_end(first)
        yield first, second, ship


@pytest.mark.parametrize(
    "entries", [ENTRY[STORED:], [another_branch()[STORED].entry]], ids=["given back", "others"]
)
def test_replacement_of_lost_tail_reaches_standby(pair, entries):
    """A standby still has the entries that the primary lost, and removes them too; otherwise no
    match could continue.
    """
    first, second, ship = pair
    (claim,) = first.write([Claim(M)])
    kept = first.claimed(M)
    assert kept is not None and (len(kept.records), kept.counted) == (STORED, ENTRIES)
    assert first.write([following(claim, entries)]) == [1]
    ship()
    for journal in (first, second):
        found = journal.claimed(M)
        assert found is not None and ([each.entry for each in found.records], found.counted) == (
            [*ENTRY[:STORED], *entries],
            0,
        )
    assert first.write([following(claim, entries)]) == [1]  # repeated, as after a lost answer
    assert first.write([Claim(M)]) == [claim + 1]
    ship()
    assert second.standing.place == first.standing.place


def test_standby_promoted_before_replacement_is_complete_recovers(pair):
    first, second, ship = pair
    first.write([Claim(M)])
    first.claimed(M)
    ship()
    found = second.claimed(M)
    assert found is not None and (len(found.records), found.counted) == (ENTRIES, 0)


def test_lost_tail_is_replaced_only_after_newest_claim(
    tmp_path,
):
    with closing(Journal(tmp_path)) as journal:
        written(journal)
        loses_its_end(journal)
        (claim,) = journal.write([Claim(M)])
        wrong = [
            following(claim - 1, ENTRY[STORED:]),
            following(claim, ENTRY[STORED:])._replace(follows=HASHES[STORED - 2]),
            following(claim, ENTRY[STORED:])._replace(first=STORED - 1, follows=HASHES[STORED - 2]),
            following(claim, ENTRY[STORED:])._replace(first=STORED + 1, follows=HASHES[STORED]),
        ]
        assert [journal.write([each]) for each in wrong] == [[0]] * len(wrong)
        found = journal.claimed(M)
        assert found is not None and (len(found.records), found.counted) == (STORED, ENTRIES)


@pytest.mark.parametrize("over", [False, True])
def test_every_claim_reports_the_stored_count(tmp_path, over):
    """Crossed with a table that restarts: a match that was over is not finished without its end
    then.
    """
    with closing(Journal(tmp_path)) as journal:
        written(journal, over)
        loses_its_end(journal)
        for _ in range(2):
            journal.write([Claim(M)])
            found = journal.claimed(M)
            assert found is not None and (len(found.records), found.counted) == (STORED, ENTRIES)
            assert bool(found.seed) is not over
