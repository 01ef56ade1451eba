"""Command-line arguments of `rules`. They are separate from the code that runs the command
(`protocol.rules.command`, `trying`), because that code loads slowly.
"""

import argparse
from pathlib import Path

ABOUT = """\
Read a file of rules for a card game and say whether it is right. docs/rules.md says how such a file
is written. Whatever stands in the file, it can do nothing
but count: it reads no file, sees no clock and no network, and ends after a bounded number of steps.
"""
EXAMPLES = """\
examples:
  fairdeal rules check climb.rules      is it right? If not: which line and column, and what to do
  fairdeal rules explain climb.rules    what it declares, and which function calls which
  fairdeal rules play climb.rules       a match by it, to try it (--person: you play, too)

exit status: 0 the file is right, 1 it is not, 2 wrong usage
"""
PLAY = """\
Play a match by a rule file here, without a table and without keys: bots against each other, or
against you in the first seat. To play it as others do, with a table: fairdeal play FILE.
"""


def add_rules(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command `rules` to the subcommands of the program."""
    parser = commands.add_parser(
        "rules",
        help="check a file of rules for a card game",
        description=ABOUT,
        epilog=EXAMPLES,
    )
    parts = parser.add_subparsers(dest="part", required=True, metavar="PART")
    for name, text in (
        ("check", "say whether it is right"),
        ("explain", "say what it declares and does"),
    ):
        part = parts.add_parser(name, help=text, description=text.capitalize() + ".")
        part.add_argument("file", type=Path, metavar="FILE", help="a rule file (*.rules)")
    _add_trial(parts)


def _add_trial(parts: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    made = parts.add_parser("play", help="play it here, to try it", description=PLAY)
    made.add_argument("file", type=Path, metavar="FILE", help="a rule file (*.rules)")
    made.add_argument(
        "--person",
        action="store_true",
        help="you choose for the first seat (default: bots for all)",
    )
    made.add_argument(
        "--seats", type=int, metavar="N", help="how many play (default: as few as may)"
    )
    made.add_argument(
        "--seed",
        type=int,
        default=1,
        metavar="N",
        help="another number is another match (default: 1)",
    )
