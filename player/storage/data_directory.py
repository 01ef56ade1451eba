"""The place of a person's data folder, and the text of commands that are to find it."""

import shlex
from pathlib import Path

from commandline.user_folders import user_data


def default_data() -> Path:
    """The user's data folder for fairdeal."""
    return user_data()


def command_text(command: str, data: Path, rest: str = "") -> str:
    """A command as a person types it to go on with what is in this data folder: "fairdeal mail send
    --data ann".
    """
    usual = data.resolve() == default_data().resolve()
    where = "" if usual else f" --data {shlex.quote(str(data))}"
    return f"fairdeal {command}{where} {rest}".rstrip()
