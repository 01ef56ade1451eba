"""What a player's program hands to whatever follows a match for it."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from bots.registry import Bot
from player import events
from player.agreement import Agreement
from player.connection import Connect, connect
from player.disk.memory import Memory
from player.disk.store import Store
from player.seat.seat import Seat
from protocol.games.registry import BUILT_IN, Games
from protocol.identity.keys import Identity


@dataclass(frozen=True)
class Environment:
    """Whose match it is, who makes its moves and who hears of it. `chooser` None: a person does, through `choose`.

    `remember` begins the memory of a match at a table from what was agreed on and the seed; with it, its log is kept
    there too. A match without a table has been on disk since the invitation, and needs neither of the last two.
    """

    identity: Identity
    rng: Random
    seat_type: type[Seat]
    chooser: Bot | None
    tell: Callable[[events.Event], None]
    open_store: Callable[[bytes], Store] | None = None  # by match id; None: nothing is kept
    remember: Callable[[Agreement, bytes], Memory] | None = None  # None: the match does not survive this process
    games: Games = BUILT_IN
    connect: Connect = connect  # how a table is reached
    now: Callable[[], float] = time.time  # the wall clock, Unix seconds
