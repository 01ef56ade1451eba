"""Kill the table again and again at random moments of real matches, and check that nothing is lost.

The table is a process, killed with SIGKILL and restarted with the same folder and port. Bots play
one match after another. Every match must end with the same clean log at every seat and at the
table. With `--workers` a worker is killed instead.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import psutil

from bots.registry import BOTS
from player.client.outcome import Outcome
from protocol.audit.verdict import Verdict, audit
from protocol.errors import LocalError
from protocol.i18n import english_text
from protocol.identity.keys import Identity, JoinLink
from protocol.match.packed_log import plain_log
from tests.support.offline import NAMES
from tests.support.play import play
from tests.support.ports import free_port
from tests.support.ready import ready

START_SECONDS = 60  # for a table to start on a busy machine
REPLACED_SECONDS = 1.0  # until a worker that was started anew has what it is to fold
MATCH_SECONDS = 600  # for a match with all restarts
GAME = ("--game", "draw-dominoes", "--target", "10")


class TableProcess:
    """A table with its own folder and port, which stay the same over restarts."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder, self.errors = folder, folder / "stderr.txt"
        self.address = f"127.0.0.1:{free_port()}"
        self._arguments = arguments
        self.link: JoinLink

    async def start(self) -> None:
        """Start the table, and return when it listens."""
        words = ("--listen", self.address, "--data", str(self.folder / "table"), *self._arguments)
        self.process = await ready("table", *words, errors=self.errors)
        assert self.process.stdout is not None
        line = await asyncio.wait_for(self.process.stdout.readline(), START_SECONDS)
        assert line, f"the table did not start: {self.errors.read_text()}"
        self.link = JoinLink.parse(line.decode())

    async def kill(self) -> None:
        """Kill it with SIGKILL."""
        if self.process.returncode is None:
            self.process.kill()
            await self.process.communicate()

    async def stop(self) -> int:
        """Send SIGTERM, and return the exit code."""
        self.process.terminate()
        await self.process.communicate()
        assert self.process.returncode is not None
        return self.process.returncode


Kill = Callable[["TableProcess", int, Random, "Figures", float], Awaitable[None]]


@dataclass
class Figures:
    """Results of a run."""

    kills: int = 0
    matches: int = 0
    entries: int = 0
    wrong: list[str] = field(default_factory=list)


async def visit(table: TableProcess, seat: int, log: Path) -> Outcome:
    """Let a bot play one match. It connects as soon as the table listens."""
    rng, identity = Random(log.name), Identity(bytes([seat + 1]) * 32)
    bot = BOTS["greedy" if seat % 2 else "random"]
    while True:
        try:
            outcome = await play(table.link, identity, NAMES[seat], bot, rng=rng, log_path=log)
        except LocalError:  # the table does not listen at present
            await asyncio.sleep(0.1)
        else:
            if outcome.reader is not None:  # otherwise the table was killed before a match began
                return outcome


async def play_rounds(
    table: TableProcess, seats: int, figures: Figures, enough: asyncio.Event
) -> None:
    """Play and check matches until there are enough kills."""
    while not enough.is_set():
        number = figures.matches
        logs = [table.folder / f"{number}-{seat}.fairdeal" for seat in range(seats)]
        async with asyncio.timeout(MATCH_SECONDS):
            outcomes = await asyncio.gather(
                *(visit(table, seat, log) for seat, log in enumerate(logs))
            )
        figures.matches += 1
        files = {log.read_bytes() if log.exists() else b"" for log in logs}
        if len(files) != 1:
            figures.wrong.append(f"match {number}: the seats' logs differ")
        for seat, outcome in enumerate(outcomes):
            if outcome.verdict is not Verdict.CLEAN:
                figures.wrong.append(
                    f"match {number}, seat {seat}: {outcome.verdict}, "
                    f"{outcome.reason and english_text(outcome.reason)}"
                )
        if outcomes[0].reader is not None:
            figures.entries += outcomes[0].reader.log.next_number


async def kill_often(
    table: TableProcess, kills: int, rng: Random, figures: Figures, pause: float
) -> None:
    """Kill and restart the table at times that do not depend on its actions."""
    while figures.kills < kills:
        await asyncio.sleep(rng.uniform(0, pause))
        await table.kill()
        figures.kills += 1
        await table.start()


