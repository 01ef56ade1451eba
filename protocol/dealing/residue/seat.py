"""Private half of one seat in a residue deal: the two primes of its key, and the cards that it can
read.
"""

from collections.abc import Mapping, Sequence
from random import Random

from protocol.crypto.residue.bit_proof import prove_bits
from protocol.crypto.residue.cards import Card, form_of
from protocol.crypto.residue.key_proof import prove_key
from protocol.crypto.residue.keys import new_key
from protocol.crypto.residue.masking import masking
from protocol.crypto.residue.shuffle import prove_shuffle, shuffle
from protocol.dealing import CHUNK_KIND, DealContext, Post
from protocol.dealing.residue.chunks import split_shuffle
from protocol.dealing.residue.options import modulus_bits
from protocol.dealing.residue.stages import BITS_SIZE, ResidueStage
from protocol.dealing.residue.state import ResidueState
from protocol.games import Hand, Piece
from protocol.games.operations import Operation, Reveal
from protocol.schema import Fields


class ResidueSeat:
    """Secrets of one seat for one deal; implements `protocol.dealing.SeatHalf`.

    A shuffle is computed once, at this seat's turn, and posted in chunks. When a log is read again,
    the random source repeats its stream, so the shuffle has the same bytes.
    """

    def __init__(self, context: DealContext, seat: int, rng: Random) -> None:
        self._context, self._seat, self._rng = context, seat, rng
        self._secret = new_key(rng, modulus_bits(context.options))
        self._read: dict[Card, Piece] = {}  # pieces that this seat can read, by card numbers
        self._placed: dict[int, Piece] = {}  # the same pieces, by place
        self._held: dict[int, Piece] = {}  # hand, by card
        self._visible: dict[int, Piece] = {}  # pieces of loose cards, by card
        # ((kind, number) of the last duty, answer to it)
        self._answered: tuple[tuple[str, int], Post] | None = None
        # (number of this seat's newest shuffle, all its chunks)
        self._body: tuple[int, list[Post]] = (-1, [])

    @property
    def hand(self) -> Hand:
        """Pieces that this seat holds and has not shown, in the order of their cards."""
        return tuple(piece for _, piece in sorted(self._held.items()))

    @property
    def visible_cards(self) -> Mapping[int, Piece]:
        """Pieces of the loose cards that this seat can read."""
        return self._visible

    def next_post(self, deal: ResidueState) -> Post | None:
        """Return the entry that this seat must post, or None.

        Repeated calls for the same duty return the same entry.
        """
        self._read_cards(deal)
        if all(duty.author != self._seat for duty in deal.duties()):
            return None
        match deal.stage:
            case ResidueStage.SHUFFLE:
                return self._chunk(deal)
            case ResidueStage.KEYS:
                return self._memoised_post(deal, "key", 0)
        return self._memoised_post(deal, "tell", deal.tellings)

    def part(self, deal: ResidueState, operation: Operation) -> Fields:
        """Return the card that this seat shows of its hand; the seat posts its bits afterwards."""
        if isinstance(operation, Reveal):
            return [next(card for card, piece in self._held.items() if piece == operation.piece)]
        return []

    def _memoised_post(self, deal: ResidueState, kind: str, number: int) -> Post:
        if self._answered is None or self._answered[0] != (kind, number):
            made = self._key(deal) if kind == "key" else self._tell(deal)
            self._answered = (kind, number), made
        return self._answered[1]

    def _key(self, deal: ResidueState) -> Post:
        place = deal.proof_place(self._seat, "key")
        return Post("key", [self._secret.public.encoded, prove_key(self._secret, place)])

    def _tell(self, deal: ResidueState) -> Post:
        cards = deal.owed(self._seat)
        numbers = [number for card in cards for number in deal.numbers(self._seat, card)]
        place = deal.proof_place(self._seat, "tell", deal.tellings)
        bits, proof = prove_bits(self._secret, numbers, place, self._rng)
        width = len(numbers) // len(cards)
        told = [
            _number_from_bits(bits[first : first + width]) for first in range(0, len(bits), width)
        ]
        return Post("tell", [b"".join(each.to_bytes(BITS_SIZE, "little") for each in told), proof])

    def _chunk(self, deal: ResidueState) -> Post:
        if self._body[0] != deal.shuffles:
            self._body = deal.shuffles, self._shuffle(deal)
        return self._body[1][deal.partial_shuffle.number if deal.partial_shuffle is not None else 0]

    def _shuffle(self, deal: ResidueState) -> list[Post]:
        """Return all chunks of this seat's shuffle, and follow the pieces it can read to their new
        places.
        """
        after, witness = shuffle(deal.shuffle_input, deal.moduli, self._rng)
        place = deal.proof_place(self._seat, "shuffle", deal.shuffles)
        proof = prove_shuffle(deal.shuffle_input, after, witness, deal.moduli, place, self._rng)
        order = masking(witness.seed, form_of(deal.shuffle_input, deal.moduli)).order
        came = {new: deal.shuffle_input[old] for new, old in zip(after, order, strict=True)}
        self._read |= {new: self._read[old] for new, old in came.items() if old in self._read}
        return [Post(CHUNK_KIND, body) for body in split_shuffle(after, deal.moduli, proof)]

    def _read_cards(self, deal: ResidueState) -> None:
        """Read the cards that only this seat's own bits still hide.

        A single card that another seat has hidden alone is still the same piece.
        """
        for card in deal.hidden:
            if deal.missing_seats(card) <= {self._seat}:
                self._placed[card] = self._piece(deal, card)
            elif deal.deck[card] in self._read:
                self._placed[card] = self._read[deal.deck[card]]
            elif self._seat not in deal.readers_of(card):
                self._placed.pop(card, None)
        self._read |= {deal.deck[card]: piece for card, piece in self._placed.items()}
        if deal.ready:
            self._read = {deal.deck[card]: piece for card, piece in self._placed.items()}
            self._held = {card: self._placed[card] for card in deal.hidden_of(self._seat)}
            loose = self._context.loose_cards
            self._visible = {
                card: piece for card, piece in self._placed.items() if card in loose
            } | dict(deal.public_faces)

    def _piece(self, deal: ResidueState, card: int) -> Piece:
        """Return the piece of a card for which all other seats have posted their bits."""
        if card in deal.shown:
            return deal.shown[card]
        if deal.deck[card] in self._read:
            return self._read[deal.deck[card]]
        return deal.piece_of(
            card,
            _number_from_bits(
                [self._secret.bit(number) for number in deal.numbers(self._seat, card)]
            ),
        )


def _number_from_bits(bits: Sequence[int]) -> int:
    """Return a number from its bits, lowest first."""
    return sum(bit << place for place, bit in enumerate(bits))
