"""Reading of the configuration file again while the table runs: everything of it is taken, or
nothing.
"""

import logging
from dataclasses import fields
from typing import Protocol, Self

from commandline.log_output import LogOutput, LogSettings, apply_log
from protocol.errors import LocalError
from protocol.i18n import english_text
from table.config import LIVE_BOUNDS, Bounds, Config
from table.manager.server import TableServer

# keys of the file that may change while the table runs; of `bound` those in LIVE_BOUNDS
LIVE_KEYS = frozenset(
    {
        "allow-create",
        "allow-watch",
        "bound",
        "greeting",
        "log-addresses",
        "log-format",
        "log-level",
        "name",
    }
)

log = logging.getLogger(__name__)


class Command(Protocol):
    """A command line with its file."""

    @property
    def log(self) -> LogSettings:
        """The settings of the log."""

    def config(self) -> Config:
        """Return the configuration. Raises: LocalError."""

    def read_again(self) -> Self:
        """Return the same with the file as it is now. Raises: LocalError."""

    def changed_keys(self, new: Self) -> list[str]:
        """Return the keys whose values are others in `new`."""


class Reload:
    """The file of one table. `command` is what the table was started with."""

    def __init__(self, command: Command, output: LogOutput) -> None:
        self._command, self._output = command, output

    def __call__(self, table: TableServer) -> list[str]:
        """Read the file again, and return the keys that have changed. Raises: LocalError, and
        nothing has changed.
        """
        try:
            return self._take(table)
        except LocalError as error:
            log.error("nothing of the configuration is taken: %s", english_text(error.phrase))
            raise

    def _take(self, table: TableServer) -> list[str]:
        new = self._command.read_again()
        config = new.config()
        keys = self._command.changed_keys(new)
        changed = [key for key in keys if key != "bound"]
        bounds = _changed_bounds(table.config.bounds, config.bounds)
        fixed = [key for key in changed if key not in LIVE_KEYS]
        fixed += [f"bound {name}" for name in bounds if name not in LIVE_BOUNDS]
        if fixed:
            raise LocalError("wrong.config.restart", count=len(fixed), keys=", ".join(fixed))
        table.configure(config)
        apply_log(self._output, new.log)
        self._command = new
        changed += [f"bound {name}" for name in bounds]
        log.info("the configuration is read again; changed: %s", ", ".join(changed) or "nothing")
        return changed


def _changed_bounds(old: Bounds, new: Bounds) -> list[str]:
    names = [each.name for each in fields(Bounds)]
    return [name for name in names if getattr(old, name) != getattr(new, name)]
