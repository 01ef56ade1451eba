"""The command line of `fairdeal lobby`."""

import argparse
from functools import partial

from commandline.game_plugins import add_plugin_flag
from commandline.rule_file import add_rule_file_flag
from commandline.terms_flags import add_terms_flags, terms_help
from player.cli import arguments
from protocol.games.registry import DEFAULT_GAME, Games
from protocol.i18n.help_parser import HelpParser
from protocol.i18n.language_choice import add_language_flag

EXAMPLES = (
    ("fairdeal lobby LINK", "help.lobby.example.talk"),
    (f"fairdeal lobby LINK --game {DEFAULT_GAME}", "help.lobby.example.game"),
    ("fairdeal lobby LINK --trade", "help.lobby.example.trade"),
)


def parser(games: Games) -> argparse.ArgumentParser:
    """Return the parser of `fairdeal lobby`."""
    made = HelpParser(
        prog="fairdeal lobby",
        description="help.lobby.about",
        examples=EXAMPLES,
        ending=partial(terms_help, games, has_table=True),
    )
    made.add_argument("link", metavar="LINK", help="help.join.link")
    you = made.add_argument_group("help.group.player")
    you.add_argument("--name", help="help.flag.name")
    you.add_argument("--trade", action="store_true", help="help.lobby.trade")
    arguments.add_deck(you)
    add_rule_file_flag(you)
    you.add_argument(
        "--keep-trying", type=arguments.patience, metavar="SECONDS", help="help.keep_trying"
    )
    add_terms_flags(made.add_argument_group("help.group.ask"), has_table=True)
    arguments.add_requirements(made.add_argument_group("help.group.requirements"))
    arguments.add_identity_options(made.add_argument_group("help.group.files"))
    add_plugin_flag(made)
    add_language_flag(made)
    made.set_defaults(games=games, bot=None)
    return made
