"""A relay that drops, doubles, moves, changes or holds back what it should pass on, or lies about
callers: as a line that does so. Nothing is forged, and matches go on.
"""

import asyncio
from random import Random

import pytest
from websockets.frames import Frame

from bots.dominoes import greedy_bot
from conformance.case import CaseFailed
from player.client.table_client import Plan
from protocol.audit.verdict import Verdict
from protocol.codes import Code
from protocol.identity.keys import Identity
from protocol.limits import RELAY_TOKEN, RELAYED_ARRIVALS, RELAYED_MESSAGES
from protocol.messages.relay import (
    LABEL,
    Challenge,
    Guest,
    Open,
    TurnAway,
    decode,
    signed_fields,
)
from relay.connection import RelayConnection
from relay.rules import Say
from relay.server import RelayServer
from table.config import Ways
from table.manager.server import TableServer
from table.net.relays.relays import Relays
from tests.support.play import play
from tests.support.relays import behind, relay_config, relayed_guest
from tests.support.tables import config, guest, until
from tests.support.wire_client import WireClient

FAULTS = 4  # in one match
# frames before the match: people would wait for an answer there, as 4.9 is for matches alone
LOBBY = 40
EVERY = 15  # frames between two faults: some are in the middle of a deal


class LyingRelay(RelayServer):
    """Does `fault` to some of the frames that it passes on."""

    def __init__(self, fault: str) -> None:
        super().__init__(relay_config())
        self.fault, self.to_do, self.frames = fault, FAULTS, 0

    def make_connection(self, expected: bool = False) -> RelayConnection:
        return LyingConnection(self, asyncio.get_running_loop(), expected)


class LyingConnection(RelayConnection):
    """Its frames come from a relay that lies."""

    relay: LyingRelay
    kept: Frame | None = None
    holds = False

    def forward(self, frames: list[Frame]) -> None:
        for frame in frames:
            self._forward(frame)

    def _forward(self, frame: Frame) -> None:
        relay = self._owner
        relay.frames += 1
        if self.holds:
            return
        if self.kept is not None:
            super().forward([frame])
            frame, self.kept = self.kept, None
        elif relay.to_do and relay.frames > LOBBY and relay.frames % EVERY == 0:
            relay.to_do -= 1
            match relay.fault:
                case "drop":
                    return
                case "double":
                    super().forward([frame])
                case "reorder":
                    self.kept = frame
                    return
                case "change":
                    data = bytes(frame.data)
                    frame = Frame(frame.opcode, data[:-1] + bytes([data[-1] ^ 1]), frame.fin)
                case "hold":
                    self.holds, relay.to_do = True, 0
                    return
        super().forward([frame])


@pytest.mark.match
@pytest.mark.parametrize("fault", ["drop", "double", "reorder", "change", "hold"])
async def test_match_through_relay_that_lies_ends_clean(tmp_path, fault):
    async with LyingRelay(fault) as relay, behind(tmp_path / "table", *relay.urls) as table:
        outcomes = await asyncio.gather(
            *(
                play(
                    table.relay_links[0],
                    Identity(Random(name).randbytes(32)),
                    name,
                    greedy_bot,
                    rng=Random(name),
                    plan=Plan(name),
                    state_dir=tmp_path / name,
                )
                for name in ("Ann", "Bob")
            )
        )
        assert [outcome.verdict for outcome in outcomes] == [Verdict.CLEAN, Verdict.CLEAN]
        assert not relay.to_do
        bad = {Code.BAD_RECORD, Code.BAD_HANDSHAKE, Code.FRAME_SIZE}
        assert set(table.metrics.errors) <= bad


class Slanderer(RelayServer):
    """Says that all its guests come from this address."""

    said: str = "127.0.0.1"

    def _do(self, effects) -> None:
        super()._do(
            [
                Say(each.party, Guest(each.message.token, self.said))
                if isinstance(each, Say) and isinstance(each.message, Guest)
                else each
                for each in effects
            ]
        )


async def test_lie_about_callers_keeps_out_the_relays_own_guests_alone(tmp_path):
    bounds = {"per_address": 2}
    async with (
        Slanderer(relay_config()) as relay,
        behind(tmp_path, *relay.urls, bounds=bounds) as table,
    ):
        inside = [await relayed_guest(table, seed, f"Guest {chr(65 + seed)}") for seed in (1, 2)]
        third = await WireClient(table.relay_links[0], 3, "Cleo").connect()
        with pytest.raises(CaseFailed, match="too_many_here"):
            await third.greet()
        direct = await guest(table, 4, "Dan")  # really from 127.0.0.1
        addresses = {each.address for each in table.connections}
        assert addresses == {"127.0.0.1@127.0.0.1", "127.0.0.1"}
        for client in (*inside, third, direct):
            await client.close()


@pytest.mark.parametrize("said", ["", "nobody", "::1", "2001:db8::1/48", "127.0.0.1/32", "x" * 64])
async def test_word_that_is_no_address_counts_for_nobody(tmp_path, said):
    class Babbler(Slanderer):
        pass

    Babbler.said = said or None
    async with Babbler(relay_config()) as relay, behind(tmp_path, *relay.urls) as table:
        ann = await relayed_guest(table, 1, "Ann")
        bob = await relayed_guest(table, 2, "Bob")
        addresses = {each.address for each in table.connections}
        assert addresses == {"1@127.0.0.1", "2@127.0.0.1"}
        await ann.close()
        await bob.close()


