"""Command line of `ledger verify`, separate from `command`, which loads slowly."""

from pathlib import Path
from typing import Any

from protocol.ledger import SUFFIX

ABOUT = f"""\
Judge a file of collectable cards (*{SUFFIX}), as a program of its own: it needs nothing but the file, asks nobody and
believes nobody. Every record's form, keys and signatures are checked, and that it names what it may name. Then it
says whose each card is by these records, and what they prove against whom. Fingerprints are the people: a name is
only a name.

What somebody did elsewhere is not in the file: "as far as it knows" is meant.
"""
EXIT = """\
exit status: 0 nothing wrong, 1 something is wrong or somebody cheated, 2 wrong usage, 3 records are missing
"""


def add_ledger(commands: Any) -> None:
    """Add the command to the program's other commands."""
    parser = commands.add_parser(
        "ledger", help="judge a file of collectable cards", description=ABOUT
    )
    verify = parser.add_subparsers(dest="deed", required=True, metavar="verify").add_parser(
        "verify",
        help="whose are the cards, and did anybody cheat?",
        description=ABOUT,
        epilog=EXIT,
    )
    verify.add_argument(
        "files",
        type=Path,
        nargs="+",
        metavar="FILE",
        help=f"records (*{SUFFIX}); several are merged",
    )
