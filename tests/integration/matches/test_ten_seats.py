"""Matches of ten seats, the most that a table has: over sockets and without them, by every dealing
that fits, with leavers, a return and talk; their logs audit and replay.
"""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from protocol.audit.replay import Replay
from protocol.audit.report_text import report_lines
from protocol.audit.transcript import transcript_lines
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.dealing import Post
from protocol.dealing.registry import fitting_dealings
from protocol.dealing.residue.log_size import MAX_DEAL_BYTES, deal_log_bytes
from protocol.games.registry import BUILT_IN
from protocol.limits import MAX_ENTRY, MAX_POKER_SEATS, MAX_SEATS, TALK_ENVELOPE
from protocol.match.clock import Allowance
from protocol.match.log import decode_entry
from protocol.match.terms import Terms, make_terms
from protocol.options import BadOptions, Selection
from table.manager.server import TableServer
from tests.support.offline import Offline, make_offline
from tests.support.tables import close_all, config, exported, guest, seated
from tests.support.wire_client import Player

pytestmark = pytest.mark.match

TEN = 10
SHARED = (("leavers", "threshold"),)
GAMES = ("texas-holdem", "omaha")


def ten(game: str, dealing: str, options: tuple[tuple[str, int | str], ...] = ()) -> Terms:
    """Return the terms of one hand for ten."""
    return make_terms(
        Selection(game, (("hands", 1), ("stack", 20))),
        Selection(dealing, options),
        Allowance().options(),
        TEN,
    )


def offline_ten(game: str, dealing: str, **options: str) -> Offline:
    match = make_offline(TEN, 4, game, {"hands": 1, "stack": 20}, options, dealing=dealing)
    match.bots = ("sensible", "random")
    return match


def test_ten_is_the_most_of_a_table_and_of_poker() -> None:
    assert TEN == MAX_SEATS == MAX_POKER_SEATS
    for game in GAMES:
        assert ten(game, "verified").seats == TEN
        for older in BUILT_IN.specs[game].older:
            assert older.seats == (2, 9)  # an older edition keeps its range
    with pytest.raises(BadOptions) as refusal:
        BUILT_IN.specs["five-card-draw"].values(TEN, {})
    assert dict(refusal.value.reason.args)["most"] == 6


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "dealing", "options"),
    [
        ("texas-holdem", "verified", ()),
        ("texas-holdem", "verified", SHARED),
        ("texas-holdem", "commutative", ()),
        ("omaha", "verified", SHARED),
        ("omaha", "commutative", ()),
    ],
)
async def test_ten_play_over_sockets(
    tmp_path: Path, game: str, dealing: str, options: tuple[tuple[str, str], ...]
) -> None:
    chosen = replace(config(tmp_path), terms=ten(game, dealing, options))
    async with TableServer(chosen) as table:
        clients = await seated(table, *range(1, TEN + 1))
        assert sorted(client.seat for client in clients) == list(range(TEN))
        bots = ("sensible", "random")
        players = [Player(client, bots[seat % 2]) for seat, client in enumerate(clients)]
        async with asyncio.timeout(240):
            await asyncio.gather(*(player.run() for player in players))
        assert all(player.file == players[0].file for player in players)
        assert all(player.refused == [] for player in players)
        log = players[0].file
        assert await exported(table, clients[0].match_id) == log
        await close_all(*clients)
    report = audit(log)
    assert (report.verdict, report.faults) == (Verdict.CLEAN, ())
    assert report.reader is not None and sum(report.reader.match.scores) == 20 * TEN


@pytest.mark.slow
async def test_tenth_seat_is_talked_to_and_comes_back(tmp_path: Path) -> None:
    """The first seat talks to the tenth and back. The tenth loses its line in the deal, comes back
    by `resume`, and the match ends.
    """
    terms = ten("texas-holdem", "commutative")
    async with TableServer(replace(config(tmp_path), terms=terms)) as table:
        clients = await seated(table, *range(1, TEN + 1))
        first, last = clients[0], clients[-1]
        assert last.seat == TEN - 1
        envelope = bytes(range(256)) * 4 + bytes(TALK_ENVELOPE - 1024)
        await first.send("relay", first.match_id, last.seat, envelope)
        assert await last.expect("relayed") == [last.match_id, first.seat, envelope]
        await last.send("relay", last.match_id, first.seat, envelope)
        assert await first.expect("relayed") == [first.match_id, last.seat, envelope]
        players = [Player(client, "sensible") for client in clients]
        async with asyncio.timeout(240):
            await asyncio.gather(*(player.run(until=30) for player in players))
            await last.close()
            again = await guest(table, 50, last.name, identity=last.identity)
            await again.send("resume", last.match_id, players[-1].holds, None)
            await again.expect("match")
            again.rng = last.rng
            players[-1].client = again
            await asyncio.gather(*(player.run() for player in players))
        assert {player.file for player in players} == {players[0].file}
        assert audit(players[0].file).verdict is Verdict.CLEAN
        await close_all(*clients[:-1], again)


