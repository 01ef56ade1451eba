"""The runner of cases: an honest match first and last, the other cases in parallel, and a health
check of the peer after each.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from conformance.case import Case, CaseFailed, CaseLeftOut, CaseSkipped
from conformance.scope import WHOLE, Scope
from conformance.trace import Trace, Traced, write_trace

PARALLEL_CASES = 12  # cases at a time: most of them only wait
CASE_SECONDS = 60.0  # limit for one case

EnvironmentFactory = Callable[[], AbstractAsyncContextManager[Any]]


class CaseState(StrEnum):
    """The states in which a case can end."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    LEFT_OUT = "left out"  # needs a game or dealing that the program does not have


@dataclass(frozen=True)
class CaseOutcome:
    """The outcome of a case. Of a failed one: the last lines of output of the program under test,
    and the file with the trace, if traces are written.
    """

    case: Case
    state: CaseState
    seconds: float
    why: str = ""
    last_words: tuple[str, ...] = ()
    trace: str = ""


@dataclass(frozen=True)
class ConformanceKit:
    """Everything that the runner needs.

    `arena` creates a context for each case: the case's argument, closed after the case. `sanity` is
    an honest match. `well(arena)`, if given, checks after each case that the peer still works.
    `close`, if given, ends what all cases share. Cases of the groups in `before_match` need no
    match, and run first. `traces`: folder for the traces of failed cases; None: none are written.
    `left_out`: matches that are out of the `scope` from the beginning. `seconds`: limit for one case.
    """

    arena: EnvironmentFactory
    sanity: Case
    cases: Sequence[Case]
    well: Callable[[Any], Awaitable[None]] | None = None
    close: Callable[[], Awaitable[None]] | None = None
    before_match: frozenset[str] = frozenset()
    traces: Path | None = None
    left_out: tuple[str, ...] = ()
    scope: Scope = WHOLE
    seconds: float = CASE_SECONDS


async def run_kit(
    kit: ConformanceKit, tell: Callable[[CaseOutcome], None], together: int = PARALLEL_CASES
) -> list[CaseOutcome]:
    """Run the kit, and return the outcomes. Cases that need no match come first, then an honest
    match, which also comes last. If the first honest match fails, nothing follows it.
    """
    early = [case for case in kit.cases if case.group in kit.before_match]
    outcomes = await run_cases(kit, early, tell, together)
    first = await run_cases(kit, [kit.sanity], tell)
    if first[0].state is CaseState.FAILED:
        return [*outcomes, *first]
    rest = [case for case in kit.cases if case.group not in kit.before_match]
    outcomes += [*first, *await run_cases(kit, rest, tell, together)]
    return [*outcomes, *await run_cases(kit, [kit.sanity], tell)]


async def run_cases(
    kit: ConformanceKit,
    cases: Sequence[Case],
    tell: Callable[[CaseOutcome], None] | None = None,
    together: int = PARALLEL_CASES,
) -> list[CaseOutcome]:
    """Run cases, and return their outcomes; cases that must be alone come last."""
    room = asyncio.Semaphore(together)

    async def one(case: Case) -> CaseOutcome:
        async with room:
            outcome = await run_case(kit, case)
        if tell is not None:
            tell(outcome)
        return outcome

    outcomes = list(await asyncio.gather(*(one(case) for case in cases if not case.alone)))
    return outcomes + [await one(case) for case in cases if case.alone]


async def run_case(kit: ConformanceKit, case: Case) -> CaseOutcome:
    """Run one case, then check the peer's health."""
    began = time.monotonic()
    state = CaseState.PASSED
    why = ""
    seen: list[Trace] = []
    try:
        kit.scope.check_case(case)
        async with asyncio.timeout(kit.seconds):
            async with kit.arena() as arena:
                if isinstance(arena, Traced):
                    seen.append(arena.trace)
                await case.run(arena)
            if kit.well is not None:
                await _look(kit, kit.well, seen)
    except CaseLeftOut as left:
        state = CaseState.LEFT_OUT
        why = str(left)
    except CaseSkipped as skipped:
        state = CaseState.SKIPPED
        why = str(skipped)
    except CaseFailed as failed:
        state = CaseState.FAILED
        why = str(failed)
    except TimeoutError as error:
        state, why = CaseState.FAILED, f"no answer in time, in {error_location(error)}"
    except Exception as error:
        # The error is one that no case foresees. Its text may contain the peer's bytes, so the
        # report leaves the text out.
        state, why = CaseState.FAILED, f"{type(error).__name__} in {error_location(error)}"
    outcome = CaseOutcome(case, state, time.monotonic() - began, why)
    if state is CaseState.FAILED and seen:
        trace, *later = seen
        for other in later:
            trace.add(other)
        return _with_trace(kit, outcome, trace)
    return outcome


def _with_trace(kit: ConformanceKit, outcome: CaseOutcome, trace: Trace) -> CaseOutcome:
    """Add the program's last words to an outcome, and the trace if traces are written."""
    if kit.traces is None:
        path = ""
    else:
        path = str(write_trace(kit.traces, outcome.case, trace, outcome.why))
    return replace(outcome, last_words=trace.last_words(), trace=path)


async def _look(
    kit: ConformanceKit, well: Callable[[Any], Awaitable[None]], seen: list[Trace]
) -> None:
    try:
        async with kit.arena() as arena:
            if isinstance(arena, Traced):
                seen.append(arena.trace)
            await well(arena)
    except CaseFailed as failed:
        raise CaseFailed(f"and after it: {failed}") from None


def error_location(error: BaseException) -> str:
    """Return the innermost line of the kit's code in the error's traceback."""
    place = "the kit"
    trace = error.__traceback__
    while trace is not None:
        path = trace.tb_frame.f_code.co_filename
        if "conformance" in path:
            place = f"{path.rpartition('conformance/')[2]}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place
