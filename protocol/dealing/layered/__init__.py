"""Layered dealing: the domino table's protocol (docs/protocol, chapter 8).

Seven stages: the table pseudonymises the pieces; each seat puts a layer of encryption on all of
them and shuffles; the list goes round in sealed envelopes and every seat takes a hand; hands are
committed to; the layers of what was taken come off; slots for one-time keys go round; the table
seals each piece to its slot.

| promise | against whom, and when it is noticed |
| --- | --- |
| a seat's pieces are hidden from the other seats | all of them together, without the table |
| who holds what is hidden from the table | the table alone; **not** the table together with a seat |
| a drawn piece is hidden from the table | the table alone (oblivious transfer) |
| the order is fair | one honest seat, or the table honest |
| every piece exists once, and nobody shows another | at once (openings), or when the deal closes (deck, commitments) |
| nobody takes too many, or none, or touches others' slots | at once by who is wronged; the protest names the culprit |
| a wrong piece told by the table | at once by the holder, by protest |
| asking for another piece than the one drawn | when the deal closes |

The table learns all faces behind pseudonyms from the start, and all hands when the deal closes. At
the close the seats learn everything too: this protocol keeps nothing hidden for ever.

Cost, for M pieces, N seats, h each, take odds p: M hashes a seat for its layer and N*M to audit;
about 2*N*h/p hops (two X25519 and two AES-GCM operations each); one X25519 a piece dealt; a draw is
N+2 entries and about M point additions at the table.
"""

from protocol.dealing import Dealing
from protocol.dealing.layered import fold
from protocol.dealing.layered.facts import facts
from protocol.dealing.layered.opening_audit import revealed_hands
from protocol.dealing.layered.seat import LayeredSeat
from protocol.dealing.layered.seat_route import OPTIONS
from protocol.dealing.layered.stages import ENTRY_MEANINGS, ENTRY_SHAPES
from protocol.dealing.layered.state import LayeredState
from protocol.dealing.layered.table import LayeredTable
from protocol.dealing.secrecy import MATCH_VOID, Secrecy
from protocol.games.operations import EVERYBODY, Lay, Look, Operation, Reveal
from protocol.options import Values
from protocol.view.phrase import phrase


def _secrecy(options: Values, seats: int, own_decks: bool) -> Secrecy:
    """The table with both neighbours of a seat knows its whole hand: docs/attacks.md, 1."""
    if seats == 2:
        return Secrecy(1, phrase("terms.hand.layered.two"), MATCH_VOID)
    return Secrecy(2, phrase("terms.hand.layered"), MATCH_VOID)


def _supports(operation: Lay | Operation) -> bool:
    """One pile; showing pieces; one piece at a time of the stock, for one seat."""
    match operation:
        case Lay(piles):
            return len(piles) == 1 and not (piles[0].is_own_deck or piles[0].loose)
        case Look(count, receiver):
            return count == 1 and receiver != EVERYBODY
    return isinstance(operation, Reveal)


LAYERED = Dealing(
    name="layered",
    entry_shapes=ENTRY_SHAPES,
    entry_meanings=ENTRY_MEANINGS,
    needs_table=True,
    options=OPTIONS,
    secrecy=_secrecy,
    supports=_supports,
    begin=LayeredState,
    apply=fold.apply,
    apply_operation=fold.apply_operation,
    close=fold.close,
    protest=fold.protest,
    revealed_hands=revealed_hands,
    facts=facts,
    seat_half=LayeredSeat,
    table_half=LayeredTable,
)
