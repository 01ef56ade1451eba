"""The log of a program on standard error: as text or JSON, with levels for journald, with addresses
of people only if the host asks for them, and bounded in lines for each kind of message.

Lines have no text of a peer: messages are sentences of this program with numbers, ids and
fingerprints. Of an exception they have the type and the places, not the text.
"""

import argparse
import json
import logging
import os
import time
import traceback
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import IO, Any, NamedTuple

from protocol.i18n.help_parser import HelpText
from protocol.limits import LOG_LINES, LOG_LINES_SECONDS
from protocol.view.phrase import phrase

# of syslog(3), by the least level of `logging`
_PRIORITIES = ((logging.ERROR, 3), (logging.WARNING, 4), (logging.INFO, 6), (logging.NOTSET, 7))
# names of our loggers; others are those of libraries, which may quote what peers send
_OWN = frozenset({"table", "net", "protocol", "commandline", "fairdeal", "relay", "directory"})


log = logging.getLogger(__name__)


class LogFormat(StrEnum):
    """The form of a line."""

    TEXT = "text"
    JSON = "json"


class LogSettings(NamedTuple):
    """Choices of the operator for the log."""

    level: str = "info"
    format: LogFormat = LogFormat.TEXT
    addresses: bool = False  # whether addresses of people are written


def where(error: BaseException) -> str:
    """Return the lines of code that an unexpected error came through, without its text: that may
    quote a peer.
    """
    return "".join(traceback.format_tb(error.__traceback__))


def add_log_flags(made: "argparse._ActionsContainer") -> None:
    """Add the options for the log."""
    made.add_argument(
        "--log-level",
        choices=("debug", "info", "warning", "error"),
        default="info",
        help=HelpText(phrase("help.host.log_level", usual="info")),
    )
    made.add_argument(
        "--log-format",
        choices=[str(each) for each in LogFormat],
        default=str(LogFormat.TEXT),
        help=HelpText(phrase("help.host.log_format", usual=str(LogFormat.TEXT))),
    )
    made.add_argument("--log-addresses", action="store_true", help="help.host.log_addresses")


def log_settings(options: argparse.Namespace) -> LogSettings:
    """Return the settings that the options of `add_log_flags` ask for."""
    return LogSettings(options.log_level, LogFormat(options.log_format), options.log_addresses)


def is_journal(stream: IO[str], environment: Mapping[str, str]) -> bool:
    """Tell if a stream leads to journald, which is said as DEVICE:INODE in JOURNAL_STREAM."""
    try:
        found = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return False
    return environment.get("JOURNAL_STREAM", "") == f"{found.st_dev}:{found.st_ino}"


def error_text(text: str, stream: IO[str] | None, environment: Mapping[str, str]) -> str:
    """Return the text of an error that ends a program, with its level if journald reads it."""
    journal = stream is not None and is_journal(stream, environment)
    return _prefixed(text, logging.ERROR) if journal else text


def _prefixed(text: str, level: int) -> str:
    prefix = f"<{_priority(level)}>"
    return "\n".join(f"{prefix}{line}" for line in text.splitlines())


class RepeatFilter(logging.Filter):
    """Passes LOG_LINES lines of one message in LOG_LINES_SECONDS, and counts the others."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        # by message: when the time began, lines since then, and lines that were left out
        self._seen: dict[tuple[str, object], tuple[float, int, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell if a line is written. A line after others were left out gets their number, as
        `left_out`.
        """
        now, message = self._clock(), (record.name, record.msg)
        begun, lines, left_out = self._seen.get(message, (now, 0, 0))
        if now - begun >= LOG_LINES_SECONDS:
            begun, lines = now, 0
        if lines >= LOG_LINES:
            self._seen[message] = begun, lines, left_out + 1
            return False
        if left_out:
            record.left_out = left_out
        self._seen[message] = begun, lines + 1, 0
        return True


