"""Rule file on a command line. It is read and checked before the match begins."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from protocol.errors import LocalError, RemoteError
from protocol.games.scripted.rule_file.built_in import rule_digest
from protocol.i18n.argument_errors import WrongArgument
from protocol.limits import MAX_RULE_FILE
from protocol.text_files import plain_text

if TYPE_CHECKING:
    from protocol.games.scripted.rule_file.contract import RuleContract

GAME = "script"  # spec for rules that no other spec of the registry has


class RuleFile(NamedTuple):
    """Rule file that satisfies the contract."""

    path: Path  # absolute, because child processes read the file too
    text: str

    @property
    def digest(self) -> str:
        """Name of the file in the options of a match."""
        return rule_digest(self.text)

    @property
    def contract(self) -> "RuleContract":
        """Declarations of the file."""
        # This import is slow, and few command lines name a rule file.
        from protocol.games.scripted.rule_file.contract import parse_contract

        return parse_contract(self.text)

    @property
    def seats(self) -> int:
        """Number of seats if nobody chooses one: the least number that the file allows."""
        return self.contract.seats[0]


def add_rule_file_flag(made: "argparse._ActionsContainer") -> None:
    """Add the flag `--rules`."""
    made.add_argument(
        "--rules",
        type=rule_file_argument,
        metavar="FILE",
        help="help.flag.rules",
    )


def rule_file_argument(path: str) -> RuleFile:
    """Read a rule file for argparse. Raises: ArgumentTypeError that says what is wrong with the
    file, and where.
    """
    try:
        return read_rule_file(Path(path))
    except LocalError as error:
        raise WrongArgument(error.phrase) from None


def read_rule_file(path: Path) -> RuleFile:
    """Read and check a rule file. Raises: LocalError if the file cannot be read, or violates the
    rule language or the contract.
    """
    from protocol.games.scripted.rule_file.contract import parse_contract
    from protocol.games.scripted.rule_file.rule_set import is_signed, read_rule_set
    from protocol.rules import RuleError

    text = read_rule_text(path)
    try:
        if is_signed(text):
            read_rule_set(text)
        parse_contract(text)
    except RemoteError as error:
        raise LocalError("wrong.rules.signature", path=str(path), why=error.phrase) from None
    except RuleError as error:
        raise LocalError("wrong.rules.file", path=str(path), why=error.phrase) from None
    return RuleFile(path.resolve(), text)


def read_rule_text(path: Path) -> str:
    """Read the text of a rule file without a check of what is in it. Raises: LocalError if the
    file cannot be read.
    """
    try:
        with path.open("rb") as file:
            # a file in UTF-16 has twice as many bytes as the text that counts
            return plain_text(file.read(2 * MAX_RULE_FILE + 4)).decode("utf-8", "surrogateescape")
    except OSError as error:
        raise LocalError("wrong.read", path=str(path), why=str(error.strerror)) from None
