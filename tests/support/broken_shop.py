"""Shop with one defect, for tests of buyers: `scripts/run tests.support.broken_shop DEFECT FILE
creator sell ...`.

`crash` ends the program when it has stored a sale, before the buyer gets the answer. `wait` answers
a sale only when FILE exists. `salt` sends a pack with a wrong salt.
"""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fairdeal.__main__ import main
from protocol.ledger.runs.sealed_run import SALT
from protocol.ledger.runs.seller import SellerSession

CRASHED = 70  # exit code of a shop that has crashed as told
PAUSE = 0.02  # seconds between two looks for the file


def crash(file: Path) -> None:
    """Crash between the sale and its answer."""

    def counter(self: Any, trade: Any, mine: bytes) -> None:
        os._exit(CRASHED)

    SellerSession._counter = counter  # type: ignore[method-assign]


def wait(file: Path) -> None:
    """Wait for the file before the answer."""
    usual = SellerSession._counter

    def counter(self: Any, trade: Any, mine: bytes) -> None:
        while not file.exists():
            time.sleep(PAUSE)
        usual(self, trade, mine)

    SellerSession._counter = counter  # type: ignore[method-assign]


def salt(file: Path) -> None:
    """Send a wrong salt with each pack."""
    usual = SellerSession._send

    def send(self: Any, name: str, *values: Any) -> None:
        if name == "pack":
            values = (values[0], bytes(SALT), *values[2:])
        usual(self, name, *values)

    SellerSession._send = send  # type: ignore[method-assign]


DEFECTS: dict[str, Callable[[Path], None]] = {"crash": crash, "wait": wait, "salt": salt}

if __name__ == "__main__":
    defect, path, *words = sys.argv[1:]
    DEFECTS[defect](Path(path))
    sys.exit(main(words))
