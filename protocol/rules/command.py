"""`rules`: what an author asks about a rule file. Reads no file itself."""

import argparse
from collections.abc import Callable
from pathlib import Path

from protocol.limits import MAX_RULE_FILE, RULE_LOAD_STEPS
from protocol.rules import Module, RuleError, load, parse
from protocol.rules.explain import explain, pointed
from protocol.view.phrase import Phrase, phrase
from protocol.view.words import Translate, plain, speaker

FINE, WRONG = 0, 1  # exit codes; 2 is wrong usage
ABOUT = """\
Read a file of rules for a card game and say whether it is right. docs/rules.md says how such a file
is written. Whatever stands in the file, it can do nothing
but count: it reads no file, sees no clock and no network, and ends after a bounded number of steps.
"""
EXAMPLES = """\
examples:
  fairdeal rules check climb.rules      is it right? If not: which line and column, and what to do
  fairdeal rules explain climb.rules    what it declares, and which function calls which
  fairdeal rules play climb.rules       a match by it, to try it (--person: you play, too)

exit status: 0 the file is right, 1 it is not, 2 wrong usage
"""


def add_rules(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
) -> "argparse._SubParsersAction[argparse.ArgumentParser]":
    """The command, beside the others of the program; to it, what is known where games are may be added."""
    parser = commands.add_parser(
        "rules", help="check a file of rules for a card game", description=ABOUT, epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parts = parser.add_subparsers(dest="part", required=True, metavar="PART")
    for name, text in (("check", "say whether it is right"), ("explain", "say what it declares and does")):
        part = parts.add_parser(name, help=text, description=text.capitalize() + ".")
        part.add_argument("file", type=Path, metavar="FILE", help="a rule file (*.rules)")
    return parts


def run_rules(
    options: argparse.Namespace, read: Callable[[Path], bytes], translate: Translate, declared: Callable[[str], object]
) -> tuple[int, list[str]]:
    """The exit code, and what is to be printed. `declared` raises RuleError for a text that is no game.

    Raises: LocalError if the file cannot be read.
    """
    name, say = plain(str(options.file)), speaker(translate, ())
    text = decoded(read(options.file))
    try:
        module = load(parse(text))
        if options.part == "check":
            declared(text)
    except RuleError as error:
        return WRONG, [f"{name}: {say(error.phrase)}", *pointed(error, text)]
    lines = explain(module) if options.part == "explain" else [_fine(module)]
    return FINE, [f"{name}: {say(lines[0])}", *map(say, lines[1:])]


def decoded(data: bytes) -> str:
    """The text of a file; what is no ASCII is refused where it stands, when the text is read."""
    return data[: MAX_RULE_FILE + 1].decode("latin-1")


def _fine(module: Module) -> Phrase:
    return phrase("rules.fine", functions=len(module.functions), steps=module.steps, most=RULE_LOAD_STEPS)
