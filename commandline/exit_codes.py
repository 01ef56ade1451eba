"""Exit codes of programs that serve: `fairdeal host`, `relay`, `directory`, `signer` and `standby`. A
service manager need not start a program again that ends with one of `WRONG_AGAIN`: somebody has to
act first. The numbers from 64 on are those of sysexits.h.
"""

import os
import sys
from enum import IntEnum

from commandline.log_output import error_text
from protocol.errors import LocalError
from protocol.i18n.language_choice import environment_translator
from protocol.view.text import translate_phrase


class ExitCode(IntEnum):
    """The way in which a program has ended."""

    DONE = 0  # it was told to stop, or a table's match is over
    FAILED = 1  # it cannot run now; another try may go well
    USAGE = 2  # the command line is wrong
    FOLDER = 65  # EX_DATAERR: what lies in the folder or the store is not for this program
    MISSING = 69  # EX_UNAVAILABLE: something is not installed
    FORBIDDEN = 77  # EX_NOPERM: the system forbids a port or a file, or a file is open to others
    CONFIG = 78  # EX_CONFIG: the configuration is wrong


WRONG_AGAIN = frozenset(ExitCode) - {ExitCode.DONE, ExitCode.FAILED}

# by the key of an error; all others are `FAILED`
_CODES = {
    ExitCode.USAGE: (
        "wrong.directory.address",
        "wrong.listen",
        "wrong.listen.brackets",
        "wrong.plugin_broken",
        "wrong.plugin_none",
        "wrong.plugin_twice",
        "wrong.plugin_unknown",
        "wrong.proxy",
        "wrong.relay.url",
        "wrong.web.origin",
    ),
    ExitCode.FOLDER: (
        "wrong.control.damaged",
        "wrong.directory.file.other",
        "wrong.folder.keyless",
        "wrong.journal.damaged",
        "wrong.journal.earlier",
        "wrong.journal.newer",
        "wrong.signer.key",
        "wrong.standby.folder",
        "wrong.standby.key",
        "wrong.standby.needed",
        "wrong.standby.twin",
        "wrong.store.damaged",
        "wrong.store.foreign",
        "wrong.table.history.damaged",
        "wrong.table.history.foreign",
        "wrong.table.secret.damaged",
        "wrong.witness.damaged",
    ),
    ExitCode.MISSING: (
        "cluster.install",
        "lan.install",
        "postgres.install",
        "telemetry.install",
        "web.install",
        "wrong.page.none",
        "wrong.table.metrics",
        "wrong.web.install",
    ),
    ExitCode.FORBIDDEN: (
        "wrong.folder.forbidden",
        "wrong.listen.forbidden",
        "wrong.signer.folder",
        "wrong.signer.others",
        "wrong.store.login.others",
        "wrong.table.secret.others",
    ),
    ExitCode.CONFIG: (
        "wrong.cluster.store",
        "wrong.config.flag",
        "wrong.config.key",
        "wrong.config.key.near",
        "wrong.config.options",
        "wrong.config.read",
        "wrong.config.toml",
        "wrong.config.value",
        "wrong.folder.file",
        "wrong.store.address",
        "wrong.store.database.address",
        "wrong.store.login",
        "wrong.store.passfile",
        "wrong.store.password",
        "wrong.store.tls",
        "wrong.table.key",
    ),
}
CODES = {key: code for code, keys in _CODES.items() for key in keys}


def exit_code(error: LocalError) -> ExitCode:
    """Return the code with which a program ends because of an error."""
    return CODES.get(error.phrase.key, ExitCode.FAILED)


def report_error(error: LocalError) -> ExitCode:
    """Say on standard error what ends the program, and return its exit code."""
    say = environment_translator(os.environ)
    text = f"fairdeal: {translate_phrase(error.phrase, say)}"
    print(error_text(text, sys.stderr, os.environ), file=sys.stderr)
    return exit_code(error)
