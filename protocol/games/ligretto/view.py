"""Ligretto as data. Its regions are the shared piles and, for every seat, a row, discards, a hand
and a stock. A `protocol.games.game_view.GameView`.

Cards that nobody has turned appear only as counts, even to the seat that owns them.
"""

from dataclasses import replace
from itertools import starmap

from protocol.games import Act, Action, Hand, Piece
from protocol.games.endings import most_points, reached_target
from protocol.games.ligretto.cards import COLOURS, colour, number
from protocol.games.ligretto.rules import Ligretto
from protocol.games.ligretto.state import LigrettoPhase, LigrettoResult, LigrettoState, SeatCards
from protocol.view.board import (
    Offer,
    PieceView,
    Region,
    RegionBoard,
    RegionKind,
    SeatStatus,
    SeatSummary,
)
from protocol.view.phrase import Phrase, SeatRef, phrase

CARDS = ("ligretto.red", "ligretto.yellow", "ligretto.green", "ligretto.blue")
ROW_KEYS = "12345"  # by slot
TOP_KEY = "0d"  # the key next to those of the row, and the d of "discards"
FRONT_KEY = "b"  # the top of the stock, in Dutch Blitz
FLIP_KEY = " f"  # the space bar, and a letter for clients that read whole lines
KEYS = ROW_KEYS + TOP_KEY + FLIP_KEY + FRONT_KEY


def piece(game: Ligretto, piece: Piece) -> PieceView:
    """Return a card: its colour and its number."""
    return PieceView(piece, (COLOURS[colour(piece)], str(number(piece))))


def card_phrase(card: Piece) -> Phrase:
    """Name a card for use in a sentence."""
    return phrase(CARDS[colour(card)], number=number(card))


def board(game: Ligretto, state: LigrettoState) -> RegionBoard:
    """Return the top cards of the shared piles, then the regions of each seat that was dealt to."""
    tops = tuple(piece(game, pile.cards[-1]) for pile in state.piles)
    name = phrase("blitz.piles" if game.blitz else "ligretto.piles")
    shared = Region(name, RegionKind.ROW, tops)
    dealt = [(seat, own) for seat, own in enumerate(state.seats) if own.row]
    regions = _blitz_regions if game.blitz else _seat_regions
    own = (region for seat, own in dealt for region in regions(game, seat, own))
    return RegionBoard(state.round, (shared, *own) if dealt else ())


def _seat_regions(game: Ligretto, seat: int, own: SeatCards) -> tuple[Region, ...]:
    """Return the regions of a seat, in the order of the keys."""
    top = () if own.top is None else (piece(game, own.top),)
    row = tuple(piece(game, card) for card in own.row)
    return (
        Region(phrase("ligretto.row"), RegionKind.ROW, row, seat=seat),
        Region(phrase("ligretto.discards"), RegionKind.PILE, top, max(own.mark - 1, 0), seat),
        Region(phrase("ligretto.hand"), RegionKind.PILE, (), len(own.hand) - own.mark, seat),
        Region(phrase("ligretto.stock"), RegionKind.PILE, (), own.stock, seat),
    )


def _blitz_regions(game: Ligretto, seat: int, own: SeatCards) -> tuple[Region, ...]:
    """Return the regions of a seat in Dutch Blitz: each post pile with all its cards, then the same
    as in Ligretto.
    """
    _, discards, hand, stock = _seat_regions(game, seat, own)
    posts = (
        Region(
            phrase("blitz.post", number=number),
            RegionKind.ROW,
            tuple(piece(game, card) for card in (*below, top)),
            seat=seat,
        )
        for number, (below, top) in enumerate(zip(own.below, own.row, strict=True), 1)
    )
    front = () if own.front is None else (piece(game, own.front),)
    return (
        *posts,
        replace(discards, name=phrase("blitz.wood")),
        hand,
        replace(stock, name=phrase("blitz.stock"), pieces=front, count=max(own.stock - 1, 0)),
    )


def standings(game: Ligretto, state: LigrettoState) -> tuple[SeatSummary, ...]:
    """Return for each seat its points from scored rounds, the number of cards in its hand including
    discards, and whether it can act.
    """
    want = game.wants(state)
    able = want.seats if isinstance(want, Act) else ()
    return tuple(
        SeatSummary(
            total, len(own.hand), seat in able, SeatStatus.LEFT if seat in state.out else None
        )
        for seat, (total, own) in enumerate(zip(state.totals, state.seats, strict=True))
    )


def offers(game: Ligretto, state: LigrettoState, seat: int, hand: Hand) -> tuple[Offer, ...]:
    """Make one offer for each legal action, with the key of its slot."""
    own = state.seats[seat]
    return tuple(
        _offer(game, own, id, action) for id, action in enumerate(game.legal(state, seat, hand))
    )


