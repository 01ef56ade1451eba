"""Hints: right where they are certain, shown only to the person who asks, and refused in games with
hidden pieces.
"""

import asyncio
from dataclasses import replace
from types import SimpleNamespace

import pytest

from bots.bot_view import bot_view
from bots.think_limits import SearchStrength
from player.ui.terminal.terminal_screen import TerminalScreen
from protocol.errors import LocalError
from protocol.games.registry import BUILT_IN
from protocol.i18n import english, load_translator
from protocol.match.state import MatchStage
from search import SearchEffort, ValueKind
from search.hints import hint
from search.move_values import rate_moves
from search.positions import seat_speaker, view_at
from search.search_game import search_game
from tests.support.errors import raises_text
from tests.support.game_trees import open_game, positions, value
from tests.support.offline import make_offline
from tests.unit.player.ui.terminal.test_terminal_screen import Paper

SAY = seat_speaker(english)
ENOUGH = SearchStrength(200_000)


@pytest.mark.parametrize(
    ("name", "options"), [("hexapawn", {}), ("nim", {"rows": "1-2-3"}), ("matches", {"n": 9})]
)
def test_hint_values_match_the_definition(name, options):
    game, known = open_game(name, **options), {}
    row = BUILT_IN.spec(name)
    rules = search_game(game, row.load_solver())
    for state in [state for state in positions(game, game.opening(0)) if state.result is None][::3]:
        found = rate_moves(rules, state, SearchEffort(100_000))
        assert {judged.line[0] for judged in found} == set(game.moves(state))
        for judged in found:
            worth = -value(game, game.apply(state, state.to_act, judged.line[0]), known)
            assert (judged.value, judged.kind) == (worth, ValueKind.EXACT)
        assert found[0].value == value(game, state, known) == max(judged.value for judged in found)


def said(game, state, *, why=False, strength=ENOUGH):
    view = bot_view(view_at(BUILT_IN.spec(game.name), game, state, SAY), game, state)
    return [SAY(one) for one in hint(view, BUILT_IN.spec(game.name), strength, why=why).told]


def test_hint_has_move_and_outcome():
    game = open_game("matches", n=10)
    assert said(game, game.opening(0)) == [
        "The best move is take 2: you win with it, whatever the other player does."
    ]
    game = open_game("matches", n=8)
    assert said(game, game.opening(0))[0].startswith("Every move loses")
    game = open_game("connect-four", width=5, height=4)
    assert "That is a guess from" in said(game, game.opening(0), strength=SearchStrength(200))[0]


def test_why_lists_every_move_with_continuation():
    game = open_game("hexapawn", width=4, height=3)
    best, *moves, line = said(game, game.opening(0), why=True)
    assert "you win" in best and len(moves) == 4 and line.startswith("If both go on")
    assert sorted(move.split(": ")[1] for move in moves) == sorted(
        "wins" if -value(game, game.apply(game.opening(0), 0, action), {}) == 1 else "loses"
        for action in game.moves(game.opening(0))
    )


def test_hidden_games_have_no_hints():
    game = open_game("nim")
    view = view_at(BUILT_IN.spec("nim"), game, game.opening(0), SAY)
    with raises_text(LocalError, match="nothing hidden"):
        hint(view, BUILT_IN.spec("texas-holdem"), ENOUGH, why=False)
    with raises_text(LocalError, match="turn"):
        hint(
            bot_view(replace(view, you=1), game, game.opening(0)),
            BUILT_IN.spec("nim"),
            ENOUGH,
            why=False,
        )


async def asked(line, language="en", game="hexapawn", dealing="none"):
    """Return the output for a person who types this line in their turn, and the match."""
    match = make_offline(2, game=game, options={}, dealing=dealing)
    while match.live.match.stage is not MatchStage.PLAYING:
        assert any(match.step(seat) for seat in match.seats)
    seat = next(seat for seat in match.seats if seat.choices(match.live.match))
    reader = SimpleNamespace(match=match.live.match)
    playing = SimpleNamespace(
        seat=seat, reader=reader, own=seat.number, leaving=False, absent=(), trips={}, live=True
    )
    chosen: list = []
    client = SimpleNamespace(
        playing=playing,
        environment=SimpleNamespace(games=BUILT_IN),
        finished=False,
        choose=chosen.append,
    )
    paper = Paper()
    terminal = TerminalScreen({}, paper, load_translator(language))
    terminal.follow(client)
    before = len(match.live.records)
    terminal.typed(line)
    async with asyncio.timeout(120):
        while not paper.printed:
            await asyncio.sleep(0.001)
    assert chosen == [] and len(match.live.records) == before
    return paper.printed


@pytest.mark.parametrize(
    ("line", "language", "words"),
    [
        ("hint", "en", "Every move loses"),
        ("why", "en", ": loses"),
        ("tipp", "de", "verliert"),
        ("warum", "de", "verliert"),
    ],
)
async def test_hint_is_shown_at_the_terminal(line, language, words):
    assert words in await asked(line, language)


@pytest.mark.slow
async def test_hint_in_hidden_game_is_refused_with_reason():
    assert "nothing hidden" in await asked("hint", game="draw-dominoes", dealing="layered")
    assert "hint" not in await asked("help", game="draw-dominoes", dealing="layered")
    assert "hint shows a good move" in await asked("help")
