"""Public state of the decks of a match: steps due, opened slots, and disputes.

A game stores a `MatchDecks` in its state and passes it the actions listed in `ACTIONS`. Seats in
`seats_due` must post such an action before anything else; their programs do so by themselves
(`protocol.games.decks.own_deck`).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

from protocol.codes import Code
from protocol.errors import ProtocolViolation, Refused
from protocol.games import Action, MatchBinding, Piece
from protocol.games.decks import Face, Mode, Owned
from protocol.games.decks.accepted_cards import ANY_CARDS, AcceptedCards
from protocol.games.decks.evidence import gave_away, read_evidence
from protocol.games.decks.owned_card import card_id
from protocol.games.decks.slot_commitments import (
    COMMITMENT,
    SlotBinding,
    face_of,
    read_opening,
    verify_opening,
)
from protocol.games.decks.slot_opening import SlotOpening
from protocol.limits import MAX_DECK, MAX_DISPUTE_RECORDS, MAX_OPENINGS, MAX_OPENINGS_BYTES
from protocol.schema import exactly, many, uint
from protocol.seats import with_seat

ACTIONS = ("deck", "open", "agree", "decline", "dispute", "answer")

_DECK = many(exactly(COMMITMENT), 1, MAX_DECK)


class DeckPhase(StrEnum):
    """Phase of the decks."""

    BRING = "bring"  # every seat commits to its deck
    SHOW = "show"  # mode `open`: every slot is opened before the game
    AGREE = "agree"  # every seat checks the cards that were shown
    PLAY = "play"
    CLOSE = "close"  # mode `closing`: every slot is opened after the game
    PART = "part"  # every seat checks the cards that were shown at the end
    DONE = "done"


@dataclass(frozen=True)
class DeckTerms:
    """Terms of the match about decks. `allows` checks a complete deck. For decks that nobody sees
    completely, `fits` checks some cards and `sized` the number of cards.
    """

    mode: Mode
    allows: Callable[[tuple[Face, ...]], bool]
    # Cards that decks may consist of; None: decks consist of owned cards.
    proxies: tuple[Face, ...] | None = None
    fits: Callable[[tuple[Face, ...]], bool] = lambda faces: True
    sized: Callable[[int], bool] = lambda count: True
    # conditions of the match on owned cards
    accepted: AcceptedCards = ANY_CARDS


@dataclass(frozen=True)
class Dispute:
    """Accusation with records: a seat has given away a card that it played."""

    seat: int  # the accused seat, which must answer
    piece: Piece
    records: tuple[bytes, ...]


@dataclass(frozen=True)
class MatchDecks:
    """Public state of all decks; frozen, so `apply` returns a new state. `commitments` has one
    tuple per seat, or None until the seat has posted its commitments.
    """

    bound: MatchBinding
    commitments: tuple[tuple[bytes, ...] | None, ...]
    phase: DeckPhase = DeckPhase.BRING
    opened: tuple[SlotOpening, ...] = ()  # by ascending piece
    # Slots that the rules have revealed. Their owners must open them at once.
    requested: tuple[Piece, ...] = ()
    agreed: frozenset[int] = frozenset()  # seats that have agreed in this phase
    left_seats: frozenset[int] = frozenset()
    # The seat that refuses to play against the cards that it was shown.
    declined: int | None = None
    dispute: Dispute | None = None
    # slots disputed so far, each with the seat that disputed it: each seat may do so once
    disputed: frozenset[tuple[int, Piece]] = frozenset()

    @cached_property
    def faces(self) -> dict[Piece, SlotOpening]:
        """Openings by piece."""
        return {opening.piece: opening for opening in self.opened}

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of slots of each seat; 0 for a seat that left before it posted commitments."""
        return tuple(len(deck or ()) for deck in self.commitments)

    def pieces(self, seat: int) -> range:
        """Range of the slots of a seat, once all seats have committed: the slots of seat 0 come
        first, then those of seat 1.
        """
        first = sum(self.sizes[:seat])
        return range(first, first + self.sizes[seat])

    def owner(self, piece: Piece) -> int | None:
        """Seat that owns a slot; None if there is no such slot."""
        return next((seat for seat in range(len(self.sizes)) if piece in self.pieces(seat)), None)

    def unopened(self, seat: int) -> tuple[Piece, ...]:
        """Slots of a seat that are not opened, in ascending order."""
        return tuple(piece for piece in self.pieces(seat) if piece not in self.faces)

    def to_open(self, seat: int) -> tuple[Piece, ...]:
        """Slots that the seat must open now, in ascending order."""
        if self.phase in (DeckPhase.SHOW, DeckPhase.CLOSE):
            return self.unopened(seat)
        mine = self.pieces(seat)
        return tuple(piece for piece in self.requested if piece in mine and piece not in self.faces)

    @cached_property
    def seats_due(self) -> tuple[int, ...]:
        """Seats whose programs must post one of `ACTIONS` before anything else happens."""
        if self.dispute is not None:
            return (self.dispute.seat,)
        return tuple(
            seat
            for seat in range(len(self.sizes))
            if seat not in self.left_seats and self._has_step_due(seat)
        )

    def _has_step_due(self, seat: int) -> bool:
        match self.phase:
            case DeckPhase.BRING:
                return self.commitments[seat] is None
            case DeckPhase.AGREE | DeckPhase.PART:
                return seat not in self.agreed
        return bool(self.to_open(seat))


