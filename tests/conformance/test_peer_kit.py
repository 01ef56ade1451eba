"""The kit for programs without a table: our program passes as guest and as host, and each broken
one fails the right cases.
"""

import asyncio
import sys
from fnmatch import fnmatchcase

import pytest

from conformance import report
from conformance.direct.kit import GUEST_CASES, HOST_CASES, make_peer_kit
from conformance.runner import CaseOutcome, CaseState, ConformanceKit, run_case, run_cases, run_kit
from protocol.codes import Code
from protocol.errors import LocalError
from tests.conformance.specification import sections
from tests.support.broken_peer import DEFECTS
from tests.support.errors import raises_text
from tests.support.ready import Ready

pytestmark = pytest.mark.process

BOT = "--name Ann --bot greedy --quiet --data {data}"
GAME = "--game block-dominoes --option hand=2 --option target=1 --deal commutative"
GUEST = f"{sys.executable} -m PROGRAM join {{link}} {BOT}"
HOST = f"{sys.executable} -m PROGRAM invite --listen 127.0.0.1:{{port}} {GAME} {BOT}"
EVERY = 4  # one in so many cases runs here; the program runs all
TOGETHER = 4
STUCK_SECONDS = 8.0  # limit for a broken program, which may wait for ever


def _quietly(outcome: CaseOutcome) -> None:
    """Ignore an outcome."""


@pytest.mark.parametrize("command", [GUEST, HOST], ids=["guest", "host"])
async def test_our_programs_conform(command):
    kit = make_peer_kit(command.replace("PROGRAM", "player"), programs=Ready)
    share = [
        case
        for number, case in enumerate(kit.cases)
        if number % EVERY == 0 or "killed-before-pack" in case.name
    ]
    outcomes = await run_kit(ConformanceKit(kit.arena, kit.sanity, share), _quietly, TOGETHER)
    assert report.exit_code(outcomes) == report.PASSED, report.to_text(outcomes)


@pytest.mark.parametrize("command", [GUEST, HOST], ids=["guest", "host"])
async def test_our_programs_conform_as_a_person_starts_them(command):
    kit = make_peer_kit(command.replace("PROGRAM", "player"))
    killed = [case for case in kit.cases if "killed-before-pack" in case.name]
    outcomes = await run_cases(kit, [kit.sanity, *killed])
    assert killed and {outcome.state for outcome in outcomes} == {CaseState.PASSED}, report.to_text(
        outcomes
    )


@pytest.mark.parametrize("defect", DEFECTS)
async def test_a_broken_program_fails_the_right_case(defect):
    template = GUEST if any(_hits(defect, case.name) for case in GUEST_CASES) else HOST
    command = template.replace("PROGRAM", f"tests.support.broken_peer {defect}")
    kit, patient = (
        make_peer_kit(command, STUCK_SECONDS, Ready),
        make_peer_kit(command, programs=Ready),
    )
    wrong = [case for case in kit.cases if _hits(defect, case.name)]
    failed, passed = await asyncio.gather(
        run_case(kit, wrong[0]), run_case(patient, patient.sanity)
    )
    assert (failed.state, passed.state) == (CaseState.FAILED, CaseState.PASSED), passed.why


def _hits(defect: str, name: str) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in DEFECTS[defect].fails)


def test_every_defect_names_cases_that_exist():
    names = [case.name for case in (*GUEST_CASES, *HOST_CASES)]
    for defect, (_, patterns) in DEFECTS.items():
        assert all(any(fnmatchcase(name, pattern) for name in names) for pattern in patterns), (
            defect
        )


@pytest.mark.parametrize("cases", [GUEST_CASES, HOST_CASES], ids=["guest", "host"])
def test_peer_case_has_name_and_cites_existing_section(cases):
    assert len({f"{case.group}/{case.name}" for case in cases}) == len(cases)
    assert [case.name for case in cases if case.section not in sections()] == []


def test_peer_case_expectation_is_code_or_documented_phrase():
    words = {"stops", "clean", "the same bytes", "from number 0", "dropped", "accepts nothing"}
    assert {case.expects for case in (*GUEST_CASES, *HOST_CASES)} <= words | set(map(str, Code))


@pytest.mark.parametrize(
    "command", ["program {data}", "program {link} {port} {data}", "program {link}"]
)
def test_peer_kit_refuses_command_without_role(command):
    with raises_text(LocalError, match="for a guest"):
        make_peer_kit(command)
