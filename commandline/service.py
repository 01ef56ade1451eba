"""Programs that serve until a signal: their command line, log, signals and exit code."""

import argparse
import asyncio
import logging
import os
import sys
from collections.abc import Callable, Sequence

from commandline.exit_codes import ExitCode, exit_code, report_error
from commandline.log_output import log_settings, open_log, report_loop_error
from commandline.sd_notify import READY, STOPPING, tell
from commandline.stop_signals import call_when_stopped
from protocol.errors import LocalError
from protocol.i18n.language_choice import environment_translator, take_language_flag
from protocol.view.terminal_output import install_output_fallback
from protocol.view.text import translate_phrase

log = logging.getLogger(__name__)


def run_service(
    make_parser: Callable[[], argparse.ArgumentParser],
    run: Callable[[argparse.Namespace, bool], None],
    arguments: Sequence[str] | None = None,
) -> ExitCode:
    """Read the command line, send the log to standard error, and call `run`; return the exit code.

    `run` gets the options, among them those of `add_log_flags`, and whether a person reads standard
    error. A LocalError of it ends the program with a sentence.
    """
    install_output_fallback()
    words = take_language_flag(sys.argv[1:] if arguments is None else arguments, os.environ)
    parser = make_parser()
    options = parser.parse_args(words)
    output = open_log(sys.stderr, log_settings(options))
    try:
        run(options, output.readable)
    except LocalError as error:
        if exit_code(error) is ExitCode.USAGE:
            parser.error(translate_phrase(error.phrase, environment_translator(os.environ)))
        return report_error(error)
    return ExitCode.DONE


def prepare_loop() -> asyncio.Event:
    """Send errors outside any handler of the running loop to the log. Return an event that is set
    by a signal which asks the program to end.
    """
    stop = asyncio.Event()
    asyncio.get_running_loop().set_exception_handler(report_loop_error)
    call_when_stopped(stop.set)
    return stop


async def serve_until(stop: asyncio.Event) -> None:
    """Tell the service manager that the program is ready, and when it begins to close."""
    tell(READY, os.environ)
    await stop.wait()
    log.info("closing")
    tell(STOPPING, os.environ)
