"""Check of the facts of a match after every entry, against the promises of its dealing and the
knowledge of its seats.
"""

from collections.abc import Callable
from functools import lru_cache

from protocol.audit.knowledge_matrix import apply_entry_facts
from protocol.crypto.elgamal import Ciphertext, combine_shares, share
from protocol.crypto.group import Point, Scalar
from protocol.dealing import TABLE
from protocol.dealing.card_state import pieces_by_point
from protocol.dealing.commutative.opening_audit import remove_envelopes
from protocol.dealing.commutative.seat import CommutativeSeat
from protocol.dealing.commutative.state import CommutativeState
from protocol.dealing.facts import Fact, Reading
from protocol.dealing.knowledge import Knowledge, KnowledgeCell
from protocol.dealing.layered.primitives import layer
from protocol.dealing.layered.seat import LayeredSeat
from protocol.dealing.layered.stages import LayeredStage as LayeredStage
from protocol.dealing.layered.state import LayeredState
from protocol.dealing.layered.table import LayeredTable
from protocol.dealing.seeded.opening_audit import deck_replays
from protocol.dealing.seeded.seat import SeededSeat
from protocol.dealing.seeded.stages import SeededStage
from protocol.dealing.seeded.state import SeededState
from protocol.dealing.verified.seat import VerifiedSeat
from protocol.dealing.verified.state import VerifiedState
from protocol.fast_replace import replace
from protocol.games import Piece
from protocol.games.operations import EVERYBODY
from protocol.match.log import Entry
from protocol.match.state import Match
from table.match.live_match import LiveMatch


class Watched(LiveMatch):
    """Match that raises AssertionError as soon as a fact claims more knowledge than a party may
    have.
    """

    known: Knowledge | None = None
    facts: tuple[Fact, ...] = ()  # facts after the newest entry
    # (deal, seat, place) of every card that was once in the seat's hand
    held: frozenset[tuple[int, int, int]] = frozenset()
    # called after each update of the facts
    look: Callable[[Match, object], None] = staticmethod(lambda before, deal: None)

    def _append(self, entry: Entry, match: Match) -> None:
        before = self.match
        super()._append(entry, match)
        self.known, self.facts = apply_entry_facts(self.known, before, entry, match)
        if self.known is not None and before.deal is not None:
            deal = match.deal if match.deal_number == before.deal_number else match.closed_deal
            self._check_promises(before, deal)
            self.look(before, deal)

    def _check_promises(self, before: Match, deal: object) -> None:
        assert self.known is not None
        single = [fact for fact in self.facts if isinstance(fact, Reading) and fact.count is None]
        learnt = {(fact.party, place) for fact in single for place in fact.slots}
        for party, place in learnt | self.known.known:
            if party == EVERYBODY or place in self.known.public:
                continue
            # the seat may have put the card away since
            once = (before.deal_number, party, place) in self.held
            assert once or may_know(deal, party, place), (before.next_number, party, place)
        self.held |= {
            (before.deal_number, seat, place) for place, seat in enumerate(self.known.holders)
        }


def may_know(deal: object, party: int, place: int) -> bool:
    """Check the tables of the README: may `party` know the card at `place`, which has not been
    shown?
    """
    match deal:
        case VerifiedState():
            return party != TABLE and deal.holders.get(place) in (
                party,
                EVERYBODY,
            )  # the party that gives its part last sees the card first
        case CommutativeState():
            # nothing has been dealt yet
            packing = len(deal.packs) == 1 and deal.packs[0].seat == party
            # all others have opened their keys: the hand is over
            last = set(deal.present) - set(deal.keys) == {party}
            return party != TABLE and (
                packing or last or deal.holders.get(place) in (party, EVERYBODY)
            )
        case SeededState():
            return party != TABLE and place in deal.hand_of(party)
        case LayeredState() if party == TABLE:
            over = deal.stage in (LayeredStage.OPEN_TABLE, LayeredStage.CLOSED)
            dealt = (
                place in deal.taken
                and bool(deal.element_lists)
                and set(deal.stripped) <= set(deal.element_lists[0])
            )
            return over or len(deal.element_lists) == 1 or (bool(deal.stripped) and dealt)
        case LayeredState():
            return any(drawing.seat == party and drawing.element == place for drawing in deal.draws)
    return False


