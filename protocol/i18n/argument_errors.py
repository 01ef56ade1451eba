"""Errors of command lines in the person's language: our own, and those of argparse."""

import argparse
import os
import re

from protocol.i18n.language_choice import environment_translator
from protocol.view.phrase import Phrase, Value, phrase
from protocol.view.text import phrase_renderer

# An English message of argparse, and the key of its text. argparse has no other name for an error.
# The names of groups are the arguments of the text.
MESSAGES = tuple(
    (re.compile(pattern, re.DOTALL), key)
    for pattern, key in (
        (r"the following arguments are required: (?P<names>.+)", "usage.required"),
        (r"one of the arguments (?P<names>.+) is required", "usage.one_required"),
        (r"unrecognized arguments: (?P<words>.+)", "usage.unknown"),
        (r"not allowed with argument (?P<other>.+)", "usage.together"),
        (r"ambiguous option: (?P<word>.+?) could match (?P<names>.+)", "usage.ambiguous"),
        (r"invalid choice: (?P<word>.+) \(choose from (?P<names>.+)\)", "usage.choice"),
        (r"invalid int value: (?P<word>.+)", "usage.whole"),
        (r"invalid float value: (?P<word>.+)", "usage.number"),
        (r"invalid \S+ value: (?P<word>.+)", "usage.value"),
        (r"expected one argument", "usage.one_value"),
        (r"expected at least one argument", "usage.some_values"),
        (r"expected at most one argument", "usage.most_one_value"),
        (r"expected (?P<count>\d+) arguments?", "usage.values"),
        (r"ignored explicit argument (?P<word>.+)", "usage.no_value"),
    )
)
ABOUT_ARGUMENT = re.compile(r"argument (?P<name>\S+): (?P<what>.+)", re.DOTALL)


class WrongArgument(argparse.ArgumentTypeError):
    """A value on a command line that its type rejects. `str` is in the person's language, because
    argparse prints it.
    """

    def __init__(self, said: str | Phrase, /, **args: Value) -> None:
        """Create the error from a phrase, or from its key and arguments."""
        if isinstance(said, Phrase):
            self.phrase = said
        else:
            self.phrase = phrase(said, **args)
        super().__init__(self.phrase.key)

    def __str__(self) -> str:
        return phrase_renderer(environment_translator(os.environ), ())(self.phrase)


def argparse_error(message: str) -> Phrase | str:
    """Return the phrase for a message of argparse; the message itself if it is another text."""
    if found := ABOUT_ARGUMENT.fullmatch(message):
        return phrase("usage.argument", name=found["name"], what=argparse_error(found["what"]))
    for pattern, key in MESSAGES:
        if found := pattern.fullmatch(message):
            return phrase(key, **found.groupdict())
    return message
