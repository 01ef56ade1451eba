"""The command `rules`, by which authors check a rule file. The caller reads the file."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from protocol.limits import MAX_RULE_FILE, RULE_LOAD_STEPS
from protocol.rules import Module, RuleError, load, parse
from protocol.rules.author_report import explain, pointed_line
from protocol.text_files import plain_text
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import Translate, phrase_renderer, sanitize

# exit codes; 2 means wrong usage
FINE = 0
WRONG = 1


def run_rules(
    options: argparse.Namespace,
    read: Callable[[Path], bytes],
    translate: Translate,
    try_game: Callable[[str], Sequence[Phrase]],
) -> tuple[int, list[str]]:
    """Return the exit code and the lines to print.

    `try_game` describes the cost of a game by this text, and raises RuleError for a text that is no
    game.

    Raises: LocalError if the file cannot be read.
    """
    name = sanitize(str(options.file))
    say = phrase_renderer(translate, ())
    text = decode_rule_file(read(options.file))
    try:
        module = load(parse(text))
        if options.part == "check":
            lines = [_summary_phrase(module), *try_game(text)]
        else:
            lines = explain(module)
    except RuleError as error:
        return WRONG, [f"{name}: {say(error.phrase)}", *pointed_line(error, text)]
    return FINE, [f"{name}: {say(lines[0])}", *map(say, lines[1:])]


def decode_rule_file(data: bytes) -> str:
    """Decode a file. Bytes that are no UTF-8 are refused later by the parser, which names their
    place.
    """
    text = plain_text(data[: 2 * MAX_RULE_FILE + 4])[: MAX_RULE_FILE + 1]
    return text.decode("utf-8", "surrogateescape")


def _summary_phrase(module: Module) -> Phrase:
    return phrase(
        "rules.fine", functions=len(module.functions), steps=module.steps, most=RULE_LOAD_STEPS
    )
