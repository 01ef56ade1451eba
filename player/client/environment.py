"""The parts that a player's program gives to a client."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from bots.registry import Bot
from player.client import events
from player.client.companion import Companion
from player.client.connection import Connect, connect
from player.client.loadouts import NO_OWNED_CARDS, Loadouts
from player.client.seat import NOTHING_BROUGHT, Seat
from player.storage.recovery_state import MatchFiles
from protocol.games.decks.deck_hand import Loadout
from protocol.games.registry import BUILT_IN, Games
from protocol.identity.keys import Identity


@dataclass(frozen=True)
class Environment:
    """The identity of a player, the source of its moves, and the listener for its events. Without a
    `chooser` a person chooses, through `choose`.

    `files`: folder of the matches at tables; None keeps nothing. A match without a table has had
    its own place since the invitation.
    """

    identity: Identity
    rng: Random
    seat_type: type[Seat]
    chooser: Bot | None
    tell: Callable[[events.Event], None]
    files: MatchFiles | None = None
    games: Games = BUILT_IN
    brings: Loadout = NOTHING_BROUGHT  # what our seat plays with, in a match that begins
    # checks the cards of `brings` again when the match begins; the default refuses owned cards
    loadouts: Loadouts = NO_OWNED_CARDS
    # the person among the people of the lobby, while a seat waits; None: not seen there
    companion: Companion | None = None
    connect: Connect = connect  # how a table is reached
    now: Callable[[], float] = time.time  # the wall clock, Unix seconds
    steady: Callable[[], float] = time.monotonic  # a clock that nobody can set, seconds
