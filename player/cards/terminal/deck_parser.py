"""The command line of `fairdeal cards deck`."""

import argparse
from collections.abc import Iterable
from pathlib import Path

from player.cards.terminal.deck_commands import USUAL
from protocol.i18n.help_parser import HelpParser, HelpText, add_command, add_commands
from protocol.view.phrase import phrase

EXAMPLES = (
    ("fairdeal cards deck new fire --all", "help.deck.example.new"),
    ('fairdeal cards deck add fire "Ember #3" Oak', "help.deck.example.add"),
    ("fairdeal cards deck check fire", "help.deck.example.check"),
    ("fairdeal join LINK --deck fire", "help.deck.example.join"),
)
# commands in the order of the list: the line about each, and examples
COMMANDS = {
    "new": (
        "help.deck.new",
        (
            "fairdeal cards deck new fire --all",
            'fairdeal cards deck new trees Oak "Ember #3"',
            "fairdeal cards deck new plain Spark Torch --proxies",
        ),
    ),
    "list": ("help.deck.list", ("fairdeal cards deck list",)),
    "show": ("help.deck.show", ("fairdeal cards deck show fire",)),
    "add": ("help.deck.add", ('fairdeal cards deck add fire "Ember #3"',)),
    "remove": ("help.deck.remove", ('fairdeal cards deck remove fire "Ember #3"',)),
    "check": (
        "help.deck.check",
        ("fairdeal cards deck check fire", "fairdeal cards deck check fire --rules own.rules"),
    ),
    "delete": ("help.deck.delete", ("fairdeal cards deck delete fire",)),
}


def add_decks(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
) -> Iterable[argparse.ArgumentParser]:
    """Add the commands about decks, and return their parsers."""
    made = add_command(
        commands, "deck", "help.deck", description="help.deck.more", examples=EXAMPLES
    )
    below = add_commands(made, "do")
    by_name = {
        name: add_command(
            below,
            name,
            about,
            examples=[(example, "") for example in examples],
            epilog="help.deck.check.exits" if name == "check" else None,
        )
        for name, (about, examples) in COMMANDS.items()
    }
    for name in COMMANDS:
        if name != "list":
            by_name[name].add_argument("deck", metavar="NAME", help="help.deck.name")
    _add_new(by_name["new"])
    for name in ("add", "remove"):
        by_name[name].add_argument("cards", metavar="CARD", nargs="+", help="help.deck.cards")
    for name in ("show", "add", "remove"):
        _add_rules(by_name[name].add_argument_group("help.options"), "help.deck.rules")
    _add_rules(by_name["check"].add_argument_group("help.options"), "help.deck.check.rules")
    return by_name.values()


def _add_new(new: HelpParser) -> None:
    new.add_argument("cards", metavar="CARD", nargs="*", help="help.deck.new.cards")
    own = new.add_argument_group("help.options")
    own.add_argument("--all", action="store_true", help="help.deck.new.all")
    own.add_argument(
        "--game",
        metavar="GAME",
        default=USUAL,
        help=HelpText(phrase("help.deck.new.game", usual=USUAL)),
    )
    _add_rules(own, "help.deck.rules")
    own.add_argument("--proxies", action="store_true", help="help.deck.new.proxies")


def _add_rules(made: "argparse._ActionsContainer", about: str) -> None:
    made.add_argument("--rules", metavar="FILE", type=Path, help=about)
