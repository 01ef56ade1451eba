"""Seeded dealing: each seat draws from its own cards by numbers to which all seats contribute
(docs/protocol, chapter 35).

Every seat first commits to a seed. For a draw, every other seat posts its *give*: a number that
follows from its seed. The drawer's seed and all gives together select one of the pieces left in the
pile. Only the drawer can compute the selection. Pieces that a seat shows are believed until all
seeds are opened at the end. Then everybody repeats every draw.

| promise | against whom, and when a breach is noticed |
| --- | --- |
| a drawn piece is hidden until the seeds are opened | all other seats together |
| no seat, not even the owner, knows the order of a pile | holds if one giving seat is honest |
| no seat chooses a draw | holds if one seat is honest; a wrong give is noticed at the check |
| a shown piece was drawn, and is shown once | everybody; noticed when the seeds are opened |
| pieces that were never shown stay hidden | no promise: the opened seeds reveal all draws |

Seeded dealing offers loose piles with an owner. A seat never looks at cards of another seat. A seat
that the opened seeds convict is out as if it had left, and the others play on. The table takes no
part.

Cost of a draw: two hashes for its owner and one for each other seat, and the same again at the
check. Each other seat posts one entry of 32 bytes for all draws that are requested at once. No
shuffle is ever computed.
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
    """Accept loose cards with an owner, and looks by one seat."""
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
