"""Defects of games without hidden pieces."""

from typing import Any

from protocol.games.connect_four import popout
from protocol.games.connect_four.popout import PopOut
from protocol.games.connect_four.rules import ConnectFour
from protocol.games.hexapawn.rules import Hexapawn
from protocol.games.matchsticks.rules import Matchsticks
from protocol.games.nim.rules import Nim
from protocol.games.open_game import OpenGame
from protocol.match import terms
from tests.conformance.broken.defect import Defects

DEFECTS = Defects()
defect = DEFECTS.defect


@defect(
    "open-games/none-taken*",
    "open-games/more-taken-than-are-left",
    "open-games/pawn-of-the-other-seat",
    "open-games/pawn-that-*",
    "open-games/column-that-is-full",
    "open-games/pop-of-no-stone",
    "open-games/pop-of-the-other-seats-stone",
)
def takes_any_move_of_an_open_game() -> None:
    for game in (Matchsticks, Nim, Hexapawn, ConnectFour, PopOut):
        game.is_legal = lambda self, state, action: True


@defect("open-games/stones-atop-a-column-and-below-in-the-next", "open-games/full-board")
def lets_lines_run_on_in_the_next_column() -> None:
    in_line = ConnectFour.line_starts

    def broken(self: ConnectFour, stones: int) -> int:
        column = (1 << self.height) - 1
        without = sum(
            (stones >> at * self.line & column) << at * self.height for at in range(self.width)
        )
        pairs = without & without >> 1
        return in_line(self, stones) | pairs & pairs >> 2

    ConnectFour.line_starts = broken


@defect("open-games/pop-that-makes-four-for-both")
def lets_the_other_win_if_a_pop_makes_four_for_both() -> None:
    pop = PopOut._pop

    def broken(self: PopOut, state: Any, seat: int, column: int) -> Any:
        after = pop(self, state, seat, column)
        return after._replace(result=1 - seat) if self.line_starts(after.own) else after

    PopOut._pop = broken


@defect("open-games/pop-that-makes-four-for-the-other")
def looks_for_lines_of_the_mover_alone() -> None:
    pop = PopOut._pop

    def broken(self: PopOut, state: Any, seat: int, column: int) -> Any:
        after = pop(self, state, seat, column)
        return after if after.result == seat else after._replace(result=None)

    PopOut._pop = broken


@defect("open-games/popout-without-a-line")
def lets_popout_go_on_for_ever() -> None:
    popout.MAX_POPOUT_MOVES = 10**9


@defect("open-games/turn-that-lapses")
def moves_for_who_is_silent() -> None:
    OpenGame.timeout = lambda self, state, seat: self.moves(state)[0]


@defect("open-games/matches-misere", "open-games/nim-misere")
def knows_no_misere() -> None:
    for game in (Matchsticks, Nim):
        apply = game.apply

        def broken(self: Any, state: Any, seat: int, action: Any, apply: Any = apply) -> Any:
            after = apply(self, state, seat, action)
            return after if after.result is None else after._replace(result=seat)

        game.apply = broken


@defect(
    "open-games/table-with-dominoes-that-are-not-dealt",
    "open-games/table-with-pawns-that-are-dealt*",
    "ligretto/table-with-cards-that-are-*",
    "seeded/pack-for-all-dealt-by-seeds",
    "poker/table-for-holdem-dealt-in-layers",
    "poker/table-for-holdem-without-a-deal",
    "poker/table-for-six-at-draw-that-cannot-shuffle-back",
    "own-decks/dealt-by-commuting-locks",
)
def deals_all_games_with_all_there_is() -> None:
    terms.dealing_fits = lambda name, game: True
