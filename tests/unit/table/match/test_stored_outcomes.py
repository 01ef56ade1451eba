"""A table repeats its judgements without proofs; without a stamp that holds all is proven."""

from dataclasses import replace
from functools import cache

import pytest

from protocol.codes import Code
from protocol.errors import LocalError, Refused
from protocol.games.registry import BUILT_IN
from protocol.identity.keys import Identity
from protocol.match.fold import Outcome, judge, repeat
from protocol.match.log import Record
from table.match.live_match import LiveMatch
from table.match.rules_version import code_version
from table.match.stored_outcomes import MAC_SIZE, OutcomeStamps
from table.storage.disk.log_files import run_to_end
from table.storage.interface import NewRecords, stamps_by_number
from table.workers.messages import JudgedRecord, Request, encode_records
from table.workers.process import FoldedMatches
from table.workers.worker_match import claimed_parts, open_folded
from tests.support.at_once import sign_heads
from tests.support.liars import Liar
from tests.support.offline import Offline, make_offline
from tests.support.outcomes import counted_checks, open_match, stamped

PLACE = (7, b"h" * 32, b"s" * 64)  # number, hash and head


@cache
def played(dealing: str = "verified", game: str = "texas-holdem", seed: int = 1) -> Offline:
    offline = make_offline(2, seed, game, dealing=dealing)
    offline.play()
    return offline


def again(live: LiveMatch, stamps: tuple[bytes, ...]) -> LiveMatch:
    return LiveMatch.claimed(live._identity, open_match(live, stamps))


@pytest.mark.parametrize(
    ("dealing", "game"),
    [
        ("verified", "texas-holdem"),
        ("commutative", "block-dominoes"),
        ("layered", "draw-dominoes"),
        ("seeded", "element-duel"),
        ("none", "nim"),
    ],
)
def test_match_from_stamps_equals_the_proven_one(dealing, game):
    live = played(dealing, game).live
    restored = again(live, stamped(live))
    assert restored.match == live.match and restored.log.chain_hashes == live.log.chain_hashes
    assert restored.outcomes == live.outcomes


def test_fold_from_stamps_checks_no_proof_and_no_signature():
    live = played().live
    with counted_checks() as checks:
        again(live, stamped(live))
    # the first entry and its head have no stamp
    assert (checks.signatures, checks.products) == (3, 0)


def test_fold_without_stamps_checks_everything():
    live = played().live
    with counted_checks() as checks:
        again(live, ())
    assert checks.signatures == 2 * len(live.records) + 1 and checks.products > 500


def stamps_of(live: LiveMatch, **changed) -> OutcomeStamps:
    key = changed.get("key", live._identity)
    setup = changed.get("setup", live.setup)
    match_id = changed.get("match_id", live.log.match_id)
    return OutcomeStamps(key, setup, match_id, changed.get("program", b""))


def other_edition(live: LiveMatch):
    return replace(live.setup, terms=live.setup.terms._replace(rules="0"))


@pytest.mark.parametrize("field", ["key", "setup", "match_id", "program"])
def test_stamp_of_other_table_match_edition_or_program_is_none(field):
    live = played().live
    changed = {
        "key": Identity(bytes(32)),
        "setup": other_edition(live),
        "match_id": bytes(32),
        "program": b"another version",
    }
    made = stamps_of(live).stamp(*PLACE, Outcome())
    assert stamps_of(live).open(*PLACE, made) == Outcome()
    assert stamps_of(live, program=code_version()).open(*PLACE, made) == Outcome()
    assert stamps_of(live, **{field: changed[field]}).open(*PLACE, made) is None


@pytest.mark.parametrize(
    "place", [(8, *PLACE[1:]), (7, b"g" * 32, PLACE[2]), (*PLACE[:2], b"t" * 64), (*PLACE[:2], b"")]
)
def test_stamp_of_other_number_hash_or_head_is_none(place):
    stamps = stamps_of(played().live)
    assert stamps.open(*place, stamps.stamp(*PLACE, Outcome())) is None


def test_stamp_with_changed_mac_or_code_is_none():
    stamps = stamps_of(played().live)
    made, lie = (stamps.stamp(*PLACE, each) for each in (Outcome(), Outcome(Code.BAD_PROOF)))
    assert stamps.open(*PLACE, lie) == Outcome(Code.BAD_PROOF)
    for place in range(MAC_SIZE):
        assert (
            stamps.open(*PLACE, made[:place] + bytes([made[place] ^ 1]) + made[place + 1 :]) is None
        )
    wrong = (b"", made[:-1], made + b"bad_proof", lie[:MAC_SIZE], made[:MAC_SIZE] + b"\xff")
    assert all(stamps.open(*PLACE, each) is None for each in wrong)


