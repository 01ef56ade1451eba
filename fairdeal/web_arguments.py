"""The command line of `fairdeal web`: the page for browsers as a folder, and what a place has of it."""

import argparse
from pathlib import Path

from protocol.i18n.help_parser import HelpParser, add_command, add_commands
from protocol.i18n.language_choice import add_language_flag

EXAMPLES = (
    ("fairdeal web build page", "help.web.example.build"),
    ("fairdeal web check https://play.example.org/", "help.web.example.check"),
    (
        "fairdeal web check https://play.example.org/ --manifest manifest.json",
        "help.web.example.manifest",
    ),
)


def make_parser() -> argparse.ArgumentParser:
    """Return the parser."""
    made = HelpParser(
        "fairdeal web",
        about="help.command.web",
        description="help.web.more",
        examples=EXAMPLES,
        epilog="help.web.next",
    )
    commands = add_commands(made)
    build = add_command(
        commands,
        "build",
        "help.web.build",
        description="help.web.build.more",
        examples=EXAMPLES[:1],
    )
    build.add_argument("folder", type=Path, metavar="DIR", help="help.web.build.folder")
    check = add_command(
        commands,
        "check",
        "help.web.check",
        description="help.web.check.more",
        examples=EXAMPLES[1:],
    )
    check.add_argument("url", metavar="URL", help="help.web.check.url")
    check.add_argument("--manifest", type=Path, metavar="FILE", help="help.web.check.manifest")
    check.add_argument("--key", metavar="KEY", help="help.web.check.key")
    check.add_argument("--unsigned", action="store_true", help="help.web.check.unsigned")
    add_language_flag(made)
    return made
