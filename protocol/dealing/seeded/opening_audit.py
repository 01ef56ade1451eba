"""The check after the game: with the seeds open, every draw is made again, and whoever said
otherwise is named.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from operator import itemgetter

from protocol.codes import Code
from protocol.crypto.hashing import same
from protocol.dealing import Fault, Hindsight, Result
from protocol.dealing import Seen as SeenHand
from protocol.dealing.seeded.deck import (Deck, give, order_of, stream_of)
from protocol.dealing.seeded.state import Drawn, Hidden, Seeded, Seen
from protocol.games import Piece
from protocol.games.operations import Card


class Replay:
    """The cards of one seat, whose seed is known, brought in step with the fold."""

    def __init__(self, state: Seeded, seat: int, seed: bytes) -> None:
        self._deal_id, self._seat, self._seed = state.context.deal_id, seat, seed
        self.deck = Deck(state.of(seat))
        self.done = 0  # steps

    def step(self, state: Seeded) -> None:
        """The next step of the deal, whoever's it is."""
        step = state.steps[self.done]
        self.done += 1
        if step.owner != self._seat:
            return
        match step:
            case Hidden(_, cards, epoch, alone):
                if alone:
                    self.deck.reorder(cards, order_of(self._deal_id, self._seat, self._seed, epoch))
                else:
                    self.deck.hide(cards)
            case Drawn(_, card, number, epoch, place):
                given = state.gives[place].given
                gives = [given[seat][0] for seat in sorted(given) if seat != self._seat]
                self.deck.draw(
                    card, stream_of(self._deal_id, self._seat, self._seed, (number, epoch), gives)
                )


def replays(state: Seeded, seat: int) -> Iterator[tuple[int, Deck]]:
    """The cards of a seat that has opened its seed, before each step of the deal in turn, and after
    the last.
    """
    replay = Replay(state, seat, state.seeds[seat])
    yield 0, replay.deck
    for _ in state.steps:
        replay.step(state)
        yield replay.done, replay.deck


def reckon(state: Seeded) -> Result:
    """Faults in the order of the entries they stand in. Who has left can be held to nothing."""
    faults = {
        fault for seat in state.seeds for check in (_gives, _claims) for fault in check(state, seat)
    }
    nothing: tuple[tuple[Piece, ...], ...] = ((),) * state.context.seats
    return Result(
        nothing,
        nothing,
        tuple(sorted(faults, key=lambda fault: (fault.entry, fault.seat, fault.code))),
    )


def _gives(state: Seeded, seat: int) -> Iterator[Fault]:
    for gives in state.gives:
        given, at = gives.given.get(seat, (None, 0))
        if given is not None and not same(
            given, give(state.context.deal_id, seat, state.seeds[seat], gives.first)
        ):
            yield Fault(seat, at, Code.BAD_GIVE)


def _claims(state: Seeded, seat: int) -> Iterator[Fault]:
    for place, deck in replays(state, seat):
        if place not in state.claims:
            continue
        step, claim = state.steps[place], state.claims[place]
        if isinstance(step, Seen) and step.owner == seat and deck.piece(step.card) != claim.piece:
            yield Fault(seat, claim.at, Code.BAD_OPENING)


def hindsight(states: Sequence[Seeded]) -> Hindsight:
    """Who opened its seed has opened all that it ever knew; of the others there is what they
    showed.
    """
    last = states[-1]

    @cache
    def history(seat: int) -> dict[Card, list[tuple[int, Piece | None]]]:
        return _history(last, seat)

    def piece(state: Seeded, seat: int, card: Card) -> Piece | None:
        done = len(state.steps)
        if seat not in last.seeds:
            return _said_later(last, done, card)
        changes = history(seat)[card]
        return changes[bisect_right(changes, done, key=itemgetter(0)) - 1][1]

    def hand(state: Seeded, seat: int) -> SeenHand | None:
        return (
            tuple(piece(state, seat, card) for card in state.hand_of(seat)) if state.ready else None
        )

    return hand


def _history(last: Seeded, seat: int) -> dict[Card, list[tuple[int, Piece | None]]]:
    """By card: after how many steps it became what."""
    found: dict[Card, list[tuple[int, Piece | None]]] = {
        card: [(0, card)] for card in last.of(seat)
    }
    for done, deck in replays(last, seat):
        step = last.steps[done - 1] if done else None
        if step is not None and step.owner == seat:
            for card in step.cards if isinstance(step, Hidden) else (step.card,):
                found[card].append((done, deck.piece(card)))
    return found


def _said_later(last: Seeded, since: int, card: Card) -> Piece | None:
    """What the owner of a card that it knows says it is, before it is hidden again; None:
    nothing.
    """
    for place in range(since, len(last.steps)):
        step = last.steps[place]
        if isinstance(step, Hidden) and card in step.cards:
            return None
        if isinstance(step, Seen) and step.card == card and place in last.claims:
            return last.claims[place].piece
    return None
