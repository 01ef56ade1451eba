"""Player whose process dies: the same command resumes the match, and nothing is signed twice."""

import asyncio
import json
from dataclasses import replace
from random import Random

import pytest

from bots.dominoes import greedy_bot
from player.client import events, reconnect
from player.storage.recovery_state import any_recovery_states, read_recovery_states
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.errors import LocalError
from protocol.games.registry import BUILT_IN, Games
from protocol.i18n import english_text
from protocol.identity.keys import Identity
from protocol.match.log import decode_entry
from protocol.match.terms import decode_terms, terms_hash
from tests.support.fake_table import FakeTable, listening
from tests.support.play import play

ME = Identity(b"m" * 32)


class Deadly(FakeTable):
    """Table that kills the player's program at its posts. By turns the post is lost, or
    accepted.
    """

    def __init__(self, **options):
        super().__init__(**options)
        self.task = None
        self.deaths = 0
        self.spared = True  # True: the next post is let through

    def die(self, wire):
        self.deaths += 1
        self.task.cancel()
        wire.transport.abort()

    def on_post(self, wire, match_id, raw):
        self.spared = not self.spared
        if self.spared:
            super().on_post(wire, match_id, raw)
            return
        if self.deaths % 2:
            self.live.offer(raw, 0)
        self.die(wire)

    @property
    def posts(self):
        return [message.values[1] for message in self.received if message.name == "post"]


async def until_it_ends(table, link, folder, **more):
    """Restart the program after each death. Return the last outcome."""
    for run in range(1000):
        more["rng"] = Random(run)
        table.task = asyncio.create_task(
            play(link, ME, "Zoe", greedy_bot, state_dir=folder, **more)
        )
        await asyncio.wait({table.task})
        if not table.task.cancelled():
            return table.task.result()
    raise AssertionError


@pytest.mark.match
@pytest.mark.parametrize(
    "options", [{}, {"seats": 3, "game": "draw-dominoes"}, {"dealing": "verified"}]
)
async def test_player_may_die_at_every_other_post(tmp_path, options):
    table = Deadly(**options)
    async with asyncio.timeout(60), listening(table) as link:
        outcome = await until_it_ends(table, link, tmp_path)
    assert table.deaths > 5
    assert (outcome.verdict, outcome.refusals) == (Verdict.CLEAN, ())
    assert audit(outcome.log_path.read_bytes()).entries == len(table.live.records)
    assert len(list(tmp_path.glob("logs/*.fairdeal"))) == 1
    by_sequence = {(decode_entry(raw).sequence, raw) for raw in table.posts}
    # equal numbers have equal bytes
    assert len(by_sequence) == len({sequence for sequence, _ in by_sequence})
    assert not list(tmp_path.glob("matches/*"))  # the seed is deleted with the match


@pytest.mark.match
async def test_restarted_player_reads_ended_match_to_its_end(tmp_path):
    class Ending(Deadly):
        """Table at which the program dies after posting its receipt, which ends the match."""

        def on_post(self, wire, match_id, raw):
            if decode_entry(raw).kind == "receipt" and not self.deaths:
                self.live.offer(raw, 0)
                while any(self.bot_step(seat, reader) for seat, reader in self.bots):
                    """The others post theirs."""
                assert self.live.match.over
                self.die(wire)
            else:
                FakeTable.on_post(self, wire, match_id, raw)

    table = Ending()
    async with asyncio.timeout(60), listening(table) as link:
        outcome = await until_it_ends(table, link, tmp_path)
    assert table.deaths == 1
    assert (outcome.verdict, outcome.reader.log.next_number) == (
        Verdict.CLEAN,
        len(table.live.records),
    )
    assert [message.name for message in table.received].count("resume") == 1


async def interrupted(table, link, folder, posts=6):
    """Run a program that dies after `posts` posts."""
    waiting = asyncio.create_task(
        play(link, ME, "Zoe", greedy_bot, rng=Random(3), state_dir=folder)
    )
    table.hang_up_at = None
    while sum(message.name == "post" for message in table.received) < posts:
        await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait({waiting})
    (memory,) = read_recovery_states(folder, ME)
    return memory, (folder / memory.log)


