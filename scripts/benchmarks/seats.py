"""Process with the players of many parallel matches. Arguments: LINK, seconds to think about a
move, if not four `--seats` and their number, names of tables.

It prints "ready", waits for a line, plays one match at each table, and prints the figures as JSON.
"""

import asyncio
import json
import secrets
import sys
from collections.abc import Sequence

from player.client import events
from player.client.connection import connect
from player.client.environment import Environment
from player.client.reconnect import outcome_of
from player.client.seat import Seat
from player.client.table_client import Plan, TableClient
from protocol.identity.keys import Identity, JoinLink
from scripts.benchmarks.move_times import MoveTimes, TimedLine

NAMES = ("Ann", "Bob", "Cleo", "Dan")
PLAYING = 1800  # seconds for all matches together


async def one_seat(link: JoinLink, name: str, table_id: str, think: float, times: MoveTimes) -> str:
    """Play a match, and return the verdict of this seat."""
    loop, rng = asyncio.get_running_loop(), secrets.SystemRandom()

    def tell(event: events.Event) -> None:
        if isinstance(event, events.YourTurn):
            loop.call_later(think, client.choose, rng.choice(event.choices))

    environment = Environment(Identity(rng.randbytes(32)), rng, Seat, None, tell)
    client = TableClient(Plan(name, table_id), environment)
    connection = await connect(
        link, environment.identity, rng, link.fingerprint, TimedLine(client, times)
    )
    code = await connection.gone
    client.detached(code)
    if client.playing is None:  # the other seats would wait for ever
        raise RuntimeError(f"a player found no match: {client.reason or code}")
    return str(outcome_of(client).verdict)


async def all_seats(
    link: JoinLink, think: float, tables: list[str], names: Sequence[str]
) -> dict[str, object]:
    """Return the verdicts of all seats, and for each entry the time of sending and the seconds
    until its whole match had it.
    """
    times = MoveTimes(len(names))
    async with asyncio.timeout(PLAYING), asyncio.TaskGroup() as group:
        seats = [
            group.create_task(one_seat(link, name, table, think, times))
            for table in tables
            for name in names
        ]
    return {"verdicts": [seat.result() for seat in seats], "times": times.times}


def main() -> None:
    """Wait for a line, then play."""
    link = JoinLink.parse(sys.argv[1])
    think = float(sys.argv[2])
    tables, count = sys.argv[3:], len(NAMES)
    if tables[:1] == ["--seats"]:
        count, tables = int(tables[1]), tables[2:]
    print("ready", flush=True)
    sys.stdin.readline()
    print(json.dumps(asyncio.run(all_seats(link, think, tables, NAMES[:count]))), flush=True)


if __name__ == "__main__":
    main()