@pytest.mark.parametrize("change", ["drop", "swap", "of other match", "of other program"])
def test_entry_without_right_stamp_is_proven_again(change):
    live = played().live
    stamps = list(stamped(live))
    match change:
        case "drop":
            stamps[8] = b""
        case "swap":
            stamps[8], stamps[9] = stamps[9], stamps[8]
        case "of other match":
            stamps[8] = stamped(played(seed=2).live)[8]
        case _:
            stamps[8] = stamped(live, stamps_of(live, program=b"another version"))[8]
    with counted_checks() as checks:
        assert again(live, tuple(stamps)).match == live.match
    # two signatures for each entry that is proven again
    assert checks.signatures == 3 + 2 * (2 if change == "swap" else 1)


@pytest.mark.parametrize("number", [5, 9, 12])
def test_forged_entry_gains_nothing_from_stamps(number):
    """A store changes an entry, and leaves the stamps that it has."""
    live = played().live
    found = open_match(live)
    entry = found.records[number].entry
    found.records[number] = Record(entry[:-1] + bytes([entry[-1] ^ 1]), found.records[number].head)
    with pytest.raises(LocalError):
        LiveMatch.claimed(live._identity, found)


class LyingInShares(Liar):
    kinds = ("shares",)


def test_lie_is_repeated_from_its_stamp():
    offline = make_offline(
        3,
        1,
        "texas-holdem",
        dealing="verified",
        dealing_options={"leavers": "threshold"},
        seat_types={1: LyingInShares},
    )
    offline.play()
    live = offline.live
    assert live.match.faults and live.match.faults[0].code is Code.BAD_PROOF
    assert Outcome(Code.BAD_PROOF) in live.outcomes.values()
    assert again(live, stamped(live)).match == live.match


def test_repeat_refuses_what_cannot_stand():
    live = played().live
    first = LiveMatch(live._identity, live.setup, live.seed, live.entries[0])
    raw = first.log.check(live.entries[1])
    assert judge(first.match, raw)[1] == Outcome()
    with pytest.raises(Refused):
        repeat(live.match, raw, Outcome())


def test_stamps_follow_heads_into_the_store():
    """The next change brings what one lacks; all are there in the end."""
    source = played().live
    live = LiveMatch(source._identity, source.setup, source.seed, source.entries[0])
    changes: list[NewRecords] = []

    def store() -> None:
        change = live.change()
        changes.append(change)
        live.stored(
            change.first + len(change.entries),
            change.first,
            change.stamps.first + len(change.stamps.stamps),
        )
        sign_heads(live, live.acknowledged)

    store()
    for record in source.records[1:]:
        live.repeat_one(record, None)
        store()
    stored = stamps_by_number([each.stamps for each in changes], len(source.records))
    assert stored == stamped(source)[:-1], "the last head is not stored with an entry"


def test_entries_proven_again_are_stamped_once_more():
    source = played().live
    half = len(source.records) // 2
    kept = open_match(source, ())
    live = LiveMatch.claimed(source._identity, kept._replace(records=kept.records[:half]))
    assert live._stamps_stored == 1
    live.repeat_one(source.records[half], None)
    assert live.change().stamps.stamps == stamped(source)[1:half]
    known = open_match(source)
    live = LiveMatch.claimed(source._identity, known._replace(records=known.records[:half]))
    assert live.change().stamps.stamps == ()


class Pool:
    """Workers in this process."""

    def __init__(self) -> None:
        self.sources = {}

    def add(self, source) -> None:
        self.sources[source.match_id] = source

    def open(self, match_id, done) -> None:
        worker, source = FoldedMatches(BUILT_IN, 60), self.sources[match_id]
        worker.limit_processor_time = lambda: None
        first, *rest = source.folded
        opening = source.table_key, first.entry, source.worker_seed, []
        assert not worker.handle(Request("open", match_id, opening)).failed
        values = (encode_records(rest),)
        done(worker.handle(Request("repeat", match_id, values)))

    def forget(self, match_id) -> None:
        del self.sources[match_id]


@pytest.mark.parametrize("known", [True, False])
def test_worker_repeats_what_the_front_knows(known):
    live, opened, pool = played().live, [], Pool()
    found = open_match(live) if known else open_match(live, ())
    with counted_checks() as checks:
        claimed = run_to_end(claimed_parts(live._identity, found, pool))
        open_folded(claimed, pool, opened.append)
    (match,) = opened
    assert match.outcomes == live.outcomes and match.status == live.status
    assert (checks.products == 0) is known
    assert match.folded[3] == JudgedRecord(*live.records[3], Outcome())
