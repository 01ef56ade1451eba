"""Cases for programs that trade: over lines, and by letters."""

import contextlib
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

from conformance.case import SANITY_GROUP, Case, all_cases
from conformance.direct.environment import SECONDS
from conformance.program import Programs, TestProgram
from conformance.runner import ConformanceKit
from conformance.trace import Trace
from conformance.trade import letters as letter_cases
from conformance.trade import lines, session
from conformance.trade.environment import TradeEnvironment
from conformance.trade.letters import LetterEnvironment
from protocol.errors import LocalError

SESSION_CASES = all_cases([lines.GROUP, session.MEETING, session.MERGE, session.TRADE])
SANITY = Case("honest-session", "26.4", "clean", session.honest_session, SANITY_GROUP, alone=True)
LETTER_SANITY = Case(
    "trade-by-letters", "31.2", "clean", letter_cases.trade_by_letters, SANITY_GROUP, alone=True
)
# groups in which nobody has met
BEFORE_MATCH = frozenset({lines.GROUP.name})


def make_trade_kit(
    command: str, seconds: float = SECONDS, programs: Programs = TestProgram
) -> ConformanceKit:
    """Return the kit for the program that this command starts. `seconds` limits each step of the
    program. Raises: LocalError.
    """
    letters = "{letter}" in command and "{out}" in command
    if "{data}" not in command or letters + ("{link}" in command) + ("{port}" in command) != 1:
        raise LocalError("conformance.wrong.trader")
    make = LetterEnvironment if letters else TradeEnvironment

    @contextlib.asynccontextmanager
    async def fresh() -> AsyncIterator[TradeEnvironment | LetterEnvironment]:
        with tempfile.TemporaryDirectory(
            prefix="fairdeal-trader-", ignore_cleanup_errors=True
        ) as folder:
            trace = Trace()
            program = programs(command, "the program", trace)
            arena = make(program, Path(folder), trace, seconds)
            try:
                yield arena
            finally:
                await arena.close()

    if letters:
        return ConformanceKit(fresh, LETTER_SANITY, letter_cases.GROUP.cases)
    return ConformanceKit(fresh, SANITY, SESSION_CASES, before_match=BEFORE_MATCH)
