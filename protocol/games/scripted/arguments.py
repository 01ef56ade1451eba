"""Command-line arguments of `rules`. They are separate from the code that runs the command
(`protocol.rules.command`, `trying`), because that code loads slowly.
"""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from protocol.games.scripted.rule_file.built_in import SUFFIX
from protocol.i18n.help_parser import HelpText, add_command, add_commands
from protocol.i18n.language_choice import add_language_flag
from protocol.options import option_argument
from protocol.view.phrase import Phrase, phrase

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

EXAMPLES = (
    ("fairdeal rules show texas-holdem", "help.rules.example.show"),
    ("fairdeal rules check climb.rules", "help.rules.example.check"),
    ("fairdeal rules explain climb.rules", "help.rules.example.explain"),
    ("fairdeal rules play climb.rules --person", "help.rules.example.play"),
    ("fairdeal rules sign climb.rules", "help.rules.example.sign"),
)
SHOW_EXAMPLES = (
    "fairdeal rules show connect-four",
    "fairdeal rules show texas-holdem --seats 6 --option limit=pot",
)
PARTS = {
    "check": "help.rules.check",
    "explain": "help.rules.explain",
    "play": "help.rules.play",
}


class RuleSetCommands(NamedTuple):
    """Parts of `rules` about signed rule sets, which are stored in a person's data folder."""

    add: "Callable[[argparse._SubParsersAction[argparse.ArgumentParser]], None]"
    # runs a part that is not of this module: its exit code. Raises: LocalError
    run: "Callable[[argparse.Namespace], int]"
    # describes the stored sets that `options.game` names; None if there is none. Raises: LocalError
    show: "Callable[[argparse.Namespace], list[Phrase] | None]"


def add_rules(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    rule_sets: RuleSetCommands | None = None,
) -> None:
    """Add the command `rules` to the subcommands of the program."""
    made = add_command(
        commands,
        "rules",
        "help.command.rules",
        description="help.rules.more",
        examples=EXAMPLES,
        epilog="help.rules.exits",
    )
    parts = add_commands(made, "part")
    _add_show(parts)
    if rule_sets is not None:
        rule_sets.add(parts)
    for name, about in PARTS.items():
        part = add_command(
            parts,
            name,
            about,
            description="help.rules.play.more" if name == "play" else None,
            examples=[(f"fairdeal rules {name} climb.rules", "")],
        )
        part.add_argument("file", type=Path, metavar="FILE", help="help.rules.file")
        if name == "play":
            part.add_argument("--person", action="store_true", help="help.rules.person")
            part.add_argument("--seats", type=int, metavar="N", help="help.rules.seats")
            part.add_argument("--seed", type=int, default=1, metavar="N", help="help.rules.seed")
        add_language_flag(part)


def _add_show(parts: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the part that prints the rules of a game for people."""
    part = add_command(
        parts,
        "show",
        "help.rules.show",
        description="help.rules.show.more",
        examples=[(command, "") for command in SHOW_EXAMPLES],
    )
    part.add_argument(
        "game", metavar="GAME", help=HelpText(phrase("help.rules.show.game", suffix=SUFFIX))
    )
    part.add_argument("--seats", type=int, metavar="N", help="help.flag.seats")
    part.add_argument(
        "--option",
        action="append",
        type=option_argument,
        default=[],
        metavar="NAME=VALUE",
        help=HelpText(phrase("help.flag.option", example="limit=pot")),
    )
    add_language_flag(part)
