"""Poker on a terminal: layout of a view, and typed choices. A
`protocol.games.game_text.GameText`.
"""

import re
from collections.abc import Mapping, Sequence

from protocol.errors import LocalError
from protocol.games import Action
from protocol.games.poker.rules import DRAW
from protocol.view.board import Offer, PieceView, PokerStreet, PokerTable, SeatStatus, SeatSummary
from protocol.view.phrase import Phrase, Pieces, SeatRef, Value, phrase
from protocol.view.text import Say, display_width, isolate_name, pad_to_width, piece_text
from protocol.view.view import SeatView, View

STATUS_WORDS = {
    SeatStatus.LEFT: "seat.left",
    SeatStatus.OUT: "seat.out",
    SeatStatus.FOLDED: "seat.folded",
    SeatStatus.AWAY: "seat.away",
    SeatStatus.ALL_IN: "seat.all_in",
}
# Maps each verb that can be typed to the text of an offer. The first word of this text, in the
# shown language, can be typed as well.
VERBS = {
    "fold": "poker.offer.fold",
    "check": "poker.offer.check",
    "call": "poker.offer.call",
    "raise": "poker.offer.raise.one",
    "bet": "poker.offer.bet.one",
    "all-in": "poker.offer.all_in",
    "exchange": "poker.offer.exchange",
    "stand": "poker.offer.stand",
    "show": "poker.offer.show",
    "muck": "poker.offer.muck",
    "rebuy": "poker.offer.rebuy",
    "decline": "poker.offer.decline",
}
OTHER_SPELLINGS = {"allin": "all-in", "draw": "exchange"}
RAISES, CALLS = ("raise", "bet"), ("call", "check")  # kinds of offers


def card_text(card: PieceView) -> str:
    """Draw a card: `A♠`; a ten is `10♠`."""
    return piece_text(card.faces or ())


def hand_text(hand: Sequence[PieceView], say: Say, width: int = 80) -> str:
    """Draw cards, highest first."""
    return " ".join(card_text(hand[place]) for place in _display_order(hand)) or say(
        phrase("poker.hand.empty")
    )


def _display_order(hand: Sequence[PieceView]) -> list[int]:
    """Sort the places of a hand's cards, highest card first. People see the cards in this order,
    and count them in it.
    """
    return sorted(range(len(hand)), key=lambda place: hand[place].index, reverse=True)


def table_text(view: View, say: Say, width: int) -> list[str]:
    """Draw the information that a seat needs before it chooses: pot, board, chips and bets of all
    seats, and its hand.
    """
    board = view.board
    assert isinstance(board, PokerTable)
    if board.street is PokerStreet.EXCHANGE:
        places = enumerate(_display_order(view.hand), 1)
        cards = "  ".join(f"{number}: {card_text(view.hand[place])}" for number, place in places)
    else:
        cards = hand_text(view.hand, say)
    made = f"  ({say(view.made)})" if view.made else ""
    own = ["", f"{say(phrase('seat.hand'))} {cards}{made}"] if view.you is not None else []
    return [
        *_stake_lines(board, say),
        *_pot_lines(view, board, say),
        "",
        *_seats_text(view.seats, say),
        *own,
    ]


def _pot_lines(view: View, board: PokerTable, say: Say) -> list[str]:
    """Name the main pot and the side pots, and the seats that can win each. Nothing if there are no
    side pots.
    """
    main, *side = board.pots or (None,)
    if main is None or not side:
        return []
    pots = [phrase("poker.pots.main", chips=main.chips)]
    for number, pot in enumerate(side, 1):
        seats = tuple(phrase("match.name", who=SeatRef(seat)) for seat in pot.seats)
        pots.append(phrase("poker.pots.side", number=number, chips=pot.chips, seats=seats))
    return [say(phrase("poker.pots", pots=tuple(pots)))]


