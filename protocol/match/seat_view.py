"""The view of one seat. It depends on public values and on this seat's own hand, and on nothing
else.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from protocol.fast_replace import replace
from protocol.games import Act, Hand, Over
from protocol.games.decks.deck_hand import DeckHand
from protocol.games.game_view import AnyGameView, GuidedView, PrivateGameView
from protocol.identity.keys import short_fingerprint
from protocol.identity.roster_words import roster_words
from protocol.match.roster_digest import roster_digest
from protocol.match.state import Match, MatchStage
from protocol.view.board import Board, Offer, PieceView, RegionBoard, SeatSummary
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import sanitize
from protocol.view.view import DealView, FaultView, SeatView, TrustView, TurnView, View

VIEW_VERSION = 1  # version of the view's data, for a screen in another process


@dataclass(frozen=True)
class ClientKnowledge:
    """Facts about a match that the client has from outside the log. Mappings are by seat."""

    # milliseconds of each seat's present turn so far
    waited: Mapping[int, int] = field(default_factory=dict)
    # seats whose turns may have begun earlier than `waited` says
    unsure: frozenset[int] = frozenset()
    # Unix time of the last match with the person in this seat
    last_met: Mapping[int, int] = field(default_factory=dict)
    connected: Mapping[int, bool] = field(default_factory=dict)
    last_remarks: Mapping[int, str] = field(default_factory=dict)  # newest remark of each seat
    # milliseconds from the seat to the table and back, as the table reports
    round_trips: Mapping[int, int] = field(default_factory=dict)
    log_path: str | None = None  # path of the client's own log file


NO_CLIENT_KNOWLEDGE = ClientKnowledge()


def view_of(
    match: Match,
    you: int | None = None,
    hand: Hand = (),
    aside: ClientKnowledge = NO_CLIENT_KNOWLEDGE,
) -> View:
    """Return the view of the seat `you`, which holds `hand`. For a spectator `you` is None."""
    setup = match.setup
    state = match.game
    view = setup.view
    game = setup.game
    offers = () if you is None else offers_of(match, you, hand)
    board, pieces = _board_and_hand(match, you, hand)
    prompt, unfit, ending = _guidance(match, you, offers)
    return View(
        version=VIEW_VERSION,
        match=match.match_id.hex(),
        game=setup.terms.game.name,
        number=match.next_number,
        stage=match.stage.value,
        seats=_seat_views(match, view, aside),
        you=you,
        board=None if board is None else _board_with_offers(board, offers),
        hand=tuple(_with_offers(piece, offers) for piece in pieces),
        made=None if state is None else view.hand_name(game, state, hand),
        offers=offers,
        turns=_turn_views(match, aside),
        deal=_deal_view(match),
        result=() if state is None else view.result(game, state),
        winners=match.winners,
        trust=_trust_view(match, aside),
        sit=None if you is None else _sit_offer(match, you),
        prompt=prompt,
        unfit=unfit,
        ending=ending,
        simultaneous=match.active_simultaneous is not None,
    )


def _guidance(
    match: Match, you: int | None, offers: tuple[Offer, ...]
) -> tuple[Phrase | None, Phrase | None, Phrase | None]:
    """Return what the seat can do, why other pieces cannot be played, and why the game is over, as
    far as the game says it.
    """
    game, state, view = match.setup.game, match.game, match.setup.view
    if state is None or not isinstance(view, GuidedView):
        return None, None, None
    ending = view.ending(game, state) if isinstance(game.wants(state), Over) else None
    if you is None or not offers:
        return None, None, ending
    prompt = view.prompt(game, state, you, offers)
    return prompt, view.unfit(game, state, you, offers), ending


def _board_and_hand(
    match: Match, you: int | None, hand: Hand
) -> tuple[Board | None, tuple[PieceView, ...]]:
    """Return the board and the pieces of the hand."""
    view = match.setup.view
    game = match.setup.game
    state = match.game
    if (
        isinstance(hand, DeckHand)
        and isinstance(view, PrivateGameView)
        and you is not None
        and state is not None
    ):
        return view.private_board(game, state, you, hand)
    board = None if state is None else view.board(game, state)
    return board, tuple(view.piece(game, piece) for piece in hand)


def offers_of(match: Match, seat: int, hand: Hand) -> tuple[Offer, ...]:
    """Return the actions that a seat with this hand may choose now."""
    if match.stage is not MatchStage.PLAYING:
        return ()
    game = match.setup.game
    want = game.wants(match.game)
    if not isinstance(want, Act) or seat not in want.seats:
        return ()
    return match.setup.view.offers(game, match.game, seat, hand)


def _sit_offer(match: Match, seat: int) -> Offer | None:
    """Return the offer to sit out or to come back, if this seat may do so now."""
    kind = match.sit_kind(seat)
    if kind is None:
        return None
    return Offer(
        0,
        kind,
        (kind,),
        phrase("match.offer.sit_out" if kind == "sit_out" else "match.offer.sit_in"),
    )


def _with_offers(piece: PieceView, offers: tuple[Offer, ...]) -> PieceView:
    return replace(piece, offers=tuple(offer.id for offer in offers if offer.piece == piece.index))


def _board_with_offers(board: Board, offers: tuple[Offer, ...]) -> Board:
    """Attach offers to pieces on the board: in games with regions, these can be played too."""
    if not isinstance(board, RegionBoard):
        return board
    return replace(
        board,
        regions=tuple(
            replace(region, pieces=tuple(_with_offers(piece, offers) for piece in region.pieces))
            for region in board.regions
        ),
    )


def _seat_views(match: Match, view: AnyGameView, aside: ClientKnowledge) -> tuple[SeatView, ...]:
    setup = match.setup
    begun = match.game is not None
    if begun:
        standings = view.standings(setup.game, match.game)
    else:
        standings = (SeatSummary(0, 0),) * setup.seats
    return tuple(
        SeatView(
            seat,
            sanitize(person.name),
            short_fingerprint(person.identity),
            standing,
            aside.last_met.get(seat),
            aside.connected.get(seat),
            aside.last_remarks.get(seat),
            aside.round_trips.get(seat),
        )
        for seat, (person, standing) in enumerate(zip(setup.people, standings, strict=True))
    )


def _turn_views(match: Match, aside: ClientKnowledge) -> tuple[TurnView, ...]:
    if match.stage is not MatchStage.PLAYING:
        return ()
    return tuple(_turn_view(match, duty.author, aside) for duty in match.duties())


def _turn_view(match: Match, seat: int, aside: ClientKnowledge) -> TurnView:
    if match.setup.has_table:
        due = match.next_clock_entry(seat)
    else:
        due = None
    since = match.duty_since(seat)
    waited = aside.waited.get(seat, 0)
    sure = seat not in aside.unsure
    if due is None:
        return TurnView(seat, since, waited=waited, sure=sure)
    left = match.setup.allowance.extensions - match.clock.extensions_used[seat]
    return TurnView(seat, since, due.kind, due.after, left, waited, match.deadline(seat), sure=sure)


def _deal_view(match: Match) -> DealView | None:
    if match.stage is not MatchStage.DEALING or match.deal is None:
        return None
    key, percent = match.deal.progress()
    return DealView(match.deal_number + 1, phrase(key), percent)


def _trust_view(match: Match, aside: ClientKnowledge) -> TrustView:
    setup = match.setup
    digest = roster_digest(match)
    return TrustView(
        checked=match.next_number,
        faults=tuple(
            FaultView(fault.seat, fault.entry, fault.code.value) for fault in match.faults
        ),
        roster=None if digest is None else roster_words(digest),
        table=short_fingerprint(setup.table.key) if setup.has_table else None,
        dealing=setup.terms.dealing.name,
        options=setup.terms.dealing.options,
        saved=aside.log_path,
    )
