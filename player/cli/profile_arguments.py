"""The command line of `fairdeal profile`."""

import argparse
from pathlib import Path

from player.storage.data_directory import default_data
from protocol.i18n.help_parser import HelpParser, HelpText, add_command, add_commands
from protocol.i18n.language_choice import add_language_flag
from protocol.view.phrase import phrase

EXAMPLES = (
    ("fairdeal profile export me.profile", "help.profile.example.export"),
    ("fairdeal profile import me.profile", "help.profile.example.import"),
    ("fairdeal profile backup safe.profile", "help.profile.example.backup"),
)
# commands in the order of the list: the line about each, more, and the file
COMMANDS = {
    "export": ("help.profile.export", "help.profile.export.more", "help.profile.file.new"),
    "import": ("help.profile.import", "help.profile.import.more", "help.profile.file"),
    "backup": ("help.profile.backup", "help.profile.backup.more", "help.profile.file.new"),
}


def parser() -> argparse.ArgumentParser:
    """Return the parser of `fairdeal profile`."""
    made = HelpParser(
        prog="fairdeal profile",
        about="help.command.profile",
        description="help.profile.more",
        examples=EXAMPLES,
    )
    commands = add_commands(made)
    for name, (about, more, file) in COMMANDS.items():
        words = f"fairdeal profile {name} me.profile"
        one = add_command(commands, name, about, description=more, examples=[(words, "")])
        one.add_argument("file", type=Path, metavar="FILE", help=file)
        if name == "import":
            one.add_argument("--unused", action="store_true", help="help.profile.unused")
        files = one.add_argument_group("help.group.files")
        files.add_argument(
            "--data",
            type=Path,
            metavar="DIR",
            help=HelpText(phrase("help.flag.data", usual=str(default_data()))),
        )
        files.add_argument(
            "--passphrase-file", type=Path, metavar="F", help="help.profile.passphrase_file"
        )
        add_language_flag(one)
    return made