def new_decks(bound: MatchBinding) -> MatchDecks:
    """Create the state in which no seat has committed to a deck."""
    return MatchDecks(bound, (None,) * len(bound.identities))


def close(decks: MatchDecks, terms: DeckTerms) -> MatchDecks:
    """Begin the closing phases after the game has been played. A win counts only in
    `DeckPhase.DONE`, when no seat has a step due any more.
    """
    if decks.phase in (DeckPhase.CLOSE, DeckPhase.PART, DeckPhase.DONE):
        return decks
    if decks.phase is not DeckPhase.PLAY:
        return replace(decks, phase=DeckPhase.DONE)
    return _advance(
        replace(
            decks,
            requested=(),
            phase=DeckPhase.PART if terms.mode is Mode.HIDDEN else DeckPhase.CLOSE,
        ),
        terms,
    )


def request_openings(decks: MatchDecks, pieces: Iterable[Piece]) -> MatchDecks:
    """Add slots that the rules have revealed. Their owners, except seats that have left, must open
    them before anything else.

    Slots that are opened already are ignored.
    """
    return replace(decks, requested=tuple(sorted({*decks.requested, *pieces} - decks.faces.keys())))


def forfeit(decks: MatchDecks, seat: int, terms: DeckTerms) -> MatchDecks:
    """Return the decks after a seat has left: it has no steps due any more. A dispute about one of
    its cards ends without a verdict.
    """
    dispute = None if decks.dispute is not None and decks.dispute.seat == seat else decks.dispute
    return _advance(replace(decks, left_seats=decks.left_seats | {seat}, dispute=dispute), terms)


def parse(raw: list[Any]) -> Action:
    """Parse one of `ACTIONS` from decoded MessagePack. Raises: Refused(BAD_ACTION)."""
    name, *rest = raw
    if not _SHAPES[name](rest):
        raise Refused(Code.BAD_ACTION)
    return (name, *rest)


def apply(decks: MatchDecks, seat: int, action: Action, terms: DeckTerms) -> MatchDecks:
    """Return the decks after this seat has posted one of `ACTIONS`.

    Raises: Refused if the action is not possible now. ProtocolViolation(BAD_SLOT, NOT_OWNED,
    BAD_DECK, NOT_ACCEPTED) if it proves that the seat has cheated.
    """
    name, *said = action
    if seat in decks.left_seats or (name != "dispute" and seat not in decks.seats_due):
        raise Refused(Code.NOT_YOUR_TURN)
    match name:
        case "deck" if decks.phase is DeckPhase.BRING:
            return _advance(_apply_commitments(decks, seat, said, terms), terms)
        case "open" if decks.dispute is None:
            return _advance(_apply_open_step(decks, seat, said, terms), terms)
        case "agree" if decks.phase in (DeckPhase.AGREE, DeckPhase.PART) and decks.dispute is None:
            return _advance(replace(decks, agreed=decks.agreed | {seat}), terms)
        case "decline" if decks.phase is DeckPhase.AGREE and decks.dispute is None:
            return replace(decks, phase=DeckPhase.DONE, declined=seat)
        case "dispute" if decks.dispute is None:
            return _apply_dispute(decks, seat, said)
        case "answer" if decks.dispute is not None:
            return _apply_answer(decks, decks.dispute, said)
    raise Refused(Code.NOT_NOW)


def _apply_open_step(
    decks: MatchDecks, seat: int, openings: list[bytes], terms: DeckTerms
) -> MatchDecks:
    """Apply an `open` action, which may open only slots that the seat must open now."""
    after = show(decks, seat, openings, terms)
    if not after.faces.keys() - decks.faces.keys() <= set(decks.to_open(seat)):
        raise Refused(Code.ILLEGAL_MOVE)
    return after


def show(
    decks: MatchDecks, seat: int, openings: list[bytes] | tuple[bytes, ...], terms: DeckTerms
) -> MatchDecks:
    """Return the decks after a seat has opened slots of its own, in any kind of action. Raises: as
    `apply`.
    """
    read = tuple(map(read_opening, openings))
    for opening in read:
        decks = _apply_opening(decks, seat, opening, terms)
    if read and not terms.fits(tuple(face(decks, opening.piece, terms) for opening in read)):
        raise ProtocolViolation(Code.BAD_DECK)
    mine = decks.pieces(seat)
    if (
        openings
        and not decks.unopened(seat)
        and not terms.allows(tuple(face(decks, piece, terms) for piece in mine))
    ):
        raise ProtocolViolation(Code.BAD_DECK)
    return decks


def face(decks: MatchDecks, piece: Piece, terms: DeckTerms) -> Face:
    """Face of an opened slot. Raises: KeyError if the slot is not opened."""
    return face_of(decks.faces[piece].card, terms.proxies)


