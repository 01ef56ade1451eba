"""The kit itself: our own table passes, every broken table is found, and every case names its
sections.
"""

import ast
import json
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

import conformance
from conformance import report
from conformance.case import Case, CaseFailed, CaseGroup, CaseSkipped, select_cases
from conformance.runner import PARALLEL_CASES, CaseState, ConformanceKit, run_case, run_kit
from conformance.table.kit import CASES, MATCH
from conformance.table.match.clock import LONG, clock
from protocol.codes import Code
from table.manager.server import TableServer
from tests.conformance.broken import DEFECTS
from tests.conformance.broken.__main__ import config_for
from tests.conformance.broken.check import HANDSHAKE_SECONDS, check_all, kit_for, share, table
from tests.conformance.specification import LIMITS, sections

KIT = Path(conformance.__file__).parent
AT_ONCE = 8  # parallel broken tables
# run at a table that caches its checks
COMPUTING = {each.GROUP.name for each in MATCH} - {"clock", "restart"}
COMPUTING_TOGETHER = 6  # parallel cases in one process with their table, which must answer in time
SHARES = 6  # number of tests that share the defects, so that several workers can run them
WORDS = {
    "close",
    "silence",
    "welcome",
    "waiting",
    "tables",
    "found",
    "clean",
    "match",
    "left",
    "relayed",
    "present",
    "trips",
    "waited",
    "rules",
    "slow",
    "pseudonyms",
    "extension",
}


@pytest.mark.match
@pytest.mark.timeout(1200)  # a minute of waiting on an idle machine
async def test_our_table_conforms():
    async with table() as link:
        await check_ours(link, [case for case in CASES if case.group not in COMPUTING])


@pytest.mark.match
@pytest.mark.timeout(1200)  # a minute of computing on an idle machine
async def test_our_table_conforms_in_whole_matches(tmp_path):
    async with TableServer(config_for(tmp_path, handshake_seconds=HANDSHAKE_SECONDS)) as here:
        await check_ours(
            here.link, [case for case in CASES if case.group in COMPUTING], COMPUTING_TOGETHER
        )


async def check_ours(link, cases, together=PARALLEL_CASES):
    outcomes = await run_kit(
        replace(kit_for(link, patience=60), cases=cases), lambda outcome: None, together
    )
    assert report.exit_code(outcomes) == report.PASSED, report.to_text(outcomes)
    assert not [outcome for outcome in outcomes if outcome.state is CaseState.SKIPPED]
    assert len(outcomes) == len(cases) + 2


@pytest.mark.match
async def test_kit_accepts_time_notice_before_a_refusal():
    async with table() as link, kit_for(link).arena() as arena:
        play = await arena.play(clock=clock(turn=8), **LONG)
        silent = await play.reach("move")
        other = play.players[1 - silent.number]
        # a warning, which the first connection has not read yet
        await other.read(len(silent.records) + 1)
        await silent.refused(silent.entry(kind="doubt", body=[0, 0]), Code.NOT_NOW)
        assert len(silent.records) == len(other.records)
        await play.end()


@pytest.mark.match
@pytest.mark.timeout(1200)  # a minute of computing on an idle machine
@pytest.mark.parametrize("number", range(SHARES))
async def test_each_defect_fails_its_cases_and_no_other(number):
    found = []
    mine = dict(list(share().items())[number::SHARES])
    await check_all(mine, AT_ONCE, lambda defect, wrong: found.extend(wrong))
    assert not found


@pytest.mark.slow
def test_kit_case_fails_some_defective_table_and_table_passes_some():
    plan = share()
    assert {case for cases in plan.values() for case in cases} == set(CASES)
    assert list(plan) == list(DEFECTS)
    for defect in DEFECTS.values():
        assert {defect.hits(case) for case in plan[defect.name]} == {True, False}, defect.name


@pytest.mark.slow
def test_there_are_as_many_cases_and_defects_as_promised():
    assert len(CASES) >= 120
    assert len(DEFECTS) >= 20
    for defect in DEFECTS.values():
        for pattern in defect.fails:
            assert any(defect.hits(case) for case in select_cases(CASES, pattern)), (
                defect.name,
                pattern,
            )


def test_kit_case_has_unique_name_and_cites_existing_section():
    names = [f"{case.group}/{case.name}" for case in CASES]
    assert len(set(names)) == len(names)
    for case in CASES:
        assert case.name == case.name.lower() and " " not in case.name and "_" not in case.name
        assert case.section in sections() and case.section != LIMITS, case


