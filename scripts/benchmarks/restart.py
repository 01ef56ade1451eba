"""A table that is killed and started again, with many running matches, a long one and a hostile one
among them.

Printed are the seconds from the start of the program until it listens, until innocent matches move,
and until the seats of the long and of the hostile match are back. Before that, with the long match
alone, its processor time of folding again is compared with that of a reader that checks the whole
log: this is a first fold.
"""

import argparse
import asyncio
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import psutil

from conformance.table.environment import wire_terms
from protocol.identity.keys import JoinLink
from protocol.match.log_reader import LogReader
from scripts.benchmarks.attackers import CLOCK, THRESHOLD, begin_burning, burn
from scripts.benchmarks.hosted import hosted
from scripts.benchmarks.load import BOUNDS
from tests.support.wire_client import Player, WireClient

INNOCENT = wire_terms("block-dominoes", [["target", 100]], "layered", [], CLOCK, 2)
ENTRIES = 12  # of an innocent match before the table is killed
AT_ONCE = 8  # matches that are begun at a time
RETURNING = 20  # innocent matches whose seats come back
LISTENS_SECONDS = 2.0  # that a table may take until it listens
WORDS = (
    "--allow-create",
    "any",
    "--bound",
    "tables=2000",
    *(w for b in BOUNDS for w in ("--bound", b)),
)


async def _begin(link: JoinLink, terms: list[object], number: int) -> list[Player]:
    players = []
    for seat in range(2):
        client = WireClient(link, 4 * number + seat, f"Seat {seat}")
        await client.connect(f"127.0.{1 + number // 30}.{1 + number % 30}")
        players.append(Player(await client.greet(), "random"))
    first = players[0].client
    await first.send("create", terms)
    (place,) = await first.expect("created")
    for player in players:
        await player.client.join(place)
    for player in players:
        client = player.client
        if not client.match_id:
            await client.expect("match")
    return players


async def _play(players: Sequence[Player], entries: int) -> None:
    """Play until both have read so many entries, or the match is over."""
    await asyncio.gather(*(player.run(until=entries) for player in players))


async def _play_hands(players: Sequence[Player], hands: int) -> None:
    """Play until so many hands have been dealt."""
    entries = 1
    await _play(players, entries)
    reader = players[0].reader
    assert reader is not None
    while reader.match.deal_number + 1 < hands:
        assert not reader.over, "the match is over before it is long"
        entries += 5
        await _play(players, entries)


async def _many(link: JoinLink, count: int) -> list[list[Player]]:
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(number: int) -> list[Player]:
        async with gate:
            players = await _begin(link, INNOCENT, number)
            await _play(players, ENTRIES)
            return players

    return await asyncio.gather(*(one(10 + number) for number in range(count)))


async def _back(link: JoinLink, players: Sequence[Player], more: int) -> float:
    """Come back to a match, and play so many entries. Return when that was done."""

    async def one(player: Player, number: int) -> None:
        old = player.client
        assert old.match_id is not None
        client = WireClient(link, 7, f"Seat {number}", identity=old.identity)
        await client.connect(f"127.0.200.{1 + old.match_id[0] % 30}")
        await client.greet()
        while True:
            await client.send("resume", old.match_id, player.holds, None)
            message = await client.receive()
            if message is not None and message.name == "match":
                break
            await asyncio.sleep(0.5)
        player.client = client
        await player.run(until=len(player.records) + more)

    await asyncio.gather(*(one(player, number) for number, player in enumerate(players)))
    return time.perf_counter()


def _spent(front: psutil.Process) -> float:
    found = [front, *front.children(recursive=True)]
    return sum(sum(process.cpu_times()[:2]) for process in found)


def _first_fold(player: Player) -> float:
    """Return the processor time of a reader that checks all."""
    begun = time.process_time()
    (first, *rest) = player.records
    reader = LogReader(*first)
    for record in rest:
        reader.feed(*record)
    return time.process_time() - begun


