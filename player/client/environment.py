"""The parts that a player's program gives to a client."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from bots.registry import Bot
from player.client import events
from player.client.companion import Companion
from player.client.connection import Connect, connect
from player.client.loadouts import NO_CREATORS, NO_OWNED_CARDS, Loadouts
from player.client.muted_keys import MutedHere, MutedKeys
from player.client.rule_sets import NO_RULE_SETS, OfferedRules, RuleSets
from player.client.seat import NOTHING_BROUGHT, Seat
from player.storage.recovery_state import MatchFiles
from protocol.games.decks.accepted_lists import CREATORS
from protocol.games.decks.deck_hand import Loadout
from protocol.games.registry import BUILT_IN, Games
from protocol.identity.keys import Identity
from protocol.match.terms import Terms


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
    # signed rule sets that tables may offer; the default plays by none of them
    rule_sets: RuleSets = NO_RULE_SETS
    muted: MutedKeys = field(default_factory=MutedHere)  # whose talk is not shown
    connect: Connect = connect  # how a table is reached
    now: Callable[[], float] = time.time  # the wall clock, Unix seconds
    steady: Callable[[], float] = time.monotonic  # a clock that nobody can set, seconds

    def offer(self, table_id: str | None, terms: Terms, rules: OfferedRules | None = None) -> None:
        """Tell the screen the terms of a seat that is about to be taken, or of an invitation,
        together with what the person knows about the creators in them. `rules`: the signed rule
        set, if it is stored here. Raises: LocalError if the file of cards is damaged.
        """
        creators = NO_CREATORS
        if CREATORS.names[0] in dict(terms.game.options):
            creators = self.loadouts.creators(self.identity.public)
        self.tell(events.Offered(table_id, terms, rules, creators))
