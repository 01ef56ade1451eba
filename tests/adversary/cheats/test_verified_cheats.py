"""Every cheat in verified dealing is refused or named by all readers and by the audit; nobody
honest ever is.
"""

from random import Random

import pytest

from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.dealing import TABLE, Post
from protocol.errors import Refused
from protocol.match.log import decode_entry
from tests.adversary.cheats import clock, conduct, play, verified
from tests.adversary.cheats import table as table_cheats
from tests.adversary.cheats.base import Cheat, When
from tests.adversary.cheats.mutate import mutate
from tests.adversary.cheats.test_seat_cheats import kinds
from tests.adversary.cheats.verified import leavers, openings, shares, shuffles
from tests.adversary.cheats.verified.base import Recorder
from tests.support.knowledge import Watched
from tests.support.offline import Offline, make_offline

pytestmark = pytest.mark.match

POKER = ("texas-holdem", "five-card-draw")
TRIES = 12  # matches until the cheat has had its opportunity

# Cheats that do not depend on the dealing: verified dealing must give the same results.
SAME = [
    play.FalsePass,
    play.FalseDraw,
    play.FalseDenial,
    play.PlaysWhatDoesNotFit,
    play.PassesInTheDrawGame,
    play.SpeaksNonsense,
    play.WrongPart,
    play.OwnPoints,
    conduct.Leaves,
    conduct.NeverMoves,
    conduct.LowOrderMatchKey,
    conduct.CopiesMatchKey,
    conduct.PostsForAnother,
    conduct.PostsForTheTable,
    conduct.PostsForNobody,
    conduct.PostsTwice,
    conduct.SkipsANumber,
    conduct.SignsForAnotherMatch,
    conduct.SawAnotherLog,
    conduct.SawTheFuture,
    conduct.SawTooLittle,
    conduct.UnknownKind,
    conduct.Garbage,
    conduct.LapsesAnother,
    conduct.ProtestsTheFuture,
    conduct.OutOfTurn,
]
TABLE_CHEATS = [
    table_cheats.SwapsMatchKey,
    table_cheats.MovesForASeat,
    table_cheats.MisquotesASeat,
    table_cheats.LogsTwice,
    table_cheats.LogsGarbage,
    table_cheats.LapsesWhoOwesNothing,
    table_cheats.PassesForItself,
    table_cheats.Protests,
    table_cheats.SawLess,
    table_cheats.SawAnother,
    table_cheats.PostsAfterTheEnd,
    *clock.TABLE_CHEATS,
]

POKER = ("texas-holdem", "five-card-draw")


def played(cheat: type[Cheat], seed: int) -> Offline:
    """Play a match with the cheat in its seat, as far as it goes."""
    Recorder.posts.clear()  # posts of the same match, played with another cheat
    types = {cheat.place: cheat, **getattr(cheat, "friends", {})}
    seats = min(cheat.seats, 2) if cheat in SAME else cheat.seats
    shared = getattr(cheat, "dealing_options", {})
    offline = make_offline(
        seats, seed, cheat.game, cheat.options, shared, types, Watched, dealing="verified"
    )
    _drive(offline, cheat.place)
    if cheat.when is When.LAPSE and not offline.live.match.over:
        offline.wait_out(cheat.place)
    for reader in offline.readers:
        offline.catch_up(reader)
    return offline


def _drive(offline: Offline, place: int) -> None:
    """Play as `Offline.play` does, but ask the cheat after every other seat, so that it sees every
    moment of the match.
    """
    idle = 0  # after a refusal the cheat continues
    while not offline.live.match.over and idle < 2:
        posted = [
            offline.step(each) for seat in offline.seats for each in (seat, offline.seats[place])
        ]
        idle = 0 if any(posted) else idle + 1


@pytest.mark.parametrize(
    "cheat", [*verified.CHEATS, *leavers.CHEATS, *SAME], ids=lambda cheat: cheat.__name__
)
def test_cheat(cheat: type[Cheat]) -> None:
    for seed in range(TRIES):
        offline = played(cheat, seed)
        seat = offline.seats[cheat.place]
        assert isinstance(seat, cheat)
        if seat.acted:
            _check(cheat, offline)
            return
        assert audit(offline.file()).verdict is Verdict.CLEAN
    pytest.fail("the cheat had no occasion")


def _check(cheat: type[Cheat], offline: Offline) -> None:
    report = audit(offline.file())
    assert all(reader.faults == report.faults for reader in offline.readers)
    if cheat.when is When.REFUSED:
        assert cheat.code in [refusal.code for refusal in offline.refused]
        assert report.verdict is Verdict.CLEAN
        return
    assert report.verdict is Verdict.FAULT
    assert not offline.refused
    left = {(cheat.left, Code.LEFT)} if hasattr(cheat, "left") else set()
    assert {(fault.seat, fault.code) for fault in report.faults} == {
        (cheat.place, cheat.code)
    } | left
    entries = [decode_entry(record.entry) for record in offline.live.records]
    # the false entry itself is the evidence; it was found when all hands were shown
    if cheat.when is When.CLOSE:
        assert entries[-1].kind == "show"
        assert {
            (entries[fault.entry].author, entries[fault.entry].kind) for fault in report.faults
        } == {(cheat.place, "move")}
        return
    (named,) = (fault.entry for fault in report.faults if fault.seat == cheat.place)
    assert entries[named].author == (TABLE if cheat.when is When.LAPSE else cheat.place)
    match = offline.live.match
    assert match.over
    if cheat.place in match.gone:  # the other seats played on
        assert match.receipts == match.present == set(range(len(offline.seats))) - match.gone
    else:
        assert named == len(entries) - 1


