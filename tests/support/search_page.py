"""Generated outputs in docs/search.md: `scripts/run tests.support.search_page` writes them."""

import contextlib
import io
import re
import shlex
from pathlib import Path

from fairdeal.__main__ import main

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "search.md"
BLOCK = re.compile(r"```console\n\$ fairdeal (solve [^\n]*)\n(.*?)```", re.DOTALL)


def commands() -> list[str]:
    """Return all commands on the page."""
    return [command for command, _ in BLOCK.findall(PAGE.read_text("utf-8"))]


def shown(command: str) -> str:
    """Return the output that the page shows for a command."""
    return dict(BLOCK.findall(PAGE.read_text("utf-8")))[command]


def answered(command: str, folder: Path) -> tuple[str, Path | None]:
    """Run a command. Return its output, without boards and paths, and its drawing in this
    folder.
    """
    words = shlex.split(command)
    drawing = None
    if "--explain" in words:
        at = words.index("--explain") + 1
        drawing = folder / Path(words[at]).name
        words[at] = str(drawing)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        main(words)
    said = out.getvalue()
    kept = re.search(r"^(?:value:|algorithm ).*", said, re.DOTALL | re.MULTILINE)
    assert kept, said
    return "".join(
        line for line in kept[0].splitlines(keepends=True) if str(folder) not in line
    ), drawing


def renew() -> None:
    """Write all outputs and drawings."""

    def renewed(found: re.Match[str]) -> str:
        text, _ = answered(found[1], ROOT / "docs" / "figures")
        return f"```console\n$ fairdeal {found[1]}\n{text}```"

    PAGE.write_text(BLOCK.sub(renewed, PAGE.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    renew()
