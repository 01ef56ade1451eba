"""Private half of one seat in a verified deal: its secret key, and the cards that it can read."""

from collections.abc import Mapping, Sequence
from random import Random

from protocol.crypto.dlog_proofs import prove_knowledge
from protocol.crypto.elgamal import Ciphertext, encode_ciphertexts, prove_share, share
from protocol.crypto.envelopes import MatchKey, seal, unseal
from protocol.crypto.group import (
    ELEMENT_BYTES,
    Point,
    Scalar,
    decode_scalar,
    encode,
    random_scalar,
    times_base,
)
from protocol.crypto.secret_sharing import share_secret
from protocol.crypto.shuffle import prove_shuffle, shuffle
from protocol.dealing import DealContext, Post
from protocol.dealing.verified.key_sharing import key_share_fits, replaced_cards
from protocol.dealing.verified.loose_cards import LooseCardReader
from protocol.dealing.verified.stages import VerifiedStage
from protocol.dealing.verified.state import VerifiedState
from protocol.errors import RemoteError
from protocol.games import Hand, Piece
from protocol.games.operations import Card, OpenCard, Operation, Reveal, Turn
from protocol.schema import Fields


class VerifiedSeat:
    """Secrets of one seat for one deal; implements `protocol.dealing.SeatHalf`."""

    def __init__(self, context: DealContext, seat: int, key: MatchKey, rng: Random) -> None:
        self._context, self._seat, self._key, self._rng = context, seat, key, rng
        self._x = random_scalar(rng)
        self._X = times_base(self._x)
        self._shares: dict[int, Scalar] = {}  # shares of this seat's key, by receiver
        self._read: dict[Ciphertext, Piece] = {}  # pieces of the hand, by ciphertext
        self._known: dict[int, Piece] = {}  # the same pieces, by card
        self._shown: frozenset[int] = frozenset()
        self._loose_cards = LooseCardReader(seat)
        # (`duties_since` of the last duty, answer to it)
        self._answered: tuple[int, Post] | None = None

    @property
    def hand(self) -> Hand:
        """Pieces that this seat holds and has not shown, in the order of their cards."""
        return tuple(
            piece for card, piece in sorted(self._known.items()) if card not in self._shown
        )

    @property
    def visible_cards(self) -> Mapping[Card, Piece]:
        """Pieces of the loose cards that this seat can read now."""
        return self._loose_cards.pieces

    def next_post(self, deal: VerifiedState) -> Post | None:
        """Return the entry that this seat must post, or None.

        Repeated calls for the same duty return the same entry.
        """
        if deal.ready:
            self._read_cards(deal)
        if self._context.loose_cards and deal.deck:
            self._loose_cards.read_cards(deal, lambda card: self._open(deal, card))
        if all(duty.author != self._seat for duty in deal.duties()):
            return None
        if self._answered is None or self._answered[0] != deal.duties_since:
            self._answered = (deal.duties_since, self._duty(deal))
        return self._answered[1]

    def part(self, deal: VerifiedState, operation: Operation) -> Fields:
        """Return the part for an operation of this seat.

        An operation that shows, turns up or opens cards needs the cards, this seat's shares and the
        proofs. All other parts are empty.
        """
        match operation:
            case Reveal(piece):
                card = next(card for card, known in self._known.items() if known == piece)
                return [card, *self._give_shares(deal, [card])]
            case Turn(pile, places):
                cards = self._context.pile_cards(pile)
                return [list(places), *self._give_shares(deal, [cards[place] for place in places])]
            case OpenCard(card) if card not in deal.shown and deal.holders.get(card) == self._seat:
                return [deal.shuffles, *self._give_shares(deal, [card])]
        return []

    def _duty(self, deal: VerifiedState) -> Post:
        match deal.stage:
            case VerifiedStage.KEYS:
                proof = prove_knowledge(
                    self._x, self._X, deal.proof_place(self._seat, "key"), self._rng
                )
                return Post("key", [self._X.encoded, proof, *self._share_key(deal)])
            case VerifiedStage.CONFIRM:
                dealers = deal.receivers(self._seat)
                return Post(
                    "confirm",
                    [[dealer for dealer in dealers if not self._is_well_shared(deal, dealer)]],
                )
            case VerifiedStage.ANSWER:
                accusers = sorted(deal.sharings[self._seat].accused_by)
                return Post("answer", [[self._shares[accuser].encoded for accuser in accusers]])
            case VerifiedStage.SHUFFLE:
                return self._shuffle(deal)
            case VerifiedStage.SHARES:
                return Post("shares", self._give_shares(deal, deal.owed(self._seat)))
            case VerifiedStage.TURN_UP:
                return Post("turn_up", self._give_shares(deal, deal.cards_to_turn_up(self._seat)))
            case VerifiedStage.STAND_IN:
                return Post("stand_in", self._stand_in(deal))
            case _:
                return Post("show", self._give_shares(deal, deal.hidden_of(self._seat)))

    def _share_key(self, deal: VerifiedState) -> list[list[bytes]]:
        """Return commitments and sealed shares of this seat's key; both empty if keys are not
        shared.
        """
        if not deal.quorum:
            return [[], []]
        receivers = deal.receivers(self._seat)
        commitments, self._shares = share_secret(self._x, deal.quorum, receivers, self._rng)
        sealed = [self._seal(receiver, self._shares[receiver]) for receiver in receivers]
        return [[point.encoded for point in commitments], sealed]

    def _seal(self, receiver: int, own: Scalar) -> bytes:
        key = self._context.pair_key(self._key, self._seat, receiver)
        return seal(
            key, self._rng, own.encoded, "key share", self._context.deal_id, padded_to=ELEMENT_BYTES
        )

    def _share_of(self, deal: VerifiedState, dealer: int) -> Scalar:
        """Return this seat's share of another seat's key. Raises: RemoteError if it does not
        open.
        """
        sharing = deal.sharings[dealer]
        if self._seat in sharing.answered:
            return sharing.answered[self._seat]
        key = self._context.pair_key(self._key, dealer, self._seat)
        raw = unseal(
            key,
            sharing.sealed[self._seat],
            "key share",
            self._context.deal_id,
            padded_to=ELEMENT_BYTES,
        )
        return decode_scalar(raw)

    def _is_well_shared(self, deal: VerifiedState, dealer: int) -> bool:
        try:
            return key_share_fits(deal, dealer, self._seat, self._share_of(deal, dealer))
        except RemoteError:
            return False

    def _shuffle(self, deal: VerifiedState) -> Post:
        assert deal.key is not None
        before = tuple(deal.deck[card] for card in deal.pile)
        after, witness = shuffle(before, deal.key, self._rng)
        place = deal.proof_place(self._seat, "shuffle", deal.shuffles)
        proof = prove_shuffle(before, after, witness, deal.key, place, self._rng)
        self._loose_cards.note_shuffle(
            deal, [(deal.pile[j], new) for j, new in zip(witness.psi, after, strict=True)]
        )
        return Post("shuffle", [encode_ciphertexts(after), proof])

    def _give_shares(self, deal: VerifiedState, cards: Sequence[int]) -> list[bytes]:
        """Return this seat's shares of some cards, with their proofs."""
        return self._prove(deal, "share", (self._x, self._X), cards)

    def _stand_in(self, deal: VerifiedState) -> list[bytes]:
        """Return parts for the replaced seat, computed with this seat's share of its key, with
        their proofs.
        """
        key = self._share_of(deal, deal.replaced_seat)
        return self._prove(deal, "stand in", (key, times_base(key)), replaced_cards(deal))

    def _prove(
        self, deal: VerifiedState, purpose: str, key: tuple[Scalar, Point], cards: Sequence[int]
    ) -> list[bytes]:
        x, X = key
        shares = [share(x, deal.deck[card]) for card in cards]
        proofs = [
            prove_share(
                x, X, deal.deck[card], D, deal.proof_place(self._seat, purpose, card), self._rng
            )
            for card, D in zip(cards, shares, strict=True)
        ]
        return [encode(shares), b"".join(proofs)]

    def _read_cards(self, deal: VerifiedState) -> None:
        """Read this seat's hand by adding its own share to all others, and forget cards that went
        back.

        The seat could read its own deck in the same way. It does not, because fair players do not
        look ahead.
        """
        held = {card for card, holder in deal.holders.items() if holder == self._seat}
        own = {
            card: deal.deck[card]
            for card in held.difference(self._context.owners, self._context.loose_cards)
        }
        self._read = {
            e: self._read[e] if e in self._read else self._open(deal, card)
            for card, e in own.items()
        }
        self._known = {card: self._read[e] for card, e in own.items()}
        self._shown = frozenset(deal.shown)

    def _open(self, deal: VerifiedState, card: int) -> Piece:
        piece = deal.piece_of(card, share(self._x, deal.deck[card]))
        assert piece is not None, "the proofs make every card one of the deck's"
        return piece
