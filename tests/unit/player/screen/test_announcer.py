"""The look of a match's end: a success for who has won, an alarm for a fault, plain otherwise."""

from types import SimpleNamespace

import pytest

from player.outcome import Outcome
from player.screen.announcer import Announcer, Style
from protocol.audit.verdict import Verdict
from protocol.view.phrase import phrase
from tests.support.log_files import played


class Styled(Announcer):
    """Announcer that keeps the style of its last line."""

    def write(self, text, style):
        self.last = style


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
    screen = Styled({})
    screen.client = SimpleNamespace(
        playing=SimpleNamespace(own=winner if wins else 1 - winner), stop=None
    )
    reader = SimpleNamespace(match=match)
    screen.ended(Outcome(verdict, reader, reason=phrase("stop.stopped.kept")))
    assert screen.last is style
