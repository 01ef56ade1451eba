"""The command `solve`: who wins from a position, by which move, at which cost.

Nothing here opens a file: the caller passes `write`.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from protocol.errors import LocalError
from protocol.games import AnyGame
from protocol.games.registry import Games, UnknownRules
from protocol.games.spec import GameSpec, Information, TurnOrder, options_help
from protocol.i18n.argument_errors import WrongArgument
from protocol.i18n.help_parser import HelpText, add_command, help_renderer
from protocol.limits import (
    MAX_DRAWN_NODES,
    MAX_SEARCH_GAMES,
    MAX_SEARCH_NODES,
    MAX_SEARCH_PLIES,
    SEARCH_DEPTH,
    SEARCH_GAMES,
    SEARCH_NODES,
)
from protocol.options import BadOptions, number_in_range, or_phrase, parse_option
from protocol.view.phrase import phrase
from protocol.view.text import Say, Translate
from search import SearchEffort, SearchResult, ValueKind, never_stop
from search.algorithms import ALGORITHMS, Algorithm, algorithm
from search.iterative_deepening import seat_to_move
from search.positions import move_phrase, parse_position, seat_speaker, view_at
from search.report import result_lines, table_lines, value_phrase
from search.search_game import SearchGame, State, search_game
from search.search_tree import TreeRecorder
from search.tree_drawing import draw_tree

# exit codes
SOLVED = 0
GIVEN_UP = 1
ALL = "all"
USUAL = "scout"
SEATS = 2
WIDTH = 80

Write = Callable[[str, str], None]  # name of a file, its text; raises LocalError
Stop = Callable[[], bool]


class SolveTask(NamedTuple):
    """A position to solve, and the names that texts use for it."""

    spec: GameSpec
    game: AnyGame
    rules: SearchGame
    state: State
    say: Say


def add_solve(commands: Any, games: Games) -> argparse.ArgumentParser:
    """Add the command `solve` to the commands of a program."""
    made = add_command(
        commands,
        "solve",
        "help.command.solve",
        description="help.solve.more",
        examples=_examples(_solvable_specs(games)),
        ending=partial(_ending, games),
    )
    names = ", ".join(spec.name for spec in _solvable_specs(games))
    made.add_argument("game", metavar="GAME", help=HelpText(phrase("help.solve.game", names=names)))
    _add_position(made.add_argument_group("help.group.position"))
    _add_effort(made.add_argument_group("help.group.effort"))
    return made


def _add_position(made: "argparse._ActionsContainer") -> None:
    made.add_argument(
        "--option",
        action="append",
        type=_option,
        default=[],
        metavar="NAME=VALUE",
        help="help.solve.option",
    )
    made.add_argument("--position", default="", metavar="TEXT", help="help.solve.position")


def _add_effort(made: "argparse._ActionsContainer") -> None:
    made.add_argument(
        "--algorithm",
        default=USUAL,
        metavar="NAME",
        help=HelpText(phrase("help.solve.algorithm", all=ALL, usual=USUAL)),
    )
    made.add_argument(
        "--nodes",
        type=number_in_range(1, MAX_SEARCH_NODES),
        default=SEARCH_NODES,
        metavar="N",
        help=HelpText(phrase("help.solve.nodes", usual=f"{SEARCH_NODES:,}")),
    )
    made.add_argument(
        "--depth",
        type=number_in_range(1, MAX_SEARCH_PLIES),
        metavar="N",
        help=HelpText(phrase("help.solve.depth", usual=SEARCH_DEPTH)),
    )
    made.add_argument(
        "--simulations",
        type=number_in_range(1, MAX_SEARCH_GAMES),
        default=SEARCH_GAMES,
        metavar="N",
        help=HelpText(phrase("help.solve.simulations", usual=f"{SEARCH_GAMES:,}")),
    )
    made.add_argument(
        "--seed",
        type=number_in_range(0, 2**32),
        default=0,
        metavar="N",
        help="help.solve.seed",
    )
    made.add_argument("--explain", type=_svg_path, metavar="FILE.svg", help="help.solve.explain")


def _ending(games: Games) -> str:
    say = help_renderer()
    return "\n".join(
        [
            say(phrase("help.solve.next")),
            "",
            f"{say(phrase('help.solve.algorithms'))}:",
            *(f"  {row.name:11} {say(phrase(row.about))}" for row in ALGORITHMS.values()),
            f"{say(phrase('help.solve.games'))}:",
            *(f"  {line}" for line in options_help(_solvable_specs(games), say)),
            "",
            say(phrase("help.solve.exits")),
        ]
    )


def _examples(specs: Sequence[GameSpec]) -> list[tuple[str, str]]:
    first = specs[0].name
    return [
        (_example(specs[0]), "help.solve.example.game"),
        *((_example(spec), "") for spec in specs[1:]),
        (f"fairdeal solve {first} --algorithm all", "help.solve.example.all"),
        (f"fairdeal solve {first} --option n=9 --explain tree.svg", "help.solve.example.tree"),
    ]


def _solvable_specs(games: Games) -> list[GameSpec]:
    specs = [spec for spec in games.specs.values() if spec.information is Information.PERFECT]
    return [
        spec
        for spec in specs
        if spec.dynamics is TurnOrder.TURNS and spec.seats[0] <= SEATS <= spec.seats[1]
    ]


def _example(spec: GameSpec) -> str:
    words = f"fairdeal solve {spec.name}"
    return words + "".join(
        f" --option {option.name}={option.default_value(SEATS, {})}" for option in spec.options[:1]
    )


def _option(text: str) -> tuple[str, int | str]:
    found = parse_option(text)
    if found is None:
        raise WrongArgument("usage.option", example="width=4", word=text)
    return found


def _svg_path(text: str) -> str:
    if not text.lower().endswith(".svg"):
        raise WrongArgument("usage.suffix", suffix=".svg", word=text)
    return text


def solve_command(
    asked: argparse.Namespace,
    games: Games,
    translate: Translate,
    write: Write,
    stop: Stop = never_stop,
) -> tuple[int, list[str]]:
    """Solve a position. Return the exit code and the lines to print. Raises: LocalError."""
    task = parse_solve_task(asked, games, translate)
    effort = SearchEffort(asked.nodes, stop, asked.depth, asked.simulations, asked.seed)
    view = replace(view_at(task.spec, task.game, task.state, task.say), you=None)
    board = task.spec.load_text().table_text(view, task.say, WIDTH)
    if asked.algorithm == ALL:
        if asked.explain:
            raise LocalError("solve.explain_one", all=ALL)
        found = [
            (row, row.search(task.rules, task.state, effort))
            for row in ALGORITHMS.values()
            if row.fits(task.rules)
        ]
        return SOLVED, [
            *board,
            "",
            *table_lines(found, task.game, task.state, task.spec.load_view(), task.say),
        ]
    row = algorithm(asked.algorithm)
    if not row.fits(task.rules):
        fitting = or_phrase([other.name for other in ALGORITHMS.values() if other.fits(task.rules)])
        # the game has a solver, but its options exclude it
        lacking = row.name == "perfect" and task.spec.solver and task.rules.solver is None
        raise LocalError(
            "solve.unfit.options" if lacking else "solve.unfit",
            name=row.name,
            game=task.spec.name,
            names=fitting,
        )
    if asked.explain:
        result = _search_and_draw(row, task, effort, asked.explain, write)
    else:
        result = row.search(task.rules, task.state, effort)
    lines = [
        *board,
        "",
        *result_lines(row, result, task.spec, task.game, state=task.state, say=task.say),
    ]
    if asked.explain:
        lines.append(task.say(phrase("solve.drawn", path=asked.explain)))
    certain = result.kind is ValueKind.EXACT or (
        result.kind is ValueKind.GUESS and (not row.exact or asked.depth is not None)
    )
    return SOLVED if certain else GIVEN_UP, lines


def parse_solve_task(asked: argparse.Namespace, games: Games, translate: Translate) -> SolveTask:
    """Read game, options and position from the arguments. Raises: LocalError that lists the
    choices.
    """
    try:
        spec = games.spec(asked.game)
        if not spec.seats[0] <= SEATS <= spec.seats[1]:
            raise LocalError("search.refused.seats", game=spec.name, seats=spec.seats[1])
        game = spec.create(SEATS, dict(asked.option))
    except UnknownRules:
        names = or_phrase([spec.name for spec in _solvable_specs(games)])
        raise LocalError("solve.no_game", name=asked.game, names=names) from None
    except BadOptions as unfit:
        raise LocalError("wrong.unfit", name=asked.game, why=unfit.reason) from None
    say = seat_speaker(translate)
    rules = search_game(game, spec.load_solver())
    state = parse_position(
        spec, game, asked.position or "", say
    )  # argparse gives [] for `--position=--`
    seat_to_move(rules, state)
    return SolveTask(spec, game, rules, state, say)


def _search_and_draw(
    row: Algorithm, task: SolveTask, effort: SearchEffort, path: str, write: Write
) -> SearchResult:
    """Search and draw the tree. Raises: LocalError if the algorithm visits no tree, or a tree that
    is too large.
    """
    if not row.tree:
        trees = or_phrase([other.name for other in ALGORITHMS.values() if other.tree])
        raise LocalError("solve.no_tree", name=row.name, names=trees)
    if effort.nodes > MAX_DRAWN_NODES:
        effort = SearchEffort(MAX_DRAWN_NODES, effort.stop, effort.depth, effort.games, effort.seed)
    record = TreeRecorder(task.rules, task.state, seat_to_move(task.rules, task.state))
    result = row.search(record.rules, task.state, effort)
    if result.kind is ValueKind.NONE:
        raise LocalError("solve.too_large", most=MAX_DRAWN_NODES)
    view = task.spec.load_view()
    say = task.say

    def label(state: State, move: Any) -> str:
        return say(move_phrase(view, task.game, state, seat_to_move(task.rules, state), move))

    value = say(value_phrase(result, seat_to_move(task.rules, task.state)))
    title = say(
        phrase(
            "solve.drawn.title",
            game=task.spec.name,
            name=row.name,
            nodes=result.counts.nodes,
            value=value,
        )
    )
    write(path, draw_tree(record.tree_with_bounds(), label, say, title))
    return result
