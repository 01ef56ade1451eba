"""Loose cards: hidden, looked at, revealed and opened one by one, as the rules ask (docs/protocol,
13.11).

Operations become steps: some seats hide some cards again, or shares of some cards are requested. A
seat that is to look at a card may have given away its own share of that card before. Then it first
hides the card again by itself. Otherwise the shares from before and after would together open the
card for others (docs/attacks.md, 94).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from protocol.codes import Code
from protocol.crypto.elgamal import Ciphertext
from protocol.crypto.group import decode_point
from protocol.dealing.verified.proven_shares import piece_from_share
from protocol.dealing.verified.stages import OPEN_CARD_PART
from protocol.dealing.verified.state import HideStep, ShareRequest, Step, VerifiedState
from protocol.errors import ProtocolViolation, Refused, RemoteError
from protocol.fast_replace import replace
from protocol.games import Piece
from protocol.games.operations import (
    EVERYBODY,
    Card,
    CardOperation,
    Lay,
    LookAt,
    OpenCard,
    RevealCards,
    ShuffleCards,
)
from protocol.limits import MAX_LOOSE, MAX_PIECES, MAX_PILE
from protocol.schema import Fields

V = TypeVar("V")


def within_bounds(operation: Lay | CardOperation | OpenCard) -> bool:
    """Check the limits for loose cards: their number in a deal, and the number in one shuffle."""
    match operation:
        case Lay(piles):
            return sum(pile.size for pile in piles if pile.loose) <= MAX_LOOSE
        case ShuffleCards(cards):
            return len(set(cards)) <= MAX_PILE
    return True


def request_operation(state: VerifiedState, operation: CardOperation) -> VerifiedState:
    """Add an operation to the pending steps. Raises: Refused(NOT_NOW) for cards that are not
    loose.
    """
    if not state.context.loose_cards.issuperset(operation.cards):
        raise Refused(Code.NOT_NOW)
    return replace(state, pending_steps=(*state.pending_steps, operation))


def required_steps(state: VerifiedState, wanted: CardOperation) -> tuple[Step, ...]:
    """Return the steps that an operation needs in the present state."""
    match wanted:
        case ShuffleCards(cards, by):
            ordered = tuple(sorted(set(cards)))
            some = frozenset(by or ())
            alone = () if some.issuperset(state.present) else tuple(sorted(some))
            return (HideStep(ordered, alone),) if len(ordered) > 1 else ()
        case RevealCards(cards):
            return tuple(
                _share_requests([card for card in cards if card not in state.shown], EVERYBODY)
            )
        case LookAt():
            return tuple(_look_steps(state, wanted))


def _look_steps(state: VerifiedState, wanted: LookAt) -> Iterator[Step]:
    """Yield the steps of a look.

    A card that all seats of the deal could then read is revealed to everybody. Each seat requests
    the other cards that it has not yet read.
    """
    seats = [seat for seat in state.present if seat in wanted.seats]
    new = {
        card: [seat for seat in seats if seat not in state.readers_of(card)]
        for card in wanted.cards
    }
    new = {card: seats for card, seats in new.items() if seats and card not in state.shown}
    # Departed seats count too, because a card that they have not read must not be revealed to them.
    everybody = frozenset(state.context.present)
    for_all = [
        card for card, seats in new.items() if state.readers_of(card).union(seats) >= everybody
    ]
    yield from _share_requests(for_all, EVERYBODY)
    looked = {seat for card, seats in new.items() for seat in seats}
    for seat in sorted(looked):
        cards = [card for card, seats in new.items() if seat in seats and card not in for_all]
        given = (
            card
            for card in cards
            if seat in state.given_shares.get(card, ()) or new[card][0] != seat
        )
        yield from (HideStep((card,), (seat,)) for card in given)
        yield from _share_requests(cards, seat)


def _share_requests(cards: list[Card], receiver: int) -> Iterator[ShareRequest]:
    """Return requests of at most `MAX_PIECES` cards each, which is the limit of an entry."""
    ordered = tuple(dict.fromkeys(cards))
    return (
        ShareRequest(ordered[start : start + MAX_PIECES], receiver)
        for start in range(0, len(ordered), MAX_PIECES)
    )


def start_next_step(state: VerifiedState) -> tuple[VerifiedState, HideStep | None]:
    """Start all requests that can go together.

    Returns the new state, and the next step that hides cards if that step must be done first.
    """
    while state.pending_steps:
        first, rest = state.pending_steps[0], replace(state, pending_steps=state.pending_steps[1:])
        if isinstance(first, ShareRequest):
            if not _can_join(state, first):
                break
            state = _start_request(rest, first)
        elif isinstance(first, HideStep):
            if state.requested:
                break
            if not _is_obsolete(state, first):
                return rest, first
            state = rest
        elif set(first.cards) & set(state.requested):
            break
        else:
            state = replace(
                rest, pending_steps=(*required_steps(state, first), *rest.pending_steps)
            )
    return state, None


def _is_obsolete(state: VerifiedState, hide: HideStep) -> bool:
    """Check that a step is obsolete: it hides one card for a seat that has left."""
    return len(hide.cards) == 1 and not set(hide.by) & set(state.present)


def _can_join(state: VerifiedState, ask: ShareRequest) -> bool:
    """Check that a request can join the cards that are already requested."""
    return len(state.requested) + len(ask.cards) <= MAX_PIECES and not set(ask.cards) & set(
        state.requested
    )


def _start_request(state: VerifiedState, ask: ShareRequest) -> VerifiedState:
    """Return the state in which these cards are requested, unless the receiver has left."""
    if ask.receiver != EVERYBODY and ask.receiver not in state.present:
        return state
    givers = frozenset(state.context.present) - {ask.receiver}
    readers = frozenset[int]() if ask.receiver == EVERYBODY else frozenset({ask.receiver})
    return replace(
        state,
        requested=tuple(sorted({*state.requested, *ask.cards})),
        holders={**state.holders, **dict.fromkeys(ask.cards, ask.receiver)},
        shares={**{card: {} for card in ask.cards}, **state.shares},
        card_readers={
            **state.card_readers,
            **{card: state.readers_of(card) | readers for card in ask.cards},
        },
        given_shares={
            **state.given_shares,
            **{card: state.given_shares.get(card, frozenset()) | givers for card in ask.cards},
        },
    )


def reset_shown(state: VerifiedState) -> VerifiedState:
    """Forget shares, holders, readers and pieces of the loose cards that a seat has just shuffled.

    After the shuffle of a single card, its piece and readers still apply. Only its shares are void,
    because they belong to another ciphertext.
    """
    if not state.is_loose:
        return state
    state = replace(
        state,
        shares=_omit(state.shares, state.pile),
        holders=_omit(state.holders, state.pile),
        newest={**state.newest, **dict.fromkeys(state.pile, state.shuffles)},
    )
    if len(state.pile) == 1:
        return state
    shown, readers = _omit(state.shown, state.pile), _omit(state.card_readers, state.pile)
    return replace(state, shown=shown, card_readers=readers)


def reset_readers(state: VerifiedState) -> VerifiedState:
    """Update, after the last shuffler of loose cards, the seats that have given shares of each
    card.

    If only some seats shuffled, a share given for any of these cards may belong to any of them now.
    """
    if not state.is_loose:
        return state
    given = (
        frozenset[int]().union(*(state.given_shares.get(card, ()) for card in state.pile))
        if state.lone_shufflers
        else frozenset()
    )
    return replace(state, given_shares={**state.given_shares, **dict.fromkeys(state.pile, given)})


def open_card(
    state: VerifiedState, seat: int, operation: OpenCard, part: Fields, proven: bool
) -> VerifiedState:
    """Open a loose card by the share of the seat that looked at it last, with its proof.

    Raises: Refused, ProtocolViolation.
    """
    card, piece = operation.card, operation.piece
    # The card is public, so no proof is needed. An author who claims another piece may not have
    # seen the opening yet.
    if card in state.shown:
        if part or state.shown[card] != piece:
            raise Refused(Code.STALE)
        return state
    if card not in state.context.loose_cards or not OPEN_CARD_PART(part):
        raise Refused(Code.BAD_ENTRY)
    seen, share, proof = part
    # The card was hidden again after its author had looked at it, which is no lie.
    if seen < state.newest.get(card, 0):
        raise Refused(Code.STALE)
    if state.holders.get(card) != seat:
        raise ProtocolViolation(Code.NOT_HELD)
    try:
        opened = piece_from_share(state, seat, card, decode_point(share), proof, proven)
    except RemoteError as error:
        raise ProtocolViolation(error.code) from error
    if opened != piece:
        raise ProtocolViolation(Code.BAD_OPENING)
    return replace(state, shown={**state.shown, card: piece})


class LooseCardReader:
    """Knowledge of one seat about loose cards, by their place in the deck, until others shuffle
    them.

    The reader must be updated after every entry, because the state drops the shares of a card when
    it is hidden again.
    """

    def __init__(self, seat: int) -> None:
        self.pieces: dict[Card, Piece] = {}  # pieces that this seat can read, public cards included
        self._seat = seat
        self._read: dict[Ciphertext, Piece] = {}
        # Pieces by new ciphertext after this seat's last shuffle; valid once that shuffle is in the
        # deck.
        self._hid: dict[Ciphertext, Piece] = {}

    def read_cards(self, state: VerifiedState, opened: Callable[[Card], Piece]) -> None:
        """Update the pieces from a state; `opened` reads a card for which only this seat's share is
        missing.
        """
        own = [
            card
            for card, holder in state.holders.items()
            if holder == self._seat and card in state.context.loose_cards
        ]
        come = [card for card in own if card not in state.shown and card not in state.requested]
        for card in come:
            if state.deck[card] not in self._read:
                self._read[state.deck[card]] = opened(card)
        known = {**self._note_unchanged(state), **self._hid, **self._read}
        cards = sorted(state.context.loose_cards)
        self.pieces = {card: known[state.deck[card]] for card in cards if state.deck[card] in known}
        self._read = {state.deck[card]: piece for card, piece in self.pieces.items()}
        self.pieces |= state.public_faces

    def note_shuffle(self, state: VerifiedState, places: Iterable[tuple[Card, Ciphertext]]) -> None:
        """Record the ciphertext that each card becomes by a shuffle of this seat."""
        self._hid = {new: self.pieces[card] for card, new in places if card in self.pieces}

    def _note_unchanged(self, state: VerifiedState) -> dict[Ciphertext, Piece]:
        """Return pieces of cards that this seat has read and another seat has hidden alone.

        The other seat hid one card to look at it as well, so the piece in that place is unchanged.
        """
        on_its_way = {card for card in state.requested if state.holders[card] == self._seat}
        kept = (
            card
            for card in self.pieces
            if self._seat in state.readers_of(card) and card not in on_its_way
        )
        return {state.deck[card]: self.pieces[card] for card in kept}


def _omit(mapping: Mapping[Card, V], cards: tuple[Card, ...]) -> dict[Card, V]:
    gone = frozenset(cards)
    return {card: value for card, value in mapping.items() if card not in gone}