async def test_relay_that_is_not_believed_keeps_nobody_out(tmp_path):
    bounds = {"per_address": 1}
    async with (
        Slanderer(relay_config()) as relay,
        behind(tmp_path, *relay.urls, believed=False, bounds=bounds) as table,
    ):
        inside = [await relayed_guest(table, seed, f"Guest {chr(65 + seed)}") for seed in (1, 2, 3)]
        await until(lambda: len(table.connections) == 3)
        for client in inside:
            await client.close()


class Inventor(RelayServer):
    """Makes up guests, each from an address of its own, as fast as it goes."""

    async def invent(self, guests: int) -> None:
        """Tell the table of so many guests."""
        (table,) = self.connections
        for number in range(guests):
            address = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
            table.say(Guest(number.to_bytes(RELAY_TOKEN, "big"), address))
            await asyncio.sleep(0)


async def test_made_up_guests_leave_a_part_of_all_arrivals_to_others(tmp_path):
    async with Inventor(relay_config()) as relay, behind(tmp_path, *relay.urls) as table:
        await relay.invent(3_000)
        direct = [await guest(table, seed, f"Guest {chr(65 + seed)}") for seed in range(1, 4)]
        burst = 2 * RELAYED_ARRIVALS[0]
        arrivals = table.admission._arrivals.tokens(asyncio.get_running_loop().time())
        assert arrivals >= table.bounds.arrivals[0] - 3 * burst
        for client in direct:
            await client.close()


class Babbler(RelayServer):
    """Sends as many messages as it can, and counts the answers."""

    answers = 0

    async def babble(self, messages: int) -> None:
        """Tell the table of so many guests, all from one address."""
        (table,) = self.connections
        for number in range(messages):
            table.say(Guest(number.to_bytes(RELAY_TOKEN, "big"), "192.0.2.1"))
            if number % 64 == 0:
                await asyncio.sleep(0)

    def table_message(self, connection: RelayConnection, payload: bytes) -> None:
        self.answers += isinstance(decode(payload), TurnAway)
        super().table_message(connection, payload)


async def test_messages_of_a_relay_are_read_at_a_rate(tmp_path):
    burst, per_second = RELAYED_MESSAGES
    seconds = 2
    # all but a few are turned away at once
    bounds = {"arrivals_per_address": (1, 0.001), "outside_per_address": (1, 0.001)}
    async with (
        Babbler(relay_config()) as relay,
        behind(tmp_path, *relay.urls, bounds=bounds) as table,
    ):
        clock = asyncio.get_running_loop().time
        began = clock()
        await relay.babble(4 * burst)
        await until(lambda: relay.answers > burst + seconds * per_second)
        assert clock() - began > seconds - 0.1
        # the line goes on: nothing is lost, and the table takes guests as before
        assert table.open_relays == 1


class Insistent(RelayServer):
    """Sends a second challenge on each line."""

    lines = 0

    def add_table(self, connection: RelayConnection) -> None:
        self.lines += 1
        super().add_table(connection)
        connection.say(Challenge(bytes(32)))


async def test_table_signs_one_challenge_on_a_line(tmp_path):
    signed = []

    def sign(challenge: bytes, relay: str) -> bytes:
        signed.append(challenge)
        return bytes(64)

    async with Insistent(relay_config()) as relay, TableServer(config(tmp_path)) as table:
        relays = Relays(table, relay.urls, bytes(32), sign, Random(1))
        relays.start()
        try:
            await until(lambda: relay.lines > 1)
            await until(lambda: not relay.connections)
        finally:
            await relays.close()
    assert len(signed) == len(set(signed)) == relay.lines


class Hasty(RelayServer):
    """Says that the channel is open before the table has claimed it."""

    lines = 0

    def add_table(self, connection: RelayConnection) -> None:
        self.lines += 1
        connection.accept()
        connection.control()
        connection.say(Open())


async def test_relay_that_opens_what_nobody_has_claimed_is_dropped(tmp_path):
    async with (
        Hasty(relay_config()) as relay,
        TableServer(config(tmp_path, ways=Ways(relays=relay.urls))) as table,
    ):
        seen = []
        await until(
            lambda: seen.append(table.open_relays) or (relay.lines and not relay.connections)
        )
        assert not any(seen)


class Silent(RelayServer):
    """Accepts tables, and says nothing."""

    lines = 0

    def add_table(self, connection: RelayConnection) -> None:
        self.lines += 1
        connection.accept()


async def test_silent_relay_is_called_again(tmp_path):
    async with Silent(relay_config()) as relay, TableServer(config(tmp_path)) as table:
        relays = Relays(table, relay.urls, bytes(32), lambda *_: b"", Random(1), call_seconds=0.2)
        relays.start()
        try:
            await until(lambda: relay.lines > 1)
        finally:
            await relays.close()


class Brief(RelayServer):
    """Drops each table as soon as its channel is open."""

    lines = 0

    def _do(self, effects) -> None:
        super()._do(effects)
        for each in effects:
            if isinstance(each, Say) and each.message == Open():
                self.lines += 1
                each.party.end()


class Steady(Random):
    """Chooses the middle of each range."""

    def uniform(self, a: float, b: float) -> float:
        return (a + b) / 2


async def test_relay_that_drops_channels_is_called_ever_less_often(tmp_path):
    async with Brief(relay_config()) as relay, TableServer(config(tmp_path)) as table:
        identity = Identity(bytes(32))

        def sign(challenge: bytes, url: str) -> bytes:
            return identity.sign(LABEL, *signed_fields(challenge, url))

        relays = Relays(table, relay.urls, identity.public, sign, Steady(1))
        began = asyncio.get_running_loop().time()
        relays.start()
        try:
            await until(lambda: relay.lines == 3)
        finally:
            await relays.close()
        # one second, and then two
        assert asyncio.get_running_loop().time() - began > 2.9
