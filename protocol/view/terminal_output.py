"""Terminal output in any encoding: characters that the encoding does not have cannot stop the
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