def can_read(half: object, deal: object, place: int) -> Piece | None:
    """Return the piece at a place, as this private half can read it with the whole log."""
    match half, deal:
        case VerifiedSeat(), VerifiedState():
            return _verified(half, deal, place)
        case CommutativeSeat(), CommutativeState():
            return _commutative(half, deal, place)
        case SeededSeat(), SeededState():
            return _seeded(half, deal, place)
        case LayeredSeat(), LayeredState():
            return layered_places(half, deal).get(place)
        case LayeredTable(), LayeredState():
            return _layered_table(half, deal, place)
    return None


def _verified(half: VerifiedSeat, deal: VerifiedState, place: int) -> Piece | None:
    if not deal.deck or deal.deck[place] == deal.first_deck()[place]:
        return None  # unencrypted, before anything is sealed
    given = tuple(deal.shares.get(place, {}).items())
    return _opened(deal.deck[place], given, (half._seat, half._x), deal.context.piece_count)


@lru_cache(1 << 12)  # called for every card after every entry, with mostly equal arguments
def _opened(
    card: Ciphertext, given: tuple[tuple[int, Point], ...], own: tuple[int, Scalar], pieces: int
) -> Piece | None:
    seat, x = own
    shares = dict(given)
    shares.setdefault(seat, share(x, card))
    return pieces_by_point(pieces).get(combine_shares(card, shares.values()))


def _commutative(half: CommutativeSeat, deal: CommutativeState, place: int) -> Piece | None:
    packed = {pack.seat for pack in deal.packs}
    off = {step.seat for step in deal.unwrappings if step.card == place}
    keys = {**deal.keys, half._seat: half._key}
    if not packed:
        return None
    left = remove_envelopes(
        deal.points.get(place, deal.deck[place]), [keys[seat] for seat in packed & set(keys) - off]
    )
    return pieces_by_point(deal.context.piece_count).get(left)


def _seeded(half: SeededSeat, deal: SeededState, place: int) -> Piece | None:
    """Calculate a draw from the seat's seed and the others' contributions."""
    awaited = deal.stage is SeededStage.GIVE and {duty.author for duty in deal.duties()} - {
        half._seat
    }
    if place not in deal.hand_of(half._seat) or (awaited and place in deal.undrawn_cards):
        return None
    return [
        deck.piece(place)
        for _, deck in deck_replays(replace(deal, seeds={half._seat: half._seed}), half._seat)
    ][-1]


def layered_places(half: LayeredSeat, deal: LayeredState) -> dict[int, Piece]:
    """Return the pieces that a seat has been told, by place."""
    own, found = half._own, {}
    drawings = iter(drawing for drawing in deal.draws if drawing.seat == own.seat)
    for piece, known in own.known_pieces.items():
        if known.layer_keys:
            found[next(drawings).element] = piece
        else:
            found[deal.taken[deal.taken_positions.index(known.position)]] = piece
    return found


def _layered_table(half: LayeredTable, deal: LayeredState, place: int) -> Piece | None:
    """Calculate a piece from the pseudonyms. The table knows all of them, so one remaining
    pseudonym identifies the piece.
    """
    if not deal.element_lists:
        return None
    element = deal.element_lists[-1][place]
    if place in deal.taken and deal.stripped:
        element = deal.stripped[deal.taken.index(place)]
    for seat, opening in enumerate(deal.openings):
        if opening is None or element in deal.element_lists[0]:
            break
        key = (
            opening.layer_keys[deal.output_of(seat).index(element)]
            if element in deal.output_of(seat)
            else None
        )
        element = layer(deal.deal_id, seat, key, element) if key is not None else element
    return (
        half._deck[deal.element_lists[0].index(element)][0]
        if element in deal.element_lists[0]
        else None
    )


def says_it_knows(known: Knowledge, party: int) -> frozenset[int]:
    """Return the places that a party can read according to the facts."""
    places = range(len(known.holders))
    return frozenset(
        place
        for place in places
        if known.cell(party, place) in (KnowledgeCell.KNOWN, KnowledgeCell.PUBLIC)
    )
