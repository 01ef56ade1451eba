"""A store loses the claim of a host, and what it has appended since, while both hosts live.

The seats have met the claim. So they show it to the host that believes that it still has the match.
"""

import asyncio

import pytest

from protocol.codes import Code
from protocol.dealing import Post
from protocol.match.log import Record
from protocol.messages.claim import SignedClaim, check_claim
from protocol.messages.tail import split_tail
from table.match.hosted_match import HostedMatch
from tests.integration.cluster.hosts import hosts
from tests.integration.cluster.test_takeover import begun, finished, home
from tests.support.tables import close_all, guest, until

pytestmark = pytest.mark.match

ENTRIES = 4


def deaf(there, table):
    """Let a host neither hear of others nor look for them: it keeps what it believes it has."""
    cluster = table.manager.cluster
    cluster.close()
    cluster.view.takes = True
    there.shared.ears.remove(table.storage._engine._engine.heard)


async def come(table, player, number):
    """Connect a player to a host, with its head and the claim that it has met."""
    met = player.client.claim
    if player.client.closed is None:
        await player.client.close()
    client = await guest(table, number, player.client.name, identity=player.client.identity)
    client.rng = player.client.rng
    await client.send("resume", player.client.match_id, player.holds, met)
    await client.expect("match")
    player.client = client
    return client


async def give(player):
    """Give back the entries that the table has lost."""
    match_id, first = await player.client.expect("missing")
    hashes = player.reader.log.chain_hashes
    records = [Record(*record) for record in player.records[first:]]
    (tail,) = split_tail(first, hashes[first - 1], records)
    await player.client.send("tail", match_id, *tail.values())


class Duel:
    """A match that one host has taken from another, which does not notice."""

    def __init__(self, there, table, players):
        self.there, self.table, self.players = there, table, players
        (self.other,) = [each for each in there.tables.values() if each is not table]
        self.match_id = players[0].client.match_id
        self.stored = len(there.shared.items)

    def room(self, table):
        return table.matches.feeds.get(self.match_id)

    async def take_over(self):
        deaf(self.there, self.table)
        deaf(self.there, self.other)
        self.other.matches.take(self.match_id)
        await until(lambda: isinstance(self.room(self.other), HostedMatch))

    def in_turn(self):
        """Return the player who must post next, and the other one."""
        author = self.room(self.other).live.match.duties()[0].author
        return self.players[author], self.players[1 - author]

    def lose(self):
        """Let the store lose the claim, and all after it."""
        self.there.shared.lose(len(self.there.shared.items) - self.stored)


async def duel(there):
    table = await home(there)
    players = await begun(table, ENTRIES)
    await close_all(*(player.client for player in players))
    # what they have posted is stored
    await until(lambda: not table.connections and not table.storage._tasks)
    made = Duel(there, table, players)
    await made.take_over()
    return made


async def test_host_unaware_of_lost_claim_waits_for_all_seats(tmp_path):
    """R-1: an entry is signed by the other host, and lost together with its claim."""
    async with hosts(tmp_path, "a", "b") as there:
        made = await duel(there)
        ann, bob = made.in_turn()
        for number, player in enumerate(made.players):
            await come(made.other, player, 40 + number)
        stands = made.room(made.other).stored
        await ann.run(until=stands + 1)
        made.lose()
        await come(made.table, bob, 60)
        room = made.room(made.table)
        assert room.machine.recovery.waits and bytes(bob.client.claim[0]) in room.live.known_claims
        assert len(room.live.known_claims) == 2  # the lost one and the new one
        await bob.begin()
        await come(made.table, ann, 61)
        await give(ann)
        await finished(made.players, made.table)


async def test_entry_that_nobody_was_told_of_is_no_fork(tmp_path):
    """R-2: a host has an entry without a head, where a lost one of the other host has its head."""
    async with hosts(tmp_path, "a", "b") as there:
        made = await duel(there)
        ann, bob = made.in_turn()
        for number, player in enumerate(made.players):
            await come(made.other, player, 40 + number)
        await ann.run(until=made.room(made.other).stored + 1)
        made.lose()
        room = made.room(made.table)
        leave = bob.seat.entry(room.live.log, Post("leave", []))
        room.live.fold(leave, bob.seat.number, lambda refused: None)
        assert room.live.log.next_number > room.stored
        await come(made.table, ann, 60)
        await give(ann)
        await come(made.table, bob, 61)
        assert made.table.metrics.forks == 0
        await finished(made.players, made.table)


async def test_claim_of_a_match_is_signed_and_binds_the_match(tmp_path):
    async with hosts(tmp_path, "a", "b") as there:
        made = await duel(there)
        client = await come(made.other, made.players[0], 40)
        claim = SignedClaim(*client.claim)
        check_claim(claim, made.match_id, made.table.identity.public)
        for wrong in ([claim.id, bytes(64)], [bytes(16), claim.signature]):
            again = await guest(made.other, 41, client.name, identity=client.identity)
            await again.send("resume", made.match_id, None, wrong)
            await again.expect_error(Code.BAD_SIGNATURE)
            await again.close()
        await client.close()


async def test_known_claim_is_not_claimed_anew(tmp_path):
    async with hosts(tmp_path, "a", "b") as there:
        made = await duel(there)
        ann = made.players[0]
        before = (await come(made.other, ann, 40)).claim
        for number in range(41, 44):
            assert (await come(made.other, ann, number)).claim == before
        assert made.other.matches.metrics.claims == {"claimed": 1}
        await ann.client.close()


async def test_two_seats_with_one_unknown_claim_cause_one_claim(tmp_path):
    async with hosts(tmp_path, "a", "b") as there:
        made = await duel(there)
        for number, player in enumerate(made.players):
            await come(made.other, player, 40 + number)
        made.lose()
        await asyncio.gather(
            *(come(made.table, player, 60 + place) for place, player in enumerate(made.players))
        )
        assert made.table.matches.metrics.claims["again"] == 1
        for player in made.players:
            await player.begin()
        await finished(made.players, made.table)
