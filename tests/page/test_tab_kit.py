"""Cases of the conformance kit for players, with a tab as the player."""

import sys

import pytest

from conformance import report
from conformance.player.kit import CASES, make_player_kit
from conformance.runner import CaseOutcome, ConformanceKit, run_kit
from tests.page.tabs import built_page
from tests.support.architecture import ROOT

pytestmark = [
    pytest.mark.process,
    pytest.mark.match,
    pytest.mark.slow,
    pytest.mark.timeout(1200),  # a browser of its own for each case
]
STEP_SECONDS = 240.0
# some cases of each layer: each takes as long as a browser needs to start
SHARE = {
    "table-key-is-not-the-links",
    "bit-of-a-record",
    "another-game",
    "entry-that-a-seat-did-not-sign",
    "shuffle-without-proof",
    "player-killed-with-an-entry-under-way",
}


def _quietly(outcome: CaseOutcome) -> None:
    """Ignore an outcome."""


async def test_tab_conforms() -> None:
    player = f"{sys.executable} -P -m tests.page.tab_player {built_page()} {{link}} {{data}}"
    command = f"env PYTHONPATH={ROOT} {player}"  # -P leaves the checkout out
    kit = make_player_kit(command, STEP_SECONDS, looks_first=True)
    share = [case for case in CASES if case.name in SHARE]
    assert {case.name for case in share} == SHARE
    patient = ConformanceKit(kit.arena, kit.sanity, share, seconds=2 * STEP_SECONDS)
    outcomes = await run_kit(patient, _quietly, 1)
    assert report.exit_code(outcomes) == report.PASSED, report.to_text(outcomes)