def workers_of(table: TableProcess) -> list[psutil.Process]:
    """Return the processes that fold for a table, and that have not ended."""
    children = psutil.Process(table.process.pid).children(recursive=True)
    return [child for child in children if _is_worker(child)]


def _is_worker(process: psutil.Process) -> bool:
    try:
        return (
            "table.workers.process" in process.cmdline()
            and process.status() != psutil.STATUS_ZOMBIE
        )
    except psutil.NoSuchProcess:
        return False


async def kill_workers_often(
    table: TableProcess, kills: int, rng: Random, figures: Figures, pause: float
) -> None:
    """Kill a worker of the table again and again. Not again before the one that was killed is
    replaced: an entry that two workers die of is refused.
    """
    while figures.kills < kills:
        await asyncio.sleep(rng.uniform(0, pause))
        workers = workers_of(table)
        if not workers:
            continue
        killed = rng.choice(workers)
        killed.kill()
        figures.kills += 1
        others = {worker.pid for worker in workers}
        while others >= {worker.pid for worker in workers_of(table)}:
            await asyncio.sleep(0.05)
        await asyncio.sleep(REPLACED_SECONDS)


async def run(
    folder: Path,
    kills: int,
    seats: int,
    rng: Random,
    *arguments: str,
    pause: float = 2.0,
    kill: Kill | None = None,
) -> Figures:
    """Run a table with this many kills, and return the results. `kill`: what is killed; None: the
    table.
    """
    table, figures, enough = (
        TableProcess(folder, *arguments, "--seats", str(seats)),
        Figures(),
        asyncio.Event(),
    )
    await table.start()
    try:
        rounds = asyncio.create_task(play_rounds(table, seats, figures, enough))
        killing = asyncio.create_task((kill or kill_often)(table, kills, rng, figures, pause))
        await asyncio.wait({rounds, killing}, return_when=asyncio.FIRST_COMPLETED)
        enough.set()
        await killing if killing.done() else rounds
        await rounds
        assert await table.stop() == 0
        await table.start()  # writes the log files that a kill prevented
        assert await table.stop() == 0
    finally:
        await table.kill()
    _check_exports(table, figures)
    return figures


def _check_exports(table: TableProcess, figures: Figures) -> None:
    kept = {path.read_bytes() for path in table.folder.glob("*-0.fairdeal")}
    folder = table.folder / "table" / "logs"
    exported = {plain_log(path.read_bytes()) for path in folder.iterdir()}
    if kept != exported:
        figures.wrong.append("the table's logs are not those of the seats")
    for log in exported:
        if audit(log).verdict is not Verdict.CLEAN:
            figures.wrong.append("an audit of the table's log is not clean")
    if "Traceback" in table.errors.read_text():
        figures.wrong.append("the table printed a traceback")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Return 0 if nothing was lost."""
    parser = argparse.ArgumentParser("scripts/kill_table", description=__doc__)
    parser.add_argument("--kills", type=int, default=200, metavar="N", help="default: %(default)s")
    parser.add_argument(
        "--seats", type=int, default=3, choices=(2, 3, 4), help="default: %(default)s"
    )
    parser.add_argument(
        "--deal", choices=("layered", "verified"), default="layered", help="default: %(default)s"
    )
    parser.add_argument(
        "--workers",
        type=int,
        metavar="N",
        help="give the table N workers, and kill one of those instead of the table",
    )
    parser.add_argument(
        "--seed", type=int, default=1, metavar="S", help="of the moments (default: %(default)s)"
    )
    options = parser.parse_args(arguments)
    workers = () if options.workers is None else ("--workers", str(options.workers))
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        figures = asyncio.run(
            run(
                Path(folder),
                options.kills,
                options.seats,
                Random(options.seed),
                *GAME,
                "--deal",
                options.deal,
                *workers,
                kill=kill_workers_often if workers else None,
            )
        )
        if figures.wrong:
            print((Path(folder) / "stderr.txt").read_text()[-5000:], file=sys.stderr)
    print(
        f"{figures.kills} kills of {'workers' if workers else 'the table'} in "
        f"{time.monotonic() - begun:.0f} s; {options.seats} seats, dealt {options.deal}: "
        f"{figures.matches} matches, {figures.entries} entries, {len(figures.wrong)} things wrong"
    )
    print("\n".join(figures.wrong))
    return 1 if figures.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
