"""`python -P -m search`: solve a game in which nothing is hidden."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from itertools import count

from protocol.errors import LocalError
from protocol.games.registry import BUILT_IN, Games
from protocol.i18n.help_parser import HelpParser, add_commands
from protocol.i18n.language_choice import (
    add_language_flag,
    environment_translator,
    take_language_flag,
)
from protocol.i18n.program_output import run_program
from protocol.limits import SEARCH_STOP_NODES
from protocol.local_files import write_text
from protocol.view.terminal_output import install_output_fallback
from protocol.view.text import translate_phrase
from search.command import GIVEN_UP, add_solve, solve_command

# exit codes
USAGE = 2


def make_parser(games: Games) -> argparse.ArgumentParser:
    """Return the parser."""
    parser = HelpParser(prog="fairdeal", about="help.command.solve")
    add_language_flag(add_solve(add_commands(parser), games))
    return parser


def main(
    arguments: Sequence[str] | None = None,
    games: Games = BUILT_IN,
    progress: Callable[[int], None] | None = None,
) -> int:
    """Run the command `solve` for one of `games`, and return the exit status.

    The search calls `progress` every `SEARCH_STOP_NODES` nodes, with the number of nodes so far.
    """
    install_output_fallback()
    options = make_parser(games).parse_args(
        take_language_flag(sys.argv[1:] if arguments is None else arguments, os.environ)
    )
    try:
        status = _solve(options, games, progress)
        sys.stdout.flush()
    except LocalError as error:
        print(translate_phrase(error.phrase, environment_translator(os.environ)), file=sys.stderr)
        return USAGE
    return status


def _solve(
    options: argparse.Namespace, games: Games, progress: Callable[[int], None] | None
) -> int:
    calls = count()

    def stop() -> bool:
        if progress is not None:
            progress(next(calls) * SEARCH_STOP_NODES)
        return False

    translate = environment_translator(os.environ)
    try:
        status, lines = solve_command(options, games, translate, write_text, stop)
    except KeyboardInterrupt:
        status, lines = GIVEN_UP, [translate("solve.stopped", None)]
    print("\n".join(lines))
    return status


if __name__ == "__main__":
    sys.exit(run_program(main))
