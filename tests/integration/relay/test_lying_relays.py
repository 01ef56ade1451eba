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
from protocol.limits import RELAY_TOKEN, RELAYED_ARRIVALS
from protocol.messages.relay import Guest
from relay.connection import RelayConnection
from relay.rules import Say
from relay.server import RelayServer
from tests.support.play import play
from tests.support.relays import behind, relay_config, relayed_guest
from tests.support.tables import guest, until
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
        relay = self._desk
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
