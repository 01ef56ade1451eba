"""Terminal output in any encoding: characters that the encoding does not have cannot stop the
program.
"""

import codecs
import re
import shutil
import sys
import textwrap
from io import TextIOWrapper
from typing import TextIO

HANDLER = "fairdeal"
QUOTED = re.compile(r"`[^`]*`")  # a command in a sentence
NO_BREAK = "\N{NO-BREAK SPACE}"
SUBSTITUTES = {
    "→": ">",
    "●": "*",
    "◂": "<",
    "▸": ">",
    "‖": "|",
    "♣": "c",
    "♦": "d",
    "♥": "h",
    "♠": "s",
}
SUBSTITUTES |= {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss"}


def _substitute(error: UnicodeError) -> tuple[str, int]:
    """Replace characters missing in the encoding by the nearest plain ones, or by question
    marks.
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(
        SUBSTITUTES.get(char, "?") for char in error.object[error.start : error.end]
    ), error.end


codecs.register_error(HANDLER, _substitute)


def encodable_text(text: str, encoding: str) -> str:
    """Return the text with substitutes for characters that this encoding does not have."""
    return text.encode(encoding, HANDLER).decode(encoding)


def install_output_fallback() -> None:
    """Make standard output and error accept any text. To be called at the start of a program."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=HANDLER)


def wrap_sentences(text: str, width: int) -> str:
    """Break lines between words. A command in backticks, a path, a link and an indented line stay
    whole: people copy them.
    """
    return "\n".join(
        line if line.startswith("  ") else _wrap_line(line, width) for line in text.split("\n")
    )


def _wrap_line(line: str, width: int) -> str:
    fixed = QUOTED.sub(lambda found: found[0].replace(" ", NO_BREAK), line)
    broken = textwrap.fill(fixed, width, break_long_words=False, break_on_hyphens=False)
    return broken.replace(NO_BREAK, " ")


def wrap_for(stream: TextIO, text: str) -> str:
    """Break a line at words, as wide as the terminal, if the stream is one."""
    return wrap_sentences(text, shutil.get_terminal_size().columns) if stream.isatty() else text