def _apply_commitments(
    decks: MatchDecks, seat: int, said: list[Any], terms: DeckTerms
) -> MatchDecks:
    mode, *commitments = said
    if mode != terms.mode:
        raise Refused(Code.BAD_ACTION)
    if not terms.sized(len(commitments)):
        raise ProtocolViolation(Code.BAD_DECK)
    return replace(decks, commitments=with_seat(decks.commitments, seat, tuple(commitments)))


def _apply_opening(
    decks: MatchDecks, seat: int, opening: SlotOpening, terms: DeckTerms
) -> MatchDecks:
    mine = decks.pieces(seat)
    if opening.piece not in mine or opening.piece in decks.faces:
        raise Refused(Code.ILLEGAL_MOVE)
    place = opening.piece - mine.start
    deck = decks.commitments[seat] or ()
    verify_opening(opening, deck[place], SlotBinding(decks.bound, seat, place), terms.proxies)
    if isinstance(opening.card, Owned):
        _check_no_copy(decks, seat, opening.card)
        _check_accepted(terms, opening.card)
    return replace(decks, opened=tuple(sorted((*decks.opened, opening), key=lambda one: one.piece)))


def _check_no_copy(decks: MatchDecks, seat: int, card: Owned) -> None:
    """Check that the card is not already in the seat's deck. Raises:
    ProtocolViolation(BAD_DECK).
    """
    mine = card_id(card.instance)
    shown = (decks.faces[piece].card for piece in decks.pieces(seat) if piece in decks.faces)
    if any(isinstance(other, Owned) and card_id(other.instance) == mine for other in shown):
        raise ProtocolViolation(Code.BAD_DECK)


def _check_accepted(terms: DeckTerms, card: Owned) -> None:
    """Check the conditions of the match on cards. Raises: ProtocolViolation(NOT_ACCEPTED)."""
    if terms.accepted.objection(card) is not None:
        raise ProtocolViolation(Code.NOT_ACCEPTED)


def _apply_dispute(decks: MatchDecks, seat: int, said: list[Any]) -> MatchDecks:
    piece, *raws = said
    owner, opening = decks.owner(piece), decks.faces.get(piece)
    known = opening is not None and isinstance(opening.card, Owned)
    if (
        owner is None
        or owner == seat
        or owner in decks.left_seats
        or not known
        or (seat, piece) in decks.disputed
    ):
        raise Refused(Code.ILLEGAL_MOVE)
    dispute = Dispute(owner, piece, tuple(raws))
    if not _is_proven(decks, dispute, ()):
        raise Refused(Code.LACKING)
    return replace(decks, dispute=dispute, disputed=decks.disputed | {(seat, piece)})


def _apply_answer(decks: MatchDecks, dispute: Dispute, raws: list[Any]) -> MatchDecks:
    if _is_proven(decks, dispute, raws):
        raise ProtocolViolation(Code.NOT_OWNED)
    return replace(decks, dispute=None)


def _is_proven(decks: MatchDecks, dispute: Dispute, more: list[Any] | tuple[bytes, ...]) -> bool:
    card = decks.faces[dispute.piece].card
    assert isinstance(card, Owned)
    # each of the two has room of its own: a long dispute leaves no less for its answer
    records = (*read_evidence(dispute.records), *read_evidence(more))
    return gave_away(card, decks.bound.identities[dispute.seat], records)


def _advance(decks: MatchDecks, terms: DeckTerms) -> MatchDecks:
    """Advance through all phases in which no seat has a step due."""
    while decks.phase not in (DeckPhase.PLAY, DeckPhase.DONE) and not decks.seats_due:
        decks = replace(decks, phase=_next_phase(decks.phase, terms), agreed=frozenset())
    return decks


def _next_phase(phase: DeckPhase, terms: DeckTerms) -> DeckPhase:
    looks = terms.proxies is None  # proxies have no owner, so nobody needs to check ownership
    match phase:
        case DeckPhase.BRING if terms.mode is Mode.OPEN:
            return DeckPhase.SHOW
        case DeckPhase.SHOW if looks:
            return DeckPhase.AGREE
        case DeckPhase.CLOSE if looks:
            return DeckPhase.PART
        case DeckPhase.CLOSE | DeckPhase.PART:
            return DeckPhase.DONE
    return DeckPhase.PLAY


def _are_openings(openings: list[Any]) -> bool:
    sized = all(type(one) is bytes for one in openings) and 1 <= len(openings) <= MAX_OPENINGS
    return sized and sum(map(len, openings)) <= MAX_OPENINGS_BYTES


def _are_records(raws: list[Any]) -> bool:
    return len(raws) <= MAX_DISPUTE_RECORDS and all(type(one) is bytes for one in raws)


_SHAPES: dict[str, Callable[[list[Any]], bool]] = {
    "deck": lambda rest: bool(rest) and rest[0] in list(Mode) and _DECK(rest[1:]),
    "open": _are_openings,
    "agree": lambda rest: not rest,
    "decline": lambda rest: not rest,
    "dispute": lambda rest: len(rest) >= 2 and uint()(rest[0]) and _are_records(rest[1:]),
    "answer": _are_records,
}
