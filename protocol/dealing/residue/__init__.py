"""Residue dealing: cards by quadratic residues, no trust in anyone, and every lie noticed at once
(chapter 36).

Schindelhauer's toolbox, which proves by many shuffles instead of one argument: a card is a number
for each seat and bit, only a seat's own primes tell its bits, and bit j of the piece is the
exclusive or of all seats'. A shuffle comes with its proof in chunks, for it is larger than an
entry.

| promise | against whom, and when it is noticed |
| --- | --- |
| a seat's pieces, and the stock, are hidden | everybody else together, as long as its m cannot be factored |
| the order is fair | one honest seat |
| every piece exists once, and nobody shows another | everybody; at once |
| a wrong key, shuffle or bit is not accepted | everybody; at once, and its author is named |
| what is not shown stays hidden for ever | everybody else together, as long as no m can be factored |

It promises what `verified` does, from another assumption, at a price: a shuffle of 52 cards among
four takes a second to make, as long to check, and 7 MB of log, where `verified` takes 30 ms and 10
kB. Of more than two, a seat that leaves ends the match; of two, it has lost. The table has no part
in it, but such logs do not fit letters, so it needs one all the same.
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
    """Nobody can know a hand; with keys for tests everybody can."""
    leaving = MATCH_VOID if seats > 2 else leaving_phrase(seats)
    if is_breakable(options):
        return Secrecy(0, phrase("terms.hand.residue.breakable"), leaving)
    return Secrecy(None, phrase("terms.hand.residue"), leaving)


def _supports(operation: Lay | Operation) -> bool:
    """All but own decks, every card of which would cost a proof of 20 kB; shuffles of no more than
    a pile.
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
