"""The command line of `fairdeal app`."""

import argparse
from pathlib import Path

from commandline.game_plugins import add_plugin_flag
from player.storage.data_directory import default_data
from protocol.games.registry import BUILT_IN, Games
from protocol.i18n.help_parser import HelpParser, HelpText
from protocol.i18n.language_choice import add_language_flag
from protocol.view.phrase import phrase

EXAMPLES = (("fairdeal app", "help.app.example.open"),)


def parser(games: Games = BUILT_IN) -> argparse.ArgumentParser:
    """Return the parser of `fairdeal app`."""
    made = HelpParser(
        prog="fairdeal app",
        about="help.command.app",
        description="help.app.more",
        examples=EXAMPLES,
        epilog="help.app.next",
    )
    made.add_argument("--web-name", metavar="NAME", help="help.flag.web_name")
    made.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help=HelpText(phrase("help.flag.data", usual=str(default_data()))),
    )
    made.add_argument("--passphrase-file", type=Path, metavar="F", help="help.flag.passphrase_file")
    add_plugin_flag(made)
    add_language_flag(made)
    made.set_defaults(games=games, name=None, bot=None, passphrase=False)
    return made
