"""Cheats over real sockets, against the real table and real clients: each is refused, or named by
everybody with the evidence.

The cases include each cheat that once worked against programs of this kind, and each weak point of
the deal. Two old attacks have no counterpart here. Code execution through unpickling: nothing is
unpickled, and tests/adversary/hostile/test_no_code_from_bytes.py keeps it so. Computing the whole
stock from short keys and a public index: keys have 32 bytes and are used once.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from bots.registry import BOTS
from player.client.outcome import Outcome
from player.client.seat import Seat
from player.client.table_client import Plan
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.dealing import TABLE
from protocol.identity.keys import Identity
from protocol.match.clock import Allowance
from protocol.match.log import NO_HASH, decode_entry
from protocol.match.log_file import MAGIC, encode_record, read_records
from protocol.match.terms import make_terms
from protocol.options import Selection
from table.config import Config
from table.lobby.matches import Matches
from table.lobby.tables import LobbyTable
from table.manager.server import TableServer
from table.match.live_match import LiveMatch
from table.storage.disk.writer import Writer
from tests.adversary.cheats import clock, conduct, draws, hands, layers, selection, slots
from tests.adversary.cheats import play as game
from tests.adversary.cheats import table as table_cheats
from tests.adversary.cheats.base import Cheat, When
from tests.adversary.cheats.table import CheatTable
from tests.support.offline import NAMES
from tests.support.play import play
from tests.support.tables import until

pytestmark = pytest.mark.match

TRIES = 40  # matches until the cheat has had its opportunity, which comes in a third of them
MATCH_SECONDS = 30
USUAL = Allowance()
# longer than an honest seat of these matches needs; the time that a silent seat costs the test
SHORT = Allowance(0, 2, 1)
# more points than any first hand of these seeds is worth, for cheats that need a second hand
SECOND_HAND = 50
# it may be its turn when its entry arrives; its view is stale then
RACES = {conduct.OutOfTurn: Code.STALE}

# these may be the last two slots, which counts as one too many at once
ALSO = {slots.FillsTheLastSlot: (Code.TOOK_TOO_MANY,)}

SEAT_CHEATS: dict[str, tuple[type[Cheat], ...]] = {
    "a MAC over one field: entries of others, of other matches, for other seats": (
        conduct.PostsForAnother,
        conduct.PostsForTheTable,
        conduct.SignsForAnotherMatch,
        conduct.SawAnotherLog,
    ),
    "key agreement without identities": (conduct.LowOrderMatchKey, conduct.CopiesMatchKey),
    "no sequence numbers": (conduct.PostsTwice, conduct.SkipsANumber),
    "a crash on some byte strings": (conduct.Garbage, selection.EmptyHop),
    "message sizes that tell who picked when": (selection.LongHop,),
    "taking eight tiles, or two at once, or none": (
        selection.TakesEight,
        selection.TakesTwo,
        selection.TakesNone,
        slots.FillsNone,
    ),
    "playing a tile never held": (game.PlaysUnheld, game.Borrower),
    "self-reported points": (game.OwnPoints,),
    "illegal moves and moves out of turn": (game.PlaysWhatDoesNotFit, conduct.OutOfTurn),
    "the last decryptor seeing each drawn tile; looking at another": (
        draws.Peeks,
        draws.LiesAboutPeeking,
    ),
    "the drawer dictating the new stock": (
        draws.DrawsFromHands,
        selection.StockOfAnother,
        selection.StockTooSmall,
        selection.KeepsTheStock,
    ),
    "commitments that open two ways, or are copied": (
        hands.OpensAnotherHand,
        hands.CommitsToNothing,
        hands.CopiesCommitment,
        hands.CopiesSlotKey,
    ),
    "overwritten or doubled key slots": (
        slots.OverwritesSlot,
        slots.CopiesSlot,
        slots.FillsTheLastSlot,
    ),
    "corrupt layers, wrong keys": (
        layers.LayerTwice,
        layers.LayerCorrupt,
        layers.WrongStripKeys,
        hands.OpensOtherLayerKeys,
        draws.WrongKeyToDrawer,
        selection.GarbageHop,
    ),
    "counts that do not add up": (selection.PutsBack,),
    "a false 'cannot play'": (game.FalsePass, game.FalseDraw),
    "a message of an earlier hand or round": (
        selection.HopOfAnotherHand,
        selection.HopOfAnotherRound,
        conduct.CommitOfAnotherHand,
    ),
    "voiding a hand that is lost": (
        conduct.FalseProtest,
        conduct.FalseProtestAtTheClose,
        conduct.Leaves,
    ),
}

TABLE_CHEATS: dict[str, tuple[type[CheatTable], ...]] = {
    "sitting in the middle of the key agreement": (table_cheats.SwapsMatchKey,),
    "changing a field beside the one that is authenticated": (
        table_cheats.MisquotesASeat,
        table_cheats.MovesForASeat,
    ),
    "no sequence numbers": (table_cheats.LogsTwice,),
    "a crash on some byte strings": (table_cheats.LogsGarbage, table_cheats.TellsNonsense),
    "replacing dealt tiles after the commitments": (
        table_cheats.TellsAStockPiece,
        table_cheats.TellsAnothersPiece,
    ),
    "stacking or doubling the deck": (table_cheats.TileTwice, table_cheats.TileBeyond),
    "seeing each drawn tile": (table_cheats.IdentityPoint, table_cheats.SpoilsOneSlot),
    "commitments that open two ways": (
        table_cheats.OpensOtherPieces,
        table_cheats.OpensOtherTransferSecret,
    ),
    "ending a match that went wrong": (
        table_cheats.LapsesWhoOwesNothing,
        clock.LapsesTooEarly,
        clock.LapsesUnwarned,
    ),
}


def cases(groups: dict[str, tuple[type, ...]]) -> list[object]:
    """Return all cheats as named test cases."""
    return [pytest.param(each, id=each.__name__) for group in groups.values() for each in group]


def config(
    data: Path, kind: type[Cheat] | type[CheatTable], seats: int, limits: Allowance = USUAL
) -> Config:
    """Return a table with terms under which this cheat has its opportunity; one short hand decides
    unless the cheat needs more.
    """
    options = {"target": 1} | kind.options
    options["target"] = min(options["target"], SECOND_HAND)
    dealing_options = getattr(kind, "dealing_options", {})
    dealing = tuple(dealing_options.items())
    terms = make_terms(
        Selection(kind.game, tuple(options.items())),
        Selection("layered", dealing),
        limits.options(),
        seats,
    )
    return Config(data, port=0, terms=terms, rng=Random(5))


class Party:
    """A table and the people who play there, match after match."""

    def __init__(self, table: TableServer, folder: Path) -> None:
        self.table, self._folder, self._rng = table, folder, Random(11)
        self._matches = 0

    async def match(
        self, types: dict[int, Callable[..., Seat]], plans: tuple[Plan, ...] = ()
    ) -> list[Outcome]:
        """Play one match from the first join to the last goodbye and return the outcomes by seat.
        Seats not in `types` are honest.
        """
        self._matches += 1
        tasks = []
        async with asyncio.timeout(MATCH_SECONDS):
            seats = self.table.config.terms.seats
            for seat in range(seats):
                plan = plans[min(seat, len(plans) - 1)] if plans else Plan("")
                tasks.append(asyncio.create_task(self._play(seat, types.get(seat, Seat), plan)))
                if seat + 1 < seats:  # seats are numbered in the order of joining
                    await until(lambda joined=seat + 1: self._waiting() == joined)
            return await asyncio.gather(*tasks)

    async def honest(self, anew: bool = False) -> None:
        """Play a match without cheats at the same table process and check that it ends clean."""
        plans = ()
        if anew:
            plans = Plan("", create=self.table.config.terms), Plan("", "table-1")
        else:
            await until(lambda: self.table.lobby.tables["main"].room is None)
        outcomes = await self.match({}, plans)
        assert {outcome.verdict for outcome in outcomes} == {Verdict.CLEAN}
        assert {outcome.refusals for outcome in outcomes} == {()}
        assert audit(log_of(self.table, outcomes[0])).verdict is Verdict.CLEAN

    async def _play(self, seat: int, kind: Callable[..., Seat], plan: Plan) -> Outcome:
        path = self._folder / f"{self._matches}-{seat}.fairdeal"
        bot = BOTS[("greedy", "random")[seat % 2]]
        rng = Random(self._rng.random())
        identity = Identity(rng.randbytes(32))
        return await play(
            self.table.link,
            identity,
            NAMES[seat],
            bot,
            rng=rng,
            log_path=path,
            seat_type=kind,
            plan=plan,
        )

    def _waiting(self) -> int:
        tables: list[LobbyTable] = list(self.table.lobby.tables.values())
        return sum(len(each.waiting) for each in tables)


def log_of(table: TableServer, outcome: Outcome) -> bytes:
    """Return the table's log of the match as a file, although the match may never have ended for
    the table.
    """
    assert outcome.reader is not None
    assert isinstance(table.storage, Writer)
    match_id, hashed, data = outcome.reader.log.match_id, NO_HASH, MAGIC
    records = table.storage.journal.records(match_id)
    for number, (entry, head) in enumerate(records):
        hashed = digest("chain", hashed, number, entry)
        data += encode_record(entry, head or table.identity.sign("head", match_id, number, hashed))
    return data


def named(faults) -> set[tuple[int, Code]]:
    return {(fault.seat, fault.code) for fault in faults}


def files_and_faults(table: TableServer, honest: list[Outcome]) -> list[tuple[bytes, object]]:
    """Return every kept log of the match, with the faults that its keeper found."""
    kept = [(outcome.log_path.read_bytes(), outcome.faults) for outcome in honest]
    kept.append((log_of(table, honest[0]), honest[0].faults))
    assert len({data for data, _ in kept}) == 1
    return kept


def is_named(table: TableServer, honest: list[Outcome], seat: int, *codes: Code) -> None:
    """Check that everybody, and the audit of every file, names this party alone with one of these
    codes.
    """
    for data, found in files_and_faults(table, honest):
        report = audit(data)
        assert report.verdict is Verdict.FAULT
        assert report.faults == found
        assert {fault.seat for fault in report.faults} == {seat}
        assert not {fault.code for fault in report.faults}.isdisjoint(codes)
    assert {outcome.verdict for outcome in honest} == {Verdict.FAULT}


def is_refused(
    table: TableServer, cheater: Outcome, honest: list[Outcome], cheat: type[Cheat]
) -> None:
    """Check that the cheater was told of the refusal and nobody is named for it. A cheater that
    then leaves is named for leaving.
    """
    assert {cheat.code, RACES.get(cheat, cheat.code)} & set(cheater.refusals)
    for data, found in files_and_faults(table, honest):
        report = audit(data)
        assert report.faults == found
        assert named(found) <= {(cheat.place, Code.LEFT)}
        assert report.verdict in (Verdict.CLEAN, Verdict.FAULT)


async def until_it_acts(party: Party, cheat: type[Cheat]) -> list[Outcome]:
    """Play matches with the cheat until it has had its opportunity; check that the matches without
    it are clean.
    """
    for _ in range(TRIES):
        sat: list[Cheat] = []

        def sit(*arguments, sat=sat, **more) -> Cheat:
            sat.append(cheat(*arguments, **more))
            return sat[0]

        outcomes = await party.match({**getattr(cheat, "friends", {}), cheat.place: sit})
        if sat[0].acted:
            return outcomes
        assert {outcome.verdict for outcome in outcomes} == {Verdict.CLEAN}
        await until(lambda: party.table.lobby.tables["main"].room is None)
    pytest.fail("the cheat had no occasion")


async def _run_cheat(cheat: type[Cheat], folder: Path, limits: Allowance = USUAL) -> None:
    async with TableServer(config(folder / "table", cheat, cheat.seats, limits)) as table:
        party = Party(table, folder)
        outcomes = await until_it_acts(party, cheat)
        honest = [outcome for seat, outcome in enumerate(outcomes) if seat != cheat.place]
        if cheat.when is When.REFUSED:
            is_refused(table, outcomes[cheat.place], honest, cheat)
        else:
            is_named(table, honest, cheat.place, cheat.code, *ALSO.get(cheat, ()))
        await party.honest()


@pytest.mark.parametrize("cheat", cases(SEAT_CHEATS))
async def test_cheating_seat_is_refused_or_named(cheat: type[Cheat], tmp_path: Path) -> None:
    await _run_cheat(cheat, tmp_path)


@pytest.mark.parametrize(
    "cheat", [*(each for each in conduct.SILENT if each.kind in ("sit", "hop", "open_seat"))]
)
async def test_silent_seat_is_named_after_its_time(cheat: type[Cheat], tmp_path: Path) -> None:
    await _run_cheat(cheat, tmp_path, SHORT)


async def test_selective_abort_does_not_hang_the_table(tmp_path: Path) -> None:
    """A seat that stays silent on a live connection after an unwelcome card: the match ends, and
    the table is free.
    """
    cheat = conduct.NeverMoves
    async with TableServer(config(tmp_path / "table", cheat, cheat.seats, SHORT)) as table:
        party = Party(table, tmp_path)
        outcomes = await until_it_acts(party, cheat)
        honest = [outcome for seat, outcome in enumerate(outcomes) if seat != cheat.place]
        is_named(table, honest, cheat.place, Code.LAPSED)
        assert outcomes[cheat.place].faults == honest[0].faults  # the cheater stayed to the end
        await until(lambda: not table.connections)
        assert table.lobby.tables["main"].room is None
        await party.honest()


@pytest.mark.parametrize("table_type", cases(TABLE_CHEATS))
async def test_cheating_table_is_named(table_type: type[CheatTable], tmp_path: Path) -> None:
    made: list[CheatTable] = []

    class Kept(table_type):  # type: ignore[misc, valid-type]
        def __init__(self, *arguments) -> None:
            super().__init__(*arguments)
            made.append(self)

    class CheatMatches(Matches):
        match_type = Kept

    async with TableServer(
        config(tmp_path / "table", table_type, 3), matches=CheatMatches
    ) as table:
        party = Party(table, tmp_path)
        for _ in range(TRIES):
            CheatMatches.match_type = Kept
            outcomes = await party.match({})
            CheatMatches.match_type = LiveMatch
            if made[-1].acted:
                break
            assert {outcome.verdict for outcome in outcomes} == {Verdict.CLEAN}
            await until(lambda: table.lobby.tables["main"].room is None)
        is_named(table, outcomes, TABLE, table_type.code)
        await party.honest(anew=True)  # for a table that has forged its log the match may never end


async def test_sealed_hops_of_a_stage_have_one_size(tmp_path: Path) -> None:
    """The visible size and time of a hop do not show which seat took a piece."""
    async with TableServer(config(tmp_path / "table", draws.Peeks, 3)) as table:
        outcomes = await Party(table, tmp_path).match({})
        entries = [decode_entry(raw) for raw, _ in read_records(log_of(table, outcomes[0]))]
    for kind in ("hop", "slot_hop"):
        assert len({len(entry.body[0]) for entry in entries if entry.kind == kind}) == 1
