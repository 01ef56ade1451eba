"""Attacks of one address on a table, as programs. Arguments: NAME, LINK.

It prints "ready" when it has begun its matches, waits for a line, and then attacks until it is
killed. The process has the lowest priority, because a real attacker would use another machine.
"""

import asyncio
import os
import secrets
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from typing import Any

from conformance.table.environment import wire_terms
from player.client.seat import NOTHING_BROUGHT, Seat
from protocol.games import Action
from protocol.games.decks.deck_hand import Loadout
from protocol.games.scripted.rule_file.built_in import rule_digest
from protocol.identity.keys import JoinLink
from protocol.match.clock import Allowance
from protocol.match.log import EntryContent, make_entry
from protocol.rules import RuleError
from scripts.benchmarks.client import Client, connect
from scripts.benchmarks.flooder import Flood
from tests.support.hostile_rules import WORK
from tests.support.intruding import CROSSED, FIT, UNFIT
from tests.support.scripts import ClearTable, script
from tests.support.wire_client import Player, WireClient
from tests.unit.protocol.games.scripted.engine.test_engine import mini

ADDRESS = "127.0.0.66"  # the innocent are at 127.0.0.1
CLOCK = [list(option) for option in Allowance(extensions=3, step=1200, turn=1200).options()]
THRESHOLD = [["leavers", "threshold"]]
AT_ONCE = 8  # matches, or connections that ask
BATCH = 20  # messages between two looks whether the table takes them
LONG = 400  # entries of a match that is read
GO: Action = ("go", 0, 0, 0, 0, b"")


def _burning() -> str:
    """Return a rule file with an action that changes nothing and costs as many steps as it may."""
    for steps in range(12_000, 500, -500):
        text = mini(f"work({steps}) or [] if act['name'] == 'go' else [end_turn()]", WORK)
        with suppress(RuleError):
            played = ClearTable(script(text), 3, texts=text)
            if played.onward() is not None and GO in played.choices(0):
                return text
    raise AssertionError("no action is allowed")


BURNING = _burning()
DOMINOES = wire_terms("block-dominoes", [["target", 1000]], "layered", [], CLOCK, 2)
POKER = wire_terms("texas-holdem", [["hands", 100]], "verified", THRESHOLD, CLOCK, 2)
RESIDUE = wire_terms("texas-holdem", [["hands", 100]], "residue", [], CLOCK, 2)
PROTOCOL = wire_terms("intruder", [["protocol", "own"]], "none", [], CLOCK, 1)
SCRIPT = wire_terms("script", [["rules", rule_digest(BURNING)]], "verified", THRESHOLD, CLOCK, 2)

Attack = Callable[[JoinLink], AsyncIterator[None]]


class Waiting(Player):
    """A seat that deals, and makes no move by itself."""

    def post(self) -> bytes | None:
        """See `Player`."""
        assert self.reader is not None and self.seat is not None
        return None if self.seat.respond(self.reader.match) is None else super().post()

    @property
    def may_move(self) -> bool:
        """It is the turn of this seat."""
        if self.reader is None or self.seat is None:
            return False
        return bool(self.seat.choices(self.reader.match))


async def _client(link: JoinLink, number: int = 0) -> WireClient:
    seed = secrets.randbits(60)
    return await (await WireClient(link, seed, f"Eve {number}").connect(ADDRESS)).greet()


async def _seated(link: JoinLink, terms: list[Any]) -> list[Player]:
    """Begin a match at a table of one's own."""
    clients = [await _client(link, number) for number in range(terms[4])]
    await clients[0].send("create", terms)
    (place,) = await clients[0].expect("created")
    for client in clients:
        await client.join(place)
    for client in clients:
        if not client.match_id:
            await client.expect("match")
    return [Player(client, "random") for client in clients]


