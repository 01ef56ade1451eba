"""Commutative dealing: mental poker with envelopes that come off in any order (docs/protocol,
chapter 16).

An envelope is multiplication by a seat's secret scalar in ristretto255, so a(b(M)) = b(a(M)). Every
seat packs the whole deck and shuffles it; the last one chooses cards for the others and for itself;
a card goes to a seat when all others have taken their envelopes off it. No proofs: the keys are
committed to before the first envelope and opened after the hand, and then everybody does every step
again.

| promise | against whom, and when it is noticed |
| --- | --- |
| a seat's cards, and the stock, are hidden until the keys are opened | all others together, if they keep the rules |
| the order is fair | one honest seat, if the others keep the rules |
| every card exists once, and nobody shows another | everybody; when the keys are opened |
| a wrong key, envelope or card is not left unnamed | everybody; when the keys are opened (unless a seat leaves) |
| what was not shown stays hidden | nobody: the opened keys show every hand, the folded ones too |

Who breaks the rules can read cards, and is named for it after the hand, which is void. Until the
keys are opened a wrong card counts as the card it is said to be; a match that ends before that
(somebody leaves) is void. The table has no part in it, so it can be played without one, by mail.

Cost, for M pieces and N seats: M multiplications for each pack, one for each envelope taken off;
the check after the hand is N·M and one for each envelope. One entry a seat for its commitment, its
pack and its unwrapping, one choice, one opening.
"""

from protocol.dealing import Dealing
from protocol.dealing.commutative import fold
from protocol.dealing.commutative.facts import facts
from protocol.dealing.commutative.opening_audit import revealed_hands
from protocol.dealing.commutative.seat import CommutativeSeat
from protocol.dealing.commutative.stages import ENTRY_MEANINGS, ENTRY_SHAPES
from protocol.dealing.commutative.state import CommutativeState
from protocol.dealing.secrecy import MATCH_VOID, Secrecy
from protocol.games.operations import Lay, Look, Operation, PutAway, Reveal
from protocol.view.phrase import phrase


def _supports(operation: Lay | Operation) -> bool:
    """All but what would need another key of everybody, and the own decks of seats; no loose
    cards.
    """
    if isinstance(operation, Lay):
        return not any(pile.is_own_deck or pile.loose for pile in operation.piles)
    return isinstance(operation, Look | Reveal | PutAway)


COMMUTATIVE = Dealing(
    name="commutative",
    entry_shapes=ENTRY_SHAPES,
    entry_meanings=ENTRY_MEANINGS,
    # Whoever breaks the rules, even alone, can know a hand, and is named for it afterwards.
    secrecy=lambda options, seats, own_decks: Secrecy(
        1, phrase("terms.hand.commutative"), MATCH_VOID
    ),
    supports=_supports,
    begin=CommutativeState,
    apply=fold.apply,
    apply_operation=fold.apply_operation,
    close=fold.close,
    protest=fold.protest,
    revealed_hands=revealed_hands,
    facts=facts,
    seat_half=lambda context, seat, key, rng: CommutativeSeat(context, seat, rng),
)
