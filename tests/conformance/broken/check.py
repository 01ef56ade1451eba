"""Does the kit find each defect, by exactly the cases that are named for it?

`python -m tests.conformance.broken.check` runs the whole kit against every defective table: half an hour.
"""

import argparse
import asyncio
import contextlib
import logging
import multiprocessing
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from multiprocessing.connection import Connection

from conformance.case import Case
from conformance.runner import State, run_cases
from conformance.table.kit import CASES, make_table_kit
from protocol.identity.keys import JoinLink
from tests.conformance.broken import DEFECTS
from tests.conformance.broken.__main__ import NONE, host
from tests.conformance.broken.defect import Defect

HANDSHAKE_SECONDS = 7.0  # so that silent cases do not take long; more than the kit's patience with answers
TOGETHER = 12

_PROCESSES = multiprocessing.get_context("forkserver")  # a fresh process without importing everything anew
_PROCESSES.set_forkserver_preload(["__main__", "tests.conformance.broken.__main__"])


@contextlib.asynccontextmanager
async def table(defect: str = NONE) -> AsyncIterator[JoinLink]:
    """A table in a process of its own, with a defect."""
    ours, theirs = _PROCESSES.Pipe()
    process = _PROCESSES.Process(target=_host, args=(defect, theirs), daemon=True)
    process.start()
    theirs.close()
    try:
        yield JoinLink.parse(await asyncio.to_thread(ours.recv))
    finally:
        ours.close()
        process.terminate()
        await asyncio.to_thread(process.join)
        process.close()


def _host(defect: str, pipe: Connection) -> None:
    logging.disable()
    threading.Thread(target=_end_with, args=(pipe,), daemon=True).start()
    host(defect, HANDSHAKE_SECONDS, pipe.send)


def _end_with(pipe: Connection) -> None:
    """End this process when the other end is closed, be it because the kit was killed."""
    with contextlib.suppress(EOFError, OSError):
        pipe.recv()
    os._exit(0)


async def misjudged(defect: Defect, cases: Sequence[Case]) -> list[str]:
    """The cases that pass although they must fail for a table with this defect, or the other way round."""
    async with table(defect.name) as link:
        outcomes = await run_cases(make_table_kit(link), cases, together=TOGETHER)
    return [
        f"{defect.name}: {outcome.case.group}/{outcome.case.name} {outcome.state} {outcome.why}"
        for outcome in outcomes
        if (outcome.state is State.FAILED) is not defect.hits(outcome.case)
    ]


def sample(defect: Defect, every: int) -> list[Case]:
    """The cases that must fail, and some that must pass: one in `every`, others for each defect."""
    first = list(DEFECTS).index(defect.name)
    return [case for place, case in enumerate(CASES) if defect.hits(case) or (place + first) % every == 0]


async def check_all(
    defects: Sequence[Defect], every: int, at_once: int, tell: Callable[[Defect, list[str]], None]
) -> None:
    """Tell of each defect what was misjudged."""
    room = asyncio.Semaphore(at_once)

    async def check(defect: Defect) -> None:
        async with room:
            tell(defect, await misjudged(defect, sample(defect, every)))

    await asyncio.gather(*(check(defect) for defect in defects))


async def main() -> int:
    """Whether all were judged right."""
    parser = argparse.ArgumentParser("python -m tests.conformance.broken.check", description=__doc__)
    parser.add_argument("--only", default="", metavar="TEXT", help="only defects with this in their name")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="of the cases that must pass, one in N")
    parser.add_argument("--at-once", type=int, default=2, metavar="N", help="tables at a time (default: %(default)s)")
    options = parser.parse_args()
    wrong: list[str] = []

    def tell(defect: Defect, found: list[str]) -> None:
        wrong.extend(found)
        print("\n  ".join([f"{'FAILED' if found else 'ok':8}{defect.name}", *found]), flush=True)

    chosen = [defect for defect in DEFECTS.values() if options.only in defect.name]
    await check_all(chosen, options.every, options.at_once, tell)
    print(f"{len(chosen)} defects, {len(wrong)} cases misjudged")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
