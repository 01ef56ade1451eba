"""Secrets of one seat in a layered deal, as plain data that can be saved and loaded."""

from dataclasses import dataclass, field
from random import Random

from protocol.crypto.envelopes import MatchKey
from protocol.dealing import DealContext
from protocol.dealing.layered.primitives import KEY_SIZE, decode_piece, pseudonym
from protocol.dealing.layered.state import LayeredState
from protocol.games import Piece


@dataclass(frozen=True, repr=False)
class KnownPiece:
    """Opening of a piece that this seat can read; `layer_keys` is set only if the piece was
    drawn.
    """

    position: int
    key: bytes
    layer_keys: tuple[bytes, ...] = ()


@dataclass(repr=False)
class SeatSecrets:
    """Private state of one seat, which grows during the deal."""

    context: DealContext
    seat: int
    key: MatchKey
    rng: Random
    r1: bytes
    r2: bytes
    order: list[int]  # place in this seat's input, by place in its output
    layer_keys: list[bytes]  # by place in this seat's output
    taken_elements: set[int] = field(default_factory=set)  # elements of the final list
    # This seat's last hop of the selection: (number of the hop, number of elements left).
    sent: tuple[int, int] | None = None
    slot_keys: dict[int, MatchKey] = field(default_factory=dict)  # one-time keys, by slot
    # (choice, x) for each draw of this seat
    choices: list[tuple[int, bytes]] = field(default_factory=list)
    known_pieces: dict[Piece, KnownPiece] = field(default_factory=dict)
    shown_pieces: set[Piece] = field(default_factory=set)
    pair_keys: dict[tuple[int, int], bytes] = field(default_factory=dict)  # by (sender, receiver)

    def note_piece(
        self, deal: LayeredState, position: int, told: bytes, layer_keys: tuple[bytes, ...] = ()
    ) -> bool:
        """Record a piece that the table sent; False if the piece contradicts its pseudonym.

        `told` is the table's message: the piece and K_i.
        """
        piece, key = decode_piece(told)
        if piece >= self.context.piece_count or piece in self.known_pieces:
            return False
        if pseudonym(deal.deal_id, position, key, piece) != deal.element_lists[0][position]:
            return False
        self.known_pieces[piece] = KnownPiece(position, key, layer_keys)
        return True

    def pair_key(self, sender: int, receiver: int) -> bytes:
        """Return the key of envelopes from `sender` to `receiver`, one of which is this seat.

        Each key is computed once.
        """
        if (sender, receiver) not in self.pair_keys:
            self.pair_keys[sender, receiver] = self.context.pair_key(self.key, sender, receiver)
        return self.pair_keys[sender, receiver]

    def own_slots(self, deal: LayeredState) -> list[int]:
        """Return the slots of the elements that this seat took, ascending."""
        return [index for index, element in enumerate(deal.taken) if element in self.taken_elements]

    def own_layer_key(self, deal: LayeredState, element: bytes) -> bytes:
        """Return this seat's layer key for an element of its output."""
        return self.layer_keys[deal.output_of(self.seat).index(element)]


def new_secrets(context: DealContext, seat: int, key: MatchKey, rng: Random) -> SeatSecrets:
    order = list(range(context.piece_count))
    rng.shuffle(order)
    layer_keys = [rng.randbytes(KEY_SIZE) for _ in order]
    return SeatSecrets(
        context, seat, key, rng, rng.randbytes(KEY_SIZE), rng.randbytes(KEY_SIZE), order, layer_keys
    )
