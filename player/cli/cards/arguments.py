"""The command line of `fairdeal cards`."""

import argparse
from collections.abc import Iterable
from pathlib import Path

from player.cards.opponents import OPPONENTS
from player.cli import arguments
from protocol.games.scripted.rule_file.built_in import BUILT_IN_RULES
from protocol.i18n.help_parser import HelpParser, HelpText, add_command, add_commands
from protocol.i18n.language_choice import add_language_flag
from protocol.ledger.witness.acceptance_policy import AcceptancePolicy
from protocol.view.phrase import phrase

HERE = "0.0.0.0:7502"
FREE = "0.0.0.0:0"
EXAMPLES = (
    ("fairdeal cards import starter.cards", "help.cards.example.import"),
    ("fairdeal cards binder", "help.cards.example.binder"),
    ('fairdeal cards show "Ember #3"', "help.cards.example.show"),
    ("fairdeal cards trade --listen", "help.cards.example.trade"),
    ("fairdeal cards buy LINK", "help.cards.example.buy"),
)
# commands in the order of the list: the line about each, and examples
COMMANDS = {
    "binder": ("help.cards.binder", ("fairdeal cards binder", "fairdeal cards binder --web")),
    "list": ("help.cards.list", ("fairdeal cards list", "fairdeal cards list --of Bob")),
    "show": ("help.cards.show", ('fairdeal cards show "Ember #3"', "fairdeal cards show Bob")),
    "trade": (
        "help.cards.trade",
        (
            "fairdeal cards trade --listen",
            "fairdeal cards trade LINK",
            "fairdeal cards trade LINK --give Ember#3 --want Oak --yes",
            "fairdeal cards trade --letter",
            "fairdeal cards trade --letter ann.trade --out bob.trade",
        ),
    ),
    "buy": ("help.cards.buy", ("fairdeal cards buy LINK --packs 2",)),
    "import": ("help.cards.import", ("fairdeal cards import starter.cards",)),
    "export": (
        "help.cards.export",
        ('fairdeal cards export "Ember #3" --out ember.cards',),
    ),
    "verify": (
        "help.cards.verify",
        ('fairdeal cards verify "Ember #3"', "fairdeal cards verify starter.cards"),
    ),
    "alarms": ("help.cards.alarms", ("fairdeal cards alarms",)),
    "trust": (
        "help.cards.trust",
        ("fairdeal cards trust", 'fairdeal cards trust "The Press"'),
    ),
    "policy": (
        "help.cards.policy",
        ("fairdeal cards policy", f"fairdeal cards policy {AcceptancePolicy.CERTIFIED}"),
    ),
    "witness": ("help.cards.witness", ("fairdeal cards witness LINK",)),
    "settle": (
        "help.cards.settle",
        ("fairdeal cards settle", 'fairdeal cards settle "Ember #3"'),
    ),
    "update": (
        "help.cards.update",
        ("fairdeal cards update", 'fairdeal cards update "The Press"'),
    ),
    "mend": ("help.cards.mend", ("fairdeal cards mend",)),
}
ENDINGS = {
    "trade": "help.cards.trade.more",
    "buy": "help.cards.buy.more",
    "import": "help.cards.import.more",
    "verify": "help.cards.verify.more",
    "trust": "help.cards.trust.more",
    "policy": "help.cards.policy.more",
    "witness": "help.cards.witness.more",
    "settle": "help.cards.settle.more",
    "update": "help.cards.update.more",
    "mend": "help.cards.mend.more",
}

