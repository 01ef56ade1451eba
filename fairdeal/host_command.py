"""The command `fairdeal host`: a table, and with `--play` the host's own seat at it."""

import os
import sys
from collections.abc import Sequence

from commandline.game_plugins import load_plugins
from fairdeal.host_arguments import check_seat, make_parser, table_words
from protocol.errors import LocalError
from protocol.i18n.language_choice import environment_translator, take_language_flag
from protocol.view.text import translate_phrase
from table.__main__ import main as host_table

# exit codes
FAILED = 1
USAGE = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit code."""
    given = take_language_flag(sys.argv[1:] if arguments is None else arguments, os.environ)
    say = environment_translator(os.environ)
    try:
        words, plugins, games = load_plugins(given)
    except LocalError as error:
        print(f"fairdeal: {translate_phrase(error.phrase, say)}", file=sys.stderr)
        return USAGE
    parser = make_parser(games)
    options = parser.parse_args(words)
    try:
        check_seat(options)
    except LocalError as error:
        parser.error(translate_phrase(error.phrase, say))
    if not options.play:
        return host_table(given)
    # with programs and terms it takes a while to load, and a table alone needs none of it
    from fairdeal.host_play import prepare, run

    try:
        seat = prepare(options, games, plugins, table_words(words))
    except LocalError as error:
        parser.error(translate_phrase(error.phrase, say))
    try:
        return run(seat)
    except LocalError as error:
        print(f"fairdeal: {translate_phrase(error.phrase, say)}", file=sys.stderr)
        return FAILED
