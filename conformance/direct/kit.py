"""All cases for programs that play without a table: cases for guests, and cases for inviters."""

import contextlib
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

from conformance.case import SANITY_GROUP, Case, all_cases
from conformance.direct import line_messages, match_play, match_start
from conformance.direct.environment import SECONDS, DirectEnvironment
from conformance.program import Programs, TestProgram
from conformance.runner import ConformanceKit
from conformance.scope import WHOLE, Scope
from conformance.trace import Trace
from protocol.errors import LocalError

GUEST_CASES = all_cases(
    [match_start.OFFER_GROUP, match_start.GUEST_GROUP, match_play.GROUP, line_messages.GROUP]
)
HOST_CASES = all_cases(
    [match_start.HOST_GROUP, match_play.GROUP, line_messages.GROUP, line_messages.HOST_GROUP]
)
BEFORE_MATCH = frozenset({match_start.OFFER_GROUP.name})
SANITY = Case("honest-match", "17", "clean", match_play.honest_match, SANITY_GROUP, alone=True)


def make_peer_kit(
    command: str,
    seconds: float = SECONDS,
    programs: Programs = TestProgram,
    scope: Scope = WHOLE,
) -> ConformanceKit:
    """Return the kit for the program that this command starts. `seconds` limits each step of the
    program. Raises: LocalError.
    """
    guest = "{link}" in command
    if guest is ("{port}" in command) or "{data}" not in command:
        raise LocalError("conformance.wrong.peer")

    @contextlib.asynccontextmanager
    async def fresh() -> AsyncIterator[DirectEnvironment]:
        with tempfile.TemporaryDirectory(
            prefix="fairdeal-peer-", ignore_cleanup_errors=True
        ) as folder:
            trace = Trace()
            program = programs(command, "the program", trace)
            arena = DirectEnvironment(program, Path(folder), trace, seconds, scope=scope)
            try:
                yield arena
            finally:
                await arena.close()

    cases = GUEST_CASES if guest else HOST_CASES
    return ConformanceKit(fresh, SANITY, cases, before_match=BEFORE_MATCH, scope=scope)
