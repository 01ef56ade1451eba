"""One visit of a bot to a table, without the contacts and known tables of a person."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, cast

from bots.registry import Bot
from player.client import events
from player.client.environment import Environment
from player.client.outcome import Outcome
from player.client.reconnect import client_for, visit
from player.client.seat import Seat
from player.client.table_client import Plan
from player.storage.recovery_state import MatchFiles, of_table, read_recovery_states
from protocol.games.registry import BUILT_IN, Games
from protocol.identity.keys import Identity, JoinLink


async def play(
    link: JoinLink,
    identity: Identity,
    name: str,
    chooser: Bot | None,
    *,
    rng: Random,
    log_path: Path | None = None,
    state_dir: Path | None = None,
    seat_type: Callable[..., Seat] = Seat,
    on_event: Callable[[events.Event], Any] = lambda event: None,
    plan: Plan | None = None,
    keep_trying: float | None = None,
    games: Games = BUILT_IN,
) -> Outcome:
    """Play one match, or run `plan`. Resume a match of this table that is in `state_dir`."""
    files = None
    if log_path or state_dir:
        files = MatchFiles(
            state_dir or Path(), link, identity.public, log_path, resumable=state_dir is not None
        )
    environment = Environment(
        identity, rng, cast(type[Seat], seat_type), chooser, on_event, files, games=games
    )
    memory = (
        of_table(read_recovery_states(state_dir, identity), link, link.fingerprint)
        if state_dir
        else None
    )
    plan = replace(plan or Plan(name), name=name, keep_trying=keep_trying)
    return await visit(client_for(plan, environment, memory), link, link.fingerprint)
