"""QR codes on a terminal."""

from importlib.util import find_spec
from typing import TextIO

QUIET = 2  # light squares around the code; telephones need no more on a screen
# two squares, one above the other, by which of them are dark
BLOCKS = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}
# black on white, whatever the terminal's own colours are
BEGIN, END = "\x1b[30;107m", "\x1b[0m"


def terminal_code(text: str, out: TextIO) -> str:
    """Return a QR code of a text as lines for a terminal. Nothing if `out` is no terminal or cannot
    show it, or if segno is not installed.
    """
    if not out.isatty() or find_spec("segno") is None:
        return ""
    try:
        "".join(BLOCKS.values()).encode(out.encoding or "ascii")
    except UnicodeError:
        return ""
    import segno

    return code_lines([[bool(bit) for bit in row] for row in segno.make(text, micro=False).matrix])


def code_lines(rows: list[list[bool]]) -> str:
    """Return the lines of a code; `rows` have True for a dark square."""
    width = len(rows[0]) + 2 * QUIET
    light = [[False] * width] * QUIET
    whole = [*light, *([*([False] * QUIET), *row, *([False] * QUIET)] for row in rows), *light]
    if len(whole) % 2:
        whole.append([False] * width)
    pairs = zip(whole[::2], whole[1::2], strict=True)
    lines = ("".join(BLOCKS[pair] for pair in zip(*both, strict=True)) for both in pairs)
    return "".join(f"{BEGIN}{line}{END}\n" for line in lines)