DECK_EXAMPLES = (
    ("fairdeal cards deck new fire --all", "help.deck.example.new"),
    ('fairdeal cards deck add fire "Ember #3" Oak', "help.deck.example.add"),
    ("fairdeal cards deck check fire", "help.deck.example.check"),
    ("fairdeal join LINK --deck fire", "help.deck.example.join"),
)
# commands in the order of the list: the line about each, and examples
DECK_COMMANDS = {
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


def parser() -> argparse.ArgumentParser:
    """Return the parser of `fairdeal cards`."""
    made = HelpParser(
        prog="fairdeal cards",
        about="help.command.cards",
        description="help.cards.more",
        examples=EXAMPLES,
        epilog="help.cards.next",
    )
    commands = add_commands(made)
    by_name = {
        name: add_command(
            commands,
            name,
            about,
            examples=[(example, "") for example in examples],
            epilog=ENDINGS.get(name),
        )
        for name, (about, examples) in COMMANDS.items()
    }
    _add_views(by_name)
    _add_trade(by_name["trade"])
    _add_purchase(by_name["buy"])
    _add_files(by_name)
    _add_marks(by_name)
    for one in (*by_name.values(), *_add_decks(commands)):
        arguments.add_identity_options(one.add_argument_group("help.group.files"))
        add_language_flag(one)
    return made


def _add_views(by_name: dict[str, HelpParser]) -> None:
    for name in ("list", "binder"):
        chosen = by_name[name].add_argument_group("help.group.which_cards")
        chosen.add_argument("--of", metavar="PERSON", help="help.cards.of")
        chosen.add_argument("--edition", metavar="NAME", help="help.cards.edition")
    binder = by_name["binder"]
    page = binder.add_argument_group("help.group.page")
    page.add_argument("--web", action="store_true", help="help.cards.web")
    page.add_argument("--web-name", metavar="NAME", help="help.flag.web_name")
    page.add_argument("--name", help="help.cards.web.name")
    page.add_argument(
        "--listen",
        metavar="HOST:PORT",
        default=HERE,
        help=HelpText(phrase("help.cards.web.listen", usual=HERE)),
    )
    page.add_argument("--rules", metavar="FILE", type=Path, help="help.cards.web.rules")
    binder.set_defaults(bot=None)
    by_name["show"].add_argument(
        "what", metavar="CARD|TRADE|PERSON", nargs="+", help="help.cards.what"
    )


def _add_marks(by_name: dict[str, HelpParser]) -> None:
    by_name["verify"].add_argument(
        "what", metavar="CARD|FILE", nargs="+", help="help.cards.verify.what"
    )
    trust = by_name["trust"]
    trust.add_argument("who", metavar="PERSON", nargs="?", help="help.cards.trust.who")
    how = trust.add_argument_group("help.options").add_mutually_exclusive_group()
    how.add_argument("--not", dest="distrust", action="store_true", help="help.cards.trust.not")
    how.add_argument("--forget", action="store_true", help="help.cards.trust.forget")
    by_name["policy"].add_argument(
        "policy",
        metavar="POLICY",
        nargs="*",
        help=HelpText(phrase("help.cards.policy.choice", names=" | ".join(AcceptancePolicy))),
    )
    by_name["policy"].add_argument(
        "--opponents", choices=OPPONENTS, metavar="WHOSE", help="help.cards.policy.opponents"
    )
    by_name["witness"].add_argument(
        "link", metavar="LINK", nargs="?", help="help.cards.witness.link"
    )
    by_name["settle"].add_argument(
        "cards", metavar="CARD", nargs="*", help="help.cards.settle.cards"
    )
    own = by_name["mend"].add_argument_group("help.options")
    own.add_argument("--yes", action="store_true", help="help.cards.mend.yes")
    by_name["update"].add_argument("who", metavar="PERSON", nargs="*", help="help.cards.update.who")


def _add_files(by_name: dict[str, HelpParser]) -> None:
    by_name["import"].add_argument(
        "files", metavar="FILE", nargs="+", type=Path, help="help.cards.import.files"
    )
    given = by_name["export"]
    given.add_argument("cards", metavar="CARD", nargs="*", help="help.cards.export.cards")
    own = given.add_argument_group("help.options")
    own.add_argument(
        "--out", type=Path, metavar="FILE", required=True, help="help.cards.export.out"
    )
    which = own.add_mutually_exclusive_group()
    which.add_argument("--all", action="store_true", help="help.cards.export.all")
    which.add_argument("--alarms", action="store_true", help="help.cards.export.alarms")


def _add_trade(trade: argparse.ArgumentParser) -> None:
    trade.add_argument("link", metavar="LINK", nargs="?", help="help.cards.trade.link")
    ways = trade.add_argument_group("help.group.line")
    way = ways.add_mutually_exclusive_group()
    way.add_argument(
        "--listen",
        metavar="HOST:PORT",
        nargs="?",
        const=HERE,
        help=HelpText(phrase("help.cards.trade.listen", usual=HERE)),
    )
    way.add_argument(
        "--letter", metavar="FILE", nargs="?", const="", help="help.cards.trade.letter"
    )
    ways.add_argument("--out", metavar="FILE", type=Path, help="help.cards.trade.out")
    ways.add_argument("--lan", action="store_true", help="help.cards.trade.lan")
    ways.add_argument("--name", help="help.flag.name")
    offer = trade.add_argument_group("help.group.script")
    offer.add_argument(
        "--give", metavar="CARD", nargs="+", default=[], help="help.cards.trade.give"
    )
    offer.add_argument(
        "--want", metavar="CARD", nargs="+", default=[], help="help.cards.trade.want"
    )
    offer.add_argument("--yes", action="store_true", help="help.cards.trade.yes")
    lost = trade.add_argument_group("help.group.lost")
    arguments.add_lines(lost)
    lost.add_argument(
        "--keep-trying", type=arguments.patience, metavar="SECONDS", help="help.keep_trying"
    )
    trade.set_defaults(bot=None)


def _add_purchase(buy: argparse.ArgumentParser) -> None:
    buy.add_argument("link", metavar="LINK", help="help.cards.buy.link")
    packs = buy.add_argument_group("help.group.packs")
    packs.add_argument("--packs", type=int, metavar="N", default=1, help="help.cards.buy.packs")
    packs.add_argument("--run", metavar="RUN", help="help.cards.buy.run")
    packs.add_argument("--pay", metavar="CARD", nargs="+", default=[], help="help.cards.buy.pay")


def _add_decks(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
) -> Iterable[argparse.ArgumentParser]:
    made = add_command(
        commands, "deck", "help.deck", description="help.deck.more", examples=DECK_EXAMPLES
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
        for name, (about, examples) in DECK_COMMANDS.items()
    }
    for name in DECK_COMMANDS:
        if name != "list":
            by_name[name].add_argument("deck", metavar="NAME", help="help.deck.name")
    _add_new_deck(by_name["new"])
    for name in ("add", "remove"):
        by_name[name].add_argument("cards", metavar="CARD", nargs="+", help="help.deck.cards")
    for name in ("show", "add", "remove"):
        _add_deck_rules(by_name[name].add_argument_group("help.options"), "help.deck.rules")
    _add_deck_rules(by_name["check"].add_argument_group("help.options"), "help.deck.check.rules")
    return by_name.values()


def _add_new_deck(new: HelpParser) -> None:
    new.add_argument("cards", metavar="CARD", nargs="*", help="help.deck.new.cards")
    own = new.add_argument_group("help.options")
    own.add_argument("--all", action="store_true", help="help.deck.new.all")
    own.add_argument(
        "--game",
        metavar="GAME",
        default=BUILT_IN_RULES[0],
        help=HelpText(phrase("help.deck.new.game", usual=BUILT_IN_RULES[0])),
    )
    _add_deck_rules(own, "help.deck.rules")
    own.add_argument("--proxies", action="store_true", help="help.deck.new.proxies")


def _add_deck_rules(made: "argparse._ActionsContainer", about: str) -> None:
    made.add_argument("--rules", metavar="FILE", type=Path, help=about)