async def _begun(link: JoinLink, terms: list[Any], brings: Loadout | None = None) -> list[Waiting]:
    """Begin a match, and deal until seat 0 may move."""
    players = [Waiting(each.client) for each in await _seated(link, terms)]
    for player in players:
        client = player.client
        assert client.seat is not None
        player.seat = Seat(client.identity, client.seat, client.rng, brings or NOTHING_BROUGHT)

    async def deal(player: Waiting) -> None:
        await player.begin()
        while not players[0].may_move:
            message = await player.client.receive()
            assert message is not None
            await player.take(message)

    dealing = [asyncio.create_task(deal(player)) for player in players]
    await dealing[0]
    for task in dealing[1:]:
        task.cancel()
    return players


def _move(player: Player, action: Action) -> bytes:
    """Make the entry of a move that the own rules may refuse."""
    assert player.reader is not None and player.seat is not None
    log, number = player.reader.log, player.seat.number
    body = [list(action), []]
    content = EntryContent(number, log.sequence(number), log.newest_head, "move", body)
    return make_entry(player.client.identity, log.match_id, content)


async def _say(client: Client, message: Callable[[], tuple[object, ...]]) -> None:
    """Send messages as fast as the table takes them, and drop what comes."""

    async def drop() -> None:
        while await client.reader.read(1 << 18):
            pass

    dropping = asyncio.create_task(drop())
    with suppress(OSError):
        while not dropping.done():
            for _ in range(BATCH):
                name, *values = message()
                client.send(str(name), *values)
            await client.writer.drain()
            await asyncio.sleep(0)


async def _post(player: Player, raw: Callable[[], bytes]) -> None:
    """Post as fast as the table takes it, and drop what comes."""
    client = player.client
    drop = asyncio.create_task(_drop(client))
    with suppress(OSError):
        while not drop.done():
            await client.send("post", client.match_id, raw())
            await asyncio.sleep(0)


async def _drop(client: WireClient) -> None:
    with suppress(Exception):
        while await client.receive() is not None:
            pass


async def half_open(link: JoinLink) -> AsyncIterator[None]:
    """Connections that end, say nothing, or half a handshake, or random bytes."""
    yield
    await Flood(link, ADDRESS).run(1 << 30)


async def lists(link: JoinLink) -> AsyncIterator[None]:
    """`list`, again and again."""
    clients = [await connect(link, "Eve", ADDRESS) for _ in range(AT_ONCE)]
    yield
    await asyncio.gather(*(_say(client, lambda: ("list",)) for client in clients))


async def tables(link: JoinLink) -> AsyncIterator[None]:
    """Tables that are created and left."""
    clients = [await connect(link, "Eve", ADDRESS) for _ in range(AT_ONCE)]
    yield
    kinds = [("create", DOMINOES), ("join", None), ("leave",)]
    await asyncio.gather(*(_say(client, lambda: secrets.choice(kinds)) for client in clients))


async def entries(link: JoinLink) -> AsyncIterator[None]:
    """Valid entries of matches of one's own, as fast as both seats can."""
    matches = [await _seated(link, DOMINOES) for _ in range(AT_ONCE)]
    yield
    await asyncio.gather(*(player.run() for match in matches for player in match))


async def refused(link: JoinLink) -> AsyncIterator[None]:
    """Small entries that nobody has signed."""
    matches = [await _seated(link, DOMINOES) for _ in range(AT_ONCE)]
    players = [player for match in matches for player in match]
    yield
    await asyncio.gather(*(_post(each, lambda: secrets.token_bytes(900)) for each in players))


async def large(link: JoinLink) -> AsyncIterator[None]:
    """Large entries that nobody has signed."""
    matches = [await _seated(link, DOMINOES) for _ in range(AT_ONCE)]
    players = [player for match in matches for player in match]
    yield
    await asyncio.gather(*(_post(each, lambda: secrets.token_bytes(40_000)) for each in players))


