"""Whole tables whose journal has lost signed entries: the players' programs return them, and
matches end.
"""

import asyncio
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from random import Random

import pytest

from bots.registry import BOTS
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.identity.keys import Identity
from protocol.match.clock import Allowance
from table.manager.server import TableServer
from table.storage.disk.journal import JOURNAL_FILE
from tests.support.play import play
from tests.support.ports import free_port
from tests.support.tables import close_all, config, exported, guest, seated, until
from tests.support.wire_client import Player

pytestmark = pytest.mark.match

FIRST, SECOND = 8, 20  # numbers of entries at which the table is stopped
# time for entries that were in the journal but not sent when the table stopped
CLOCK = Allowance(step=8).options()


class Evening:
    """Table that is stopped and restarted on one port, with two bots that stay."""

    def __init__(self, folder) -> None:
        self.folder, self.port, self.bots = folder / "table", free_port(), []
        self.players = [folder / name for name in ("Ann", "Bob")]

    async def table(self, entries: int | None = None) -> TableServer:
        """Run the table until there are `entries` entries, or the match is over."""
        settings = config(self.folder, bounds={"returning_alone_seconds": 5})
        settings = replace(settings, port=self.port, terms=settings.terms._replace(clock=CLOCK))
        async with TableServer(settings) as table:
            if not self.bots:
                self.bots = [
                    asyncio.create_task(
                        play(
                            table.link,
                            Identity(bytes([seat]) * 32),
                            data.name,
                            BOTS["greedy"],
                            rng=Random(seat),
                            state_dir=data,
                            log_path=data / "match.fairdeal",
                        )
                    )
                    for seat, data in enumerate(self.players, 1)
                ]
            if entries is None:
                self.outcomes = await asyncio.gather(*self.bots)
                self.file = await exported(table, self.outcomes[0].reader.log.match_id)
            else:
                main = table.lobby.tables["main"]
                await until(lambda: main.room is not None and main.room.stored >= entries)
            return table

    def ended_well(self) -> bool:
        """Check that all have the same log, and it is clean."""
        files = [outcome.log_path.read_bytes() for outcome in self.outcomes]
        return (
            [outcome.verdict for outcome in self.outcomes] == [Verdict.CLEAN] * 2
            and files == [self.file] * 2
            and audit(self.file).verdict is Verdict.CLEAN
        )


def remove(journal, entries: int) -> None:
    """Delete the records from number `entries` on from a journal."""
    with closing(sqlite3.connect(journal)) as database:
        database.execute("DELETE FROM records WHERE number >= ?", (entries,))
        database.commit()


async def test_removed_acknowledged_records_return_from_players(tmp_path, caplog):
    evening = Evening(tmp_path)
    async with asyncio.timeout(60):
        await evening.table(SECOND)
        remove(evening.folder / JOURNAL_FILE, FIRST)
        table = await evening.table()
    assert evening.ended_well()
    assert (table.metrics.tails, table.metrics.forks) == (1, 0)
    assert "gave back" in caplog.text


async def test_restored_old_journal_is_repaired(tmp_path):
    evening, copy = Evening(tmp_path), tmp_path / "copy"
    async with asyncio.timeout(60):
        await evening.table(FIRST)
        shutil.copytree(evening.folder, copy)
        await evening.table(SECOND)
        shutil.rmtree(evening.folder)
        copy.rename(evening.folder)
        table = await evening.table()
    assert evening.ended_well() and table.metrics.tails == 1


async def test_client_with_foreign_head_is_refused_and_sends_nothing(
    tmp_path,
):
    async with TableServer(config(tmp_path)) as table:
        ann, bob = await seated(table, 1, 2)
        player = Player(ann)
        await asyncio.gather(player.run(until=9), Player(bob).run(until=9))
        again = await guest(table, 11, "Seat A", identity=ann.identity)
        for head in ([9, bytes(32), bytes(64)], [10**9, bytes(32), bytes(64)]):
            await again.send("resume", ann.match_id, head, None)
            assert await again.expect("error") == [Code.BAD_SIGNATURE]
        await again.send("resume", ann.match_id, None, None)
        await again.expect("match")
        number, room = len(player.records), table.lobby.tables["main"].room
        stored = room.stored
        await again.send("tail", ann.match_id, number, bytes(32), [[b"x", bytes(64)]])
        assert await again.expect("error") == [Code.NOT_NOW]
        assert room.stored == stored and not room.machine.recovery.waits
        await close_all(ann, bob, again)