class LineFormatter(logging.Formatter):
    """Makes lines as the settings say. `journal`: with a level that journald takes, and without the
    time, which journald adds.
    """

    def __init__(self, settings: LogSettings, *, journal: bool) -> None:
        super().__init__()
        self._settings, self._journal = settings, journal

    def format(self, record: logging.LogRecord) -> str:
        """Return a line, or several for an error with its places in the code."""
        if self._settings.format is LogFormat.JSON:
            text = json.dumps(self._fields(record), ensure_ascii=False)
        else:
            text = self._text(record)
        return _prefixed(text, record.levelno) if self._journal else text

    def _text(self, record: logging.LogRecord) -> str:
        text = _message(record)
        address, often = self._addresses(record)
        if address:
            text += f"; from {address}"
        if often:
            text += f"; most often from {often[0]} ({often[1]})"
        if left_out := getattr(record, "left_out", 0):
            text += f" ({left_out} more such lines were left out)"
        if self._journal:
            return text
        return f"{self.formatTime(record)} {record.levelname} {text}"

    def _fields(self, record: logging.LogRecord) -> dict[str, object]:
        when = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        fields: dict[str, object] = {
            "time": when,
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _message(record),
        }
        address, often = self._addresses(record)
        if address:
            fields["address"] = address
        if often:
            fields["often"], fields["times"] = often
        if left_out := getattr(record, "left_out", 0):
            fields["left_out"] = left_out
        return fields

    def _addresses(self, record: logging.LogRecord) -> tuple[str, tuple[str, int] | None]:
        """Return the address of a line, and the one that did most; nothing unless the host asks."""
        if not self._settings.addresses:
            return "", None
        times = getattr(record, "times", 0)
        often = (getattr(record, "often", ""), times) if times > 1 else None
        return getattr(record, "address", ""), often


def _message(record: logging.LogRecord) -> str:
    own = record.name.partition(".")[0] in _OWN
    text = record.getMessage() if own else f"{record.name}: {record.msg}"
    error = record.exc_info[1] if record.exc_info else None
    if error is not None:
        text += f" ({type(error).__name__})\n{where(error)}"
    return text.rstrip("\n")


def _priority(level: int) -> int:
    return next(priority for least, priority in _PRIORITIES if level >= least)


class LogOutput(logging.StreamHandler[IO[str]]):
    """The handler of all log lines of a program."""

    def __init__(
        self,
        stream: IO[str],
        settings: LogSettings,
        environment: Mapping[str, str] = os.environ,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(stream)
        self._journal = is_journal(stream, environment)
        self.addFilter(RepeatFilter(clock))
        self.apply(settings)

    @property
    def readable(self) -> bool:
        """Lines are for a person: neither journald nor another program takes them apart."""
        return not self._journal and self._settings.format is LogFormat.TEXT

    def apply(self, settings: LogSettings) -> None:
        """Write lines as these settings say from now on."""
        self._settings = settings
        self.setFormatter(LineFormatter(settings, journal=self._journal))

    def filter(self, record: logging.LogRecord) -> bool:
        """Leave out what is below the level; of libraries what is no warning."""
        least = logging.getLevelNamesMapping()[self._settings.level.upper()]
        if record.name.partition(".")[0] not in _OWN:
            least = max(least, logging.WARNING)
        return record.levelno >= least and bool(super().filter(record))


def open_log(stream: IO[str], settings: LogSettings) -> LogOutput:
    """Send the log of this program to a stream."""
    output = LogOutput(stream, settings)
    root = logging.getLogger()
    root.addHandler(output)
    apply_log(output, settings)
    return output


def apply_log(output: LogOutput, settings: LogSettings) -> None:
    """Write the log of this program as these settings say from now on."""
    output.apply(settings)
    logging.getLogger().setLevel(settings.level.upper())


def report_loop_error(loop: object, context: Mapping[str, Any]) -> None:
    """Log an error outside any handler, and where it came from, without texts that may quote a peer.
    This is a handler for `asyncio.AbstractEventLoop.set_exception_handler`.
    """
    error = context.get("exception")
    log.error(
        "%s (%s)\n%s", context.get("message"), type(error).__name__, where(error) if error else ""
    )
