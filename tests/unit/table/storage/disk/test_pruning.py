"""What goes and what stays when a host lets go of old matches."""

from contextlib import closing

import pytest

from protocol.limits import JOURNAL_ROWS
from protocol.match.log import NO_HASH
from table.storage.disk.finished_rows import BLOCK
from table.storage.disk.journal import LOGS, Journal
from table.storage.disk.log_files import run_to_end
from table.storage.disk.pruning import (
    FINISHED,
    FORKED,
    STOPPED,
    PruneOrder,
    prune_parts,
)
from table.storage.disk.replication_state import ReplicationState, Role
from table.storage.interface import MatchBeginning, MatchStopped, NewRecords
from tests.support.offline import make_offline

IDS = [bytes([number]) * 32 for number in range(4)]


@pytest.fixture
def journal(tmp_path):
    """Yield a journal with four finished matches of a block each, ended at 100, 200, 300 and 400."""
    with closing(Journal(tmp_path)) as made:
        rows = []
        for number, match_id in enumerate(IDS):
            (tmp_path / LOGS / f"{number}.fairdeal").write_bytes(b"x" * 9)
            rows.append((match_id, f"{number}.fairdeal", 9, 100 * number + 100))
        made.list_finished(rows)
        yield made


def left(journal):
    files = sorted(path.stem for path in (journal.path.parent / LOGS).iterdir())
    assert files == [row.file.partition(".")[0] for row in journal.finished_matches()]
    return "".join(files)


def prune(journal, **order):
    report = run_to_end(prune_parts(journal, PruneOrder(**order)))
    return {kind.kind: (kind.gone, kind.left) for kind in report.kinds}, report


def test_matches_that_ended_before_a_time_go(journal):
    kinds, report = prune(journal, before=300)
    assert kinds[FINISHED] == (2, 2) and left(journal) == "23"
    assert [(each.name, each.ended) for each in report.leaving] == [
        ("0.fairdeal", 100),
        ("1.fairdeal", 200),
    ]


def test_oldest_matches_go_until_the_others_fit(journal):
    kinds, report = prune(journal, keep=2 * BLOCK)
    assert kinds[FINISHED] == (2, 2) and left(journal) == "23" and journal.taken == 2 * BLOCK
    assert report.kinds[0].left_size == 2 * BLOCK
    assert prune(journal, keep=2 * BLOCK)[0][FINISHED] == (0, 2)


def test_dry_run_reports_the_same_and_removes_nothing(journal):
    dry = prune(journal, before=300, keep=BLOCK, dry=True)
    assert dry[0][FINISHED] == (3, 1) and left(journal) == "0123"
    assert prune(journal, before=300, keep=BLOCK) == dry and left(journal) == "3"


def test_other_kinds_than_those_named_stay(journal):
    assert prune(journal, before=300, kinds=[STOPPED])[0][FINISHED] == (0, 4)
    assert prune(journal)[0][FINISHED] == (0, 4)


def begun(journal, seed, match_id):
    """Put the beginning of a match into a journal; return when it began."""
    offline = make_offline(2, seed=seed)
    entries = tuple(offline.live.entries[:1])
    begin = MatchBeginning(b"seed")
    journal.write([NewRecords(match_id, 0, NO_HASH, 0, entries, begin=begin)])
    return offline.live.setup.created


def test_only_named_matches_without_fork_that_began_before_go(journal):
    runs, stuck, forked = b"r" * 32, b"s" * 32, b"f" * 32
    created = [begun(journal, seed, each) for seed, each in enumerate((runs, stuck, forked))]
    journal.write([MatchStopped(forked, 0)])
    named = {"stopped": [stuck, forked]}
    assert prune(journal, before=created[1], **named)[0][STOPPED] == (0, 1)
    kinds, report = prune(journal, before=created[1] + 1, **named)
    assert kinds[STOPPED] == (1, 0) and kinds[FORKED] == (0, 1)
    assert [each.name for each in report.leaving if each.kind == STOPPED] == [stuck.hex()]
    assert [row.match_id for row in journal.open_matches()] == [runs]
    assert journal.records(forked) and not journal.records(stuck)


def test_stopped_match_of_a_pair_stays_because_its_standby_has_it(journal):
    created = begun(journal, 1, stuck := b"s" * 32)
    journal.stand(ReplicationState(Role.PRIMARY, b"x" * 16))
    assert prune(journal, before=created + 1, stopped=[stuck])[0][STOPPED] == (0, 1)


def test_two_commands_at_once_count_each_file_once(tmp_path):
    rows = 3 * JOURNAL_ROWS
    with closing(Journal(tmp_path)) as journal:
        journal.list_finished(
            (number.to_bytes(32), f"{number}.fairdeal", 9, 100) for number in range(rows)
        )
        first, second = (prune_parts(journal, PruneOrder(200)) for _ in range(2))
        next(first)
        next(second)
        gone = [run_to_end(each).kinds[0].gone for each in (first, second)]
        assert gone[0] == rows and not list(journal.finished_matches())
        assert journal.taken == 0
