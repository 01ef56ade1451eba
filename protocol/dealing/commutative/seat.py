"""Private half of one seat in a commutative deal: its key, and the cards that only its own envelope
hides.
"""

from random import Random

from protocol.crypto.group import Point, encode, random_scalar
from protocol.dealing import DealContext, NoVisibleCards, Post
from protocol.dealing.card_state import pieces_by_point
from protocol.dealing.commutative.stages import SALT_SIZE, CommutativeStage
from protocol.dealing.commutative.state import CommutativeState, key_commitment
from protocol.games import Hand, Piece
from protocol.games.operations import Look, Operation, Reveal
from protocol.schema import Fields


class CommutativeSeat(NoVisibleCards):
    """Secrets of one seat for one deal; implements `protocol.dealing.SeatHalf`."""

    def __init__(self, context: DealContext, seat: int, rng: Random) -> None:
        self._context, self._seat, self._rng = context, seat, rng
        self._key, self._salt = random_scalar(rng), rng.randbytes(SALT_SIZE)
        self._inverse = self._key.inverse()
        self._read: dict[int, Piece] = {}  # all pieces that this seat ever read, by card
        self._hidden: tuple[int, ...] = ()  # cards of the seat's hand
        # (`duties_since` of the last duty, answer to it)
        self._answered: tuple[int, Post] | None = None

    @property
    def hand(self) -> Hand:
        """Pieces that this seat holds and has not shown, in the order of their cards.

        A card that is no piece is left out.
        """
        return tuple(self._read[card] for card in self._hidden if card in self._read)

    def next_post(self, deal: CommutativeState) -> Post | None:
        """Return a protest if a card of this seat is no piece or exists twice, else the seat's
        duty, or None.

        Repeated calls for the same duty return the same entry.
        """
        if deal.ready:
            wrong = self._read_cards(deal)
            if wrong is not None:
                return Post("protest", [wrong])
        if all(duty.author != self._seat for duty in deal.duties()):
            return None
        if self._answered is None or self._answered[0] != deal.duties_since:
            self._answered = (deal.duties_since, self._duty(deal))
        return self._answered[1]

    def part(self, deal: CommutativeState, operation: Operation) -> Fields:
        """Return the card of the piece that this seat shows, or random cards of the stock to look
        at.
        """
        match operation:
            case Reveal(piece):
                return [next(card for card in self._hidden if self._read[card] == piece)]
            case Look(count, _, pile):
                return self._rng.sample(deal.stock_of(pile), count)
        return []

    def _duty(self, deal: CommutativeState) -> Post:
        match deal.stage:
            case CommutativeStage.COMMIT:
                return Post(
                    "commit",
                    [key_commitment(self._context.deal_id, self._seat, self._key, self._salt)],
                )
            case CommutativeStage.PACK:
                return Post("pack", [encode(self._pack(deal))])
            case CommutativeStage.CHOOSE:
                return Post("choose", [self._choose(deal)])
            case CommutativeStage.UNWRAP:
                return Post(
                    "unwrap",
                    [encode(self._inverse * deal.points[card] for card in deal.owed(self._seat))],
                )
            case _:
                return Post("open_key", [self._key.encoded, self._salt])

    def _pack(self, deal: CommutativeState) -> list[Point]:
        deck = []
        for number in range(len(self._context.piles)):
            pile = [self._key * deal.deck[card] for card in self._context.pile_cards(number)]
            self._rng.shuffle(pile)
            deck += pile
        return deck

    def _choose(self, deal: CommutativeState) -> list[list[int]]:
        seats = len(deal.present)
        hands: list[list[int]] = [[] for _ in range(seats)]
        for number, pile in enumerate(self._context.piles):
            chosen = self._rng.sample(deal.stock_of(number), pile.hand_size * seats)
            for place, hand in enumerate(hands):
                hand += chosen[place * pile.hand_size : (place + 1) * pile.hand_size]
        return hands

    def _read_cards(self, deal: CommutativeState) -> int | None:
        """Read this seat's cards by removing its own envelope.

        Returns the log number of the entry since which a card is no piece or exists twice, or None.
        """
        known = pieces_by_point(self._context.piece_count)
        self._hidden = deal.hidden_of(self._seat)
        for card in self._hidden:
            piece = self._read.get(card, known.get(self._inverse * deal.points[card]))
            if piece is None:
                return deal.duties_since
            self._read[card] = piece
        return self._duplicate_since(deal)

    def _duplicate_since(self, deal: CommutativeState) -> int | None:
        """Return the log number of the entry that shows a piece which this seat has already read.

        A second appearance proves that a seat has lied. None if no piece appears twice.
        """
        ours = set(self._read.values())
        for card, shown in deal.shown.items():
            if card not in self._read and shown.piece in ours:
                return shown.at
        return (
            deal.duties_since
            if len(ours) < len(self._read) or not ours.isdisjoint(deal.turned_up)
            else None
        )