@pytest.mark.slow
@pytest.mark.process
async def test_ten_return_to_a_restarted_table_with_workers(tmp_path: Path) -> None:
    """The table stops in the middle of the deal. All ten come back, and a worker folds the rest."""
    terms = ten("texas-holdem", "commutative")
    chosen = replace(config(tmp_path), terms=terms, workers=1)
    async with TableServer(chosen) as table:
        players = [Player(client, "sensible") for client in await seated(table, *range(1, TEN + 1))]
        await asyncio.gather(*(player.run(until=35) for player in players))
        match_id = players[0].client.match_id
    for player in players:
        await player.client.close()
    async with TableServer(chosen) as table:
        for player in players:
            before = player.client
            client = await guest(table, 50, before.name, identity=before.identity)
            await client.send("resume", match_id, player.holds, None)
            await client.expect("match")
            client.rng = before.rng
            player.client = client
        async with asyncio.timeout(240):
            await asyncio.gather(*(player.run() for player in players))
        assert {player.file for player in players} == {await exported(table, match_id)}
        assert audit(players[0].file).verdict is Verdict.CLEAN
        await close_all(*(player.client for player in players))


@pytest.mark.slow
@pytest.mark.parametrize("leaver", [0, TEN - 1])
def test_nine_go_on_when_one_of_ten_leaves(leaver: int) -> None:
    """The nine others stand in for its key; nobody else is named, and all chips stay."""
    match = offline_ten("texas-holdem", "verified", leavers="threshold")
    while match.live.match.game is None or match.live.match.game.phase != "play":
        assert any(match.step(seat) for seat in list(match.seats))
    player = next(seat for seat in match.seats if seat.number == leaver)
    match.catch_up(match.readers[leaver])
    match.live.offer(player.entry(match.readers[leaver].log, Post("leave", [])), leaver)
    match.seats.remove(player)
    match.play()
    report = audit(match.file())
    assert [(fault.seat, fault.code) for fault in report.faults] == [(leaver, Code.LEFT)]
    assert match.live.match.over and sum(match.live.match.scores) == 20 * TEN


@pytest.mark.slow
def test_log_of_ten_audits_replays_and_reads_in_columns() -> None:
    match = offline_ten("texas-holdem", "commutative")
    match.play()
    log = match.file()
    assert audit(log).verdict is Verdict.CLEAN
    steps = list(Replay(log, BUILT_IN))
    assert len(steps) == len(match.live.records) and steps[-1].after.over
    lines = list(transcript_lines(log, everything=True))
    assert lines[-1:] == report_lines(audit(log))
    rows = [line for line in lines if line[:6].strip().isdigit()]
    # number of the entry, then number of the seat in two columns, then a name
    assert {row[8:10].strip() for row in rows} >= {str(seat) for seat in range(1, TEN + 1)}
    assert all(row[10] == " " and row[11] != " " for row in rows)
    assert any(row[8:].startswith("10 Jo ") for row in rows)
    assert any(row[8:].startswith(" 9 Ivy ") for row in rows)


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_entries_of_ten_are_far_below_their_bound(game: str) -> None:
    """Keys and shares grow with the seats; a shuffle, the largest entry, does not."""
    match = offline_ten(game, "verified", leavers="threshold")
    match.play()
    sizes: dict[str, int] = {}
    for record in match.live.records:
        kind = decode_entry(record.entry).kind
        sizes[kind] = max(sizes.get(kind, 0), len(record.entry))
    assert max(sizes, key=lambda kind: sizes[kind]) == "shuffle"
    assert sizes["shuffle"] < MAX_ENTRY // 4
    assert sizes["key"] < sizes["shares"] < MAX_ENTRY // 8


def test_poker_by_residues_is_refused_for_ten_and_names_what_fits() -> None:
    """Its log would grow with the square of the seats. Keys for tests, a quarter as long, fit."""
    with pytest.raises(BadOptions) as refusal:
        ten("texas-holdem", "residue")
    assert dict(refusal.value.reason.args)["fewer"] == 6
    assert deal_log_bytes(52, 6, 2048) <= MAX_DEAL_BYTES < deal_log_bytes(52, 7, 2048)
    assert ten("texas-holdem", "residue", (("bits", "breakable-512"),)).seats == TEN


def test_dealings_of_the_games_for_ten_are_those_tested() -> None:
    for game in GAMES:
        rules = BUILT_IN.specs[game].create(TEN, {})
        assert fitting_dealings(rules) == ("verified", "commutative", "residue")
