"""Which programs can go on with each other's matches: those that post the same bytes (decision
18).
"""

from functools import cache
from pathlib import Path

import protocol
from protocol.crypto.hashing import digest
from protocol.games.registry import Games

LETTERS = 32
_KINDS = (".py", ".rules")


def rules_version(games: Games) -> str:
    """What stands for all that decides which bytes are posted: the protocol's code, and which games
    there are.

    Plug-ins and rule files are in it by the versions of their rules.
    """
    rows = [f"{row.name} {row.version}" for row in games.specs.values()]
    return digest("cluster rules", code_version(), *sorted(rows)).hex()[:LETTERS]


@cache
def code_version() -> bytes:
    """A hash over the files of `protocol`; texts for people do not count."""
    folder = Path(protocol.__file__).parent
    parts: list[bytes] = []
    for path in sorted(path for path in folder.rglob("*") if path.suffix in _KINDS):
        parts += [path.relative_to(folder).as_posix().encode(), path.read_bytes()]
    return digest("cluster code", *parts)