def refold(
    checkout: Path, data: Path, long: Sequence[Player], words: Sequence[str]
) -> dict[str, float]:
    """Return the processor times of the first fold and of the table that folds again."""
    began = time.perf_counter()
    with (
        tempfile.TemporaryDirectory() as empty,
        hosted(checkout, *words, data=Path(empty)) as found,
    ):
        listens = time.perf_counter() - began
        time.sleep(2)  # until its workers have started
        idle = _spent(found[1])
    with hosted(checkout, *words, data=data) as (link, front):
        asyncio.run(_back(link, long, 0))
        again = _spent(front)
    first = _first_fold(long[0])
    return {
        "empty_listens_s": listens,
        "first_fold_s": first,
        "fold_again_s": again - idle,
        "ratio": (again - idle) / first,
    }


async def come_back(
    link: JoinLink, many: Sequence[list[Player]], hostile: Sequence[Player], long: Sequence[Player]
) -> dict[str, list[float]]:
    """Return when seats were back and had played."""
    every = max(1, len(many) // RETURNING)
    waits = [_back(link, players, 2) for players in many[::every]]
    found = await asyncio.gather(_back(link, hostile, 0), _back(link, long, 0), *waits)
    return {"hostile": [found[0]], "long": [found[1]], "innocent": list(found[2:])}


async def _record_long(link: JoinLink, hands: int) -> list[Player]:
    # nobody loses all chips before the end
    options = [["hands", hands + 1], ["limit", "fixed"], ["stack", 5000]]
    terms = wire_terms("texas-holdem", options, "verified", THRESHOLD, CLOCK, 2)
    players = await _begin(link, terms, 1)
    await _play_hands(players, hands)
    return players


async def _record_others(
    link: JoinLink, matches: int, burns: int
) -> tuple[list[list[Player]], Sequence[Player]]:
    hostile = await begin_burning(link)
    assert not await burn(hostile[0], burns)
    return await _many(link, matches), hostile


def main() -> int:
    """Return 0 if the table listens in time."""
    parser = argparse.ArgumentParser(prog="scripts/restart", description=__doc__)
    parser.add_argument(
        "--matches", type=int, default=500, metavar="N", help="default: %(default)s"
    )
    parser.add_argument(
        "--hands",
        type=int,
        default=100,
        metavar="N",
        help="of the long match (default: %(default)s)",
    )
    parser.add_argument(
        "--burns",
        type=int,
        default=300,
        metavar="N",
        help="entries of the hostile match (default: %(default)s)",
    )
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="default: %(default)s")
    parser.add_argument(
        "--at", type=Path, default=Path.cwd(), metavar="FOLDER", help="the table's checkout"
    )
    options = parser.parse_args()
    words = (*WORDS, "--workers", str(options.workers))
    with ExitStack() as stack:
        data = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "table"
        copy = data.with_name("copy")
        with hosted(options.at, *words, data=data) as (link, _):
            long = asyncio.run(_record_long(link, options.hands))
        shutil.copytree(data, copy, ignore=shutil.ignore_patterns("*.sock"))
        print(f"long match: {len(long[0].records)} entries", flush=True)
        for name, value in refold(options.at, copy, long, words).items():
            print(f"  {name:32} {value:,.4g}", flush=True)
        with hosted(options.at, *words, data=data) as (link, _):
            many, hostile = asyncio.run(_record_others(link, options.matches, options.burns))
        began = time.perf_counter()
        with hosted(options.at, *words, data=data) as (link, _):
            listens = time.perf_counter() - began
            found = asyncio.run(come_back(link, many, hostile, long))
    print(
        f"restart with {len(many)} innocent matches, the long one and one of {len(hostile[0].records)} entries"
    )
    print(f"  {'listens_s':32} {listens:,.4g}")
    for name, times in found.items():
        seconds = [at - began for at in times]
        print(f"  {name + '_s':32} {statistics.median(seconds):,.4g} (longest {max(seconds):,.4g})")
    print(
        "it listens in time"
        if listens <= LISTENS_SECONDS
        else f"it does NOT listen within {LISTENS_SECONDS} s"
    )
    return 0 if listens <= LISTENS_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
