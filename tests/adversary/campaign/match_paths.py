"""Paths of a match, all of them: at each entry the honest one, or a seat that leaves, is silent,
sits out or returns.

The fold, the rules, the clock and the stages of verified dealing (`tests.support.unsealed`) are
real. Only signatures and proofs are left out. `checks` lists the promises.
"""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

from protocol.crypto.envelopes import new_key
from protocol.crypto.joint_randomness import nonce_commitment
from protocol.dealing import TABLE
from protocol.fast_replace import replace
from protocol.games import Action, Hand, Piece
from protocol.identity.keys import Identity
from protocol.match.clock import LAPSE
from protocol.match.fold import apply, begin
from protocol.match.log import Entry
from protocol.match.state import Match, MatchStage
from tests.support.offline import make_setup
from tests.support.unsealed import PlainSetup

MOST_ENTRIES = 500  # entries of a match that ends, at most
# chooses an action from (match, seat, legal actions)
Chooser = Callable[[Match, int, tuple[Action, ...]], Action]


class Deed(NamedTuple):
    """An action that a seat should not do, or need not do."""

    seat: int
    how: str  # leave, lapse, sit_out or sit_in
    number: int  # number of the entry that it replaces or precedes


@dataclass(frozen=True)
class Way:
    """One way in which a match has gone so far."""

    match: Match
    deeds: tuple[Deed, ...] = ()


def posted(match: Match, author: int, kind: str, body: list[Any]) -> Match:
    """Return the match after an entry of an author who has seen the whole log."""
    seen = match.next_number - 1
    return apply(match, Entry(b"", b"", b"", author, 0, seen, b"", kind, body))


def hand(match: Match, seat: int) -> Hand:
    """Return the pieces of a seat that it has not shown."""
    return tuple(match.deal.pack[card] for card in match.deal.hidden_of(seat)) if match.deal else ()


def honest(match: Match, choose: Chooser) -> Match:
    """Return the match after one entry of the first seat with a duty; `choose` chooses the move."""
    duty = match.duties()[0]
    if duty.kind == "receipt":
        return posted(match, duty.author, "receipt", match.receipt)
    if duty.kind != "move":
        return posted(match, duty.author, duty.kind, [])
    action = choose(
        match,
        duty.author,
        match.setup.game.legal(match.game, duty.author, hand(match, duty.author)),
    )
    operations = match.setup.game.check(match.game, duty.author, action)
    return posted(match, duty.author, "move", [list(action), [[] for _ in operations]])


def lapsed(match: Match, seat: int) -> Match:
    """Return the match after the table has waited the full time for this seat."""
    kind = ""
    while kind != LAPSE:
        due = match.next_clock_entry(seat)
        assert due is not None
        kind = due.kind
        match = posted(match, TABLE, kind, [seat, due.after])
    return match


def others(way: Way, hows: tuple[str, ...]) -> Iterator[Way]:
    """Yield every dishonest alternative at this moment."""
    match = way.match
    for seat in sorted(match.present):
        for how in hows:
            if how == "lapse" and match.next_clock_entry(seat) is not None:
                after = lapsed(match, seat)
            elif how == "leave" or how == match.sit_kind(seat):
                after = posted(match, seat, how, [])
            else:
                continue
            yield Way(after, (*way.deeds, Deed(seat, how, match.next_number)))


def ways(way: Way, choose: Chooser, hows: tuple[str, ...], most: int) -> Iterator[Way]:
    """Yield every way to the end with at most `most` deeds."""
    while not way.match.over:
        assert way.match.next_number < MOST_ENTRIES, f"the match does not end after {way.deeds}"
        if len(way.deeds) < most and way.match.stage is not MatchStage.RECEIPTS:
            for other in others(way, hows):
                yield from ways(other, choose, hows, most)
        way = replace(way, match=honest(way.match, choose))
    yield way


def opened(
    rules: dict[str, int | str],
    pack: Sequence[Piece],
    seats: int,
    game: str = "texas-holdem",
    **sharing: int,
) -> Match:
    """Return a match with a complete roster that deals this pack with shared keys."""
    rng = Random(1)
    people = [Identity(rng.randbytes(32)) for _ in range(seats)]
    threshold: dict[str, int | str] = {"leavers": "threshold", **sharing}
    made = make_setup(Identity(rng.randbytes(32)), people, rng, game, rules, threshold, "verified")
    setup = PlainSetup(made.table, made.nonce, made.created, made.terms, made.people)
    match, nonces = (
        begin(dataclasses.replace(setup, pack=tuple(pack)), bytes(32)),
        [rng.randbytes(32) for _ in people],
    )
    for seat, nonce in enumerate(nonces):
        match = posted(
            match, seat, "sit", [new_key(rng).public, nonce_commitment(match.match_id, seat, nonce)]
        )
    for seat, nonce in enumerate(nonces):
        match = posted(match, seat, "nonce", [nonce])
    return match
