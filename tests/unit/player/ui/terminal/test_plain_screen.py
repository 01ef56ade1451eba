"""The look of a match's end: a success for who has won, an alarm for a fault, plain otherwise."""

from types import SimpleNamespace

import pytest

from player.client.outcome import Outcome
from player.presenter.narrator import Style
from player.ui.terminal.plain_screen import ended_lines
from protocol.audit.verdict import Verdict
from protocol.i18n import english
from protocol.view.phrase import phrase
from tests.support.log_files import played


@pytest.mark.parametrize(
    ("verdict", "wins", "style"),
    [
        (Verdict.CLEAN, True, Style.GOOD),
        (Verdict.CLEAN, False, Style.PLAIN),
        (Verdict.INCOMPLETE, False, Style.PLAIN),
        (Verdict.UNREADABLE, False, Style.BAD),
    ],
)
def test_end_looks_like_a_success_to_its_winner_only(verdict, wins, style):
    match = played().live.match
    (winner,) = match.winners
    own = winner if wins else 1 - winner
    outcome = Outcome(verdict, SimpleNamespace(match=match), reason=phrase("stop.stopped.kept"))
    assert ended_lines(outcome, own, english)[-1].style is style
