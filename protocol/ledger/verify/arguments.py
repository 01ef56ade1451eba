"""Command line of `ledger verify`, separate from `command`, which loads slowly."""

from pathlib import Path
from typing import Any

from protocol.i18n.help_parser import HelpText, add_command, add_commands
from protocol.i18n.language_choice import add_language_flag
from protocol.ledger import SUFFIX
from protocol.view.phrase import phrase

EXAMPLES = (
    (f"python -P -m protocol ledger verify ann{SUFFIX} bob{SUFFIX}", "help.ledger.example"),
)


def add_ledger(commands: Any) -> None:
    """Add the command to the program's other commands."""
    made = add_command(
        commands,
        "ledger",
        "help.ledger",
        description=HelpText(phrase("help.ledger.more", suffix=f"*{SUFFIX}")),
        examples=EXAMPLES,
    )
    verify = add_command(
        add_commands(made, "deed"),
        "verify",
        "help.ledger.verify",
        description="help.ledger.verify.more",
        examples=EXAMPLES,
        epilog="help.ledger.exits",
    )
    verify.add_argument(
        "files",
        type=Path,
        nargs="+",
        metavar="FILE",
        help=HelpText(phrase("help.ledger.files", suffix=f"*{SUFFIX}")),
    )
    add_language_flag(verify)
