"""The command `fairdeal play`: it reads the command line, and loads the code for a match only to
play one.
"""

import os
import sys
from collections.abc import Sequence

from commandline.game_plugins import load_plugins
from fairdeal.play_arguments import game_in_help, listing, make_parser
from player.client.outcome import CLEAN, USAGE
from protocol.errors import LocalError
from protocol.i18n.language_choice import environment_translator
from protocol.view.text import translate_phrase


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit code."""
    try:
        words, plugins, games = load_plugins(sys.argv[1:] if arguments is None else arguments)
    except LocalError as error:
        print(
            f"fairdeal: {translate_phrase(error.phrase, environment_translator(os.environ))}",
            file=sys.stderr,
        )
        return USAGE
    made = make_parser(games, game_in_help(words, games))
    asked = made.parse_args(words)
    asked.words = words
    if asked.game is None:
        print(listing(games))
        return CLEAN
    from fairdeal import play

    try:
        bots, you, brings = play.complete_options(asked)
    except LocalError as error:
        made.error(translate_phrase(error.phrase, environment_translator(os.environ)))
    return play.run(asked, plugins, bots, you, brings)