def _stake_lines(board: PokerTable, say: Say) -> list[str]:
    until = phrase("poker.until", hand=board.rises) if board.rises else ""
    about: dict[str, Value] = {
        "number": board.hand,
        "hands": board.hands,
        "pot": board.pot,
        "until": until,
    }
    limit = [say(phrase("poker.limit", bet=board.least_bet))] if board.fixed else []
    limit += [say(phrase("poker.limit.pot"))] if board.pot_limit else []
    if not board.blinds:
        return [
            say(phrase("poker.stakes.draw", ante=board.ante, bet=board.least_bet, **about)),
            *limit,
        ]
    small, big = board.blinds
    cards = Pieces(tuple(card.faces or () for card in board.cards))
    shown = phrase("poker.board", cards=cards) if board.cards else phrase("poker.board.empty")
    return [say(phrase("poker.stakes.blinds", small=small, big=big, **about)), *limit, say(shown)]


def _seats_text(seats: Sequence[SeatView], say: Say) -> list[str]:
    """Draw a row for each seat: turn, button, chips, and its state in this hand."""
    wide = max(display_width(seat.name) for seat in seats)
    rows = []
    for seat in seats:
        game = seat.game
        mark, button = "→" if game.to_act else " ", "●" if game.dealer else " "
        rows.append(
            f"{mark} {button} {pad_to_width(isolate_name(seat.name), wide)} {game.score:>6}  "
            f"{_status_text(game, say)}".rstrip()
        )
    return rows


def _status_text(game: SeatSummary, say: Say) -> str:
    """Describe a seat's bet and status in this hand, in one or two words."""
    bet = [say(phrase("seat.bet", chips=game.bet))] if game.bet else []
    return ", ".join([*bet, *([say(phrase(STATUS_WORDS[game.status]))] if game.status else [])])


def changed_board_text(before: PokerTable, after: PokerTable, say: Say, width: int) -> list[str]:
    """Return nothing: the news of the game tell all changes."""
    return []


def menu_text(view: View, say: Say) -> list[str]:
    """List the choices in one line: "Your turn: check, raise 4 to 200, all-in"."""
    return [f"{say(phrase('seat.turn'))} {', '.join(map(say, _choice_phrases(view)))}"]


def _choice_phrases(view: View) -> tuple[Phrase, ...]:
    return tuple(word for offer in view.offers for word in _offer_phrases(view, offer))


def _offer_phrases(view: View, offer: Offer) -> list[Phrase]:
    more = {"exchange": "poker.offer.stand"}
    if _can_go_all_in(view, offer):
        more |= dict.fromkeys(RAISES, "poker.offer.all_in")
    return [offer.label, *([phrase(more[offer.kind])] if offer.kind in more else [])]


def _can_go_all_in(view: View, offer: Offer) -> bool:
    """Check whether the reader can go all in by this offer. False if the limit is below its
    stack.
    """
    if view.you is None or not isinstance(view.board, PokerTable):
        return False
    own = view.seats[view.you].game
    limited = view.board.fixed or view.board.pot_limit
    most = offer.amount.most if offer.amount else own.bet + offer.cost
    return not limited or most >= own.bet + own.score


def help_text(view: View, say: Say) -> str:
    """Explain how to type a choice and, at a table, how to sit out."""
    sit = phrase("poker.help.sit") if view.trust.table is not None else ""
    return say(phrase("poker.help.draw" if view.game == DRAW else "poker.help", sit=sit))


def parse_choice(view: View, say: Say, line: str) -> Action | None:
    """Read a line such as "raise 8"; None if it does not begin with a verb. Raises: LocalError if
    the choice is not possible now.
    """
    verb, *rest = line.lower().replace(",", " ").replace("all in", "all-in").split() or [""]
    verb = _other_verbs(say).get(verb, verb)
    if verb not in VERBS:
        return None
    if not view.offers:
        raise LocalError("typed.not_your_turn")
    offers = {offer.kind: offer for offer in view.offers}
    numbers = _parse_card_numbers(rest, _numbers_by_name(view.hand) if verb == "exchange" else {})
    if numbers is not None and verb == "exchange":
        action = _exchange_action(offers, _display_order(view.hand), numbers)
    else:
        action = None if numbers is None else _typed_action(view, offers, verb, numbers)
    if action is not None:
        return action
    raise LocalError("typed.now", offers=_choice_phrases(view))