@pytest.mark.parametrize("cheat", leavers.HARMLESS, ids=lambda cheat: cheat.__name__)
def test_harmless_false_accusation_names_nobody(cheat: type[Cheat]) -> None:
    """A share is opened only because a liar asked for it: the match is played to its end, and
    nobody is named.
    """
    offline = played(cheat, 1)
    seat = offline.seats[cheat.place]
    assert isinstance(seat, cheat) and seat.acted
    assert "answer" in kinds(offline)
    assert audit(offline.file()).verdict is Verdict.CLEAN


def test_verified_cheats_need_no_protest() -> None:
    assert all(cheat.when is not When.PROTEST for cheat in [*verified.CHEATS, *SAME])


@pytest.mark.parametrize("cheat", TABLE_CHEATS, ids=lambda cheat: cheat.__name__)
def test_table_cheat(cheat: type[table_cheats.CheatTable]) -> None:
    for seed in range(TRIES):
        offline = make_offline(
            2, seed, cheat.game, cheat.options, table_type=cheat, dealing="verified"
        )
        offline.play()
        for reader in offline.readers:
            offline.catch_up(reader)
        assert isinstance(offline.live, cheat)
        report = audit(offline.file())
        if offline.live.acted:
            assert report.verdict is Verdict.FAULT
            assert {fault.seat for fault in report.faults} == {TABLE}
            assert cheat.code in {fault.code for fault in report.faults}
            assert all(reader.faults == report.faults for reader in offline.readers)
            return
        assert report.verdict is Verdict.CLEAN
    pytest.fail("the cheat had no occasion")


@pytest.mark.parametrize(
    "cheat", [shares.WrongShare, shuffles.SwapsCard, openings.OpensAsAnotherFace]
)
def test_table_cannot_cover_a_broken_proof(cheat: type[Cheat]) -> None:
    """A table that logs on after a lie is named besides the liar: no entry may follow one that ends
    the match.
    """
    for seed in range(TRIES):
        offline = played(cheat, seed)
        if offline.live.match.faults:
            break
    honest = offline.seats[0]
    reader = offline.readers[0]
    raw = honest.entry(reader.log, Post("receipt", [[0, 0]]))
    with pytest.raises(Refused):
        offline.live.offer(raw, 0)
    table_cheats.CheatTable.log_anyway(offline.live, raw)
    report = audit(offline.file())
    assert {fault.seat for fault in report.faults} == {cheat.place, TABLE}


def test_entry_after_the_end_is_refused() -> None:
    offline = make_offline(2, 1, dealing="verified")
    offline.play()
    for kind, body in (
        ("leave", []),
        ("show", [bytes(32), bytes(64)]),
        ("key", [bytes(32), bytes(64), [], []]),
    ):
        offline.catch_up(offline.readers[0])
        with pytest.raises(Refused) as refusal:
            offline.live.offer(offline.seats[0].entry(offline.readers[0].log, Post(kind, body)), 0)
        assert refusal.value.code is Code.MATCH_OVER


class Mutant(Cheat):
    """Seat that damages one entry of one kind at random."""

    def set(self, rng: Random) -> None:
        self.kind = rng.choice(
            ("sit", "nonce", "key", "shuffle", "shares", "shares", "show", "move", "receipt")
        )
        self.turn, self.chaos = rng.randrange(3) if self.kind in ("move", "shares") else 0, rng
        self.made: dict[int, Post] = {}

    def twist(self, match, post):
        if match.next_number not in self.made:
            damaged = Post(post.kind, mutate(post.body, self.chaos))
            self.made[match.next_number] = damaged if len(self.made) == self.turn else post
        return self.made[match.next_number]

    def move(self, match, action):
        post = super().move(match, action)
        return self.twist(match, post) if self.kind == "move" else post


@pytest.mark.parametrize("batch", range(4))
def test_damaged_entries_are_refused_or_name_their_author(batch: int) -> None:
    """Damaged entries lead to `Refused` or to a fault of their author, and to nothing else."""
    for seed in range(8 * batch, 8 * (batch + 1)):
        rng = Random(seed)
        place, game = rng.randrange(2), rng.choice(("block-dominoes", "draw-dominoes", *POKER))
        options = {"hands": 1} if game in POKER else {"hand": 3}
        offline = make_offline(
            2, seed, game, options, seat_types={place: Mutant}, dealing="verified"
        )
        mutant = offline.seats[place]
        assert isinstance(mutant, Mutant)
        mutant.set(rng)
        offline.play()
        if not offline.live.match.over:
            offline.wait_out(place)
        for reader in offline.readers:
            offline.catch_up(reader)
        report = audit(offline.file())
        assert {fault.seat for fault in report.faults} <= {place}, seed
        assert report.verdict in (Verdict.CLEAN, Verdict.FAULT)
        assert all(reader.faults == report.faults for reader in offline.readers)


def test_clean_match_has_only_the_expected_kinds() -> None:
    """An honest log has no entries of the other dealing, no protest, and none about leavers."""
    offline = make_offline(3, 2, "draw-dominoes", {"hand": 3}, dealing="verified")
    offline.play()
    assert set(kinds(offline)) == {
        "open",
        "sit",
        "nonce",
        "key",
        "shuffle",
        "shares",
        "move",
        "show",
        "receipt",
    }
