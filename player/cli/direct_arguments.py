"""The command lines of `fairdeal invite`, and of `fairdeal join` without a table."""

import argparse
from functools import partial

from commandline.game_plugins import add_plugin_flag
from commandline.terms_flags import add_terms_flags, terms_help
from player.cli import arguments
from protocol.games.registry import DEFAULT_GAME, Games
from protocol.i18n.help_parser import HelpParser, HelpText
from protocol.i18n.language_choice import add_language_flag
from protocol.view.phrase import phrase

HERE = "0.0.0.0:7501"
INVITE_EXAMPLES = (
    ("fairdeal invite", "help.invite.example.usual"),
    (f"fairdeal invite --game {DEFAULT_GAME} --web", "help.invite.example.web"),
    ("fairdeal invite --lan --listen 0.0.0.0:0", "help.invite.example.lan"),
)
JOIN_EXAMPLES = (("fairdeal join LINK --name Bob", ""),)


def parser(command: str, games: Games) -> argparse.ArgumentParser:
    """Return the parser of `invite`, or of `join` with a direct link."""
    if command == "invite":
        made = HelpParser(
            prog="fairdeal invite",
            about="help.command.invite",
            description="help.invite.more",
            examples=INVITE_EXAMPLES,
            ending=partial(terms_help, games, has_table=False),
        )
        address = made.add_argument_group("help.group.address")
        address.add_argument(
            "--listen",
            metavar="HOST:PORT",
            help=HelpText(phrase("help.invite.listen", usual=HERE)),
        )
        address.add_argument("--lan", action="store_true", help="help.invite.lan")
        add_terms_flags(made.add_argument_group("help.group.game"), has_table=False)
    else:
        made = HelpParser(
            prog="fairdeal join", description="help.join_direct.about", examples=JOIN_EXAMPLES
        )
        made.add_argument("link", metavar="LINK", help="help.join_direct.link")
    arguments.add_player(made, games)
    lost = made.add_argument_group("help.group.lost")
    arguments.add_lines(lost)
    if command == "join":
        lost.add_argument(
            "--keep-trying",
            type=arguments.patience,
            metavar="SECONDS",
            help="help.keep_trying",
        )
    lost.add_argument("--forget", action="store_true", help="help.flag.forget")
    arguments.add_requirements(made.add_argument_group("help.group.requirements"))
    arguments.add_identity_options(made.add_argument_group("help.group.files"))
    add_plugin_flag(made)
    add_language_flag(made)
    made.set_defaults(games=games)
    return made