def _other_verbs(say: Say) -> dict[str, str]:
    """Map words of the shown language, and other spellings, to the verbs of `VERBS`."""
    shown = {
        say(phrase(key, chips="", least="", count=1)).split()[0]: verb
        for verb, key in VERBS.items()
    }
    return shown | OTHER_SPELLINGS


def _parse_card_numbers(words: Sequence[str], called: Mapping[str, int]) -> tuple[int, ...] | None:
    """Read typed numbers, or names of cards listed in `called`; None if a word is neither."""
    numbers = [
        called.get(word, int(word) if re.fullmatch("[0-9]{1,9}", word) else None) for word in words
    ]
    return None if None in numbers else tuple(number for number in numbers if number is not None)


def _numbers_by_name(hand: Sequence[PieceView]) -> dict[str, int]:
    """Map names of cards to their numbers at the exchange. A name may be typed as shown or in plain
    letters: `10♦`, `10d`, `td`.
    """
    called: dict[str, int] = {}
    for number, place in enumerate(_display_order(hand), 1):
        shown, plain = (
            card_text(hand[place]).lower(),
            "".join(map(str, hand[place].faces or ())).lower(),
        )
        called |= dict.fromkeys(
            (shown, plain, shown.replace("10", "t"), plain.replace("t", "10")), number
        )
    return called


def _typed_action(
    view: View, offers: dict[str, Offer], verb: str, numbers: tuple[int, ...]
) -> Action | None:
    """Find the action that a typed verb and numbers mean; None if it is not possible."""
    match verb:
        case "raise" | "bet":
            return _offer_action(offers, RAISES, *(numbers or _only_amount(offers)))
        case "check" | "call":
            return _call_action(offers, verb, numbers)
    if numbers:
        return None
    match verb:
        case "stand":
            return _offer_action(offers, ("exchange",))
        case "all-in":
            offers = {kind: offer for kind, offer in offers.items() if _can_go_all_in(view, offer)}
            return next(
                (_largest_action(offers[kind]) for kind in RAISES if kind in offers),
                _offer_action(offers, CALLS),
            )
    return _offer_action(offers, (verb,))


def _exchange_action(
    offers: dict[str, Offer], order: list[int], numbers: tuple[int, ...]
) -> Action | None:
    """Build an exchange of the cards with these numbers, counted in the order in which the hand is
    shown.
    """
    if not numbers or not all(1 <= number <= len(order) for number in numbers):
        return None
    return _offer_action(offers, ("exchange",), *sorted(order[number - 1] for number in numbers))


def _offer_action(offers: dict[str, Offer], kinds: tuple[str, ...], *numbers: int) -> Action | None:
    """Build an action from the first offer of one of these kinds; None if there is no such
    offer.
    """
    return next((offers[kind].build_action(*numbers) for kind in kinds if kind in offers), None)


def _only_amount(offers: dict[str, Offer]) -> tuple[int, ...]:
    """Return the amount of a raise if only one amount is possible."""
    amounts = [offers[kind].amount for kind in RAISES if kind in offers]
    return tuple(amount.least for amount in amounts if amount and amount.least == amount.most)


def _largest_action(offer: Offer) -> Action | None:
    return offer.build_action(offer.amount.most) if offer.amount else None


def _call_action(offers: dict[str, Offer], verb: str, numbers: tuple[int, ...]) -> Action | None:
    """Build a call or check. A typed amount must equal the cost of the call. A check is accepted
    only if it costs nothing.
    """
    offer = next((offers[kind] for kind in CALLS if kind in offers), None)
    fits = (
        offer is not None and numbers in ((), (offer.cost,)) and (verb == "call" or not offer.cost)
    )
    return offer.build_action() if offer is not None and fits else None
