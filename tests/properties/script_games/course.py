"""Course of a match in terms of the rules, and its random choices: the order of every shuffle."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

from protocol.games import Action, Hand, Misplay, Piece
from protocol.games.decks import match_decks
from protocol.games.operations import Card, ShuffleCards
from protocol.games.scripted.engine.state import ScriptState
from protocol.games.scripted.game import ScriptGame

STEPS = ("rules", *match_decks.ACTIONS, "toss", "toss_open")


class Happened(NamedTuple):
    """An action or a step of the dealing, and the public knowledge after it."""

    seat: int | None  # None for a step of the dealing
    action: Action
    after: ScriptState

    @property
    def chosen(self) -> bool:
        """Return whether a player chose it: programs post other actions by themselves."""
        return self.seat is not None and self.action[0] not in STEPS


@dataclass
class Shuffled:
    """One shuffle, and the faces of its cards that became known before the next one."""

    cards: tuple[Card, ...]
    found: dict[Card, Piece] = field(default_factory=dict)


class Recorded(ScriptGame):
    """Game that records every call. Only for one reader."""

    def __init__(self, name: str, seats: int, values: Mapping[str, int | str]) -> None:
        super().__init__(name, seats, values)
        self.happened: list[Happened] = []
        self.shuffles: list[Shuffled] = []

    def apply(self, state: ScriptState, seat: int, action: Action) -> ScriptState:
        """Record an action and return the state after it."""
        after = super().apply(state, seat, action)
        self.happened.append(Happened(seat, action, after))
        return after

    def after_deal(self, state: ScriptState, turned_up: Hand) -> ScriptState:
        """Record a step of the dealing and return the state after it."""
        self.shuffles += [
            Shuffled(one.cards) for one in state.wanted if isinstance(one, ShuffleCards)
        ]
        self.saw(dict(zip(state.showing, turned_up, strict=False)))
        after = super().after_deal(state, turned_up)
        self.happened.append(Happened(None, (), after))
        return after

    def settle(
        self, state: ScriptState, dealt: tuple[Hand, ...], drawn: tuple[Hand, ...]
    ) -> tuple[ScriptState, tuple[Misplay, ...]]:
        """Record the end of the game."""
        after = super().settle(state, dealt, drawn)
        self.happened.append(Happened(None, (), after[0]))
        return after

    def saw(self, sees: Mapping[Card, Piece]) -> None:
        """Record pieces that somebody sees now, while no dealing step is due."""
        open_still = set(sees)
        for shuffled in reversed(self.shuffles):
            for card in open_still & set(shuffled.cards):
                shuffled.found[card] = sees[card]
            open_still -= set(shuffled.cards)


def orders(shuffles: Sequence[Shuffled], cards: int) -> list[dict[Card, Piece]]:
    """Return the order after each shuffle; cards that nobody saw get the pieces left over."""
    lies = dict(enumerate(range(cards)))
    found = []
    for shuffled in shuffles:
        left = sorted({lies[card] for card in shuffled.cards} - set(shuffled.found.values()))
        unseen = [card for card in shuffled.cards if card not in shuffled.found]
        order = {**shuffled.found, **dict(zip(unseen, left, strict=True))}
        lies.update(order)
        found.append(order)
    return found


class InOrder(Random):
    """Random source that leaves the cards of a deck in the slots in which they were brought."""

    def sample(self, population: Any, k: int, **_: Any) -> list[Any]:
        """Return the first `k` items."""
        return list(population)[:k]


class Chance(InOrder):
    """Random source with prescribed shuffles. `last` marks the seat that shuffles last; the others
    keep the order.
    """

    def tell(self, orders: list[dict[Card, Piece]], cards: int, last: bool = True) -> "Chance":
        """Return a source that applies these orders one after the other."""
        self._orders, self._lies, self._last = list(orders), dict(enumerate(range(cards))), last
        return self

    def shuffle(self, x: Any) -> None:
        """Put positions, or the pieces in them, into the next order."""
        order = self._orders.pop(0)
        at = sorted(order)
        assert len(at) == len(x)
        if self._last:
            place = {self._lies[card]: number for number, card in enumerate(at)}
            x[:] = [place[order[card]] for card in at]
        self._lies.update(order)


class Pieces(Chance):
    """The same source for games that shuffle pieces themselves."""

    def shuffle(self, x: Any) -> None:
        """Put pieces into the next order."""
        order = self._orders.pop(0)
        card_of = {piece: card for card, piece in self._lies.items()}
        x[:] = [order[card_of[piece]] for piece in x]
        self._lies.update(order)
