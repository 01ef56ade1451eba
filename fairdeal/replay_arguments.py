"""The command line of `fairdeal replay`."""

import argparse
from pathlib import Path

from commandline.game_plugins import add_plugin_flag
from protocol.i18n.help_parser import HelpParser, HelpText
from protocol.i18n.language_choice import add_language_flag
from protocol.match.log_file import SUFFIX
from protocol.view.phrase import phrase

EXAMPLES = (
    (f"fairdeal replay match{SUFFIX}", "help.replay.example.one"),
    (f"fairdeal replay ann{SUFFIX} --compare bob{SUFFIX}", "help.replay.example.two"),
    (f"fairdeal show match{SUFFIX} --html match.html", "help.replay.example.file"),
)


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of `fairdeal replay`."""
    made = HelpParser(
        prog="fairdeal replay",
        about="help.command.replay",
        description="help.replay.more",
        examples=EXAMPLES,
        epilog="help.replay.next",
    )
    made.add_argument(
        "file",
        type=Path,
        metavar="FILE",
        help=HelpText(phrase("help.log", suffix=f"*{SUFFIX}")),
    )
    made.add_argument("--compare", type=Path, metavar="OTHER", help="help.replay.compare")
    made.add_argument("--web-name", metavar="NAME", help="help.flag.web_name")
    add_plugin_flag(made)
    add_language_flag(made)
    return made
