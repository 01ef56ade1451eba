"""Check after the seeds are opened: repeat every draw, and name each seat whose claims or gives
were false.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from operator import itemgetter

from protocol.codes import Code
from protocol.crypto.hashing import constant_time_equal
from protocol.dealing import DealResult, Fault
from protocol.dealing.seeded.deck import SeededDeck, draw_stream, give_number, order_stream
from protocol.dealing.seeded.state import DrawStep, HideStep, SeededState, ShowStep
from protocol.dealing.visibility import RevealedHand, RevealedHands
from protocol.games import Piece
from protocol.games.operations import Card


class DeckReplay:
    """Deck of one seat with a known seed, advanced step by step along the fold."""

    def __init__(self, state: SeededState, seat: int, seed: bytes) -> None:
        self._deal_id, self._seat, self._seed = state.context.deal_id, seat, seed
        self.deck = SeededDeck(state.cards_of(seat))
        self.steps_done = 0  # number of steps of the deal that are applied

    def step(self, state: SeededState) -> None:
        """Apply the next step of the deal; a step of another owner changes nothing."""
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
    """Yield (number of steps done, deck) before the first step and after each step of the deal.

    `seat` must have opened its seed. The yielded deck is always the same object.
    """
    replay = DeckReplay(state, seat, state.seeds[seat])
    yield 0, replay.deck
    for _ in state.steps:
        replay.step(state)
        yield replay.steps_done, replay.deck


def audit_openings(state: SeededState) -> DealResult:
    """Return the result with all faults, in the order of their entries.

    Seats that left without opening their seeds cannot be checked, so no fault names them.
    """
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


def revealed_hands(states: Sequence[SeededState]) -> RevealedHands[SeededState]:
    """Return the hand of each seat in any state of the deal.

    An opened seed reveals the whole history of its seat. For the other seats only their claims are
    available.
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

    def hand(state: SeededState, seat: int) -> RevealedHand | None:
        return (
            tuple(piece(state, seat, card) for card in state.hand_of(seat)) if state.ready else None
        )

    return hand


def _card_history(last: SeededState, seat: int) -> dict[Card, list[tuple[int, Piece | None]]]:
    """Return, by card, a list of (number of steps done, piece from then on)."""
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
    """Return the piece that the owner claims for a card before the card is hidden again.

    None: the owner claims nothing until then.
    """
    for place in range(since, len(last.steps)):
        step = last.steps[place]
        if isinstance(step, HideStep) and card in step.cards:
            return None
        if isinstance(step, ShowStep) and step.card == card and place in last.claims:
            return last.claims[place].piece
    return None
