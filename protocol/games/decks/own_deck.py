"""Own deck of a seat: the cards of its slots, and the steps that the seat's program posts for
it.
"""

from collections.abc import Iterable
from random import Random

from protocol.games import Action, MatchBinding, Piece
from protocol.games.decks import DeckCard, Face, Owned
from protocol.games.decks.match_decks import DeckPhase, DeckTerms, MatchDecks
from protocol.games.decks.ownership import Ownership
from protocol.games.decks.slot_commitments import SlotBinding, commit, face_of, opening_bytes
from protocol.games.decks.slot_opening import SALT, SlotOpening
from protocol.limits import MAX_OPENINGS, MAX_OPENINGS_BYTES


class OwnDeck:
    """Deck of one seat. The cards are assigned to slots at random, so that no slot tells anything
    about another.
    """

    def __init__(
        self,
        bound: MatchBinding,
        seat: int,
        rng: Random,
        cards: tuple[DeckCard, ...],
        knows: Ownership,
    ) -> None:
        """Create the deck, drawing all its random values from `rng` at once. Raises: RemoteError if
        a card is invalid.
        """
        self._bound, self._seat, self._knows = bound, seat, knows
        self.cards = tuple(rng.sample(cards, len(cards)))
        self._salts = tuple(rng.randbytes(SALT) for _ in self.cards)
        self._commitments = tuple(
            commit(SlotBinding(bound, seat, place), card, salt)
            for place, (card, salt) in enumerate(zip(self.cards, self._salts, strict=True))
        )

    def openings(self, decks: MatchDecks) -> dict[Piece, SlotOpening]:
        """Return the openings of the slots, by piece. Empty until every seat has committed to its
        deck.
        """
        if decks.phase is DeckPhase.BRING:
            return {}
        slots = zip(decks.pieces(self._seat), self._salts, self.cards, strict=True)
        return {piece: SlotOpening(piece, salt, card) for piece, salt, card in slots}

    def faces(self, terms: DeckTerms) -> tuple[Face, ...]:
        """Return the faces of the cards, in the order of the slots."""
        return tuple(face_of(card, terms.proxies) for card in self.cards)

    def show(self, decks: MatchDecks, pieces: Iterable[Piece]) -> tuple[bytes, ...]:
        """Encode the openings of these slots; if they do not all fit into one action, only the
        first ones.
        """
        found: list[bytes] = []
        mine = self.openings(decks)
        for piece in pieces:
            one = opening_bytes(mine[piece])
            if len(found) == MAX_OPENINGS or sum(map(len, found)) + len(one) > MAX_OPENINGS_BYTES:
                break
            found.append(one)
        return tuple(found)

    def respond(self, decks: MatchDecks, terms: DeckTerms) -> Action | None:
        """Return the next step that this seat has to post; None if there is none."""
        if self._seat not in decks.seats_due:
            return None
        if decks.dispute is not None:
            card = decks.faces[decks.dispute.piece].card
            assert isinstance(card, Owned)
            return ("answer", *self._knows.defence(card, decks.dispute.records))
        match decks.phase:
            case DeckPhase.BRING:
                return ("deck", terms.mode.value, *self._commitments)
            case DeckPhase.SHOW | DeckPhase.PLAY | DeckPhase.CLOSE:
                return ("open", *self.show(decks, decks.to_open(self._seat)))
        return self._find_dispute(decks) or (
            ("agree",) if self._accepts_cards(decks) else ("decline",)
        )

    def _find_dispute(self, decks: MatchDecks) -> Action | None:
        """Return a dispute about a card that another seat has shown; None if there is no reason for
        one.
        """
        for piece, holder, card in self._cards_of_others(decks):
            if (self._seat, piece) not in decks.disputed and (
                records := self._knows.counter_evidence(card, holder)
            ):
                return ("dispute", piece, *records)
        return None

    def _accepts_cards(self, decks: MatchDecks) -> bool:
        """Decide whether to accept the cards that the others have shown. After the game (phase
        `PART`) the answer is always True: declining is no longer possible.
        """
        return decks.phase is not DeckPhase.AGREE or all(
            self._knows.accepts(card, holder) for _, holder, card in self._cards_of_others(decks)
        )

    def _cards_of_others(self, decks: MatchDecks) -> list[tuple[Piece, bytes, Owned]]:
        """List the owned cards shown by other seats that have not left: slot, holder's key,
        card.
        """
        found = []
        for opening in decks.opened:
            seat = decks.owner(opening.piece)
            if (
                seat is not None
                and seat != self._seat
                and seat not in decks.left_seats
                and isinstance(opening.card, Owned)
            ):
                found.append((opening.piece, self._bound.identities[seat], opening.card))
        return found
