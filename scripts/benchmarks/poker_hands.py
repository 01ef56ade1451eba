"""Poker hands of bots with verified dealing: number of clean hands, with a check of all chips after
every entry.

Whole matches run over TCP in this process until enough hands are played. Every seat audits its own
log. The log files are audited too, equal files once. The chips are counted in one of them, entry by
entry.
"""

import asyncio
import secrets
from pathlib import Path
from tempfile import TemporaryDirectory

from bots.registry import BOTS
from player.client.environment import Environment
from player.client.outcome import Outcome
from player.client.reconnect import visit
from player.client.seat import Seat
from player.client.table_client import Plan, TableClient
from player.storage.recovery_state import MatchFiles
from protocol.audit.verdict import audit
from protocol.dealing import TABLE
from protocol.games.poker.rules import Poker
from protocol.games.registry import BUILT_IN
from protocol.identity.keys import Identity, JoinLink
from protocol.match.clock import Allowance
from protocol.match.log_file import read_records
from protocol.match.log_reader import LogReader
from protocol.match.terms import make_terms
from protocol.options import Selection
from table.config import Config
from table.manager.server import TableServer

GAMES = (("texas-holdem", 6), ("five-card-draw", 4))
# maximum of hands in a match; chips of a seat at the start
LONGEST = 20
STACK = 500
NAMES = ("Ann", "Bob", "Cleo", "Dan", "Eve", "Fay")
PLAYERS = ("sensible", "sensible", "random")


async def one_match(link: JoinLink, seats: int, folder: Path) -> tuple[int, int]:
    """Play a match. Return the number of its hands, and the number of clean hands with all
    chips.
    """

    def visited(name: str, bot: str) -> asyncio.Task[Outcome]:
        rng = secrets.SystemRandom()
        identity = Identity(rng.randbytes(32))
        log = folder / f"{name}.fairdeal"
        files = MatchFiles(folder, link, identity.public, log, resumable=False)
        environment = Environment(identity, rng, Seat, BOTS[bot], lambda event: None, files)
        return asyncio.ensure_future(
            visit(TableClient(Plan(name), environment), link, link.fingerprint)
        )

    names = NAMES[:seats]
    outcomes = await asyncio.gather(
        *(visited(name, PLAYERS[seat % 3]) for seat, name in enumerate(names))
    )
    logs = _take_logs(folder)
    verdicts = {outcome.verdict for outcome in outcomes} | {audit(log).verdict for log in set(logs)}
    hands, kept = count_hands(logs[0])
    return hands, kept if verdicts == {"clean"} else 0


def _take_logs(folder: Path) -> list[bytes]:
    """Read the logs of all players, and delete the files."""
    logs = []
    for path in folder.glob("*.fairdeal"):
        logs.append(path.read_bytes())
        path.unlink()
    return logs


def count_hands(log: bytes) -> tuple[int, int]:
    """Count the hands in a log, and the hands in which the sum of chips is right after every
    entry.
    """
    (first, head), *rest = read_records(log)
    reader = LogReader(first, head)
    game = reader.match.setup.game
    assert isinstance(game, Poker)
    lost: set[int] = set()
    for raw, head in rest:
        entry = reader.feed(raw, head)
        assert entry is not None and entry.author != TABLE
        state = reader.match.game
        if state is not None and sum(state.chips) + state.pot != game.stack * game.seats:
            lost.add(state.hand)
    hands: int = reader.match.game.hand
    return hands, hands - len(lost)


async def play_hands(name: str, seats: int, hands: int, folder: Path) -> tuple[int, int]:
    """Play at least `hands` hands of a game. Return their number, and the number of clean hands
    with all chips.
    """
    options = (("hands", min(hands, LONGEST)), ("stack", STACK))
    terms = make_terms(
        Selection(name, options), BUILT_IN.specs[name].dealing, Allowance().options(), seats
    )
    played = good = 0
    async with TableServer(Config(folder / "table", port=0, terms=terms)) as table:
        link = JoinLink.parse(str(table.link))
        while played < hands:
            of_match, fine = await one_match(link, seats, folder)
            played = played + of_match
            good = good + fine
    return played, good


def measure(hands: int) -> dict[str, float]:
    """Measure at least `hands` hands of both games: the number of hands, and of clean hands with
    all chips.
    """
    figures: dict[str, float] = {}
    for name, seats in GAMES:
        with TemporaryDirectory() as folder:
            played, good = asyncio.run(play_hands(name, seats, hands, Path(folder)))
        figures |= {f"{name}_{seats}_hands": played, f"{name}_{seats}_hands_clean": good}
    return figures
