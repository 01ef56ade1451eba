"""Dealing for games without pieces: no piece is hidden, so there is no deal.

| promise | answer |
| --- | --- |
| trust | no trust in anybody is needed |
| the table learns | everything, as everybody does |
| a cheat | is refused at once, because the rules see all that matters |
| cost | none |
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar, NoReturn

from protocol.crypto.envelopes import MatchKey
from protocol.dealing import DealContext, Dealing, DealState, Secrecy, leaving_phrase
from protocol.dealing.entry_phrases import EntryMeaning
from protocol.games.operations import Lay, Operation
from protocol.options import Values
from protocol.schema import Fields, Shape
from protocol.view.phrase import phrase


class NoDealing(Dealing[DealState]):
    """Dealing for games without pieces. Its games ask for no deal, so it has no transitions."""

    name = "none"
    entry_shapes: ClassVar[Mapping[str, Shape]] = {}
    entry_meanings: ClassVar[Mapping[str, EntryMeaning]] = {}

    def supports(self, operation: Lay | Operation) -> bool:
        return False

    def secrecy(self, options: Values, seats: int, with_own_decks: bool) -> Secrecy:
        return Secrecy(None, phrase("terms.hand.none"), leaving_phrase(seats))

    def begin(self, context: DealContext, at: int) -> NoReturn:
        raise NotImplementedError("nothing is dealt")

    def apply(self, state: DealState, author: int, kind: str, body: Fields, at: int) -> NoReturn:
        raise NotImplementedError("nothing is dealt")

    def apply_operation(
        self, state: DealState, seat: int, operation: Operation, part: Fields, at: int
    ) -> NoReturn:
        raise NotImplementedError("nothing is dealt")

    def close(self, state: DealState, show: tuple[int, ...] | None, at: int) -> NoReturn:
        raise NotImplementedError("nothing is dealt")

    def revealed_hands(self, states: Sequence[DealState]) -> NoReturn:
        raise NotImplementedError("nothing is dealt")

    def seat_half(self, context: DealContext, seat: int, key: MatchKey, rng: Random) -> NoReturn:
        raise NotImplementedError("nothing is dealt")


NONE = NoDealing()
