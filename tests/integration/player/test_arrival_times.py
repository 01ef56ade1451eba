"""Arrival times stored next to a log, and their use if a table lies about its wait."""

import asyncio
from pathlib import Path
from random import Random

import pytest

from bots.dominoes import greedy_bot
from player.client.seat import Seat
from player.storage.log_store import LogStore
from protocol.__main__ import main
from protocol.audit.fairness.arrival_comparison import entry_authors, seat_of_times
from protocol.audit.fairness.arrival_times import parse_times
from protocol.identity.keys import Identity
from protocol.match.clock import Allowance
from protocol.match.state import MatchStage
from table.lobby.matches import Matches
from table.manager.server import TableServer
from table.match.clock import tick
from table.match.hosted_match import HostedMatch
from tests.support.play import play
from tests.support.tables import config, hurried, until

pytestmark = pytest.mark.match


class Silent(Seat):
    """Seat that joins, and then falls silent."""

    def respond(self, match):
        return super().respond(match) if match.stage is MatchStage.SEATING else None


async def silent_match(table: TableServer, folder: Path) -> list[Path]:
    """Play a match in which the second of two seats falls silent after joining. Return both
    logs.
    """
    logs = [folder / f"{name}.fairdeal" for name in ("Ann", "Bob")]
    tasks = []
    for number, (log, kind) in enumerate(zip(logs, (Seat, Silent), strict=True)):
        rng = Random(number)
        identity = Identity(rng.randbytes(32))
        tasks.append(
            asyncio.create_task(
                play(
                    table.link,
                    identity,
                    log.stem,
                    greedy_bot,
                    rng=rng,
                    log_path=log,
                    seat_type=kind,
                )
            )
        )
        if number == 0:
            await until(lambda: table.lobby.tables["main"].waiting)
    await asyncio.gather(*tasks)
    return logs


async def test_honest_table_statements_about_time_are_justified(tmp_path, capsys):
    async with TableServer(config(tmp_path / "table")) as table, hurried(table):
        logs = await silent_match(table, tmp_path)
    assert logs[0].read_bytes() == logs[1].read_bytes()  # times are next to the log, not in it
    kept = [parse_times(log.with_suffix(".times").read_text()) for log in logs]
    # each file has the times of its own entries
    assert {seat_of_times(times, entry_authors(logs[0].read_bytes())) for times in kept} == {0, 1}
    assert await asyncio.to_thread(main, ["clock", *map(str, logs)]) == 0
    printed = capsys.readouterr().out
    assert printed.count(" justified\n") == 2 and "Bob" in printed
    assert printed.endswith("justified: the table waited as it says.\n")


class LyingRoom(HostedMatch):
    @staticmethod
    def clock_rule(duties, allowance, waited):
        return tick(duties, allowance, lambda seat: waited(seat) * 300)._replace(again=0)


class LyingMatches(Matches):
    room_type = LyingRoom


async def test_table_lying_about_wait_is_detected(tmp_path, capsys):
    """The table claims a wait of minutes after a second. The fold cannot notice this, but two seats
    can.
    """
    async with (
        TableServer(config(tmp_path / "table"), matches=LyingMatches) as table,
        hurried(table, Allowance(0, 300, 300)),
    ):
        logs = await silent_match(table, tmp_path)
    assert await asyncio.to_thread(main, ["audit", str(logs[0])]) == 1
    assert "[lapsed]" in capsys.readouterr().out  # so Bob is named
    assert await asyncio.to_thread(main, ["clock", *map(str, logs)]) == 1
    printed = capsys.readouterr().out
    assert printed.count(" not justified\n") == 2
    assert "not justified: 2 of 2. Both players saw less time pass than the table says." in printed
    whole = logs[1].read_bytes()
    logs[1].write_bytes(whole + bytes(4))  # bytes appended to a copy hide none of it
    assert await asyncio.to_thread(main, ["clock", *map(str, logs)]) == 1
    assert capsys.readouterr().out.startswith(printed)
    logs[1].write_bytes(whole)
    logs[1].with_suffix(".times").write_text("run\n")
    assert await asyncio.to_thread(main, ["clock", *map(str, logs)]) == 0
    assert (
        "open: 2 of 2. One of the players was not connected to see it." in capsys.readouterr().out
    )
    logs[1].with_suffix(".times").unlink()
    assert await asyncio.to_thread(main, ["clock", *map(str, logs)]) == 2


def test_arrival_times_cover_only_live_entries_of_each_run(tmp_path):
    path = tmp_path / "a.fairdeal"
    store = LogStore(path)
    store.append(b"0", bytes(64))
    store.append(b"1", bytes(64), live=True)
    store.close()
    store = LogStore.again(path, 2)
    store.append(b"2", bytes(64), live=True)
    store.close()
    text = path.with_suffix(".times").read_text()
    assert text.count("run\n") == 2
    times = parse_times(text)
    assert [(number, arrival.run) for number, arrival in times.items()] == [(1, 1), (2, 2)]


def test_unwritable_times_file_disturbs_nothing(tmp_path):
    (tmp_path / "a.times").mkdir()
    store = LogStore(tmp_path / "a.fairdeal")
    store.append(b"0", bytes(64), live=True)
    store.append(b"1", bytes(64), live=True)
    store.close()


@pytest.mark.parametrize("times", ["", "run\n"])
def test_log_set_aside_has_no_times(tmp_path, times):
    store = LogStore(tmp_path / "a.fairdeal")
    store.append(b"0", bytes(64), live=bool(times))
    other = store.set_aside(0, b"x", bytes(64))
    store.close()
    assert not other.with_suffix(".times").exists()
