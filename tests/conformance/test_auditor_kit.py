"""The kit for auditors: our auditor passes, and each broken one fails the right case."""

import asyncio
import json
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from conformance import report
from conformance.auditor.kit import auditor_cases, compared, make_auditor_kit
from conformance.auditor.matches import MATCHES, make_match
from conformance.auditor.program import AuditorProgram
from conformance.case import CaseFailed
from conformance.runner import CaseOutcome, CaseState, ConformanceKit, run_case, run_kit
from conformance.scope import MINIMAL
from protocol.audit.verdict import Verdict
from protocol.dealing.registry import DEALINGS
from protocol.games.registry import BUILT_IN
from protocol.match.log import decode_entry
from tests.conformance.specification import sections
from tests.support.broken_auditor import DEFECTS

pytestmark = pytest.mark.process

LINES = f"{sys.executable} -m tests.support.broken_auditor DEFECT"
EACH = f"{sys.executable} -m fairdeal audit {{log}} --json"
EVERY = 40  # one in so many cases runs here; the program runs all


def _quietly(outcome: CaseOutcome) -> None:
    """Ignore an outcome."""


async def _run(kit: ConformanceKit, cases) -> list[CaseOutcome]:
    try:
        return await run_kit(ConformanceKit(kit.arena, kit.sanity, cases), _quietly, 2)
    finally:
        await kit.close()


async def test_our_auditor_asked_line_by_line_conforms():
    kit = make_auditor_kit(LINES.replace("DEFECT", "none"))
    outcomes = await _run(kit, kit.cases[::EVERY])
    assert all(outcome.state is CaseState.PASSED for outcome in outcomes), report.to_text(outcomes)


async def test_our_command_started_for_each_log_conforms():
    kit = make_auditor_kit(EACH, MINIMAL)
    outcomes = await _run(kit, kit.cases[::EVERY])
    assert all(outcome.state is CaseState.PASSED for outcome in outcomes), report.to_text(outcomes)


@pytest.mark.parametrize("defect", [name for name in DEFECTS if name != "none"])
async def test_a_broken_auditor_fails_a_right_case(defect):
    kit = make_auditor_kit(LINES.replace("DEFECT", defect))
    patterns = DEFECTS[defect].fails
    meant = [case for case in kit.cases if any(fnmatchcase(case.name, p) for p in patterns)]
    try:
        for case in meant:
            outcome = await run_case(kit, case)
            if outcome.state is CaseState.FAILED:
                assert "must be" in outcome.why, outcome.why
                return
    finally:
        await kit.close()
    pytest.fail(f"no case of {patterns} notices it")


async def test_auditor_without_a_game_skips_its_cases(tmp_path):
    program = tmp_path / "auditor.py"
    program.write_text(
        "import sys, json\n"
        "for line in sys.stdin: print(json.dumps({'verdict': 'not to be judged here'}), flush=True)"
    )
    kit = make_auditor_kit(f"{sys.executable} {program}")
    lacking = [case for case in kit.cases if case.group == "none-hexapawn"][:2]
    nim = [case for case in kit.cases if case.group == "none-nim"][:1]
    try:
        states = [(await run_case(kit, case)).state for case in (*lacking[1:], *nim)]
    finally:
        await kit.close()
    assert states == [CaseState.SKIPPED, CaseState.FAILED]


async def test_failed_case_leaves_a_trace(tmp_path):
    program = tmp_path / "auditor.py"
    program.write_text("import sys\nsys.stdin.readline()\nsys.exit('no idea what this is')")
    kit = make_auditor_kit(f"{sys.executable} {program}", traces=tmp_path / "traces")
    try:
        outcome = await run_case(kit, kit.sanity)
    finally:
        await kit.close()
    assert outcome.state is CaseState.FAILED
    assert "ended with 1" in outcome.why
    told = json.loads((tmp_path / "traces" / "nim" / "honest.json").read_text())
    assert told["expected"]["verdict"] == Verdict.CLEAN
    assert told["last words"] == ["no idea what this is"] == list(outcome.last_words)
    assert (tmp_path / "traces" / "nim" / "honest.fairdeal").stat().st_size > 1000


async def test_auditor_with_much_error_output_is_not_delayed(tmp_path):
    program = tmp_path / "auditor.py"
    program.write_text(
        "import sys\nfor line in sys.stdin:\n    print('x' * 300_000, file=sys.stderr)\n"
        "    print('{}', flush=True)"
    )
    kit = make_auditor_kit(f"{sys.executable} {program}", seconds=20)
    try:
        outcome = await run_case(kit, kit.sanity)
    finally:
        await kit.close()
    assert "verdict must be" in outcome.why


# An auditor that answers a log named `late` only when the next log has come, as a slow one does.
LATE = """
import json, sys
waiting = []
for line in sys.stdin:
    waiting.append(json.loads(line)['log'])
    if not waiting[-1].endswith('late'):
        for log in waiting:
            print(json.dumps({'verdict': log}), flush=True)
        waiting.clear()
"""


def _late_auditor(folder: Path, seconds: float) -> AuditorProgram:
    (folder / "auditor.py").write_text(LATE)
    return AuditorProgram(f"{sys.executable} {folder / 'auditor.py'}", seconds)


async def test_late_answer_is_not_taken_for_the_next_log(tmp_path):
    program = _late_auditor(tmp_path, seconds=30)
    try:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):  # as the runner gives a case up
                await program.judge(Path("late"))
        assert await program.judge(Path("next")) == {"verdict": "next"}
    finally:
        await program.close()


async def test_wait_for_an_earlier_log_takes_no_time_of_the_next(tmp_path):
    program = _late_auditor(tmp_path, seconds=2)
    try:
        late, later = await asyncio.gather(
            program.judge(Path("late")), program.judge(Path("next")), return_exceptions=True
        )
    finally:
        await program.close()
    assert isinstance(late, CaseFailed)
    assert later == {"verdict": "next"}


async def test_answer_that_is_no_json_fails(tmp_path):
    program = tmp_path / "auditor.py"
    program.write_text("print('clean', flush=True)")
    kit = make_auditor_kit(f"{sys.executable} {program} {{log}}")
    outcome = await run_case(kit, kit.sanity)
    await kit.close()
    assert (outcome.state, outcome.why) == (
        CaseState.FAILED,
        "honest: the auditor printed no JSON",
    )


def test_matches_are_made_alike_twice():
    for wanted in MATCHES[:2]:
        assert make_match(wanted).records == make_match(wanted).records


def test_every_game_and_dealing_has_a_match():
    games = {wanted.game for wanted in MATCHES}
    assert games == set(BUILT_IN.specs) - {"script"}
    assert {wanted.dealing for wanted in MATCHES} == set(DEALINGS)


def test_matches_have_lapses_doubts_and_people_who_sit_out():
    kinds = {
        decode_entry(record.entry).kind
        for wanted in MATCHES
        for record in make_match(wanted).records
    }
    assert kinds >= {"lapse", "doubt", "sit_out", "sit_in", "leave", "ended", "stand_in", "chunk"}


def test_cases_are_many_and_each_cites_a_section_that_exists():
    cases = auditor_cases()
    assert len(cases) >= 300
    assert len({f"{case.group}/{case.name}" for case in cases}) == len(cases)
    known = sections()
    assert [case.name for case in cases if case.section not in known] == []


def test_members_of_another_shape_are_compared_as_they_are():
    assert compared({"seats": 3})["scores"] == 3
    assert compared({})["faults"] is None
