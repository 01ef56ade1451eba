"""The command line of `fairdeal creator`."""

import argparse
from pathlib import Path

from player.cards.creator.element_set.cards import EDITION
from player.cli import arguments
from protocol.i18n.help_parser import HelpParser, HelpText, add_command, add_commands
from protocol.i18n.language_choice import add_language_flag
from protocol.limits import MAX_PACK, MAX_TRANSFERS
from protocol.view.phrase import phrase

HERE = "0.0.0.0:7503"
PACK_SIZE = 5
EXAMPLES = (
    ("fairdeal creator new --set elements", "help.creator.example.new"),
    ("fairdeal creator run", "help.creator.example.run"),
    ("fairdeal creator sell", "help.creator.example.sell"),
    ("fairdeal creator open", "help.creator.example.open"),
)
# commands in the order of the list: the line about each, and examples
COMMANDS = {
    "new": (
        "help.creator.new",
        (
            "fairdeal creator new --set elements",
            'fairdeal creator new --name "The Press" --link https://example.org/press.cards',
        ),
    ),
    "type": (
        "help.creator.type",
        (
            "fairdeal creator type Oak --value strength=7 --image oak.svg",
            "fairdeal creator type Oak --edition Trees --frozen",
        ),
    ),
    "revise": (
        "help.creator.revise",
        ('fairdeal creator revise Oak --text "It has seen you before."',),
    ),
    "run": (
        "help.creator.run",
        ("fairdeal creator run", "fairdeal creator run --copies Oak=20 --copies Elm=5"),
    ),
    "sell": (
        "help.creator.sell",
        ("fairdeal creator sell", "fairdeal creator sell --listen 127.0.0.1:0 --price 2"),
    ),
    "open": ("help.creator.open", ("fairdeal creator open",)),
    "check": ("help.creator.check", ("fairdeal creator check Elements-1.run",)),
}
ENDINGS = {
    "new": phrase("help.creator.new.more"),
    "revise": phrase("help.creator.revise.more"),
    "run": phrase("help.creator.run.more", most=MAX_PACK),
    "sell": phrase("help.creator.sell.more"),
    "open": phrase("help.creator.open.more"),
    "check": phrase("help.creator.check.more"),
}


def parser() -> argparse.ArgumentParser:
    """Return the parser of `fairdeal creator`."""
    made = HelpParser(
        prog="fairdeal creator",
        about="help.command.creator",
        description="help.creator.more",
        examples=EXAMPLES,
        epilog=HelpText(phrase("help.creator.next", files="creator/*.sealed")),
    )
    commands = add_commands(made)
    by_name = {
        name: add_command(
            commands,
            name,
            about,
            examples=[(example, "") for example in examples],
            epilog=HelpText(ENDINGS[name]) if name in ENDINGS else None,
        )
        for name, (about, examples) in COMMANDS.items()
    }
    _add_new(by_name["new"])
    _add_types(by_name["type"], by_name["revise"])
    _add_run(by_name["run"])
    _add_sale(by_name["sell"])
    _add_open(by_name["open"])
    by_name["check"].add_argument(
        "files", metavar="FILE", nargs="+", type=Path, help="help.creator.files"
    )
    for one in by_name.values():
        arguments.add_identity_options(one.add_argument_group("help.group.files"))
        add_language_flag(one)
    return made


def _add_new(new: HelpParser) -> None:
    own = new.add_argument_group("help.group.creator")
    own.add_argument("--name", help="help.creator.name")
    own.add_argument("--set", choices=["elements"], help="help.creator.set")
    own.add_argument("--link", metavar="URL", help="help.creator.link")
    own.add_argument("--witness", metavar="KEY", action="append", help="help.creator.witness")
    own.add_argument("--quorum", type=int, metavar="N", help="help.creator.quorum")


def _add_types(made: HelpParser, revised: HelpParser) -> None:
    made.add_argument("name", metavar="NAME", nargs="?", help="help.creator.type.name")
    revised.add_argument("type", metavar="TYPE", help="help.creator.revise.type")
    card = made.add_argument_group("help.group.card")
    card.add_argument("--edition", metavar="NAME", help="help.creator.type.edition")
    card.add_argument("--frozen", action="store_true", help="help.creator.frozen")
    changed = revised.add_argument_group("help.group.changes")
    changed.add_argument("--name", help="help.creator.revise.name")
    for one in (card, changed):
        one.add_argument("--value", metavar="KEY=VALUE", action="append", help="help.creator.value")
        one.add_argument("--text", help="help.creator.text")
        one.add_argument("--image", type=Path, metavar="FILE", help="help.creator.image")


def _add_run(run: HelpParser) -> None:
    printed = run.add_argument_group("help.group.run")
    printed.add_argument(
        "--edition",
        metavar="NAME",
        help=HelpText(phrase("help.creator.run.edition", usual=EDITION)),
    )
    printed.add_argument(
        "--copies", metavar="TYPE=N", action="append", help="help.creator.run.copies"
    )
    printed.add_argument(
        "--pack-size",
        type=int,
        metavar="N",
        help=HelpText(phrase("help.creator.run.pack", usual=PACK_SIZE)),
    )


def _add_sale(sell: HelpParser) -> None:
    sell.add_argument("run", metavar="RUN", nargs="?", help="help.creator.sell.run")
    shop = sell.add_argument_group("help.group.shop")
    shop.add_argument(
        "--listen",
        metavar="HOST:PORT",
        default=HERE,
        help=HelpText(phrase("help.creator.sell.listen", usual=HERE)),
    )
    shop.add_argument(
        "--price",
        type=int,
        metavar="N",
        default=0,
        help=HelpText(phrase("help.creator.sell.price", most=MAX_TRANSFERS - 1)),
    )


def _add_open(opened: HelpParser) -> None:
    opened.add_argument("run", metavar="RUN", nargs="?", help="help.creator.open.run")
    own = opened.add_argument_group("help.options")
    own.add_argument("--out", type=Path, metavar="FILE", help="help.creator.open.out")
    own.add_argument("--unsold", action="store_true", help="help.creator.open.unsold")
