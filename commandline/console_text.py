"""Text for the person who started a program, in the language of the environment."""

import sys

from protocol.errors import LocalError
from protocol.i18n.language_choice import own_language
from protocol.view.phrase import Phrase
from protocol.view.text import phrase_renderer, translate_phrase


def console_text(sentence: Phrase) -> str:
    """Return a sentence that names no seat."""
    return phrase_renderer(own_language(), ())(sentence)


def print_error(error: LocalError) -> None:
    """Print an error on standard error."""
    print(f"fairdeal: {translate_phrase(error.phrase, own_language())}", file=sys.stderr)
