"""The command line of `fairdeal cards deck`."""

import argparse
from pathlib import Path

from player import arguments
from player.cards.terminal.deck_commands import USUAL

MORE = """

A deck is a list under a name, on this computer alone: of cards that you own or, with --proxies, of the cards that rules
bring along. `fairdeal join LINK --deck NAME` plays with it. A card may be in several decks.
"""


def add_decks(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
) -> list[argparse.ArgumentParser]:
    """The parsers of all commands about decks."""
    made = arguments.add_command(commands, "deck", "make decks of your cards, and check them", MORE)
    below = made.add_subparsers(dest="do", required=True, metavar="WHAT")
    new = _one(below, "new", "make a deck")
    new.add_argument("cards", metavar="CARD", nargs="*", help="what is in it; more can be added")
    new.add_argument(
        "--all", action="store_true", help="all your cards that are not reserved or burnt"
    )
    new.add_argument(
        "--game", metavar="GAME", default=USUAL, help="whose rules it is for (default: %(default)s)"
    )
    _by_file(new)
    new.add_argument(
        "--proxies",
        action="store_true",
        help="of the cards that the rules bring along, nobody's own",
    )
    arguments.add_command(below, "list", "list your decks")
    _by_file(_one(below, "show", "show the cards of a deck"))
    for name, about in (("add", "put cards into a deck"), ("remove", "take cards out of a deck")):
        changed = _one(below, name, about)
        changed.add_argument("cards", metavar="CARD", nargs="+")
        _by_file(changed)
    check = _one(
        below,
        "check",
        "say what speaks against playing a deck",
        "\n\nexit codes: 0 nothing, 1 something: what its rules say, and cards that are not "
        "yours, burnt or reserved",
    )
    check.add_argument(
        "--rules",
        metavar="FILE",
        type=Path,
        help="by this rule file instead of the deck's own rules",
    )
    _one(below, "delete", "delete a deck; the cards stay yours")
    return list(below.choices.values())


def _by_file(made: argparse.ArgumentParser) -> None:
    made.add_argument(
        "--rules",
        metavar="FILE",
        type=Path,
        help="the rule file, for a deck that is played by one of your own",
    )


def _one(
    below: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    about: str,
    more: str = "",
) -> argparse.ArgumentParser:
    made = arguments.add_command(below, name, about, more)
    made.add_argument("deck", metavar="NAME")
    return made
