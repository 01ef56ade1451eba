"""Nothing is hidden, so nothing is dealt: for games without pieces.

| | |
| --- | --- |
| trusted | nobody, for nothing |
| the table learns | everything, as everybody does |
| a cheat | is refused at once: the rules see all that matters |
| cost | none |
"""

from collections.abc import Mapping
from typing import Any

from protocol.dealing.secrecy import Secrecy, others_play_on
from protocol.dealing.words import Meaning
from protocol.games.operations import Lay, Operation
from protocol.options import Option, Values
from protocol.schema import Shape
from protocol.view.phrase import phrase


class NoDealing:
    """No kinds of entries, no options, no secrets. Setups see to it that no game asks for a deal."""

    name = "none"
    kinds: Mapping[str, Shape] = {}
    needs_table = False
    meanings: Mapping[str, Meaning] = {}
    options: tuple[Option, ...] = ()

    def secrecy(self, options: Values, seats: int) -> Secrecy:
        """There is no hand to know."""
        return Secrecy(None, phrase("terms.hand.none"), others_play_on(seats))

    def offers(self, operation: Lay | Operation) -> bool:
        """Nothing."""
        return False

    def _never(self, *arguments: Any, **named: Any) -> Any:
        raise NotImplementedError

    begin = apply = operate = close = protest = leave = _never
    seat_half = table_half = _never
