"""The kit for players: our player passes, and each broken one fails exactly the right cases."""

import asyncio
import subprocess
import sys
from fnmatch import fnmatchcase

import pytest

from conformance import report
from conformance.case import Case
from conformance.command import main
from conformance.player.kit import CASES, make_player_kit
from conformance.runner import CaseOutcome, CaseState, ConformanceKit, run_case, run_kit
from protocol.codes import Code
from protocol.errors import LocalError
from tests.conformance.specification import sections
from tests.support.broken_player import DEFECTS
from tests.support.errors import raises_text
from tests.support.ready import Ready

pytestmark = pytest.mark.process

OURS = f"{sys.executable} -m player {{link}} --name Ann --bot greedy --data {{data}}"
BROKEN = (
    f"{sys.executable} -m tests.support.broken_player DEFECT {{link}} --name Ann --bot greedy "
    "--data {data}"
)
EVERY = 5  # one in so many cases runs here; the program runs all
TOGETHER = 4
WEB_GROUPS = {"stream", "moving"}  # in which a WebSocket differs most from TCP
STUCK_SECONDS = 5.0  # limit for a broken player, which may wait for ever
# cases that must pass with any defect
NEIGHBOURS = ("record-twice", "entry-that-a-seat-did-not-sign", "another-game")


def _quietly(outcome: CaseOutcome) -> None:
    """Ignore an outcome."""


async def test_our_player_conforms():
    kit = make_player_kit(OURS, programs=Ready)
    share = [
        case for number, case in enumerate(CASES) if number % EVERY == 0 or "killed" in case.name
    ]
    outcomes = await run_kit(ConformanceKit(kit.arena, kit.sanity, share), _quietly, TOGETHER)
    assert report.exit_code(outcomes) == report.PASSED, report.to_text(outcomes)
    assert all(outcome.state is CaseState.PASSED for outcome in outcomes)


async def test_our_player_conforms_over_websockets():
    kit = make_player_kit(OURS, programs=Ready, websocket=True)
    share = [case for case in CASES if case.group in WEB_GROUPS or "on-the-way-back" in case.name]
    outcomes = await run_kit(ConformanceKit(kit.arena, kit.sanity, share), _quietly, TOGETHER)
    assert all(outcome.state is CaseState.PASSED for outcome in outcomes), report.to_text(outcomes)


async def test_our_player_started_normally_conforms():
    kit = make_player_kit(OURS)
    killed = [case for case in CASES if case.name == "player-killed-with-an-entry-under-way"]
    outcomes = await run_kit(ConformanceKit(kit.arena, kit.sanity, killed), _quietly)
    assert [outcome.state for outcome in outcomes] == [CaseState.PASSED] * 3, report.to_text(
        outcomes
    )


@pytest.mark.parametrize("defect", DEFECTS)
async def test_a_broken_player_fails_the_right_case(defect):
    command = BROKEN.replace("DEFECT", defect)
    failed, passed = await asyncio.gather(
        run_case(make_player_kit(command, STUCK_SECONDS, Ready), _meant(defect)[0]),
        # without the short limit
        run_case(make_player_kit(command, programs=Ready), _neighbour(defect)),
    )
    assert (failed.state, passed.state) == (CaseState.FAILED, CaseState.PASSED), passed.why


def _meant(defect: str) -> list[Case]:
    """Return the cases that must fail."""
    return [
        case
        for case in CASES
        if any(fnmatchcase(case.name, pattern) for pattern in DEFECTS[defect].fails)
    ]


def _neighbour(defect: str) -> Case:
    return [case for case in CASES if case.name in NEIGHBOURS][
        list(DEFECTS).index(defect) % len(NEIGHBOURS)
    ]


def test_every_defect_names_cases_that_exist():
    for defect, (_, patterns) in DEFECTS.items():
        assert all(
            any(fnmatchcase(case.name, pattern) for case in CASES) for pattern in patterns
        ), defect
    assert len(DEFECTS) >= 8


def test_cases_are_many_and_each_cites_a_section_that_exists():
    assert len(CASES) >= 40
    assert len({f"{case.group}/{case.name}" for case in CASES}) == len(CASES)
    known = sections()
    assert [case.name for case in CASES if case.section not in known] == []


def test_player_case_expectation_is_code_or_documented_phrase():
    words = {"clean", "dropped", "ends", "stops", "protest", "confirm", "answer", "stand_in"}
    words |= {"does not sit down", "the same bytes", "not acted on", "goes on, or says goodbye"}
    words |= {"goes on, or says goodbye"}
    assert {case.expects for case in CASES} <= words | set(map(str, Code))


def test_a_command_without_a_link_is_refused():
    with raises_text(LocalError, match="link"):
        make_player_kit("fairdeal join")


async def test_a_command_that_does_not_play_is_unreachable():
    kit = make_player_kit(f"{sys.executable} -c 'print(1)' {{link}}", 1.0)
    outcomes = await run_kit(kit, _quietly)
    assert report.exit_code(outcomes) == report.UNREACHABLE
    assert "did not" in outcomes[0].why


@pytest.mark.process
def test_kit_without_websockets_checks_players_over_tcp():
    script = """
import sys
sys.modules["websockets"] = None
from conformance.player.kit import make_player_kit
from protocol.errors import LocalError
make_player_kit("player {link}")
try:
    make_player_kit("player {link}", websocket=True)
except LocalError as error:
    print(error.phrase.key)
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["wrong.web.install"]


def test_websocket_without_a_player_is_refused(capsys):
    with pytest.raises(SystemExit):
        main(["fairdeal://127.0.0.1:1", "--websocket"], "kit")
    assert "--websocket needs --player" in capsys.readouterr().err
