"""Picture of a person's turn: play at a terminal, and draw its screen into
docs/figures/terminal.svg.

`scripts/run tests.support.picture`
"""

import asyncio
import os
import re
import tempfile
from io import StringIO
from itertools import groupby

from rich.console import Console
from rich.text import Text

from tests.support.terminal import ROOT, Terminal, at_terminal

FIGURE = ROOT / "docs" / "figures" / "terminal.svg"
GAME = "draw-dominoes"
TURNS, ROWS, COLUMNS = 3, 32, 70
ENTER = "\r"
# the first choice of each turn
CHOICES = re.compile(r"^  1  (.+)\n(?:  \d.+\n)*(?: Your move|>)", re.MULTILINE)


async def played(folder: str) -> list[Text]:
    """Play, and return the last rows of a screen with some typed choices, the last one
    incomplete.
    """
    words = (
        "play",
        GAME,
        "--bots",
        "2",
        "--name",
        "Ann",
        "--pace",
        "0.2",
        "--logs",
        folder,
        "--turn-seconds",
        "120",
    )
    async with at_terminal("-m", "fairdeal", *words) as ann:
        for turn in range(1, TURNS + 1):
            while len(choices := CHOICES.findall(ann.text)) < turn:
                await ann.look()
            ann.type(choices[-1] + (ENTER if turn < TURNS else ""))
        await ann.until(f"\n> {choices[-1]}")
        return drawn(ann)[-ROWS:]


def drawn(terminal: Terminal) -> list[Text]:
    """Return the rows with their styles."""
    return [row_of(terminal, number, len(row)) for number, row in enumerate(terminal.rows)]


def row_of(terminal: Terminal, number: int, columns: int) -> Text:
    """Return one row, split by styles."""
    cells = [terminal.cell(number, column) for column in range(columns)]
    runs = groupby(cells, lambda cell: "reverse" if cell.reverse else "bold" if cell.bold else "")
    return Text.assemble(*(("".join(cell.data for cell in run), style) for style, run in runs))


def main() -> None:
    """Draw the picture."""
    with tempfile.TemporaryDirectory() as folder:
        rows = asyncio.run(played(folder))
    console = Console(record=True, width=COLUMNS, file=StringIO(), force_terminal=True)
    console.print(*rows, sep="\n")
    console.save_svg(str(FIGURE), title=f"fairdeal play {GAME} --bots 2", unique_id="terminal")
    print(os.fspath(FIGURE))


if __name__ == "__main__":
    main()
