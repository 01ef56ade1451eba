"""Standard output that closes or is full: a program ends with a sentence and an exit code of its
own, and with no traceback.
"""

import os
import sys
from collections.abc import Callable

from protocol.i18n.language_choice import environment_translator
from protocol.view.phrase import phrase
from protocol.view.terminal_output import install_output_fallback
from protocol.view.text import phrase_renderer

# exit codes, which say nothing about what was judged or played
OUTPUT_CLOSED = 141  # the reader of a pipe has had enough: as of a program that SIGPIPE has ended
OUTPUT_LOST = 74  # the output could not be written: EX_IOERR of sysexits.h


def run_program(run: Callable[[], int]) -> int:
    """Run a program, write out what it has printed, and return its exit code; or `OUTPUT_CLOSED`
    or `OUTPUT_LOST`.
    """
    open_closed_streams()
    install_output_fallback()
    try:
        try:
            code = run()
        except SystemExit:  # `--help` ends so, and a wrong command line
            sys.stdout.flush()
            raise
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()
        return OUTPUT_CLOSED
    except OSError as error:
        if not _is_output_broken():
            raise
        _discard_output()
        lost = phrase("wrong.output", why=str(error.strerror))
        print(phrase_renderer(environment_translator(os.environ), ())(lost), file=sys.stderr)
        return OUTPUT_LOST
    return code


def open_closed_streams() -> None:
    """Open standard streams that the caller has closed (`>&-`) on the null device.

    Otherwise the next file or socket would get their numbers, and what is printed.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is not None:
            continue
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number, which is this one
        stream = open(os.devnull, "w" if number else "r", encoding="utf-8")  # noqa: SIM115, PTH123
        setattr(sys, name, stream)


def _is_output_broken() -> bool:
    """Check that standard output does not take another line either."""
    try:
        print(flush=True)
    except OSError:
        return True
    return False


def _discard_output() -> None:
    """Send the rest to the null device: Python flushes standard output when it ends."""
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
