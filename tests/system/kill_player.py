"""Kill players with SIGKILL: a random one at a random moment of a running match, then the same
command again.

At the end of every match its log must be the same for everybody and clean. The log must contain
everything that a player had read, and every entry that the table accepted, once. Nobody may have
signed two entries with one sequence number.
"""

import argparse
import asyncio
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from player.storage.log_store import read_log
from player.storage.recovery_state import any_recovery_states, read_outbox
from protocol.audit.verdict import Verdict, audit
from protocol.match.clock import Allowance
from protocol.match.log import decode_entry
from protocol.match.terms import make_terms
from protocol.options import Selection
from table.config import Config
from table.lobby.peer import Peer
from table.manager.handlers import HANDLERS
from table.manager.manager import TableManager
from table.manager.server import TableServer
from tests.support.ready import ready
from tests.support.tables import exported

ROOT = Path(__file__).parents[2]
NAMES = ("Ann", "Bob", "Cleo")
PACE = "0.03"  # seconds that a bot thinks, so that a match is long enough for several kills
# share of kills during a match; the others are at any time, also before the player has its seat
IN_ITS_SEAT = 0.8
TERMS = {
    "layered": make_terms(
        Selection("draw-dominoes", (("target", 60),)),
        Selection("layered"),
        Allowance().options(),
        len(NAMES),
    ),
    "verified": make_terms(
        Selection("draw-dominoes", (("target", 30),)),
        Selection("verified"),
        Allowance().options(),
        len(NAMES),
    ),
}


class Wrong(Exception):
    """Raised for a broken promise."""


@dataclass
class Witness:
    """Record of all signed entries, and number of kills."""

    signed: defaultdict[tuple[bytes, int, int], set[bytes]] = field(
        default_factory=lambda: defaultdict(set)
    )
    # entry -> number of its arrivals at the table
    posts: Counter[bytes] = field(default_factory=Counter)
    figures: Counter[str] = field(default_factory=Counter)

    def note(self, match_id: bytes, raw: bytes) -> None:
        entry = decode_entry(raw)
        versions = self.signed[match_id, entry.author, entry.sequence]
        versions.add(raw)
        if len(versions) > 1:
            raise Wrong(f"seat {entry.author} signed two entries with the number {entry.sequence}")

    def post(self, manager: TableManager, peer: Peer, match_id: bytes, raw: bytes) -> None:
        """Replace the table's handler for `post`."""
        self.figures["posts"] += 1
        self.figures["posts sent again"] += self.posts[raw] > 0
        self.posts[raw] += 1
        self.note(match_id, raw)
        HANDLERS["post"](manager, peer, match_id, raw)


class Victim:
    """A player in a match. Its program is restarted after each kill."""

    def __init__(self, link: object, name: str, data: Path, log: Path, witness: Witness) -> None:
        self.name = name
        self.log, self.done = log, False
        self._data, self._witness = data, witness
        options = (
            "--bot",
            "greedy",
            "--pace",
            PACE,
            "--quiet",
            "--data",
            str(data),
            "--log",
            str(log),
        )
        self._command = ("player", str(link), "--name", name, *options)
        self._read: list[list[tuple[bytes, bytes]]] = []  # records in its log at each kill

    async def start(self) -> None:
        self.process = await ready(*self._command)
        self._ended = asyncio.create_task(self.process.communicate())

    @property
    def running(self) -> bool:
        return not self._ended.done()

    async def kill(self) -> None:
        """Kill the program, read its files, and restart it unless it had finished."""
        self.process.kill()
        await self._ended
        figures = self._witness.figures
        records = read_log(self.log)
        self._read.append(records)
        figures["kills"] += 1
        if not any_recovery_states(self._data):
            self.done = bool(records)
            figures["kills after the end" if self.done else "kills before the match"] += 1
        else:
            self._look_at_outbox(records)
        if not self.done:
            await self.start()

    def _look_at_outbox(self, records: list[tuple[bytes, bytes]]) -> None:
        for path in (self._data / "matches").glob("*.outbox"):
            raw = read_outbox(path)
            if raw is not None and all(raw != entry for entry, _ in records):
                self._witness.figures["kills with an entry under way"] += 1
                self._witness.note(bytes.fromhex(path.stem), raw)

    async def finish(self) -> None:
        """Wait for the program's own end. Raises: Wrong."""
        if not self.done:
            said = (await self._ended)[0].decode()
            if self.process.returncode != 0 or "Verdict: no cheating found" not in said:
                raise Wrong(f"a player ended with code {self.process.returncode}: {said}")
        if any_recovery_states(self._data):
            raise Wrong("a player kept its secrets after the end of the match")

    def check(self, final: bytes) -> None:
        """Check that its log is the table's, and that its log at each kill was a part of it."""
        if self.log.read_bytes() != final:
            raise Wrong("a player's log is not the table's")
        records = read_log(self.log)
        if any(earlier != records[: len(earlier)] for earlier in self._read):
            raise Wrong("an entry that a player had read is lost")

    async def stop(self) -> None:
        if self.running:
            self.process.kill()
            await self._ended


