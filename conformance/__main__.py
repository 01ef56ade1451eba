"""`fairdeal conformance`: check a table, or a player, against the specification."""

import os
import sys
from collections.abc import Sequence

from conformance.report import UNREACHABLE
from protocol.errors import LocalError
from protocol.i18n.language_choice import environment_translator
from protocol.i18n.program_output import run_program
from protocol.view.text import translate_phrase


def main(arguments: Sequence[str] | None = None, program: str = "python -P -m conformance") -> int:
    """Run the kit, and return its exit code."""
    try:
        from conformance import command
    except LocalError as error:  # libsodium needs room in the temp directory
        print(translate_phrase(error.phrase, environment_translator(os.environ)), file=sys.stderr)
        return UNREACHABLE
    return command.main(arguments, program)


if __name__ == "__main__":
    sys.exit(run_program(main))
