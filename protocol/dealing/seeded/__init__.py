"""Seeded dealing: every seat draws from its own cards by numbers of all, and opens its seed in the
end (docs/protocol, chapter 35).

Every seat commits to a seed before anything. To draw, the others each give a number, which their
seeds determine; the own seed and these numbers say which of the cards left in the pile it is. Only
the drawer can tell. What it shows is believed until all seeds are opened, and then everybody makes
every draw again.

| promise | against whom, and when it is noticed |
| --- | --- |
| what a seat has drawn is hidden until the seeds are opened | everybody else together |
| nobody knows what is left in a pile, or which of it is which | one honest seat, of those that do not own it |
| a draw is nobody's choice | one honest seat; a wrong number when the seeds are opened |
| what is shown was drawn, and nothing is shown twice | everybody; when the seeds are opened |
| what was not shown stays hidden | nobody: the opened seeds show all that was ever drawn |

It offers cards that have an owner and are asked for one by one; nobody looks at another's. Whoever
is named when the seeds are opened is out as if it had left, and the others play on. The table has
no part in it.

Cost: for a draw two hashes at its owner and one at each of the others, and as many at the check;
one entry of 32 bytes from each of the others, for all draws that are asked for at once. No shuffle
is ever computed.
"""

from protocol.dealing import Dealing
from protocol.dealing.secrecy import Secrecy, leaving_phrase
from protocol.dealing.seeded import fold
from protocol.dealing.seeded.facts import facts
from protocol.dealing.seeded.opening_audit import revealed_hands
from protocol.dealing.seeded.seat import SeededSeat
from protocol.dealing.seeded.stages import ENTRY_MEANINGS, ENTRY_SHAPES
from protocol.dealing.seeded.state import SeededState
from protocol.games.operations import Lay, LookAt, OpenCard, Operation, RevealCards, ShuffleCards
from protocol.view.phrase import phrase


def _supports(operation: Lay | Operation) -> bool:
    """Loose cards of one owner, and that it looks at them."""
    match operation:
        case Lay(piles):
            return all(pile.loose and pile.owner is not None for pile in piles)
        case LookAt(_, seats):
            return len(set(seats)) == 1
    return isinstance(operation, ShuffleCards | RevealCards | OpenCard)


SEEDED = Dealing(
    name="seeded",
    entry_shapes=ENTRY_SHAPES,
    entry_meanings=ENTRY_MEANINGS,
    secrecy=lambda options, seats, own_decks: Secrecy(
        None, phrase("terms.hand.seeded"), leaving_phrase(seats)
    ),
    supports=_supports,
    begin=SeededState,
    apply=fold.apply,
    apply_operation=fold.apply_operation,
    close=fold.close,
    leave=fold.leave,
    revealed_hands=revealed_hands,
    facts=facts,
    seat_half=lambda context, seat, key, rng: SeededSeat(context, seat, rng),
)