async def interrupted_match(
    table: TableServer, folder: Path, number: int, kills: int, rng: Random, witness: Witness
) -> int:
    """Play a match with at most `kills` kills. Return the number of kills. Raises: Wrong."""
    victims = [
        Victim(table.link, name, folder / name, folder / f"{name}-{number}.fairdeal", witness)
        for name in NAMES
    ]
    killed = 0
    try:
        for victim in victims:
            await victim.start()
        while killed < kills and (running := [victim for victim in victims if victim.running]):
            victim = rng.choice(running)
            if rng.random() < IN_ITS_SEAT:
                await in_its_seat(table, victim)
            await asyncio.sleep(rng.uniform(0.1, 2.0))
            if victim.running:
                await victim.kill()
                killed += 1
        async with asyncio.timeout(300):
            for victim in victims:
                await victim.finish()
    finally:
        for victim in victims:
            await victim.stop()
    await check_match(table, victims, witness)
    return killed


async def in_its_seat(table: TableServer, victim: Victim) -> None:
    """Wait until a player has its seat, or has ended. Starting takes long on a busy machine."""
    while victim.running:
        room = table.lobby.tables["main"].room
        if room is not None and victim.name in [
            room.live.match.setup.people[seat].name for seat in room.seated
        ]:
            return
        await asyncio.sleep(0.02)


async def check_match(table: TableServer, victims: list[Victim], witness: Witness) -> None:
    """Check that all logs are equal, clean and complete. Raises: Wrong."""
    records = read_log(victims[0].log)
    report = audit(victims[0].log.read_bytes())
    if report.verdict is not Verdict.CLEAN:
        raise Wrong(f"the audit says {report.verdict}")
    match_id = report.reader.log.match_id if report.reader else b""
    # the table writes the file at about the time of the players' end
    final = await exported(table, match_id)
    for victim in victims:
        victim.check(final)
    entries = [decode_entry(raw) for raw, _ in records]
    for entry in entries:
        if entry.author < len(victims) and witness.signed[
            match_id, entry.author, entry.sequence
        ] != {entry.raw}:
            raise Wrong("an entry in the log is not the one that its author sent")
    witness.figures["matches"] += 1
    witness.figures["entries"] += len(entries)


async def run(
    folder: Path, kills: int, seed: int, dealings: tuple[str, ...] = tuple(TERMS)
) -> Counter[str]:
    """Play matches with these dealings in turn until enough players have been killed. Raises:
    Wrong.
    """
    rng, witness = Random(seed), Witness()
    number = 0
    while witness.figures["kills"] < kills:
        dealing = dealings[number % len(dealings)]
        config = Config(folder / f"table-{dealing}", port=0, terms=TERMS[dealing])
        async with TableServer(config, handlers=HANDLERS | {"post": witness.post}) as table:
            left = kills - witness.figures["kills"]
            killed = await interrupted_match(table, folder, number, min(left, 25), rng, witness)
        witness.figures[f"kills, {dealing}"] += killed
        number += 1
    return witness.figures


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="scripts/kill_player", description=__doc__)
    parser.add_argument(
        "--kills", type=int, default=200, metavar="N", help="how many players to kill (default 200)"
    )
    parser.add_argument(
        "--seed", type=int, default=1, metavar="N", help="of the random moments (default 1)"
    )
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fairdeal-kill-") as folder:
        try:
            figures = asyncio.run(run(Path(folder), args.kills, args.seed))
        except Wrong as wrong:
            print(f"wrong: {wrong}")
            return 1
    for name, value in sorted(figures.items()):
        print(f"{value:7}  {name}")
    print(
        "every match ended, every audit is clean, all logs are the same, nothing was signed twice"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