@pytest.mark.match
async def test_match_of_other_rules_says_how_to_go_on(tmp_path):
    """The interrupted match is kept, and the sentence names both ways out."""
    table = FakeTable()
    later = Games({name: replace(spec, edition="99") for name, spec in BUILT_IN.specs.items()})
    async with asyncio.timeout(60), listening(table) as link:
        _, log = await interrupted(table, link, tmp_path)
        before = log.read_bytes()
        with pytest.raises(LocalError) as stopped:
            await play(link, ME, "Zoe", greedy_bot, rng=Random(4), state_dir=tmp_path, games=later)
        assert stopped.value.phrase.key == "wrong.unfinished_rules"
        assert "--forget" in english_text(stopped.value.phrase)
        assert log.read_bytes() == before and any_recovery_states(tmp_path)


@pytest.mark.match
async def test_torn_log_is_completed_from_table(tmp_path):
    for cut in (0, 3, 20, 700, -1, -40, None):
        folder, table = tmp_path / str(cut), FakeTable()
        async with asyncio.timeout(60), listening(table) as link:
            _, log = await interrupted(table, link, folder)
            raw = log.read_bytes()
            if cut is None:
                # bytes that some disks leave after a power failure
                log.write_bytes(raw + bytes(90))
            else:
                log.write_bytes(raw[:cut])
            outcome = await play(link, ME, "Zoe", greedy_bot, rng=Random(4), state_dir=folder)
        assert outcome.verdict is Verdict.CLEAN, cut
        assert audit(log.read_bytes()).verdict is Verdict.CLEAN, cut


@pytest.mark.slow
async def test_a_lost_log_is_read_again_from_the_table(tmp_path):
    table = FakeTable()
    async with asyncio.timeout(60), listening(table) as link:
        _, log = await interrupted(table, link, tmp_path)
        log.unlink()
        outcome = await play(link, ME, "Zoe", greedy_bot, rng=Random(4), state_dir=tmp_path)
    assert (outcome.verdict, outcome.log_path) == (Verdict.CLEAN, log)


@pytest.mark.slow
async def test_torn_outbox_is_ignored(tmp_path):
    """After a crash during the write the entry was never sent. The program makes the same entry
    again.
    """
    table = FakeTable()
    async with asyncio.timeout(60), listening(table) as link:
        memory, _ = await interrupted(table, link, tmp_path)
        (outbox,) = tmp_path.glob("matches/*.outbox")
        outbox.write_bytes(outbox.read_bytes()[:-1])
        assert memory.last() is None
        outcome = await play(link, ME, "Zoe", greedy_bot, rng=Random(4), state_dir=tmp_path)
    assert outcome.verdict is Verdict.CLEAN


@pytest.mark.slow
async def test_data_folder_may_be_moved(tmp_path):
    table = FakeTable()
    async with asyncio.timeout(60), listening(table) as link:
        await interrupted(table, link, tmp_path / "old")
        (tmp_path / "old").rename(tmp_path / "new")
        outcome = await play(link, ME, "Zoe", greedy_bot, rng=Random(4), state_dir=tmp_path / "new")
    assert outcome.verdict is Verdict.CLEAN
    assert outcome.log_path.is_relative_to(tmp_path / "new")


async def test_seat_without_its_seed_leaves(tmp_path):
    table, heard = FakeTable(), []
    async with asyncio.timeout(60), listening(table) as link:
        memory, _ = await interrupted(table, link, tmp_path)
        memory.forget()
        outcome = await play(
            link, ME, "Zoe", greedy_bot, rng=Random(4), state_dir=tmp_path, on_event=heard.append
        )
    assert [fault.code for fault in outcome.faults] == [Code.LEFT]
    assert any(
        "Another copy" in english_text(event.phrase)
        for event in heard
        if isinstance(event, events.Notice)
    )


