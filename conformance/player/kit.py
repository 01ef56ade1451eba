"""All cases for players, in groups by layer."""

import contextlib
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

from conformance.case import all_cases
from conformance.player.environment import SECONDS, PlayerEnvironment, ServeWeb
from conformance.player.match import (
    clock,
    commutative,
    layered,
    leavers,
    ligretto,
    log,
    open_games,
    poker,
    round_trips,
    rule_files,
    start,
    verified,
)
from conformance.player.sanity import SANITY
from conformance.player.session import (
    lobby,
    reconnecting,
    redirects,
    session,
    silent_table,
    slow_table,
    stream,
)
from conformance.program import Programs, TestProgram
from conformance.runner import ConformanceKit
from conformance.scope import WHOLE, Scope
from conformance.trace import Trace
from protocol.errors import LocalError
from protocol.installation import install_command

GROUPS = [
    each.GROUP
    for each in (
        stream,
        session,
        lobby,
        start,
        log,
        layered,
        verified,
        leavers,
        commutative,
        poker,
        open_games,
        ligretto,
        rule_files,
        clock,
        round_trips,
        reconnecting,
        redirects,
        slow_table,
        silent_table,
    )
]
CASES = all_cases(GROUPS)
# groups in which no match begins, or only after what is tested
BEFORE_MATCH = frozenset(each.GROUP.name for each in (stream, session, lobby))


def make_player_kit(
    command: str,
    seconds: float = SECONDS,
    programs: Programs = TestProgram,
    scope: Scope = WHOLE,
    *,
    looks_first: bool = False,
    websocket: bool = False,
) -> ConformanceKit:
    """Return the kit for the player that this command starts. `seconds` limits each step of the
    player; `looks_first`: see `PlayerEnvironment`; `websocket`: the kit's tables answer by
    WebSocket, not by TCP. Raises: LocalError.
    """
    if "{link}" not in command:
        raise LocalError("conformance.wrong.player")
    serve_web = _web_server() if websocket else None

    @contextlib.asynccontextmanager
    async def fresh() -> AsyncIterator[PlayerEnvironment]:
        with tempfile.TemporaryDirectory(
            prefix="fairdeal-player-", ignore_cleanup_errors=True
        ) as folder:
            trace = Trace()
            program = programs(command, "the player", trace)
            arena = PlayerEnvironment(
                program,
                Path(folder),
                trace,
                seconds,
                scope=scope,
                looks_first=looks_first,
                serve_web=serve_web,
            )
            try:
                yield arena
            finally:
                await arena.close()

    return ConformanceKit(fresh, SANITY, CASES, before_match=BEFORE_MATCH, scope=scope)


def _web_server() -> ServeWeb:
    """Return the server of WebSockets. Raises: LocalError if its package is missing."""
    try:
        from conformance.player.web_line import serve_web
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] != "websockets":
            raise
        raise LocalError("wrong.web.install", install=install_command("ws")) from None
    return serve_web
