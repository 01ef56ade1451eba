"""A program that has only some games and dealings: it is tested for these, and the report says what
was left out.
"""

import sys

import pytest

from conformance import report
from conformance.auditor.kit import auditor_cases
from conformance.case import Case, CaseLeftOut
from conformance.direct.kit import make_peer_kit
from conformance.player.kit import BEFORE_MATCH, CASES, make_player_kit
from conformance.runner import CaseState, ConformanceKit, run_case, run_cases, run_kit
from conformance.scope import MINIMAL, WHOLE, Scope, check_kind, read_scope
from conformance.table.kit import CASES as TABLE_CASES
from conformance.table.kit import make_table_kit
from protocol.errors import LocalError
from protocol.identity.keys import JoinLink
from table.manager.server import TableServer
from tests.conformance.test_peer_kit import GUEST
from tests.conformance.test_player_kit import OURS
from tests.support.errors import raises_text
from tests.support.ready import Ready
from tests.support.tables import config

VERIFIED = Scope(dealings=frozenset({"verified"}))


def test_scope_fills_in_a_game_that_the_program_has():
    assert WHOLE.fill({}) == {}
    assert MINIMAL.fill({"clock": 1}) == {
        "clock": 1,
        "game": "nim",
        "options": [],
        "dealing": "none",
    }
    assert VERIFIED.fill({"options": [["hand", 2]]})["dealing"] == "verified"
    assert VERIFIED.fill({})["game"] == "block-dominoes"


@pytest.mark.parametrize(
    "terms",
    [
        {"game": "block-dominoes"},
        {"dealing": "layered"},
        {"options": []},
        {"seats": 3},
        {"game": "hexapawn", "dealing": "none"},
    ],
)
def test_scope_leaves_out_what_the_program_does_not_have(terms):
    with pytest.raises(CaseLeftOut):
        MINIMAL.fill(terms)


def test_scope_admits_names_that_are_none():
    MINIMAL.check("chess", "layered-2")


def test_entry_of_another_dealing_leaves_a_case_out():
    check_kind("move", "none")
    check_kind("shares", "verified")
    with pytest.raises(CaseLeftOut, match="verified"):
        check_kind("shares", "layered")


def test_scope_is_read_from_profile_and_lists():
    assert read_scope("whole", "", "") == WHOLE
    assert read_scope("minimal", "", "") == MINIMAL
    assert read_scope("minimal", "nim, matches", "").games == {"nim", "matches"}
    with raises_text(LocalError, match="There is no chess here"):
        read_scope("whole", "chess", "")


def test_auditor_cases_are_those_of_the_scope():
    assert {case.group for case in auditor_cases(MINIMAL)} == {"files", "none-nim"}


@pytest.mark.match
async def test_table_with_nim_alone_is_tested_for_nim(tmp_path):
    wanted = {"entry-left-out", "kind-unknown", "layer-before-the-deal", "denial-with-a-part"}
    cases = [case for case in TABLE_CASES if case.name in wanted]
    async with TableServer(config(tmp_path)) as table:
        kit = make_table_kit(JoinLink.parse(str(table.link)), scope=MINIMAL)
        kit = ConformanceKit(kit.arena, kit.sanity, cases, kit.well, scope=kit.scope)
        outcomes = await run_kit(kit, lambda outcome: None)
    states = {outcome.case.name: outcome.state for outcome in outcomes}
    assert states["honest-matches"] is states["kind-unknown"] is CaseState.PASSED
    assert states["layer-before-the-deal"] is states["denial-with-a-part"] is CaseState.LEFT_OUT
    text = report.to_text(outcomes, report.Tested(MINIMAL.to_text()))
    assert "1 cases  needs layered" in text and "games: nim; dealings: none" in text
    assert text.splitlines()[-1].endswith("2 left out")


@pytest.mark.process
async def test_player_with_one_dealing_is_tested_for_it():
    kit = make_player_kit(OURS, programs=Ready, scope=VERIFIED)
    names = ("layer-with-a-point-twice", "entry-twice", "float")
    cases = [case for case in CASES if case.name in names or case.group == "commutative"][:8]
    outcomes = await run_cases(kit, [kit.sanity, *cases], together=3)
    assert {outcome.state for outcome in outcomes} == {CaseState.PASSED, CaseState.LEFT_OUT}
    left = {each.case.group for each in outcomes if each.state is CaseState.LEFT_OUT}
    assert "commutative" in left and "lobby" not in left


@pytest.mark.process
async def test_guest_with_nim_alone_plays_nim():
    kit = make_peer_kit(GUEST.replace("PROGRAM", "player"), programs=Ready, scope=MINIMAL)
    cut = next(case for case in kit.cases if case.name == "line-cut-before-move")
    pack = next(case for case in kit.cases if case.name == "line-cut-before-pack")
    outcomes = await run_cases(kit, [kit.sanity, cut, pack])
    assert [outcome.state for outcome in outcomes] == [
        CaseState.PASSED,
        CaseState.LEFT_OUT,
        CaseState.PASSED,  # the honest match runs alone, and so at the end
    ]


@pytest.mark.process
async def test_groups_without_a_match_run_before_a_match_that_fails():
    kit = make_player_kit(f"{sys.executable} -c pass {{link}}", 0.5)
    early = [case for case in CASES if case.group in BEFORE_MATCH][:3]
    late = [case for case in CASES if case.group not in BEFORE_MATCH][:3]
    outcomes = await run_kit(
        ConformanceKit(kit.arena, kit.sanity, [*late, *early], before_match=kit.before_match),
        lambda outcome: None,
    )
    assert [outcome.case for outcome in outcomes] == [*early, kit.sanity]


async def test_case_names_what_it_needs():
    async def runs(arena) -> None:
        raise AssertionError("a case that was left out")

    case = Case("a", "6.7", "stops", runs, "b", game="nim", dealing="none")
    kit = make_player_kit("program {link}", scope=VERIFIED)
    outcome = await run_case(kit, case)
    assert (outcome.state, outcome.why) == (CaseState.LEFT_OUT, "needs nim dealt by none")
