"""The command `fairdeal host`: a table, and with `--play` the host's own seat at it."""

import os
import sys
from collections.abc import Sequence

from commandline.exit_codes import report_error
from commandline.option_file import file_words
from fairdeal.host_arguments import EXAMPLES, add_seat, check_seat, seat_keys, table_words
from protocol.errors import LocalError
from protocol.i18n.language_choice import environment_translator
from protocol.view.text import translate_phrase
from table.__main__ import read_command
from table.__main__ import run as run_table


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        command = read_command(given, add_seat, EXAMPLES)
    except LocalError as error:
        return report_error(error)
    parser, options, say = command.parser, command.options, environment_translator(os.environ)
    try:
        check_seat(options)
    except LocalError as error:
        if command.file.path is not None:
            return report_error(command.error(error))
        parser.error(translate_phrase(error.phrase, say))
    if not options.play or options.show_config:
        return run_table(command)
    # with programs and terms it takes a while to load, and a table alone needs none of it
    from fairdeal.host_play import prepare, run

    try:
        words = [*file_words(command.file, seat_keys()), *table_words(command.words)]
        seat = prepare(options, command.games, command.plugins, words)
    except LocalError as error:
        if command.file.path is not None:
            return report_error(command.error(error))
        parser.error(translate_phrase(error.phrase, say))
    try:
        return run(seat)
    except LocalError as error:
        return report_error(error)
