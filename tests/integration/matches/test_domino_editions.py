"""Edition 2 of dominoes beside edition 3: its logs audit as before, and its matches go on."""

from pathlib import Path

import pytest

from protocol.audit.report_text import report_lines
from protocol.audit.transcript import transcript_lines
from protocol.audit.verdict import Verdict, audit
from protocol.games.dominoes.edition_2 import rules as edition_2
from protocol.games.registry import BUILT_IN, Games
from protocol.match.log_file import read_records
from protocol.match.log_reader import LogReader
from tests.integration.guest_games.test_editions import read_anew
from tests.support.offline import make_offline
from tests.support.views import saying

pytestmark = pytest.mark.match

LOGS = Path(__file__).parents[2] / "editions"
NAMES = ("block-dominoes", "draw-dominoes")
# the scores and numbers of entries that the program before edition 3 gave
ENDS = {"block-dominoes": ((60, 15, 60, 15), 83), "draw-dominoes": ((60, 60, 25), 161)}
SECOND = Games(BUILT_IN.specs | {name: BUILT_IN.specs[name].older[0] for name in NAMES})
SAY = saying()


@pytest.mark.parametrize("name", NAMES)
def test_stored_log_of_edition_2_audits_as_before(name: str) -> None:
    log = (LOGS / f"{name}-2.fairdeal").read_bytes()
    report = audit(log)
    assert (report.verdict, report.faults) == (Verdict.CLEAN, ())
    assert report.reader is not None
    assert (report.reader.match.scores, report.entries) == ENDS[name]
    assert report_lines(report)[-1] in list(transcript_lines(log))


@pytest.mark.parametrize("name", NAMES)
def test_views_of_edition_2_have_one_line(name: str) -> None:
    """The views and texts of edition 3 show matches of edition 2: doubles have no arms."""
    records = list(read_records((LOGS / f"{name}-2.fairdeal").read_bytes()))
    reader, drawn = LogReader(*records[0]), set()
    for record in records[1:]:
        reader.feed(*record)
        setup, state = reader.match.setup, reader.match.game
        if state is None:
            continue
        board = setup.view.board(setup.game, state)
        drawn.add(setup.text.changed_board_text(board, board, SAY, 80) == [])
        assert (board.spinner, board.arms, board.reserve) == (None, None, 0)
        assert board.ends is None or len(board.ends) == 2
        setup.view.result(setup.game, state)
    assert drawn == {True}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("entries", [30, 55])
def test_match_of_edition_2_goes_on_ends_and_audits(name: str, entries: int) -> None:
    options = {"scoring": "fives", "length": 2, "target": 500}
    match = make_offline(3, 5, name, options, dealing="commutative", games=SECOND)
    while len(match.live.records) < entries:
        assert any(match.step(seat) for seat in match.seats)
    went_on = read_anew(match, BUILT_IN)
    went_on.play()
    end = went_on.live.match
    assert end.over and went_on.refused == [] and end.game.hand == 2
    assert isinstance(end.setup.game, edition_2.Dominoes)
    assert audit(went_on.file()).verdict is Verdict.CLEAN
