"""The death of a host that has a very long match, among short ones.

Three hosts of one table run over three NATS servers. Two bots have a match of many hands of hold'em
with verified dealing, and seven other pairs of bots play match after match. The match of many hands
is recorded once for each state of the rules, and loaded from the recording in later runs. In each
round the host of that match is killed with SIGKILL, and started again when all matches have moved.

Printed are the seconds from the kill to the next move of each match that ran. A move counts when a
player has it. Moves that came from the killed host do not count.
"""

import argparse
import asyncio
import re
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from player.client.outcome import Outcome
from player.client.table_client import Plan
from protocol.dealing import TABLE
from protocol.games.registry import BUILT_IN
from protocol.limits import MAX_POKER_HANDS
from protocol.match.log import decode_entry
from protocol.match.terms import make_terms
from protocol.options import Selection
from table.match.rules_version import rules_version
from tests.system.hosts.bots import CLOCK, SEATS, Crowd, Pair
from tests.system.hosts.processes import HostProcess, world
from tests.system.hosts.recorder import Recorder
from tests.system.hosts.trial import BEGUN_SECONDS, END_SECONDS, GOES_ON_SECONDS, Trial

HOSTS = 3
OTHERS = 7  # matches beside the long one
PACE = 0.2  # seconds that a bot thinks, except while the long match is recorded
OTHER_SECONDS = 5.0  # permitted pause of every other match
LONG_SECONDS = 15.0  # permitted pause of the long match
SAID_HANDS = 20  # between two lines while the long match is recorded
LOAD_SECONDS = 300  # for both bots to check a recorded log, and to be back
SETTLE_SECONDS = 6.0  # after the last move, twice the time in which hosts take one for gone
# nobody loses all chips before the last hand
OPTIONS = (("hands", MAX_POKER_HANDS), ("limit", "fixed"), ("stack", 5000))
TERMS = make_terms(
    Selection("texas-holdem", OPTIONS),
    Selection("verified", (("leavers", "threshold"),)),
    CLOCK.options(),
    len(SEATS),
)
# a warning in the log of a host
GONE = re.compile(r"host (\w+) has not been heard")


class LongPair(Pair):
    """Two bots in the match of many hands, which begins or goes on."""

    def __init__(self, crowd: Crowd) -> None:
        super().__init__(crowd, 0, 0)
        self._visits: list[asyncio.Task[Outcome | None]] = []

    @property
    def match_id(self) -> bytes:
        """The match, empty until it has begun."""
        return self._match_id

    @property
    def entries(self) -> int:
        """Entries that the first bot has read."""
        playing = self._clients[SEATS[0]].playing if SEATS[0] in self._clients else None
        return playing.number if playing is not None else 0

    @property
    def hands(self) -> int:
        """Hands that the first bot has seen dealt."""
        client = self._clients.get(SEATS[0])
        playing = client.playing if client is not None else None
        if playing is None or playing.reader is None:
            return 0
        return playing.reader.match.deal_number + 1

    def begin(self) -> None:
        """Begin the match."""
        first = self._visit(SEATS[0], lambda name: Plan(name, create=TERMS))
        self._visits = [asyncio.create_task(first), asyncio.create_task(self._follow())]

    def go_on(self) -> None:
        """Go on with the match from the files of both bots."""
        visits = (self._visit(seat, Plan) for seat in SEATS)
        self._visits = [asyncio.create_task(visit) for visit in visits]

    async def stop(self) -> None:
        """Let both bots go away. Their files stay."""
        self._over = True
        for task in self._visits:
            task.cancel()
        await asyncio.gather(*self._visits, return_exceptions=True)
        self._crowd.running.pop(self._match_id, None)


class HostLogs:
    """Lines in the logs of hosts about hosts that are gone."""

    def __init__(self, hosts: Sequence[HostProcess]) -> None:
        self._read = {host.errors: host.errors.stat().st_size for host in hosts}

    def gone(self) -> set[str]:
        """Return the hosts that counted as gone since the last call."""
        found: set[str] = set()
        for path, at in self._read.items():
            text = path.read_bytes()[at:]
            self._read[path] = at + len(text)
            found.update(GONE.findall(text.decode(errors="replace")))
        return found


@dataclass
class Death:
    """The consequences of one kill."""

    host: str
    long: float  # seconds until the long match moved
    same: list[float]  # of the others, those that the killed host had
    elsewhere: list[float]  # of the others, those that other hosts had
    gone: set[str]  # hosts that the logs call gone

    @property
    def others(self) -> list[float]:
        """All other matches."""
        return [*self.same, *self.elsewhere]

    @property
    def second(self) -> set[str]:
        """Hosts that went silent without a kill."""
        return self.gone - {self.host}

    @property
    def noticed(self) -> bool:
        """True if the logs tell of the kill, so that they would tell of a second host."""
        return self.host in self.gone


