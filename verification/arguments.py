"""Arguments of the command `verify`.

`verification.command` runs the command. That module takes a while to load, and `--help` does not
need it.
"""

import argparse
from pathlib import Path
from typing import Any

from protocol.i18n.help_parser import HelpText, add_command
from protocol.limits import DEFAULT_SESSIONS, MAX_SESSIONS
from protocol.view.phrase import phrase

USUAL_SECONDS = 60
EXAMPLES = (
    ("fairdeal verify --list", "help.verify.example.list"),
    ("fairdeal verify needham-schroeder", "help.verify.example.attack"),
    ("fairdeal verify needham-schroeder --save ns.fairdeal", "help.verify.example.save"),
    ("fairdeal verify otway-rees --untyped", "help.verify.example.untyped"),
    ("fairdeal play intruder", "help.verify.example.play"),
)


def add_verify(commands: Any) -> argparse.ArgumentParser:
    """Add the command `verify` to the commands of a program."""
    made = add_command(
        commands,
        "verify",
        "help.command.verify",
        description="help.verify.more",
        examples=EXAMPLES,
        epilog=HelpText(phrase("help.verify.next")),
    )
    made.add_argument("protocol", metavar="PROTOCOL", nargs="?", help="help.verify.protocol")
    _add_search(made.add_argument_group("help.group.search"))
    _add_output(made.add_argument_group("help.group.output"))
    return made


def _add_search(made: "argparse._ActionsContainer") -> None:
    made.add_argument(
        "--sessions",
        type=int,
        metavar="N",
        default=DEFAULT_SESSIONS,
        help=HelpText(phrase("help.verify.sessions", most=MAX_SESSIONS, usual=DEFAULT_SESSIONS)),
    )
    made.add_argument(
        "--seconds",
        type=float,
        metavar="S",
        default=USUAL_SECONDS,
        help=HelpText(phrase("help.verify.seconds", usual=USUAL_SECONDS)),
    )
    made.add_argument("--untyped", action="store_true", help="help.verify.untyped")


def _add_output(made: "argparse._ActionsContainer") -> None:
    made.add_argument("--list", action="store_true", help="help.verify.list")
    made.add_argument("--json", action="store_true", help="help.verify.json")
    made.add_argument("--save", type=Path, metavar="FILE", help="help.verify.save")
    made.add_argument("--svg", type=Path, metavar="FILE", help="help.verify.svg")
