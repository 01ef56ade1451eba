"""What one seat keeps to itself in a layered deal. Plain data, so that it can be written down and
read again.
"""

from dataclasses import dataclass, field
from random import Random

from protocol.crypto.envelopes import MatchKey
from protocol.dealing import DealContext
from protocol.dealing.layered.primitives import KEY, decode_piece, pseudonym
from protocol.dealing.layered.state import LayeredState
from protocol.games import Piece


@dataclass(frozen=True, repr=False)
class KnownPiece:
    """A piece that this seat knows, with what opens it; `layer_keys` only if it was drawn."""

    position: int
    key: bytes
    layer_keys: tuple[bytes, ...] = ()


@dataclass(repr=False)
class SeatSecrets:
    """One seat's private state; grows as the deal goes on."""

    context: DealContext
    seat: int
    key: MatchKey
    rng: Random
    r1: bytes
    r2: bytes
    order: list[int]  # where each element of our output stood in our input
    layer_keys: list[bytes]  # by place in our output
    taken_elements: set[int] = field(default_factory=set)  # elements of the final list
    # our last hop of the list: its number, and how many elements it left
    sent: tuple[int, int] | None = None
    slot_keys: dict[int, MatchKey] = field(default_factory=dict)  # by slot
    # (choice, x), one for each draw of ours
    choices: list[tuple[int, bytes]] = field(default_factory=list)
    known_pieces: dict[Piece, KnownPiece] = field(default_factory=dict)
    shown_pieces: set[Piece] = field(default_factory=set)
    pair_keys: dict[tuple[int, int], bytes] = field(default_factory=dict)  # by (sender, receiver)

    def note_piece(
        self, deal: LayeredState, position: int, told: bytes, layer_keys: tuple[bytes, ...] = ()
    ) -> bool:
        """Note a piece that the table told us; False when it is not what its pseudonym commits
        to.
        """
        piece, key = decode_piece(told)
        if piece >= self.context.piece_count or piece in self.known_pieces:
            return False
        if pseudonym(deal.deal_id, position, key, piece) != deal.element_lists[0][position]:
            return False
        self.known_pieces[piece] = KnownPiece(position, key, layer_keys)
        return True

    def pair_key(self, sender: int, receiver: int) -> bytes:
        """The key of envelopes from one seat to another, one of them us; agreed once."""
        if (sender, receiver) not in self.pair_keys:
            self.pair_keys[sender, receiver] = self.context.pair_key(self.key, sender, receiver)
        return self.pair_keys[sender, receiver]

    def own_slots(self, deal: LayeredState) -> list[int]:
        """The slots of the elements that we took, ascending."""
        return [index for index, element in enumerate(deal.taken) if element in self.taken_elements]

    def own_layer_key(self, deal: LayeredState, element: bytes) -> bytes:
        """Our key for an element of our output."""
        return self.layer_keys[deal.output_of(self.seat).index(element)]


def new_secrets(context: DealContext, seat: int, key: MatchKey, rng: Random) -> SeatSecrets:
    """Fresh secrets for a new deal."""
    order = list(range(context.piece_count))
    rng.shuffle(order)
    layer_keys = [rng.randbytes(KEY) for _ in order]
    return SeatSecrets(
        context, seat, key, rng, rng.randbytes(KEY), rng.randbytes(KEY), order, layer_keys
    )
