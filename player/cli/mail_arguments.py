"""The command line of `fairdeal mail`."""

import argparse
from functools import partial

from bots.registry import available_bots
from commandline.game_plugins import add_plugin_flag
from commandline.rule_file import add_rule_file_flag
from commandline.terms_flags import add_terms_flags, terms_help
from player.cli import arguments
from protocol.games.registry import BUILT_IN, DEFAULT_GAME, Games
from protocol.i18n.help_parser import HelpParser, add_command, add_commands
from protocol.i18n.language_choice import add_language_flag

EXAMPLES = {
    "": (
        (
            "fairdeal mail new --with bob@example.org --from ann@example.org --out 1.eml",
            "help.mail.example.new",
        ),
        ("fairdeal mail read 1.eml", "help.mail.example.read"),
        (
            "fairdeal mail accept --from bob@example.org --out 2.eml",
            "help.mail.example.accept",
        ),
        ("fairdeal mail move raise 20 --out 8.eml", "help.mail.example.move"),
        ("fairdeal mail status", "help.mail.example.status"),
    ),
    "new": (
        ("fairdeal mail new --with bob@example.org --from ann@example.org --out 1.eml", ""),
        (f"fairdeal mail new --with bob@example.org --game {DEFAULT_GAME}", ""),
    ),
    "read": (
        ("fairdeal mail read 1.eml", "help.mail.example.file"),
        ("fairdeal mail read", "help.mail.example.fetch"),
    ),
    "accept": (
        ("fairdeal mail accept --from bob@example.org --out 2.eml", ""),
        ("fairdeal mail accept 1a2b3c4d --only-verified", ""),
    ),
    "move": (
        ("fairdeal mail move raise 20 --out 8.eml", ""),
        ("fairdeal mail move 1a2b3c4d fold", "help.mail.example.match"),
    ),
    "send": (("fairdeal mail send", ""), ("fairdeal mail send 1a2b3c4d --out 9.eml", "")),
    "status": (("fairdeal mail status", ""), ("fairdeal mail status 1a2b3c4d", "")),
    "leave": (("fairdeal mail leave 1a2b3c4d", ""),),
    "drop": (("fairdeal mail drop 1a2b3c4d", ""),),
}
ABOUT = {
    "new": "help.mail.new",
    "read": "help.mail.read",
    "accept": "help.mail.accept",
    "move": "help.mail.move",
    "send": "help.mail.send",
    "status": "help.mail.status",
    "leave": "help.mail.leave",
    "drop": "help.mail.drop",
}


def parser(games: Games = BUILT_IN) -> argparse.ArgumentParser:
    """Return the parser of `fairdeal mail`."""
    made = HelpParser(
        prog="fairdeal mail",
        about="help.command.mail",
        description="help.mail.more",
        examples=EXAMPLES[""],
        epilog="help.mail.next",
    )
    made.set_defaults(games=games)
    commands = add_commands(made)
    for name in ABOUT:
        _add(commands, name, games)
    return made


def _add(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, games: Games
) -> None:
    if name == "new":
        ending = partial(terms_help, games, has_table=False)
    else:
        ending = None
    made = add_command(commands, name, ABOUT[name], examples=EXAMPLES[name], ending=ending)
    if name == "move":
        made.add_argument("words", metavar="WORD", nargs="+", help="help.mail.words")
    elif name == "read":
        made.add_argument("files", metavar="FILE", nargs="*", help="help.mail.files")
    elif name != "new":
        made.add_argument("match", metavar="MATCH", nargs="?", help="help.mail.match")
    _add_letters(made.add_argument_group("help.group.letters"), name)
    if name in ("new", "accept"):
        rules = made.add_argument_group("help.group.game")
        if name == "new":
            add_terms_flags(rules, has_table=False)
        add_rule_file_flag(rules)
        arguments.add_deck(rules)
        arguments.add_requirements(made.add_argument_group("help.group.requirements"))
    bots = made.add_argument_group("help.group.bots")
    bots.add_argument(
        "--bot", choices=sorted(available_bots(games)), metavar="BOT", help="help.mail.bot"
    )
    arguments.add_strength(bots)
    arguments.add_identity_options(made.add_argument_group("help.group.files"))
    add_plugin_flag(made)
    add_language_flag(made)


def _add_letters(made: "argparse._ActionsContainer", name: str) -> None:
    if name in ("new", "accept"):
        made.add_argument(
            "--with",
            dest="partner",
            metavar="ADDRESS",
            required=name == "new",
            help="help.mail.with" if name == "new" else "help.mail.answer",
        )
        made.add_argument("--from", dest="address", metavar="ADDRESS", help="help.mail.from")
        made.add_argument("--name", help="help.flag.name")
    made.add_argument("--out", metavar="WHERE", help="help.mail.out")
    if name == "send":
        made.add_argument("--since", type=int, metavar="N", help="help.mail.since")
    made.add_argument("--quiet", action="store_true", help="help.mail.quiet")