async def shuffles(link: JoinLink) -> AsyncIterator[None]:
    """Hands of poker, dealt with proofs."""
    matches = [await _seated(link, POKER) for _ in range(AT_ONCE)]
    yield
    await asyncio.gather(*(player.run() for match in matches for player in match))


async def residues(link: JoinLink) -> AsyncIterator[None]:
    """Shuffles by residues, the longest entries."""
    matches = [await _seated(link, RESIDUE) for _ in range(2)]
    yield
    await asyncio.gather(*(player.run() for match in matches for player in match))


async def begin_burning(link: JoinLink) -> list[Waiting]:
    """Begin a match with a rule file whose action costs nearly as much as it may."""
    return await _begun(link, SCRIPT, Loadout(text=BURNING))


async def burn(player: Waiting, times: int) -> int:
    """Do that action again and again. Return how often it was refused."""
    refusals = 0
    for _ in range(times):
        assert player.reader is not None
        raw, before = _move(player, GO), len(player.records)
        await player.client.send("post", player.client.match_id, raw)
        while len(player.records) == before:
            message = await player.client.receive()
            assert message is not None
            if message.name == "refused":
                refusals += 1
                break
            await player.take(message)
    return refusals


async def rules(link: JoinLink) -> AsyncIterator[None]:
    """A rule file whose action costs nearly as much as it may."""
    matches = [await begin_burning(link) for _ in range(AT_ONCE)]
    assert not await burn(matches[0][0], 2), "the action is refused"
    yield
    await asyncio.gather(*(burn(match[0], 1 << 30) for match in matches))


async def intruder(link: JoinLink) -> AsyncIterator[None]:
    """Messages in a protocol of one's own that fit, or do not, in as many ways as possible."""
    players = [(await _begun(link, PROTOCOL))[0] for _ in range(AT_ONCE)]
    for player in players:
        await _advance(player, CROSSED)
    yield
    await asyncio.gather(
        *(
            _post(player, lambda player=player: _move(player, secrets.choice((FIT, UNFIT))))  # type: ignore[misc]
            for player in players
        )
    )


async def _advance(player: Player, actions: Sequence[Action]) -> None:
    assert player.reader is not None
    for action in actions:
        await player.client.send("post", player.client.match_id, _move(player, action))
        _, _, raw, head = await player.client.expect("entry")
        player.records.append((raw, head))
        player.reader.feed(raw, head)


async def readers(link: JoinLink) -> AsyncIterator[None]:
    """Spectators and seats that read a long log again and again."""
    match = await _seated(link, DOMINOES)
    await asyncio.gather(*(player.run(until=LONG) for player in match))
    match_id, watchers = match[0].client.match_id, []
    place = (await _place(link, match_id)) if match_id else None
    for _ in range(30):
        client = await connect(link, "Eve", ADDRESS)
        client.send("spectate", place)
        await client.expect("match")
        watchers.append(client)
    yield
    await asyncio.gather(*(_say(each, lambda: ("replay", match_id, 0)) for each in watchers))


async def _place(link: JoinLink, match_id: bytes) -> str:
    """Return the newest table."""
    client = await connect(link, "Eve", ADDRESS)
    client.send("list")
    rows = (await client.expect("tables")).values[0]
    client.close()
    return str(rows[-1][0])


ATTACKS: dict[str, Attack] = {
    attack.__name__: attack
    for attack in (
        half_open,
        lists,
        tables,
        entries,
        refused,
        large,
        shuffles,
        residues,
        rules,
        intruder,
        readers,
    )
}


async def run(attack: Attack, link: JoinLink) -> None:
    """Prepare an attack, wait for a line, and attack."""
    stages = attack(link)
    await anext(stages)
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    with suppress(StopAsyncIteration):
        await anext(stages)


if __name__ == "__main__":
    os.nice(19)
    asyncio.run(run(ATTACKS[sys.argv[1]], JoinLink.parse(sys.argv[2])))
