"""A rule file on a command line: read and checked before anything is played by it."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from protocol.errors import LocalError
from protocol.games.scripted.rule_file.built_in import rule_digest
from protocol.limits import MAX_RULE_FILE

if TYPE_CHECKING:
    from protocol.games.scripted.rule_file.contract import RuleContract

GAME = "script"  # the row of the registry for rules that no other row has


class RuleFile(NamedTuple):
    """A file that keeps to the contract."""

    path: Path  # absolute: programs that are started from here read it, too
    text: str

    @property
    def digest(self) -> str:
        """How the options of a match name it."""
        return rule_digest(self.text)

    @property
    def contract(self) -> "RuleContract":
        """What it says of itself."""
        # takes a while to import, and few name a file
        from protocol.games.scripted.rule_file.contract import parse_contract

        return parse_contract(self.text)

    @property
    def seats(self) -> int:
        """How many play when nobody says: two, or as few as may."""
        return self.contract.seats[0]


def add_rule_file_flag(made: "argparse._ActionsContainer") -> None:
    """The flag with which a file is named."""
    made.add_argument(
        "--rules",
        type=rule_file_argument,
        metavar="FILE",
        help="help.flag.rules",
    )


def rule_file_argument(path: str) -> RuleFile:
    """For argparse: raises ArgumentTypeError that says what is wrong with it, and where."""
    try:
        return read_rule_file(Path(path))
    except LocalError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def read_rule_file(path: Path) -> RuleFile:
    """Raises: LocalError if it cannot be read, or breaks the language or the contract."""
    from protocol.games.scripted.rule_file.contract import parse_contract
    from protocol.rules import RuleError

    try:
        with path.open("rb") as file:
            text = file.read(MAX_RULE_FILE + 1).decode("latin-1")
    except OSError as error:
        raise LocalError("wrong.read", path=str(path), why=str(error.strerror)) from None
    try:
        parse_contract(text)
    except RuleError as error:
        raise LocalError("wrong.rules.file", path=str(path), why=error.phrase) from None
    return RuleFile(path.resolve(), text)
