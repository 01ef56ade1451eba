"""The command line of `fairdeal creator`."""

import argparse
from pathlib import Path

from player import arguments
from player.cards.creator.element_set.cards import EDITION
from protocol.i18n.help_parser import HelpParser
from protocol.i18n.language_choice import add_language_flag
from protocol.limits import MAX_PACK, MAX_TRANSFERS

HERE = "0.0.0.0:7503"
PACK_SIZE = 5
ABOUT = """\
Make cards that others own, and sell them in sealed packs. You sign all of it with your identity; nobody else can make
a card of yours, and you cannot make one more of a run without proof against you.

  fairdeal creator new --set elements     say who you are, and make the fifty cards that come along
  fairdeal creator run                    print a run of them: 250 cards, sealed in 50 packs before one is sold
  fairdeal creator sell                   sell packs at a link; a buyer types: fairdeal cards buy LINK
  fairdeal creator open                   when all are sold: open the run, so that anybody can check it

or cards of your own:

  fairdeal creator type Oak --value strength=7 --image oak.svg
  fairdeal creator revise Oak --text "It has seen you before."
"""
EPILOG = """\
On a terminal you are asked for what you leave out; Enter takes what stands in brackets. In a script the same is taken
without a question.

Which pack a buyer gets is a coin of both: you commit to your half before you see theirs, and the packs that are unsold
stand in what you sign before. A run that is not sold out is a file in your data folder ({folder}); who reads it knows
what is in every pack.

exit codes: 0 done, 1 a file does not hold (check), 2 wrong usage
"""


def parser() -> argparse.ArgumentParser:
    """The parser of `fairdeal creator`."""
    made: argparse.ArgumentParser = HelpParser(
        prog="fairdeal creator",
        description=ABOUT,
        epilog=EPILOG.format(folder="creator/*.sealed"),
    )
    commands = made.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _new(commands)
    _types(commands)
    _runs(commands)
    for one in commands.choices.values():
        arguments.add_identity_options(one)
        add_language_flag(one)
    return made


def _new(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    new = arguments.add_command(
        commands,
        "new",
        "say who you are as a creator, or say it anew",
        "\n\nWitnesses are tables that sign the first trade of a card which they see; with a "
        "quorum of them it is\n"
        "settled. Without any, a trade can be undone as long as somebody may have spent a "
        "card twice.",
    )
    new.add_argument("--name", help="how you are called as a creator")
    new.add_argument(
        "--link", metavar="URL", help="where your news can be fetched: a bundle file over https"
    )
    new.add_argument(
        "--witness", metavar="KEY", action="append", help="a witness's key, 64 hexadecimal digits"
    )
    new.add_argument(
        "--quorum",
        type=int,
        metavar="N",
        help="how many of them settle a trade (default: all but a third)",
    )
    new.add_argument("--set", choices=["elements"], help="make the types of a set that comes along")


def _types(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    made = arguments.add_command(
        commands, "type", "make a card type: what all copies of a card have in common"
    )
    made.add_argument("name", metavar="NAME", nargs="?")
    made.add_argument("--edition", help="the group it belongs to")
    made.add_argument(
        "--frozen",
        action="store_true",
        help="its values never change; who plays for something wants that",
    )
    revise = arguments.add_command(
        commands,
        "revise",
        "correct a card type: everybody who hears of it sees the new one",
        "\n\nMatches go on with the revision that they began with. The values of a frozen "
        "type stay as they are.",
    )
    revise.add_argument("type", metavar="TYPE", help="its name, or the beginning of its id")
    revise.add_argument("--name", help="another name")
    for one in (made, revise):
        one.add_argument(
            "--value",
            metavar="KEY=VALUE",
            action="append",
            help="what rules of games see; a number or text",
        )
        one.add_argument("--text", help="what stands on the card")
        one.add_argument(
            "--image", type=Path, metavar="FILE", help="its face; an SVG or a PNG, 256 KiB at most"
        )


def _runs(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    run = arguments.add_command(
        commands,
        "run",
        "print a run: sign how many copies there are, and seal the packs",
        "\n\nWithout --copies: of the set of elements 1 to 8 of each card, strong ones rare; "
        "of others 4 of each.\n"
        f"A pack has at most {MAX_PACK} cards; all copies together come out in whole packs.",
    )
    run.add_argument("--edition", help=f"of which edition (default: {EDITION}, or the only one)")
    run.add_argument(
        "--copies",
        metavar="TYPE=N",
        action="append",
        help="how many of a type; others have none then",
    )
    run.add_argument(
        "--pack-size", type=int, metavar="N", help=f"cards of a pack (default: {PACK_SIZE})"
    )
    sell = arguments.add_command(
        commands,
        "sell",
        "sell packs at a link, to whoever comes",
        "\n\nOne buys at a time; who says nothing for a minute has to begin again. Ctrl-C "
        "closes the shop.",
    )
    sell.add_argument(
        "--listen",
        metavar="HOST:PORT",
        default=HERE,
        help="where (default: %(default)s; port 0: any free one)",
    )
    sell.add_argument(
        "--price",
        type=int,
        metavar="N",
        default=0,
        help=f"so many cards of yours for a pack, 0 to {MAX_TRANSFERS - 1} (default: 0, packs are "
        "given away)",
    )
    opened = arguments.add_command(
        commands,
        "open",
        "open a run: write down what was in every pack, so that anybody can check it",
        "\n\nNothing is sold from an open run. Give away both files, FILE.run and FILE.cards.",
    )
    opened.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="where (default: the edition's name and the run's number)",
    )
    opened.add_argument(
        "--unsold",
        action="store_true",
        help="although packs are unsold: nobody can buy them any more",
    )
    for one in (sell, opened):
        one.add_argument(
            "run",
            metavar="RUN",
            nargs="?",
            help="the beginning of its id (default: all, or the only one)",
        )
    check = arguments.add_command(
        commands,
        "check",
        "check opened runs (FILE.run), and receipts of sales against one another",
        "\n\nexit codes: 0 all of it holds, 1 a creator is proven to have lied, or a file is "
        "not what it should be",
    )
    check.add_argument("files", metavar="FILE", nargs="+", type=Path)
