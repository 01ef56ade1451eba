"""Command-line arguments of the parts of `fairdeal rules` that need the person's data folder."""

import argparse
from pathlib import Path

from player.cli.arguments import add_identity_options
from player.storage.data_directory import default_data
from protocol.games.scripted.arguments import RuleSetCommands
from protocol.i18n.help_parser import HelpText, add_command
from protocol.i18n.language_choice import add_language_flag
from protocol.view.phrase import Phrase, phrase


def add_parts(parts: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parts for signed rule sets."""
    show = parts.choices["show"]
    show.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help=HelpText(phrase("help.flag.data", usual=str(default_data()))),
    )
    for name, about, more in (
        ("sign", "help.rules.sign", "help.rules.sign.more"),
        ("update", "help.rules.update", "help.rules.update.more"),
    ):
        made = _part(parts, f"{name} climb.rules", about, more)
        made.add_argument("file", type=Path, metavar="FILE", help="help.rules.sign.file")
        made.add_argument("--out", type=Path, metavar="NEW", help="help.rules.out")
        if name == "update":
            made.add_argument("--after", type=Path, metavar="SIGNED", help="help.rules.after")
    _part(parts, "list", "help.rules.list")
    trust = _part(parts, "trust k3ocmb7x", "help.rules.trust", "help.rules.trust.more")
    trust.add_argument("who", metavar="AUTHOR", help="help.rules.trust.who")
    trust.add_argument("--forget", action="store_true", help="help.rules.forget")
    distrust = _part(parts, "distrust k3ocmb7x", "help.rules.distrust")
    distrust.add_argument("who", metavar="AUTHOR", help="help.rules.distrust.who")
    save = _part(parts, "save climb climb-2.rules", "help.rules.save")
    save.add_argument("set", metavar="SET", help="help.rules.set")
    save.add_argument("file", type=Path, metavar="FILE", help="help.rules.save.file")


def _run(args: argparse.Namespace) -> int:
    # the ledger takes a while to import
    from player.cli.rules_commands import run

    return run(args)


def _show(args: argparse.Namespace) -> list[Phrase] | None:
    from player.cli.rules_commands import show

    return show(args)


RULE_SETS = RuleSetCommands(add_parts, _run, _show)


def _part(
    parts: "argparse._SubParsersAction[argparse.ArgumentParser]",
    words: str,
    about: str,
    more: str | None = None,
) -> argparse.ArgumentParser:
    """Add a part. `words`: an example of its command line, which begins with its name."""
    made = add_command(
        parts,
        words.split()[0],
        about,
        description=more,
        examples=[(f"fairdeal rules {words}", "")],
    )
    files = made.add_argument_group("help.group.files")
    add_identity_options(files)
    add_language_flag(made)
    return made
