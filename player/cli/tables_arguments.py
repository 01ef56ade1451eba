"""The command line of `fairdeal tables`."""

import argparse
from pathlib import Path

from player.storage.data_directory import default_data
from protocol.directory.selection import Order
from protocol.games.registry import DEFAULT_GAME
from protocol.i18n.help_parser import HelpParser, HelpText
from protocol.i18n.language_choice import add_language_flag
from protocol.limits import TABLES_SHOWN
from protocol.view.phrase import phrase

EXAMPLES = (
    ("fairdeal tables https://example.org/tables.list#FINGERPRINT", "help.tables.example.all"),
    (f"fairdeal tables LINK --game {DEFAULT_GAME}", "help.tables.example.game"),
    ("fairdeal tables LINK --seat", "help.tables.example.seat"),
)


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of `fairdeal tables`."""
    made = HelpParser(
        "fairdeal tables",
        about="help.command.tables",
        description="help.tables.more",
        examples=EXAMPLES,
        epilog="help.tables.next",
    )
    add = made.add_argument
    add("source", metavar="LINK|FILE", help="help.tables.source")
    add("--game", metavar="GAME", default="", help="help.tables.game")
    add("--find", metavar="TEXT", default="", help="help.tables.find")
    add(
        "--sort",
        choices=[str(each) for each in Order],
        default=str(Order.FREE),
        help=HelpText(phrase("help.tables.sort", usual=str(Order.FREE))),
    )
    add("--all", action="store_true", help="help.tables.all")
    add(
        "--first",
        type=int,
        metavar="N",
        default=TABLES_SHOWN,
        help=HelpText(phrase("help.tables.first", usual=TABLES_SHOWN)),
    )
    either = made.add_mutually_exclusive_group()
    either.add_argument("--json", action="store_true", help="help.tables.json")
    either.add_argument("--seat", action="store_true", help="help.tables.seat")
    add("--name", metavar="NAME", help="help.tables.name")
    add(
        "--data",
        type=Path,
        metavar="DIR",
        help=HelpText(phrase("help.lan.data", usual=str(default_data()))),
    )
    add_language_flag(made)
    return made
