"""Edition 1 of poker beside edition 2: its logs audit as before, and its matches go on."""

import asyncio
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from protocol.audit.report_text import report_lines
from protocol.audit.transcript import transcript_lines
from protocol.audit.verdict import Verdict, audit
from protocol.games.poker.edition_1 import rules as edition_1
from protocol.games.registry import BUILT_IN, Games
from protocol.match.clock import Allowance
from protocol.match.log_file import read_records
from protocol.match.log_reader import LogReader
from protocol.match.terms import make_terms
from protocol.options import Selection
from table.manager.server import TableServer
from tests.integration.guest_games.test_editions import read_anew
from tests.support.offline import make_offline
from tests.support.tables import config, exported, guest, seated
from tests.support.wire_client import Player

pytestmark = pytest.mark.match

LOGS = Path(__file__).parents[2] / "editions"
NAMES = ("texas-holdem", "five-card-draw")
# the scores and numbers of entries that the program before edition 2 gave
ENDS = {"texas-holdem": ((0, 120, 0), 179), "five-card-draw": ((0, 81, 9), 65)}
FIRST = Games(BUILT_IN.specs | {name: BUILT_IN.specs[name].older[0] for name in NAMES})


@pytest.mark.parametrize("name", NAMES)
def test_stored_log_of_edition_1_audits_as_before(name: str) -> None:
    log = (LOGS / f"{name}-1.fairdeal").read_bytes()
    report = audit(log)
    assert (report.verdict, report.faults) == (Verdict.CLEAN, ())
    assert report.reader is not None
    assert (report.reader.match.scores, report.entries) == ENDS[name]
    assert report_lines(report)[-1] in list(transcript_lines(log))


def test_stored_log_without_pokerkit_names_the_library() -> None:
    specs = {
        name: replace(
            BUILT_IN.specs[name],
            older=(replace(BUILT_IN.specs[name].older[0], library="no-such-library"),),
        )
        for name in NAMES
    }
    report = audit((LOGS / "texas-holdem-1.fairdeal").read_bytes(), Games(specs))
    assert (report.verdict, report.faults) == (Verdict.UNJUDGED, ())
    (line,) = report_lines(report)
    assert "not to be judged here" in line and "pip install" in line


def test_stored_log_has_a_call_of_a_short_big_blind() -> None:
    """Edition 2 would ask for the whole big blind there."""
    prices = []
    records = list(read_records((LOGS / "texas-holdem-1.fairdeal").read_bytes()))
    reader = LogReader(*records[0])
    for record in records[1:]:
        state = reader.match.game
        if state is not None and state.phase == "play" and not state.board:
            prices.append((max(state.facts.bets), state.stakes.blind))
        reader.feed(*record)
    assert any(highest < blind for highest, blind in prices)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("entries", [30, 55])
def test_match_of_edition_1_goes_on_ends_and_audits(name: str, entries: int) -> None:
    match = make_offline(3, 5, name, {"hands": 2}, dealing="commutative", games=FIRST)
    match.bots = ("sensible", "random")
    while len(match.live.records) < entries:
        assert any(match.step(seat) for seat in match.seats)
    went_on = read_anew(match, BUILT_IN)
    went_on.play()
    end = went_on.live.match
    assert end.over and went_on.refused == [] and sum(end.scores) == 600
    assert isinstance(end.setup.game, edition_1.Poker)
    assert audit(went_on.file()).verdict is Verdict.CLEAN


async def test_match_of_edition_1_goes_on_at_an_updated_table(tmp_path) -> None:
    """The table is of the edition before, the players are newer; then the table is updated."""
    terms = make_terms(
        Selection("texas-holdem", (("hands", 2), ("stack", 30))),
        Selection("commutative"),
        Allowance().options(),
        2,
        FIRST,
    )
    assert terms.rules.startswith("1+")
    async with TableServer(replace(config(tmp_path), terms=terms, games=FIRST)) as table:
        players = [Player(client, "sensible") for client in await seated(table, 1, 2)]
        await asyncio.gather(*(player.run(until=25) for player in players))
        match_id = players[0].client.match_id
    for player in players:
        await player.client.close()
    newest = make_terms(terms.game, terms.dealing, terms.clock, terms.seats)
    async with TableServer(replace(config(tmp_path), terms=newest)) as table:
        for player, name in zip(players, ("Seat A", "Seat B"), strict=True):
            client = await guest(table, 50, name, identity=player.client.identity)
            await client.send("resume", player.client.match_id, player.holds, None)
            await client.expect("match")
            client.rng = player.client.rng
            player.client = client
        async with asyncio.timeout(60):
            await asyncio.gather(*(player.run() for player in players))
        assert players[0].file == players[1].file == await exported(table, match_id)
        assert audit(players[0].file).verdict is Verdict.CLEAN
        for player in players:
            await player.client.close()


@pytest.mark.process
def test_only_edition_1_imports_pokerkit() -> None:
    """Whoever has no pokerkit plays, and audits, matches of the newest edition."""
    without = "import sys; sys.modules['pokerkit'] = None"
    plays = "from tests.integration.matches.test_poker import match; match('omaha', 2).play()"
    done = subprocess.run(
        [sys.executable, "-c", f"{without}; {plays}"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