async def test_foreign_seed_is_not_used(tmp_path):
    table = FakeTable()
    async with asyncio.timeout(60), listening(table) as link:
        await interrupted(table, link, tmp_path)
        (path,) = tmp_path.glob("matches/*.json")
        path.write_text(json.dumps(json.loads(path.read_text()) | {"seed": "00" * 32}))
        outcome = await play(link, ME, "Zoe", greedy_bot, rng=Random(4), state_dir=tmp_path)
    assert [fault.code for fault in outcome.faults] == [Code.LEFT]


@pytest.mark.slow
async def test_full_disk_stops_sending(tmp_path, monkeypatch):
    table = FakeTable()
    async with asyncio.timeout(60), listening(table) as link:
        memory, _ = await interrupted(table, link, tmp_path)
        (outbox,) = tmp_path.glob("matches/*.outbox")
        before = len(table.received)
        outbox.unlink()
        outbox.symlink_to("/dev/full")
        outcome = await play(link, ME, "Zoe", greedy_bot, rng=Random(4), state_dir=tmp_path)
        assert (
            outcome.verdict is Verdict.INCOMPLETE
            and "cannot send anything more" in english_text(outcome.reason)
        )
        assert "post" not in [message.name for message in table.received[before:]]
        outbox.unlink()
        outbox.touch()
        outcome = await play(link, ME, "Zoe", greedy_bot, rng=Random(4), state_dir=tmp_path)
    assert outcome.verdict is Verdict.CLEAN
    assert not any_recovery_states(memory.data)


async def test_restart_of_match_lost_by_table_says_why_and_keeps_it(tmp_path):
    class Forgetting(FakeTable):
        def on_resume(self, wire, match_id, holds, met):
            wire.say("error", "wrong_match")

    table = Forgetting()
    async with asyncio.timeout(60), listening(table) as link:
        await interrupted(table, link, tmp_path)
        outcome = await play(link, ME, "Zoe", greedy_bot, rng=Random(4), state_dir=tmp_path)
    assert outcome.verdict is Verdict.INCOMPLETE
    assert "restored the table from a backup" in english_text(outcome.reason)
    assert any_recovery_states(tmp_path)


@pytest.mark.slow
async def test_restart_after_taken_entry_does_not_blame_the_player(tmp_path, monkeypatch):
    """The line broke while the table stored the entry. The second copy is refused, and the first
    one arrives.
    """
    monkeypatch.setattr(reconnect, "FIRST_PAUSE", 0.0)

    class Slow(FakeTable):
        taken = None

        def on_post(self, wire, match_id, raw):
            if self.taken is None and self.live.log.sequence(0) == 3:
                self.taken = raw
                wire.transport.abort()
            elif raw == self.taken:
                self.live.offer(raw, 0)
                # refuses the second copy, then shows the first
                super().on_post(wire, match_id, raw)
            else:
                super().on_post(wire, match_id, raw)

    async with asyncio.timeout(60), listening(Slow()) as link:
        outcome = await play(link, ME, "Zoe", greedy_bot, rng=Random(4), state_dir=tmp_path)
    assert (outcome.verdict, outcome.refusals) == (Verdict.CLEAN, ())


@pytest.mark.slow
async def test_restart_keeps_match_while_table_stays_away(tmp_path, monkeypatch):
    monkeypatch.setattr(reconnect, "FIRST_PAUSE", 0.0)
    table = FakeTable()
    async with asyncio.timeout(60), listening(table) as link:
        await interrupted(table, link, tmp_path)
    outcome = await play(
        link, ME, "Zoe", greedy_bot, rng=Random(4), state_dir=tmp_path, keep_trying=0.05
    )
    assert outcome.verdict is Verdict.INCOMPLETE
    assert "did not come back. The match is kept: start the program again" in english_text(
        outcome.reason
    )
    assert any_recovery_states(tmp_path)


# --- before the match ---


