"""The command lines of `fairdeal invite`, and of `fairdeal join` without a table."""

import argparse
from functools import partial

from commandline.game_plugins import add_plugin_flag
from commandline.terms_flags import add_terms_flags, terms_help
from player import arguments
from protocol.games.registry import Games
from protocol.i18n.help_parser import HelpParser, HelpText
from protocol.i18n.language_choice import add_language_flag
from protocol.view.phrase import phrase

HERE = "0.0.0.0:7501"


def parser(command: str, games: Games) -> argparse.ArgumentParser:
    """Return the parser of `invite`, or of `join` with a direct link."""
    about = {"invite": "help.invite.about", "join": "help.join_direct.about"}
    made = HelpParser(
        prog=f"fairdeal {command}",
        description=about[command],
        ending=partial(terms_help, games, has_table=False) if command == "invite" else None,
    )
    if command == "invite":
        made.add_argument(
            "--listen",
            metavar="HOST:PORT",
            help=HelpText(phrase("help.invite.listen", usual=HERE)),
        )
        made.add_argument("--lan", action="store_true", help="help.invite.lan")
        add_terms_flags(made.add_argument_group("help.group.game"), has_table=False)
    else:
        made.add_argument("link", metavar="LINK", help="help.join_direct.link")
        made.add_argument(
            "--keep-trying",
            type=arguments.patience,
            metavar="SECONDS",
            help="help.keep_trying",
        )
    arguments.add_lines(made, "match")
    arguments.add_requirements(made.add_argument_group("help.group.requirements"))
    arguments.add_player(made, games)
    made.add_argument("--forget", action="store_true", help="help.flag.forget")
    arguments.add_identity_options(made.add_argument_group("help.group.files"))
    more = made.add_argument_group("help.group.more")
    add_plugin_flag(more)
    add_language_flag(more)
    made.set_defaults(games=games)
    return made
