"""States of an honest match after every entry, for tests that continue wrongly from one of them."""

from dataclasses import replace
from functools import cache
from typing import NamedTuple

from protocol.match.fold import apply, begin
from protocol.match.log import Entry, decode_entry
from protocol.match.state import Match
from tests.support.offline import Offline, make_offline


class Step(NamedTuple):
    """A state, and the entry that followed."""

    match: Match
    entry: Entry


@cache
def honest(seats: int = 2, seed: int = 5) -> Offline:
    """Play a short draw game that has all kinds of entries."""
    offline = make_offline(seats, seed, "draw-dominoes", {"hand": 3})
    offline.play()
    for reader in offline.readers:
        offline.catch_up(reader)
    return offline


@cache
def steps(seats: int = 2, seed: int = 8) -> tuple[Step, ...]:
    """Return every state of that match with its next entry."""
    log = honest(seats, seed).live.log
    match, found = begin(log.setup, log.match_id), []
    for record in honest(seats, seed).live.records[1:]:
        entry = decode_entry(record.entry)
        found.append(Step(match, entry))
        match = apply(match, entry)
    return tuple(found)


def entry_like(step: Step, **changes) -> Entry:
    """Return the next entry with some fields changed, as if its author had seen the newest
    state.
    """
    seen = {"seen_number": step.match.next_number - 1} | changes
    return replace(step.entry, **seen)
