"""The check after the game: with the seeds open, every draw is made again, and whoever said
otherwise is named.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from operator import itemgetter

from protocol.codes import Code
from protocol.crypto.hashing import constant_time_equal
from protocol.dealing import DealResult, Fault, RevealedHands
from protocol.dealing import RevealedHand as SeenHand
from protocol.dealing.seeded.deck import SeededDeck, draw_stream, give_number, order_stream
from protocol.dealing.seeded.state import DrawStep, HideStep, SeededState, ShowStep
from protocol.games import Piece
from protocol.games.operations import Card


class DeckReplay:
    """The cards of one seat, whose seed is known, brought in step with the fold."""

    def __init__(self, state: SeededState, seat: int, seed: bytes) -> None:
        self._deal_id, self._seat, self._seed = state.context.deal_id, seat, seed
        self.deck = SeededDeck(state.cards_of(seat))
        self.steps_done = 0  # steps

    def step(self, state: SeededState) -> None:
        """The next step of the deal, whoever's it is."""
        step = state.steps[self.steps_done]
        self.steps_done += 1
        if step.owner != self._seat:
            return
        match step:
            case HideStep(_, cards, epoch, alone):
                if alone:
                    self.deck.reorder(
                        cards, order_stream(self._deal_id, self._seat, self._seed, epoch)
                    )
                else:
                    self.deck.hide(cards)
            case DrawStep(_, card, number, epoch, place):
                given = state.gives[place].given
                gives = [given[seat][0] for seat in sorted(given) if seat != self._seat]
                self.deck.draw(
                    card, draw_stream(self._deal_id, self._seat, self._seed, (number, epoch), gives)
                )


def deck_replays(state: SeededState, seat: int) -> Iterator[tuple[int, SeededDeck]]:
    """The cards of a seat that has opened its seed, before each step of the deal in turn, and after
    the last.
    """
    replay = DeckReplay(state, seat, state.seeds[seat])
    yield 0, replay.deck
    for _ in state.steps:
        replay.step(state)
        yield replay.steps_done, replay.deck


def audit_openings(state: SeededState) -> DealResult:
    """Faults in the order of the entries they stand in. Who has left can be held to nothing."""
    faults = {
        fault
        for seat in state.seeds
        for check in (_give_faults, _claim_faults)
        for fault in check(state, seat)
    }
    nothing: tuple[tuple[Piece, ...], ...] = ((),) * state.context.seat_count
    return DealResult(
        nothing,
        nothing,
        tuple(sorted(faults, key=lambda fault: (fault.entry, fault.seat, fault.code))),
    )


def _give_faults(state: SeededState, seat: int) -> Iterator[Fault]:
    for gives in state.gives:
        given, at = gives.given.get(seat, (None, 0))
        if given is not None and not constant_time_equal(
            given, give_number(state.context.deal_id, seat, state.seeds[seat], gives.first)
        ):
            yield Fault(seat, at, Code.BAD_GIVE)


def _claim_faults(state: SeededState, seat: int) -> Iterator[Fault]:
    for place, deck in deck_replays(state, seat):
        if place not in state.claims:
            continue
        step, claim = state.steps[place], state.claims[place]
        if (
            isinstance(step, ShowStep)
            and step.owner == seat
            and deck.piece(step.card) != claim.piece
        ):
            yield Fault(seat, claim.at, Code.BAD_OPENING)


def revealed_hands(states: Sequence[SeededState]) -> RevealedHands:
    """Who opened its seed has opened all that it ever knew; of the others there is what they
    showed.
    """
    last = states[-1]

    @cache
    def history(seat: int) -> dict[Card, list[tuple[int, Piece | None]]]:
        return _card_history(last, seat)

    def piece(state: SeededState, seat: int, card: Card) -> Piece | None:
        done = len(state.steps)
        if seat not in last.seeds:
            return _later_claim(last, done, card)
        changes = history(seat)[card]
        return changes[bisect_right(changes, done, key=itemgetter(0)) - 1][1]

    def hand(state: SeededState, seat: int) -> SeenHand | None:
        return (
            tuple(piece(state, seat, card) for card in state.hand_of(seat)) if state.ready else None
        )

    return hand


def _card_history(last: SeededState, seat: int) -> dict[Card, list[tuple[int, Piece | None]]]:
    """By card: after how many steps it became what."""
    found: dict[Card, list[tuple[int, Piece | None]]] = {
        card: [(0, card)] for card in last.cards_of(seat)
    }
    for done, deck in deck_replays(last, seat):
        step = last.steps[done - 1] if done else None
        if step is not None and step.owner == seat:
            for card in step.cards if isinstance(step, HideStep) else (step.card,):
                found[card].append((done, deck.piece(card)))
    return found


def _later_claim(last: SeededState, since: int, card: Card) -> Piece | None:
    """What the owner of a card that it knows says it is, before it is hidden again; None:
    nothing.
    """
    for place in range(since, len(last.steps)):
        step = last.steps[place]
        if isinstance(step, HideStep) and card in step.cards:
            return None
        if isinstance(step, ShowStep) and step.card == card and place in last.claims:
            return last.claims[place].piece
    return None
