"""Valid entries without end, from four connections of one address. Arguments: LINK, ADDRESS, number
of matches, how many steps each entry takes by the rules, and how many a seat sends without an answer.

Each match has two seats, both of this program. The seat whose turn it is acts again and again, and
knows its next heads itself. It prints `ready`, begins after a line of input, and is killed in the
end. The process has the lowest priority, because a real attacker would use another machine.
"""

import asyncio
import os
import secrets
import sys
from random import Random

from player.client.seat import Seat
from protocol.dealing import Post
from protocol.games.decks.deck_hand import Loadout
from protocol.games.scripted.rule_file.built_in import rule_digest
from protocol.identity.keys import JoinLink
from protocol.match.clock import Allowance
from protocol.match.log import decode_entry
from protocol.match.log_reader import LogReader
from protocol.match.state import MatchStage
from protocol.match.terms import encode_terms, make_terms
from protocol.options import Selection
from scripts.benchmarks.client import Client, connect

CLOCK = Allowance(extensions=3, step=1200, turn=1200)
RULES = """
RULES = {"name": "hog", "edition": 1, "seats": [2, 2], "decks": "shared"}
REGIONS = [
    region("deck", "one"), region("hand", "each", see = "owner", order = "hand"),
    region("pile", "one", see = "all"),
]
ACTIONS = [action("play", card = "hand", face = "up"), action("go")]
COUNTERS = {"points": "each", "round": "one"}
CARDS = [{"name": "c%d" % n, "n": n} for n in range(8)]
def start(g): return [shuffle("deck")] + [draw("deck", "hand", s, 2) for s in range(g["seats"])]
def legal(g, me, act): return True
def work(steps):
    for a in range(steps // 98):
        for b in range(45): pass
def apply(g, me, act): return work(STEPS) or []
def winner(g): return [0] if g["turns"] > 3 else None
"""
GO = ("go", 0, 0, 0, 0, b"")


class Hog:
    """A match whose seat on turn acts without end."""

    def __init__(self, clients: list[Client], text: str) -> None:
        self.clients, self.text = clients, text
        self.rng: Random = secrets.SystemRandom()
        self.posted = 0

    async def begin(self) -> None:
        """Create a table, sit down, and go on until a seat may act."""
        rules = Selection("script", (("rules", rule_digest(self.text)),))
        terms = make_terms(rules, Selection("verified"), CLOCK.options(), 2)
        self.clients[0].send("create", encode_terms(terms))
        table_id = (await self.clients[0].expect("created")).values[0]
        for client in self.clients:
            client.send("join", table_id)
        matches = [(await client.expect("match")).values for client in self.clients]
        self.match_id = matches[0][1]
        self.seats = [
            Seat(client.identity, match[2], self.rng, Loadout(text=self.text))
            for client, match in zip(self.clients, matches, strict=True)
        ]
        for client in self.clients:
            client.send("replay", self.match_id, 0)
        self.reader = LogReader(*await self._entry())
        while (
            self.reader.match.stage is not MatchStage.PLAYING or self.reader.match.game.ask is None
        ):
            for seat, client in zip(self.seats, self.clients, strict=True):
                if (post := seat.respond(self.reader.match)) is not None:
                    client.send("post", self.match_id, seat.entry(self.reader.log, post))
                    break
            self.reader.feed(*await self._entry())
        for seat in self.seats:
            seat.respond(self.reader.match)

    async def run(self, at_once: int) -> None:
        """Act without end."""
        turn = self.reader.match.game.turn
        seat, client, log = self.seats[turn], self.clients[turn], self.reader.log
        self.drain = asyncio.create_task(self._drain(self.clients[1 - turn]))
        free = asyncio.Semaphore(at_once)
        stands = asyncio.create_task(_count(client, free))
        while not stands.done():
            await free.acquire()
            raw = seat.entry(log, Post("move", [list(GO), []]))
            log.append(decode_entry(raw))
            client.send("post", self.match_id, raw)
            self.posted += 1
        await stands

    async def _drain(self, client: Client) -> None:
        while await client.reader.read(1 << 18):
            pass

    async def _entry(self) -> tuple[bytes, bytes]:
        found = [(await client.expect("entry")).values[2:] for client in self.clients]
        return found[0][0], found[0][1]


async def _count(client: Client, free: asyncio.Semaphore) -> None:
    while True:
        await client.expect("entry")
        free.release()


async def main(link: JoinLink, address: str, matches: int, steps: int, at_once: int) -> None:
    """Begin the matches, and act in all of them once told to."""
    text = RULES.replace("STEPS", str(steps))
    hogs = []
    for _ in range(matches):
        clients = [await connect(link, name, address) for name in ("Hal", "Hue")]
        hogs.append(Hog(clients, text))
        await hogs[-1].begin()
    print("ready", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
    await asyncio.gather(*(hog.run(at_once) for hog in hogs))


if __name__ == "__main__":
    os.setpriority(os.PRIO_PROCESS, 0, 19)
    asyncio.run(main(JoinLink.parse(sys.argv[1]), sys.argv[2], *map(int, sys.argv[3:])))
