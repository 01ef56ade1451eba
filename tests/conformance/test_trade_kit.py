"""The kit for programs that trade: our program passes as caller, as host and by letters, and each
broken one fails the right case.
"""

import asyncio
import sys
from fnmatch import fnmatchcase

import pytest

from conformance import report
from conformance.runner import CaseOutcome, CaseState, ConformanceKit, run_case, run_kit
from conformance.trade.kit import SESSION_CASES, make_trade_kit
from conformance.trade.letters import GROUP as LETTERS
from conformance.trade.letters import NO_ANSWER
from protocol.codes import Code
from protocol.errors import LocalError
from tests.conformance.specification import sections
from tests.support.broken_trader import DEFECTS
from tests.support.errors import raises_text
from tests.support.ready import Ready

pytestmark = pytest.mark.process

BOT = "--name Ann --yes --data {data}"
CALLER = f"{sys.executable} -m PROGRAM cards trade {{link}} {BOT}"
HOST = f"{sys.executable} -m PROGRAM cards trade --listen 127.0.0.1:{{port}} {BOT}"
BY_LETTER = (
    f"{sys.executable} -m PROGRAM cards trade --letter {{letter}} --out {{out}} "
    f"--want 'Kit card' {BOT}"
)
EVERY = 6  # one in so many cases runs here; the program runs all
TOGETHER = 4
STUCK_SECONDS = 8.0  # limit for a broken program, which may wait for ever


def _quietly(outcome: CaseOutcome) -> None:
    """Ignore an outcome."""


@pytest.mark.parametrize("command", [CALLER, HOST, BY_LETTER], ids=["caller", "host", "letters"])
async def test_our_programs_conform(command):
    kit = make_trade_kit(command.replace("PROGRAM", "fairdeal"), programs=Ready)
    share = kit.cases[::EVERY]
    outcomes = await run_kit(ConformanceKit(kit.arena, kit.sanity, share), _quietly, TOGETHER)
    assert {outcome.state for outcome in outcomes} == {CaseState.PASSED}, report.to_text(outcomes)


@pytest.mark.parametrize("defect", DEFECTS)
async def test_a_broken_program_fails_the_right_case(defect):
    by_letter = any(_hits(defect, case.name) for case in LETTERS.cases)
    template = BY_LETTER if by_letter else CALLER
    command = template.replace("PROGRAM", f"tests.support.broken_trader {defect}")
    kit, patient = (
        make_trade_kit(command, STUCK_SECONDS, Ready),
        make_trade_kit(command, programs=Ready),
    )
    wrong = [case for case in kit.cases if _hits(defect, case.name)]
    failed, passed = await asyncio.gather(
        run_case(kit, wrong[0]), run_case(patient, patient.sanity)
    )
    assert (failed.state, passed.state) == (CaseState.FAILED, CaseState.PASSED), passed.why


def _hits(defect: str, name: str) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in DEFECTS[defect].fails)


@pytest.mark.parametrize("cases", [SESSION_CASES, LETTERS.cases], ids=["session", "letters"])
def test_trade_case_has_name_section_and_expectation(cases):
    assert len({f"{case.group}/{case.name}" for case in cases}) == len(cases)
    assert [case.name for case in cases if case.section not in sections()] == []
    words = {"clean", "the same bytes", "no_image", NO_ANSWER} | set(map(str, Code))
    assert {case.expects for case in cases} <= words


@pytest.mark.parametrize(
    "command", ["program {link}", "program {link} {port} {data}", "program {letter} {data}"]
)
def test_trade_kit_refuses_command_without_role(command):
    with raises_text(LocalError, match="--trader needs"):
        make_trade_kit(command)