def _offer(game: Ligretto, own: SeatCards, id: int, action: Action) -> Offer:
    verb, *numbers = action
    if verb == "flip":
        flip = "ligretto.offer.again" if own.mark == len(own.hand) else "ligretto.offer.flip"
        return Offer(id, verb, action, phrase(flip), key=FLIP_KEY)
    slot = numbers[0]
    card, key = _card_in_slot(game, own, slot), _key(game, slot)
    if verb == "post":
        # a card that lies on others may go to and fro
        kind = "shift" if slot < game.row and own.below[slot] else "post"
        to = phrase("blitz.offer.post", card=card_phrase(card), number=numbers[1] + 1)
        return Offer(id, kind, action, to, card, key=key)
    if verb == "open":
        return Offer(
            id, verb, action, phrase("ligretto.offer.open", card=card_phrase(card)), card, key=key
        )
    pile = numbers[1]
    label = phrase("ligretto.offer.lay", card=card_phrase(card), pile=pile + 1)
    return Offer(id, verb, action, label, card, pile, key=key)


def _key(game: Ligretto, slot: int) -> str:
    """Keys of a slot."""
    if slot < game.row:
        return ROW_KEYS[slot]
    return TOP_KEY if slot == game.row else FRONT_KEY


def _card_in_slot(game: Ligretto, own: SeatCards, slot: int) -> Piece:
    """Card in a slot that holds one."""
    card = game.card(own, slot)
    assert card is not None
    return card


def hand_name(game: Ligretto, state: LigrettoState, hand: Hand) -> None:
    """Return None: cards of Ligretto form no combinations."""
    return


def narrate(game: Ligretto, state: LigrettoState, seat: int, action: Action) -> Phrase:
    who, own, verb = SeatRef(seat), state.seats[seat], action[0]
    if verb in ("flip", "rest"):
        return phrase("ligretto.flipped" if verb == "flip" else "ligretto.rested", who=who)
    card = card_phrase(_card_in_slot(game, own, action[1]))
    if verb == "post":
        return phrase("blitz.posted", who=who, card=card, number=action[2] + 1)
    if verb == "open":
        return phrase("ligretto.opened", who=who, card=card)
    return phrase("ligretto.laid", who=who, card=card, pile=action[2] + 1)


def news(game: Ligretto, before: LigrettoState | None, after: LigrettoState) -> tuple[Phrase, ...]:
    """Say that a deadlock was rescued, or that all decks are dealt anew."""
    if before is None:
        return ()
    if (
        after.phase is LigrettoPhase.DEAL
        and before.phase is not LigrettoPhase.DEAL
        and after.result is before.result
    ):
        return (phrase("ligretto.again"),)
    return (
        (phrase("ligretto.rescued", count=after.rescues),) if after.rescues > before.rescues else ()
    )


def result(
    game: Ligretto, state: LigrettoState, before: LigrettoState | None = None
) -> tuple[Phrase, ...]:
    """Describe how the last round ended. Nothing if it had already ended in `before`."""
    if state.result is None or (before is not None and state.result is before.result):
        return ()
    return (
        _ending_phrase(game, state.result),
        phrase("ligretto.points", seats=tuple(starmap(_points_phrase, _result_rows(state.result)))),
    )


def _ending_phrase(game: Ligretto, result: LigrettoResult) -> Phrase:
    if result.stopped is None:
        return phrase("ligretto.stuck")
    said = "blitz.stopped" if game.blitz else "ligretto.stopped"
    return phrase(said, who=SeatRef(result.stopped))


def _result_rows(result: LigrettoResult) -> list[tuple[int, int, int, int]]:
    """List seat, points, cards laid and cards left in the stock, for every seat present at the
    end.
    """
    rows = enumerate(zip(result.points, result.laid, result.stock, strict=True))
    return [
        (seat, points, laid, stock) for seat, (points, laid, stock) in rows if points is not None
    ]


def _points_phrase(seat: int, points: int, laid: int, stock: int) -> Phrase:
    return phrase("ligretto.points.seat", who=SeatRef(seat), points=points, laid=laid, stock=stock)


def prompt(game: Ligretto, state: LigrettoState, seat: int, offers: tuple[Offer, ...]) -> Phrase:
    """Say that nobody waits for a turn. The sentence stays the same throughout the round."""
    return phrase("ligretto.prompt")


def unfit(game: Ligretto, state: LigrettoState, seat: int, offers: tuple[Offer, ...]) -> Phrase:
    """Say which cards fit."""
    return phrase("ligretto.unfit")


def ending(game: Ligretto, state: LigrettoState) -> Phrase | None:
    """Say who has reached the target, or has the most points after the last round; None if the
    others left.
    """
    winner = game.winner(state)
    winners = () if winner is None else (winner,)
    if winner is not None and state.totals[winner] >= game.target:
        return reached_target(winners, state.totals, game.target)
    if len(state.present) < 2:
        return None
    return most_points(winners, state.totals, phrase("ending.rounds", count=state.round))