def test_kit_case_expects_a_code_or_describes_its_result():
    for case in CASES:
        assert (
            case.expects in set(map(str, Code)) or " " in case.expects or case.expects in WORDS
        ), case


@pytest.mark.slow
def test_kit_imports_neither_table_nor_player():
    """The kit is a black box: it imports only itself, the pure protocol, and the packages for
    sockets.
    """
    ours, found = (
        {"protocol", "bots", "net", "table", "player", "fairdeal", "tests", "scripts"},
        set(),
    )
    files = list(KIT.rglob("*.py"))
    for path in files:
        for node in ast.walk(ast.parse(path.read_text())):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not isinstance(node, ast.ImportFrom) or not node.level, path
            found |= {module.split(".")[0] for module in modules}
    assert len(files) > 30 and "protocol" in found
    assert found & ours <= {"protocol", "net"}
    assert found - ours <= {*sys.stdlib_module_names, "conformance", "websockets"}


# --- runner and report, with cases of every result ---


async def passes(arena):
    """Pass."""


async def fails(arena):
    raise CaseFailed("error too_many instead of <welcome>\x00")


async def is_skipped(arena):
    raise CaseSkipped("needs two of them")


async def breaks(arena):
    raise ValueError("what the peer said")


class NoArena:
    async def __aenter__(self):
        return None

    async def __aexit__(self, *_):
        pass


def kit_of(*bodies, sanity=passes):
    group = CaseGroup("odd")
    for body in bodies:
        group.add(body.__name__.replace("_", "-"), "6.7", "welcome", body)
    return ConformanceKit(NoArena, Case("honest", "4.5", "clean", sanity, "sanity"), group.cases)


async def outcomes_of(*bodies, sanity=passes):
    return await run_kit(kit_of(*bodies, sanity=sanity), lambda outcome: None)


async def test_runner_reports_result_of_each_case():
    outcomes = await outcomes_of(passes, fails, is_skipped, breaks)
    assert [outcome.case.name for outcome in outcomes] == [
        "honest",
        "passes",
        "fails",
        "is-skipped",
        "breaks",
        "honest",
    ]
    assert [str(outcome.state) for outcome in outcomes[1:-1]] == [
        "passed",
        "failed",
        "skipped",
        "failed",
    ]
    assert (
        "what the peer said" not in outcomes[4].why
        and "ValueError in test_kit.py" in outcomes[4].why
    )


async def test_kit_case_fails_if_table_fails_afterwards():
    kit = ConformanceKit(NoArena, kit_of().sanity, kit_of(passes).cases, fails)
    outcome = await run_case(kit, kit.cases[0])
    assert outcome.state is CaseState.FAILED and outcome.why.startswith("and after it: ")


async def test_kit_runs_nothing_else_when_no_honest_match_works():
    outcomes = await outcomes_of(passes, sanity=fails)
    assert len(outcomes) == 1
    assert report.exit_code(outcomes) == report.UNREACHABLE == 2


async def test_cases_without_a_match_run_before_the_first_honest_match():
    kit = replace(kit_of(passes, is_skipped, sanity=fails), before_match=frozenset({"odd"}))
    outcomes = await run_kit(kit, lambda outcome: None)
    assert [outcome.case.name for outcome in outcomes] == ["passes", "is-skipped", "honest"]
    assert report.exit_code(outcomes) == report.UNREACHABLE


@pytest.mark.parametrize(("bodies", "code"), [((passes, is_skipped), 0), ((passes, fails), 1)])
async def test_exit_code(bodies, code):
    assert report.exit_code(await outcomes_of(*bodies)) == code


async def test_reports_for_people_and_machines():
    outcomes = await outcomes_of(passes, fails, is_skipped)
    assert report.to_text(outcomes).endswith("does not conform: 1 of 5 cases failed")
    root = ElementTree.fromstring(report.to_junit(outcomes, "fairdeal.table"))
    assert (root.get("tests"), root.get("failures"), root.get("skipped")) == ("5", "1", "1")
    assert root.find("testcase[@name='fails']/failure") is not None
    cases = json.loads(report.to_json(outcomes))
    assert (cases["conforms"], cases["passed"], cases["failed"], cases["skipped"]) == (
        False,
        3,
        1,
        1,
    )
    assert cases["cases"][2]["section"] == "6.7"


def test_cases_are_selected_by_group_name_or_pattern():
    cases = kit_of(passes, fails).cases
    assert [case.name for case in select_cases(cases, "ass")] == ["passes"]
    assert [case.name for case in select_cases(cases, "odd/f*")] == ["fails"]
    assert select_cases(cases, "odd/") == cases
    assert not select_cases(cases, "even")