def next_move(recorder: Recorder, match_id: bytes, moment: float, gone: int) -> float | None:
    """Return the time of the first entry of a seat after `moment`.

    Entries from the host at port `gone` do not count.
    """
    came = recorder.came[match_id]
    source = recorder.source[match_id]
    sent = recorder.sent[match_id]
    times = [
        when
        for number, when in came.items()
        if when > moment
        and source.get(number) != gone
        and decode_entry(sent[number][0]).author != TABLE
    ]
    return min(times, default=None)


async def die(run: Trial, long: LongPair, logs: HostLogs) -> Death:
    """Kill the host of the long match, and wait until all matches have moved."""
    recorder = run.crowd.recorder
    running = run.crowd.running
    port = await _port(run, long)
    host = next(each for each in run.world.hosts if each.port == port)
    had = set(run.owned(host)) - {long.match_id}
    others = running.keys() - {long.match_id}
    moment = time.monotonic()
    await host.kill()

    def seconds(match_id: bytes) -> float | None:
        at = next_move(recorder, match_id, moment, port)
        return None if at is None else at - moment

    def all_moved() -> bool:
        open_ones = [each for each in others if each in running] + [long.match_id]
        return all(seconds(each) is not None for each in open_ones)

    await run.until(all_moved, GOES_ON_SECONDS, f"every match moves after {host.name} was killed")
    await asyncio.sleep(SETTLE_SECONDS)

    def found(matches: set[bytes]) -> list[float]:
        times = {each: seconds(each) for each in matches}
        # a match that ended in the meantime needed no further move
        return sorted(
            float("inf") if took is None else took
            for each, took in times.items()
            if took is not None or each in running
        )

    dead = [each.name for each in run.world.hosts if not each.alive and each is not host]
    took = seconds(long.match_id)
    return Death(
        host.name,
        float("inf") if took is None else took,
        found(had),
        found(others - had),
        logs.gone() | set(dead),
    )


async def _port(run: Trial, long: LongPair) -> int:
    """Return the port of the host that has the long match."""
    at = run.crowd.recorder.at
    people = [f"{seat} {long.name}" for seat in SEATS]
    await run.until(
        lambda: len({at.get(who) for who in people}) == 1 and at.get(people[0]) in run.world.links,
        GOES_ON_SECONDS,
        "both bots of the long match are at one host",
    )
    return at[people[0]]


def recording(cache: Path, hands: int) -> Path:
    """Return the folder of a recording. Hosts go on only with matches of their own rules."""
    return cache / f"{hands}-hands-{rules_version(BUILT_IN)[:12]}"


def record(cache: Path, hands: int, say: Callable[[str], None]) -> Path:
    """Return a recorded match of so many hands, and record it if there is none."""
    kept = recording(cache, hands)
    if kept.exists():
        return kept
    cache.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(dir=cache, prefix="recording-") as name:
        folder = Path(name) / "world"
        folder.mkdir()
        asyncio.run(_record(folder, hands, say))
        folder.rename(kept)
    say(f"a match of {hands} hands was recorded in {time.monotonic() - began:.0f} s")
    return kept


async def _record(folder: Path, hands: int, say: Callable[[str], None]) -> None:
    """Play so many hands, and stop the hosts."""
    async with world(folder, HOSTS) as there:
        crowd = Crowd(folder / "players", there.ways, 0)
        run = Trial(there, crowd)
        long = LongPair(crowd)
        long.begin()
        try:
            await run.until(lambda: long.match_id, BEGUN_SECONDS, "the long match begins")
            for number in range(1, hands + 1):
                what = f"hand {number} is played while the match is recorded"
                played = partial(_has_played, long, number)
                if not await run.until(played, GOES_ON_SECONDS, what):
                    break
                if number % SAID_HANDS == 0:
                    say(f"recorded: {number} hands, {long.entries} entries")
        finally:
            await long.stop()
        assert not crowd.recorder.wrong, crowd.recorder.wrong
        await asyncio.gather(*(host.stop() for host in there.hosts))


def _has_played(long: LongPair, hands: int) -> bool:
    return long.hands > hands


