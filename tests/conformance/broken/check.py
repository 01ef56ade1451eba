"""Check that the kit finds each defect with exactly the cases named for it.

`scripts/run tests.conformance.broken.check` runs the whole kit against every broken table: three
hours of CPU time.
"""

import argparse
import asyncio
import contextlib
import os
import signal
import sys
import tempfile
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from conformance.case import Case
from conformance.runner import CaseOutcome, CaseState, ConformanceKit, run_cases
from conformance.table.connection import TIMEOUT
from conformance.table.kit import CASES, make_table_kit
from conformance.table.started_table import START_SECONDS, STOP_SECONDS
from conformance.trace import Trace
from protocol.identity.keys import JoinLink
from tests.conformance.broken import DEFECTS
from tests.conformance.broken.__main__ import NONE, forked
from tests.conformance.broken.defect import Defect
from tests.support.ready import PROCESSES

# short, so that cases with silence end soon; but longer than the kit waits for answers
HANDSHAKE_SECONDS = 7.0
TOGETHER = 12
MOST_FAILING = 12  # maximum of failing cases for a defect in a share


class Forked:
    """A broken table in a forked process; a `conformance.table.started_table.TableProcess`."""

    def __init__(self, defect: str, data: Path, trace: Trace | None = None) -> None:
        self._defect, self._data = defect, data
        self._ours: Connection | None = None
        self._process: BaseProcess | None = None

    async def start(self) -> JoinLink:
        """Start as in `Host`."""
        self._ours, theirs = PROCESSES.Pipe()
        self._process = PROCESSES.Process(
            target=forked, args=(self._defect, HANDSHAKE_SECONDS, self._data, theirs), daemon=True
        )
        self._process.start()
        theirs.close()
        return JoinLink.parse(await asyncio.to_thread(_first, self._ours))

    async def kill(self) -> None:
        """Kill as in `Host`."""
        await self._end(BaseProcess.kill)

    async def stop(self) -> None:
        """Stop as in `Host`."""
        await self._end(BaseProcess.terminate)

    async def stand_still(self, seconds: float) -> None:
        """Stop for a while as in `Host`."""
        assert self._process is not None and self._process.pid is not None
        os.kill(self._process.pid, signal.SIGSTOP)
        await asyncio.sleep(seconds)
        os.kill(self._process.pid, signal.SIGCONT)

    async def _end(self, end: Callable[[BaseProcess], None]) -> None:
        process, self._process = self._process, None
        if process is not None and self._ours is not None:
            end(process)
            await asyncio.to_thread(process.join, STOP_SECONDS)
            process.kill()
            process.join()
            process.close()
            self._ours.close()


def _first(pipe: Connection) -> str:
    """Return the first message. It has a time limit, because a waiting thread would keep the
    program from ending.
    """
    if not pipe.poll(START_SECONDS):
        raise TimeoutError
    return str(pipe.recv())


@contextlib.asynccontextmanager
async def table(defect: str = NONE) -> AsyncIterator[JoinLink]:
    """Run a table with a defect."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        host = Forked(defect, Path(folder))
        try:
            yield await host.start()
        finally:
            await host.kill()


def kit_for(link: JoinLink, defect: str = NONE, patience: float = TIMEOUT) -> ConformanceKit:
    """Make the kit for the table at this link, and for further tables with this defect. `patience`
    is the time for an answer in seconds.
    """
    return make_table_kit(link, patience, hosts=partial(Forked, defect))


async def misjudged(defect: Defect, cases: Sequence[Case]) -> list[str]:
    """Return the cases with a wrong result: those that pass although they must fail for this
    defect, and the reverse.

    Floods and deadlines depend on time, and this machine is busy. So a wrong result is checked
    again alone.
    """
    at_first = await _misjudged(defect, cases, TOGETHER)
    again = await _misjudged(defect, [outcome.case for outcome in at_first], 1) if at_first else []
    return [
        f"{defect.name}: {each.case.group}/{each.case.name} {each.state} {each.why}"
        for each in again
    ]


async def _misjudged(defect: Defect, cases: Sequence[Case], together: int) -> list[CaseOutcome]:
    async with table(defect.name) as link:
        outcomes = await run_cases(kit_for(link, defect.name), cases, together=together)
    return [
        outcome
        for outcome in outcomes
        if (outcome.state is CaseState.FAILED) is not defect.hits(outcome.case)
    ]


def failing(defect: Defect) -> list[Case]:
    """Return the cases that must fail. If they are very many, return only some."""
    fails = [case for case in CASES if defect.hits(case)]
    return fails[:: 1 + len(fails) // MOST_FAILING]


def share() -> dict[str, list[Case]]:
    """Choose cases for each defect such that each case runs against at least one defect. Cases that
    must fail come first.

    All other cases must pass; each is assigned to the next defect in turn that does not concern it.
    """
    found = {defect.name: failing(defect) for defect in DEFECTS.values()}
    taken = {case for cases in found.values() for case in cases}
    waiting = deque(DEFECTS.values())
    for case in CASES:
        if case not in taken:
            defect = next(each for each in waiting if not each.hits(case))
            found[defect.name].append(case)
            waiting.remove(defect)
            waiting.append(defect)
    return found


async def check_all(
    chosen: Mapping[str, Sequence[Case]], at_once: int, tell: Callable[[Defect, list[str]], None]
) -> None:
    """Report the cases with a wrong result for each defect."""
    room = asyncio.Semaphore(at_once)

    async def check(defect: Defect, cases: Sequence[Case]) -> None:
        async with room:
            tell(defect, await misjudged(defect, cases))

    await asyncio.gather(*(check(DEFECTS[name], cases) for name, cases in chosen.items()))


async def main() -> int:
    """Run the command. Return 0 if all results are right."""
    parser = argparse.ArgumentParser(
        "scripts/run tests.conformance.broken.check", description=__doc__
    )
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="only defects with this in their name"
    )
    parser.add_argument(
        "--share",
        action="store_true",
        help="each case against one table at least, as the tests do it",
    )
    parser.add_argument(
        "--at-once",
        type=int,
        default=2,
        metavar="N",
        help="tables at a time (default: %(default)s)",
    )
    options = parser.parse_args()
    wrong: list[str] = []

    def tell(defect: Defect, found: list[str]) -> None:
        wrong.extend(found)
        print("\n  ".join([f"{'FAILED' if found else 'ok':8}{defect.name}", *found]), flush=True)

    plan: Mapping[str, Sequence[Case]] = share() if options.share else dict.fromkeys(DEFECTS, CASES)
    chosen = {name: cases for name, cases in plan.items() if options.only in name}
    await check_all(chosen, options.at_once, tell)
    print(f"{len(chosen)} defects, {len(wrong)} cases misjudged")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
