"""People at a simulated table of many hosts: players of match after match, and spectators."""

import asyncio
from typing import TYPE_CHECKING

from player.client.environment import Environment
from player.client.reconnect import visit
from player.client.seat import Seat
from player.client.table_client import Plan, TableClient
from protocol.errors import FairdealError
from protocol.identity.keys import KEY_SIZE, Identity
from protocol.messages import table as messages
from protocol.messages.table import Sender
from tests.properties.simulate.loop import Process
from tests.properties.simulate.parties import Person, Seated, WatchedClient
from tests.support.guest_games.offline_match import GUESTS

if TYPE_CHECKING:
    from tests.properties.simulate.hosts.world import HostsWorld

# messages that are noted for the report of a failing world
TOLD = ("waiting", "match", "moved", "left", "error")
PAUSE = (0.1, 1.0)  # seconds between two visits of a spectator


class Guest(Person):
    """Player of match after match; `table_id` is the table at which its party meets, None for the
    default table.
    """

    def __init__(self, world: "HostsWorld", number: int, table_id: str | None) -> None:
        super().__init__(world, number)  # type: ignore[arg-type]
        self.table_id = table_id

    async def play(self, rounds: int) -> list[Seated]:
        """Play `rounds` matches."""
        places: list[Seated] = []
        while len(places) < rounds and not (places and self.missed_it):
            places.append(await self.sit())
        return places


class Onlooker:
    """Spectator that watches any match over any host until nobody plays."""

    def __init__(self, world: "HostsWorld", number: int, tables: list[str | None]) -> None:
        self.world, self.name, self.tables = world, f"Zoe {number}", tables
        self.rng = world.random("onlooker", number)
        self.identity = Identity(self.rng.randbytes(KEY_SIZE))
        self.number, self.starts = number, 0

    async def look(self) -> None:
        """Watch until cancelled."""
        while True:
            self.starts += 1
            process = Process(self.world.loop, self.name, f"10.0.2.{self.number}")
            ended: asyncio.Future[None] = self.world.loop.create_future()
            process.spawn(self._program(ended))
            await ended
            process.kill()
            await asyncio.sleep(self.rng.uniform(*PAUSE))

    async def _program(self, ended: "asyncio.Future[None]") -> None:
        world = self.world
        rng = world.random(self.name, self.starts)
        given = {"games": GUESTS, "now": world.now, "steady": world.loop.time}
        environment = Environment(
            self.identity,
            rng,
            Seat,
            None,
            lambda event: None,
            None,
            connect=world.parts.connect,
            **given,  # type: ignore[arg-type]
        )
        link = self.rng.choice(world.links())
        plan = Plan(self.name, self.rng.choice(self.tables), spectate=True, keep_trying=20.0)
        client = WatchingClient(plan, environment, None, world)
        try:
            await visit(client, link, link.fingerprint)
        except FairdealError:
            pass
        except Exception as error:
            world.loop.errors.append(f"{self.name}: {type(error).__name__}: {error}")
        if client.complaint is not None:
            world.loop.errors.append(
                f"{self.name} takes an honest table for a cheat: {client.complaint}"
            )
        ended.done() or ended.set_result(None)


def noted(client: TableClient, world: "HostsWorld", payload: bytes) -> None:
    """Note an entry that a program receives, with its head."""
    if not client.finished:
        message = messages.decode(payload, Sender.TABLE, client.phase)
        if message.name == "entry":
            world.received(client.plan.name, *message.values)
        elif message.name in TOLD:
            world.note(client.plan.name, f"is told: {message.name} {str(message.values[:1])[1:21]}")


class PlayingClient(WatchedClient):
    """Player's client that notes every message it receives."""

    def received(self, payload: bytes) -> None:
        noted(self, self._world, payload)  # type: ignore[arg-type]
        super().received(payload)


class WatchingClient(TableClient):
    """Spectator's client that notes every message it receives."""

    def __init__(
        self, plan: Plan, environment: Environment, playing: None, world: "HostsWorld"
    ) -> None:
        super().__init__(plan, environment, playing)
        self._world = world

    def received(self, payload: bytes) -> None:
        noted(self, self._world, payload)
        super().received(payload)