@asynccontextmanager
async def loaded(kept: Path, folder: Path, others: int) -> AsyncIterator[tuple[Trial, LongPair]]:
    """Run hosts with a recorded match that goes on, and pairs of bots beside it."""
    shutil.copytree(kept, folder, ignore=shutil.ignore_patterns("*.sock", "stderr.txt"))
    async with world(folder, HOSTS) as there:
        crowd = Crowd(folder / "players", there.ways, PACE)
        run = Trial(there, crowd)
        long = LongPair(crowd)
        long.go_on()
        await run.until(lambda: long.match_id, LOAD_SECONDS, "the long match is read")
        before = long.entries
        back = await run.until(
            lambda: long.entries > before, LOAD_SECONDS, "the long match goes on"
        )
        playing = asyncio.create_task(crowd.play(others))
        try:
            assert back, crowd.recorder.wrong
            await run.until(
                lambda: len(crowd.running) == others + 1, BEGUN_SECONDS, "all matches begin"
            )
            yield run, long
            await long.stop()
            await run.end()
            await asyncio.wait({playing}, timeout=END_SECONDS)
        finally:
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)
            await long.stop()


def line(number: int, death: Death) -> str:
    """Return the figures of a round in one line."""
    slowest = max(death.others, default=0.0)
    second = ", ".join(sorted(death.second)) or "none"
    return (
        f"round {number}: {death.host} killed; the long match moved after {death.long:.1f} s; "
        f"its {len(death.same)} other matches after "
        f"{', '.join(f'{each:.1f}' for each in death.same) or 'none'} s; "
        f"{len(death.elsewhere)} at other hosts, the slowest of all others {slowest:.1f} s; "
        f"other hosts that went silent: {second}"
    )


def kept_bounds(deaths: Sequence[Death]) -> bool:
    """Return True if all matches moved in time, and no second host went silent."""
    return all(
        death.noticed
        and not death.second
        and death.long <= LONG_SECONDS
        and max(death.others, default=0.0) <= OTHER_SECONDS
        for death in deaths
    )


async def measure(options: argparse.Namespace, kept: Path, folder: Path) -> bool:
    """Run all rounds with the recording in `kept`.

    Return True if the bounds are kept and nothing is wrong.
    """
    deaths: list[Death] = []
    run = None
    began = time.monotonic()
    try:
        async with loaded(kept, folder, options.others) as (run, long):
            _say(
                f"the match of {long.hands} hands and {long.entries} entries goes on, "
                f"{time.monotonic() - began:.0f} s after the start of the hosts"
            )
            logs = HostLogs(run.world.hosts)
            for number in range(options.rounds):
                death = await die(run, long, logs)
                deaths.append(death)
                _say(line(number + 1, death))
                await run.world.start(*(each for each in run.world.hosts if not each.alive))
                await asyncio.sleep(SETTLE_SECONDS)
    finally:
        if run is not None:
            _say(run.report())
    same = [each for death in deaths for each in death.same]
    elsewhere = [each for death in deaths for each in death.elsewhere]
    for name, times in (
        ("long_s", [death.long for death in deaths]),
        ("others_of_killed_host_s", same),
        ("others_elsewhere_s", elsewhere),
    ):
        if times:
            print(f"  {name:32} {median(times):,.3g} (longest {max(times):,.3g})")
    print(f"  {'rounds_with_second_silent':32} {sum(bool(death.second) for death in deaths)}")
    fine = kept_bounds(deaths) and not run.crowd.recorder.wrong
    print("the bounds are kept" if fine else "the bounds are NOT kept")
    return fine


def main() -> int:
    """Return 0 if all matches move in time, and no second host goes silent."""
    parser = argparse.ArgumentParser(prog="scripts/takeover", description=__doc__)
    add = parser.add_argument
    add("--rounds", type=int, default=10, metavar="N", help="kills (default: %(default)s)")
    add(
        "--hands",
        type=int,
        default=200,
        metavar="N",
        help="recorded hands of the long match (default: %(default)s)",
    )
    add(
        "--others",
        type=int,
        default=OTHERS,
        metavar="N",
        help="other matches (default: %(default)s)",
    )
    add(
        "--recordings",
        type=Path,
        default=Path(tempfile.gettempdir()) / "fairdeal-recordings",
        metavar="FOLDER",
        help="of recorded matches (default: %(default)s)",
    )
    options = parser.parse_args()
    kept = record(options.recordings, options.hands, _say)
    with tempfile.TemporaryDirectory(prefix="fairdeal-takeover-") as name:
        return 0 if asyncio.run(measure(options, kept, Path(name) / "world")) else 1


def _say(text: str) -> None:
    print(time.strftime("%X"), text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
