"""Version of the rules of a program. Programs with the same version post the same bytes, so they can
go on with each other's matches (decision 18).
"""

from functools import cache
from pathlib import Path

import protocol
from protocol.crypto.hashing import digest
from protocol.games.registry import Games

LETTERS = 32
_KINDS = (".py", ".rules")


def rules_version(games: Games) -> str:
    """Return a digest of everything that determines the posted bytes: the protocol's code, and the
    games. Plug-ins and rule files count by the versions of their rules.
    """
    rows = [f"{row.name} {row.version}" for row in games.specs.values()]
    return digest("cluster rules", code_version(), *sorted(rows)).hex()[:LETTERS]


@cache
def code_version() -> bytes:
    """Return a digest of the files of `protocol`, without the texts for people."""
    folder = Path(protocol.__file__).parent
    parts: list[bytes] = []
    for path in sorted(path for path in folder.rglob("*") if path.suffix in _KINDS):
        parts += [path.relative_to(folder).as_posix().encode(), path.read_bytes()]
    return digest("cluster code", *parts)
