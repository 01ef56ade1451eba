"""`python -P -m verification`: search a protocol for an attack.

Only this module reads the clock and the system's random numbers.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from random import SystemRandom
from typing import TYPE_CHECKING

from protocol.errors import LocalError
from protocol.i18n.help_parser import HelpParser, add_commands
from protocol.i18n.language_choice import (
    add_language_flag,
    environment_translator,
    take_language_flag,
)
from protocol.i18n.program_output import run_program
from protocol.local_files import read_file, write_bytes
from protocol.view.terminal_output import install_output_fallback
from protocol.view.text import translate_phrase
from verification.arguments import add_verify

if TYPE_CHECKING:  # a slow import, which `--help` does not need
    from verification.command import VerifyTools

# exit codes
USAGE = 2


def make_parser() -> argparse.ArgumentParser:
    """Return the parser."""
    parser = HelpParser(prog="fairdeal", about="help.command.verify")
    add_language_flag(add_verify(add_commands(parser)))
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command `verify`, and return the exit status."""
    install_output_fallback()
    options = make_parser().parse_args(
        take_language_flag(sys.argv[1:] if arguments is None else arguments, os.environ)
    )
    try:
        status = _verify(options)
        sys.stdout.flush()
    except LocalError as error:
        print(translate_phrase(error.phrase, environment_translator(os.environ)), file=sys.stderr)
        return USAGE
    return status


def _verify(options: argparse.Namespace) -> int:
    from verification.command import UNDECIDED, run_verify

    try:
        return run_verify(options, _tools())
    except KeyboardInterrupt:
        _show_progress("")
        print(environment_translator(os.environ)("solve.stopped", None), file=sys.stderr)
        return UNDECIDED


def _tools() -> "VerifyTools":
    from verification.command import VerifyTools

    return VerifyTools(
        clock=_seconds,
        read=read_file,
        write=write_bytes,
        progress=_show_progress,
        rng=SystemRandom(),
        translate=environment_translator(os.environ),
    )


def _seconds() -> float:
    return os.times().elapsed


def _show_progress(line: str) -> None:
    """Replace the current line of the terminal by `line`. Print nothing if standard error is no
    terminal.
    """
    if sys.stderr.isatty():
        print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(run_program(main))
