"""Residue dealing: cards by quadratic residues, no trust in anyone, and every lie is noticed at
once (docs/protocol, chapter 36).

The scheme is Schindelhauer's toolbox, which proves a shuffle by many further shuffles instead of
one argument. A card is a number for each seat and bit. Only a seat's own primes reveal the bits of
its numbers. Bit j of the piece is the exclusive or of all seats' bits j. A shuffle and its proof
are posted in chunks, because they are larger than an entry.

| promise | against whom, and when a breach is noticed |
| --- | --- |
| a seat's pieces, and the stock, are hidden | everybody else together, if they cannot factor m |
| the order is random | holds if one seat is honest |
| each piece exists once, and no seat shows a wrong piece | everybody; at once |
| a wrong key, shuffle or bit is refused | everybody; at once, and its author is named |
| a piece that is not shown stays hidden for ever | everybody else, if they cannot factor m |

The promises equal those of `verified`, but rest on another assumption and cost much more. A shuffle
of 52 cards among four seats takes a second to make, a second to check, and 7 MB of log. `verified`
takes 30 ms and 10 kB. A seat that leaves ends a match of more than two seats; of two seats, it has
lost. The table takes no part in the deal. A table is needed all the same, because such logs do not
fit into letters.
"""

from protocol.dealing import Dealing
from protocol.dealing.residue import fold
from protocol.dealing.residue.facts import facts
from protocol.dealing.residue.hindsight import shown_hands
from protocol.dealing.residue.log_size import check_size
from protocol.dealing.residue.options import OPTIONS, is_breakable
from protocol.dealing.residue.seat import ResidueSeat
from protocol.dealing.residue.stages import ENTRY_MEANINGS, ENTRY_SHAPES
from protocol.dealing.secrecy import MATCH_VOID, Secrecy, leaving_phrase
from protocol.dealing.visibility import cards_by_reader
from protocol.games.operations import Lay, Operation, ShuffleCards, Turn
from protocol.limits import MAX_PIECES, MAX_PILE
from protocol.options import Values
from protocol.view.phrase import phrase


def _secrecy(options: Values, seats: int, own_decks: bool) -> Secrecy:
    """Return the promises of residue dealing: nobody can read a hand, but with test keys everybody
    can.
    """
    leaving = MATCH_VOID if seats > 2 else leaving_phrase(seats)
    if is_breakable(options):
        return Secrecy(0, phrase("terms.hand.residue.breakable"), leaving)
    return Secrecy(None, phrase("terms.hand.residue"), leaving)


def _supports(operation: Lay | Operation) -> bool:
    """Accept all operations except own decks, and shuffles of at most `MAX_PILE` cards.

    In an own deck every turned card would cost a proof of 20 kB.
    """
    match operation:
        case Lay(piles):
            small = all(pile.loose or pile.size <= MAX_PILE for pile in piles)
            return (
                small
                and sum(pile.size for pile in piles) <= MAX_PIECES
                and not any(pile.is_own_deck for pile in piles)
            )
        case ShuffleCards(cards):
            return len(set(cards)) <= MAX_PILE
    return not isinstance(operation, Turn)


RESIDUE = Dealing(
    name="residue",
    entry_shapes=ENTRY_SHAPES,
    entry_meanings=ENTRY_MEANINGS,
    options=OPTIONS,
    fits_parcels=False,
    check_size=check_size,
    pending_log_bytes=lambda state: state.pending_log_bytes,
    secrecy=_secrecy,
    supports=_supports,
    begin=fold.begin,
    apply=fold.apply,
    apply_operation=fold.apply_operation,
    close=fold.close,
    leave=fold.leave,
    revealed_hands=shown_hands,
    seen_cards=cards_by_reader,
    facts=facts,
    seat_half=lambda context, seat, key, rng: ResidueSeat(context, seat, rng),
)
