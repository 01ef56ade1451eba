"""The command `fairdeal play`: it reads the command line, and loads the code for a match only to
play one.
"""

import sys
from collections.abc import Sequence

from commandline.console_text import print_error
from commandline.game_plugins import load_plugins
from fairdeal.play_arguments import game_in_help, listing, make_parser
from player.client.outcome import CLEAN, USAGE
from protocol.errors import LocalError
from protocol.i18n.language_choice import own_language
from protocol.view.text import translate_phrase


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit code."""
    try:
        words, plugins, games = load_plugins(sys.argv[1:] if arguments is None else arguments)
    except LocalError as error:
        print_error(error)
        return USAGE
    parser = make_parser(games, game_in_help(words, games))
    options = parser.parse_args(words)
    options.words = words
    if options.game is None:
        print(listing(games))
        return CLEAN
    from fairdeal import play

    try:
        bots, you, brings = play.complete_options(options)
    except LocalError as error:
        parser.error(translate_phrase(error.phrase, own_language()))
    return play.run(options, plugins, bots, you, brings)
