"""Tests of Connect Four's solver: comparison with another solver, whole small boards, and the
effect of each improvement.
"""

import argparse
import sys
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from random import Random

from bitbully import BitBully
from bitbully import Board as TheirBoard

from protocol.games.connect_four.rules import ConnectFour, ConnectFourState
from scripts.connect_four_steps import Improvements, Search, improvements_by_step
from search.connect_four import SolverBudget
from search.connect_four.bit_board import board_of
from search.connect_four.compiled_engine import CompiledEngine
from search.connect_four.scores import bounds_of, scores_by

VECTORS = Path(__file__).parents[1] / "tests" / "vectors"
END = VECTORS / "connect_four_L3_R1.txt"
MIDDLE = VECTORS / "connect_four_L2_R1.txt"

ENDLESS = SolverBudget(1 << 60)
STONES = (16, 40)  # numbers of stones in random positions for the other solver
BOARDS = ((4, 4), (4, 5), (5, 4), (5, 5), (5, 6), (6, 4), (6, 5), (7, 4), (7, 5), (6, 6))
LARGE = 1 << 24  # table size in positions for a whole board: half a gigabyte


def rules(width: int = 7, height: int = 6) -> ConnectFour:
    """Make the rules for a board."""
    return ConnectFour("connect-four", 2, {"width": width, "height": height})


def position_after(game: ConnectFour, columns: Iterable[int]) -> ConnectFourState:
    """Return the position after stones in these columns, counted from 0."""
    state = game.opening(0)
    for column in columns:
        state = game.apply(state, state.to_act, ("drop", column))
    return state


def random_columns(game: ConnectFour, stones: int, random: Random) -> list[int]:
    """Choose random columns that lead to a position with `stones` stones in which the game is not
    over.
    """
    while True:
        state = game.opening(0)
        columns = []
        while state.result is None and len(columns) < stones:
            columns.append(random.choice(game.moves(state))[1])
            state = game.apply(state, state.to_act, ("drop", columns[-1]))
        if state.result is None:
            return columns


def count_differences(positions: int, seed: int) -> int:
    """Count the random positions, out of `positions`, for which bitbully gives a different score of
    a move.
    """
    game = rules()
    random = Random(seed)
    theirs = BitBully(opening_book=None)
    differ = 0
    for _ in range(positions):
        columns = random_columns(game, random.randint(*STONES), random)
        state = position_after(game, columns)
        board = board_of(game, state.own, state.occupied)
        found = scores_by(CompiledEngine(board, ENDLESS), board, state).columns
        scores = {
            column: score.least
            for column, score in enumerate(found)
            if score is not None and score.exact
        }
        differ += scores != theirs.score_all_moves(TheirBoard(columns))
    return differ


def compare_with_bitbully(positions: int) -> int:
    """Compare random positions with bitbully."""
    differ = count_differences(positions, seed=2013)
    print(
        f"{positions:,} random positions with {STONES[0]} to {STONES[1]} stones, all moves: "
        f"{differ} differ"
    )
    return int(differ > 0)


def read_positions(file: Path) -> Iterator[tuple[list[int], int]]:
    """Read a set of positions of 7 × 6, as columns with their scores."""
    for line in file.read_text().splitlines():
        columns, score = line.split()
        yield [int(column) - 1 for column in columns], int(score)


def mean_nodes(file: Path, positions: int, use: Improvements) -> float:
    """Return the mean number of nodes over the first positions of a set. Raises: RuntimeError for a
    wrong score.
    """
    game = rules()
    nodes = 0
    for columns, score in islice(read_positions(file), positions):
        state = position_after(game, columns)
        search = Search(board_of(game, state.own, state.occupied), use)
        if search.score(state.own, state.occupied) != score:
            raise RuntimeError(f"{file.name}: {columns} is worth {score}")
        nodes += search.nodes
    return nodes / positions


def steps() -> int:
    """Print the nodes that each improvement saves. The first steps take too long in the middle of a
    game.
    """
    print("| with | end, easy | middle, easy |\n| --- | ---: | ---: |")
    for name, use in improvements_by_step().items():
        if use.table:
            middle = f"{mean_nodes(MIDDLE, 50, use):,.0f}"
        else:
            middle = ""
        print(f"| {name} | {mean_nodes(END, 1000, use):,.0f} | {middle} |", flush=True)
    return 0


def boards() -> int:
    """Solve small boards from the empty position."""
    print("| wide × high | result | nodes | seconds |\n| --- | --- | ---: | ---: |")
    for width, height in BOARDS:
        game = rules(width, height)
        board = board_of(game, 0, 0)
        engine = CompiledEngine(board, ENDLESS, table=LARGE)
        begun = time.process_time()
        score = bounds_of(engine, board, 0, 0).least
        if not score:
            result = "draw"
        elif score > 0:
            result = "first wins"
        else:
            result = "second wins"
        print(
            f"| {width} × {height} | {result} | {engine.nodes:,} | "
            f"{time.process_time() - begun:.1f} |",
            flush=True,
        )
    return 0


def main() -> int:
    """Run the command. Return 0 if all scores agree."""
    parser = argparse.ArgumentParser(prog="scripts/connect_four", description=__doc__)
    what = parser.add_subparsers(dest="what", required=True)
    what.add_parser("steps", help="count what each idea saves (a minute)")
    what.add_parser("boards", help="solve small boards whole (a minute)")
    asked = what.add_parser("oracle", help="compare with bitbully")
    asked.add_argument("--positions", type=int, default=5000)
    args = parser.parse_args()
    if args.what == "oracle":
        return compare_with_bitbully(args.positions)
    return boards() if args.what == "boards" else steps()


if __name__ == "__main__":
    sys.exit(main())
