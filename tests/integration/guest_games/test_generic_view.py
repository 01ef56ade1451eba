"""Game without a view of its own: scores, turn, choices by number, and moves in their written form
are shown.
"""

import pytest

from protocol.audit.report_text import match_phrase_renderer, report_lines
from protocol.audit.transcript import transcript_lines
from protocol.audit.verdict import audit
from protocol.errors import LocalError
from protocol.match.fold import apply
from protocol.match.log import decode_entry
from protocol.match.narration import narrate_entry
from protocol.match.seat_view import view_of
from protocol.view.board import RegionBoard
from protocol.view.encoding import encode_json
from tests.support.guest_games.offline_match import GUESTS, guest_match, until_playing, written


def test_nim_is_drawn_and_played_by_numbers():
    match = guest_match("nim for all", 2)
    until_playing(match)
    state = match.live.match
    seat = state.game.to_act
    text, say = state.setup.text, match_phrase_renderer(state)
    view, other = view_of(state, seat), view_of(state, 1 - seat)
    assert (
        isinstance(view.board, RegionBoard)
        and view.deal is None
        and view.hand == ()
        and encode_json(view)
    )
    assert [turn.seat for turn in view.turns] == [seat] and other.offers == ()
    assert tuple(offer.build_action() for offer in view.offers) == state.setup.game.legal(
        state.game, seat, ()
    )
    assert text.menu_text(view, say)[:3] == ["Your turn:", "  1  take 0 1", "  2  take 0 2"]
    assert (
        text.parse_choice(view, say, "2") == ("take", 0, 2)
        and text.parse_choice(view, say, "two") is None
    )
    for shown, line in ((view, "13"), (view, "0"), (other, "1")):
        with pytest.raises(LocalError):
            text.parse_choice(shown, say, line)
    names = [person.name for person in state.setup.people]
    assert [row.split() for row in text.table_text(view, say, 80)[:2]] == [
        ["→", name, "0"] if number == seat else [name, "0"] for number, name in enumerate(names)
    ]


def test_action_without_view_is_shown_as_written():
    match = guest_match("nim for all", 2)
    until_playing(match)
    before = match.live.match
    seat = before.game.to_act
    raw = written(match, seat, ("take", 1, 3))
    after = apply(before, decode_entry(raw))
    name = before.setup.people[seat].name
    told = [
        match_phrase_renderer(after)(deed.phrase)
        for deed in narrate_entry(before, decode_entry(raw), after)
    ]
    assert told == [f"{name}: take 1 3."]


@pytest.mark.parametrize(("game", "seats"), [("nim for all", 3), ("grab", 2)])
def test_view_of_whole_match_is_shown(game, seats):
    match = guest_match(game, seats)
    match.play()
    lines = list(transcript_lines(match.file(), games=GUESTS))
    verdict = report_lines(audit(match.file(), GUESTS))
    assert lines[-len(verdict) :] == verdict and verdict[0].startswith("clean: ")
    assert sum(": take " in line for line in lines) == len(match.live.match.action_entries)


@pytest.mark.slow
def test_game_that_names_its_parts_is_drawn_by_them():
    match = guest_match("suits", 2, dealing="verified")
    until_playing(match)
    state = match.live.match
    seat = state.game.turn % 2
    say, text, game = match_phrase_renderer(state), state.setup.text, state.setup.game
    view = view_of(state, seat, (3,))
    one, other = (game.pieces[up] for up in state.game.turned_up)
    regions = [
        f"Pile A: {one} on top of 5 others",
        f"Pile B: {other} on top of 5 others",
        "Laid: nothing",
        f"{state.setup.people[seat].name}, Hand: 2 face down",
        "Turn: 0",
        "Now: go on",
    ]
    assert text.table_text(view, say, 80)[3:9] == regions and text.table_text(view, say, 80)[
        10
    ].endswith(game.pieces[3])
    assert [piece.offers for region in view.board.regions[:2] for piece in region.pieces] == [
        (0,),
        (1,),
    ]
    assert text.changed_board_text(view.board, view.board, say, 80) == []
    assert '"kind":"pile"' in encode_json(view)


@pytest.mark.slow
def test_changes_on_such_table_are_narrated():
    match = guest_match("suits", 2, dealing="verified")
    match.play()
    lines = list(transcript_lines(match.file(), games=GUESTS))
    assert lines[-1].startswith("clean: ")
    assert any(line.strip().startswith("Turn: ") for line in lines), lines