class Waiting(FakeTable):
    """Table that begins the match at a later connection of the client."""

    begins_at = 3
    came = 0

    def on_join(self, wire, table_id):
        self.came += 1
        if self.came < self.begins_at:
            wire.say("waiting", "main", self.seats, [[self.name, self.client_key]])
            wire.transport.write(wire.session.close(Code.CLOSING))
        else:
            super().on_join(wire, table_id)


@pytest.mark.slow
async def test_line_broken_while_waiting_is_reconnected(monkeypatch):
    monkeypatch.setattr(reconnect, "FIRST_PAUSE", 0.0)
    table, heard = Waiting(), []
    async with asyncio.timeout(60), listening(table) as link:
        outcome = await play(link, ME, "Zoe", greedy_bot, rng=Random(4), on_event=heard.append)
    assert outcome.verdict is Verdict.CLEAN
    said = [english_text(event.phrase) for event in heard if isinstance(event, events.Notice)]
    assert [text.split()[-1] for text in said] == ["reconnecting.", "back."] * 2
    assert sum(isinstance(event, events.Welcomed) for event in heard) == 1
    seen = terms_hash(decode_terms(table.listing()[1]))
    places = [message.values[0] for message in table.received if message.name == "join"]
    assert places == [[None, seen], ["main", seen], ["main", seen]]


@pytest.mark.slow
async def test_restart_rejoins_own_table_and_creates_no_second(monkeypatch):
    monkeypatch.setattr(reconnect, "FIRST_PAUSE", 0.0)

    class Creating(Waiting):
        def on_create(self, wire, *values):
            wire.say("created", "main")

    table = Creating()
    async with asyncio.timeout(60), listening(table) as link:
        terms = table_terms(table)
        outcome = await play(
            link, ME, "Zoe", greedy_bot, rng=Random(4), plan=reconnect.Plan("", create=terms)
        )
    assert outcome.verdict is Verdict.CLEAN
    assert [message.name for message in table.received].count("create") == 1


def table_terms(table):
    table.client_key = ME.public
    return table.plain_setup().terms


async def test_player_without_greeting_does_not_retry():
    table = FakeTable()
    table.handle = lambda wire, name, values: wire.transport.abort()
    async with asyncio.timeout(60), listening(table) as link:
        outcome = await play(link, ME, "Zoe", greedy_bot, rng=Random(4))
    assert outcome.verdict is Verdict.INCOMPLETE
    assert len(table.connections) == 1


@pytest.mark.slow
async def test_many_simultaneous_returns_are_delayed(tmp_path, monkeypatch):
    monkeypatch.setattr(reconnect, "FIRST_PAUSE", 0.0)

    class Crowded(FakeTable):
        declined = 0

        def on_resume(self, wire, match_id, holds, met):
            self.declined += 1
            if self.declined < 4:
                wire.say("error", "too_many")
            else:
                super().on_resume(wire, match_id, holds, met)

    table = Crowded()
    table.hang_up_at = 12
    async with asyncio.timeout(60), listening(table) as link:
        outcome = await play(link, ME, "Zoe", greedy_bot, rng=Random(4))
    assert (outcome.verdict, table.declined) == (Verdict.CLEAN, 4)


@pytest.mark.slow
async def test_slow_return_is_retried(tmp_path, monkeypatch):
    """A line may break anywhere, also between the greeting and the return to the seat. The program
    does not give up.
    """
    monkeypatch.setattr(reconnect, "FIRST_PAUSE", 0.0)

    class Impatient(FakeTable):
        late = 0

        def on_resume(self, wire, match_id, holds, met):
            self.late += 1
            if self.late < 3:
                wire.say("error", "too_slow")
                wire.transport.abort()
            else:
                super().on_resume(wire, match_id, holds, met)

    table = Impatient()
    table.hang_up_at = 12
    async with asyncio.timeout(60), listening(table) as link:
        outcome = await play(link, ME, "Zoe", greedy_bot, rng=Random(4))
    assert (outcome.verdict, table.late) == (Verdict.CLEAN, 3)
