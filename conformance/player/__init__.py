"""The cases for players, in groups by layer."""

import contextlib
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

from conformance.case import all_cases
from conformance.player import clock, layered, lobby, log, patience, returning, session, start, stream, verified
from conformance.player.sanity import SANITY
from conformance.player.stage import SECONDS, Stage
from conformance.runner import Kit
from protocol.errors import LocalError

GROUPS = [each.GROUP for each in (stream, session, lobby, start, log, layered, verified, clock, returning, patience)]
CASES = all_cases(GROUPS)


def make_player_kit(command: str, seconds: float = SECONDS) -> Kit:
    """All cases, for the player that this command starts, which may take so long for any step. Raises: LocalError."""
    if "{link}" not in command:
        raise LocalError("the player's command must have {link} in it, where the table's join link goes")

    @contextlib.asynccontextmanager
    async def arena() -> AsyncIterator[Stage]:
        with tempfile.TemporaryDirectory(prefix="fairdeal-player-", ignore_cleanup_errors=True) as folder:
            stage = Stage(command, Path(folder), seconds)
            try:
                yield stage
            finally:
                await stage.close()

    return Kit(arena, SANITY, CASES)
