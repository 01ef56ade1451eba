"""Game that is missing on one computer, or has another version there: it is not judged there, and
nobody is named.
"""

import asyncio
from dataclasses import replace
from random import Random

import pytest

from bots.random_bot import random_bot
from player.client.environment import Environment
from player.client.reconnect import client_for, visit
from player.client.seat import Seat
from player.client.table_client import Plan
from player.client.table_match import TableMatch
from player.storage.agreement import Agreement
from protocol.__main__ import main
from protocol.audit.report_text import report_lines
from protocol.audit.verdict import AuditReport, Verdict, audit, report_data
from protocol.games.registry import BUILT_IN, Games, UnknownRules
from protocol.i18n import english_text
from protocol.identity.keys import Identity, JoinLink
from protocol.match.clock import Allowance
from protocol.match.terms import make_terms
from protocol.options import Selection
from table.manager.server import TableServer
from tests.support.guest_games.offline_match import GUESTS, guest_match, leave, until_playing
from tests.support.offline import make_offline
from tests.support.tables import config

NEWER = Games(GUESTS.specs | {"nim for all": replace(GUESTS.specs["nim for all"], edition="2")})
# games without the greatest length of a match
OLDER = Games(
    BUILT_IN.specs
    | {
        name: replace(BUILT_IN.specs[name], edition="1")
        for name in ("block-dominoes", "draw-dominoes", "ligretto")
    }
)
ELSEWHERE = [
    (BUILT_IN, "There is no game nim for all here."),
    (NEWER, "by rules 1, this program by rules 2."),
]


@pytest.mark.parametrize(("games", "words"), ELSEWHERE)
def test_audit_without_rules_names_no_leaver(games, words):
    match = guest_match("nim for all", 2)
    until_playing(match)
    leave(match, 1)
    assert audit(match.file(), GUESTS).verdict is Verdict.FAULT
    report = audit(match.file(), games)
    assert (report.verdict, report.faults) == (Verdict.UNJUDGED, ())
    (line,) = report_lines(report)
    named = " The log names nim for all, edition 1."
    assert line.startswith("not to be judged here: ") and line.endswith(words + named)
    data = report_data(report)
    assert (data["game"], data["edition"]) == ("nim for all", "1")


@pytest.mark.parametrize("name", ["block-dominoes", "draw-dominoes", "ligretto"])
def test_log_of_edition_one_names_no_leaver(name):
    match = make_offline(2, 1, name, dealing="verified", games=OLDER)
    until_playing(match)
    leave(match, 1)
    assert audit(match.file(), OLDER).verdict is Verdict.FAULT
    report = audit(match.file())
    assert (report.verdict, report.faults) == (Verdict.UNJUDGED, ())
    here = f"by rules 1, this program by rules {BUILT_IN.specs[name].version}."
    assert report_lines(report)[0].endswith(f"{here} The log names {name}, edition 1.")


def test_log_of_an_unknown_dealing_names_no_leaver():
    match = make_offline(2, 1, "draw-dominoes", dealing="verified")
    until_playing(match)
    leave(match, 1)
    assert audit(match.file()).verdict is Verdict.FAULT
    report = audit(match.file().replace(b"\xa8verified", b"\xa8verifi-2", 1))
    assert (report.verdict, report.faults) == (Verdict.UNJUDGED, ())
    assert "does not know the dealing verifi-2" in report_lines(report)[0]


def test_names_in_an_unjudged_log_are_shown_without_control_characters():
    unknown = UnknownRules("nim\x1b[31m\n", "9\u202e")
    (line,) = report_lines(AuditReport(Verdict.UNJUDGED, None, unknown_rules=unknown))
    assert line.endswith("The log names nim\ufffd[31m\ufffd, edition 9\ufffd.")


@pytest.mark.parametrize("command", ["audit", "show", "compare", "clock", "show --hands=phh"])
def test_audit_without_rules_has_its_own_exit_code(tmp_path, capsys, command):
    match = guest_match("nim for all", 2)
    match.play()
    file = tmp_path / "nim.fairdeal"
    file.write_bytes(match.file())
    files = (2 if command in ("compare", "clock") else 1) * [str(file)]
    assert main([*command.split(), *files]) == 3
    said = "".join(capsys.readouterr())
    assert "not to be judged here" in said and "The log names nim for all, edition 1." in said


@pytest.mark.parametrize(("games", "words"), ELSEWHERE)
def test_player_not_warned_by_listing_leaves_before_sitting(games, words):
    match = guest_match("nim for all", 2)
    setup = match.live.match.setup
    environment = Environment(
        Identity(bytes(32)), Random(1), Seat, random_bot, lambda event: None, games=games
    )
    agreement = Agreement(
        match.live.log.match_id, setup.table.key, "main", 0, setup.people[0], None
    )
    playing = TableMatch(agreement, 1, environment)
    first = match.live.records[0]
    playing.read(0, first.entry, first.head)
    assert playing.over and playing.faults == () and playing.next_post() is None
    assert playing.stopped is not None and english_text(playing.stopped).endswith(words)


@pytest.mark.match
async def test_player_declines_at_table_before_joining_and_others_play(tmp_path):
    terms = make_terms(
        Selection("nim for all"), Selection("none"), Allowance().options(), 2, GUESTS
    )
    async with TableServer(replace(config(tmp_path), terms=terms, games=GUESTS)) as table:
        link = JoinLink.parse(str(table.link))

        def comes(seed: int, games: Games):
            who, bot = Identity(Random(seed).randbytes(32)), random_bot
            environment = Environment(who, Random(seed), Seat, bot, lambda event: None, games=games)
            return visit(
                client_for(Plan(f"Guest {seed}"), environment, None), link, link.fingerprint
            )

        for seed, (games, words) in enumerate(ELSEWHERE, 3):
            outcome = await comes(seed, games)
            assert (
                outcome.faults == ()
                and outcome.reason is not None
                and english_text(outcome.reason).endswith(words)
            )
            assert not table.lobby.tables["main"].waiting
        both = await asyncio.gather(comes(1, GUESTS), comes(2, GUESTS))
        assert {outcome.verdict for outcome in both} == {Verdict.CLEAN}
