"""Output whatever a terminal can show: a name, or a suit, that its encoding has not got ends no
program.
"""

import codecs
import sys
from io import TextIOWrapper

HANDLER = "fairdeal"
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


def _instead(error: UnicodeError) -> tuple[str, int]:
    """What is written for characters that cannot be: the nearest plain one, or a question mark."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(
        SUBSTITUTES.get(char, "?") for char in error.object[error.start : error.end]
    ), error.end


codecs.register_error(HANDLER, _instead)


def encodable_text(text: str, encoding: str) -> str:
    """The text in characters that this encoding has."""
    return text.encode(encoding, HANDLER).decode(encoding)


def install_output_fallback() -> None:
    """From now on standard output and error take every text. For a program's beginning."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=HANDLER)
