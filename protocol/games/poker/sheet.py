"""Rule sheet of Texas hold'em, five-card draw and Omaha. A
`protocol.games.rule_sheet.RuleSheetWriter`.
"""

from typing import Final

from protocol.games import Hand
from protocol.games.poker.betting import BOARD_CARDS, DRAW_BETS, HOLDEM_BETS, Limit, Stakes
from protocol.games.poker.button import ButtonRule
from protocol.games.poker.cards import CARDS
from protocol.games.poker.hand_names import hand_phrase
from protocol.games.poker.rules import Poker
from protocol.games.rule_sheet import SheetRequest, bullets, section
from protocol.view.board import PieceView
from protocol.view.phrase import Phrase, Pieces, phrase
from protocol.view.rule_sheet import Figure, Paragraph, PieceRow, RuleSheet

# An example of each kind of hand, best first.
RANKING: Final = (
    "As Ks Qs Js Ts",
    "9h 8h 7h 6h 5h",
    "Qs Qh Qd Qc 4s",
    "Ts Th Td 7c 7h",
    "Kd Jd 8d 6d 3d",
    "9c 8d 7s 6h 5c",
    "9s 9h 9d 5c 2h",
    "Jh Jc 4s 4d 2h",
    "Ad Ah Tc 6s 2d",
    "Kh Qs 9d 5c 3h",
)
HAND_SIZE: Final = 5  # cards that are compared
BOARD: Final = "Ks Qd 9c 9h 3s"
OWN, OTHER = "Kh Qh", "9s 2d"
# Omaha: with one spade in hand, four on the board make no flush.
OMAHA_BOARD, OMAHA_OWN = "Ks 9s 4s 2s 7d", "As Kh 9h 3d"
BEFORE, KEPT, AFTER = "Ts Td Kc 7h 3c", "Ts Td", "Ts Td Th Ad 6s"


def rule_sheet(request: SheetRequest) -> RuleSheet:
    """Write the rules for the options in force."""
    # earlier editions have fewer options, and what they lack is as it was before
    values = {"folds": "priced", **request.values}
    game = Poker(request.game, request.seats, values)
    return RuleSheet(
        (
            *section(phrase("sheet.goal"), Paragraph(phrase("sheet.poker.goal"))),
            *section(phrase("sheet.setup"), bullets(*_setup(game))),
            *section(phrase("sheet.poker.hand"), bullets(*_hand(game))),
            *section(phrase("sheet.poker.bets"), bullets(*_bets(game))),
            *section(phrase("sheet.poker.showdown"), bullets(*_showdown()), _ranking()),
            *section(phrase("sheet.end"), bullets(*_end(game))),
            *section(phrase("sheet.example"), _example(game)),
        )
    )


def _setup(game: Poker) -> tuple[Phrase | None, ...]:
    stakes = game.stakes
    return (
        phrase("sheet.poker.stack", count=game.stack),
        phrase("sheet.poker.ante", ante=stakes.ante) if stakes.ante else None,
        None if stakes.draw else phrase("sheet.poker.blinds", small=stakes.small, big=stakes.blind),
        phrase("sheet.poker.levels", count=game.levels, stack=game.stack) if game.levels else None,
        phrase(
            "sheet.poker.button.dead"
            if game.button_rule is ButtonRule.DEAD
            else "sheet.poker.button"
        ),
    )


def _hand(game: Poker) -> tuple[Phrase | None, ...]:
    deal = phrase("sheet.poker.deal", hole=game.hole)
    if game.stakes.draw:
        return (
            deal,
            phrase("sheet.poker.exchange"),
            phrase("sheet.poker.short") if _is_pack_short(game) else None,
            phrase("sheet.poker.best.draw"),
        )
    own = game.stakes.own
    return (
        deal,
        phrase("sheet.poker.flop", cards=BOARD_CARDS[0]),
        phrase("sheet.poker.turn"),
        phrase("sheet.poker.best.own", own=own, board=HAND_SIZE - own)
        if own
        else phrase("sheet.poker.best", five=HAND_SIZE),
    )


def _is_pack_short(game: Poker) -> bool:
    """Check whether the pack is too small for everybody to exchange all cards."""
    return 2 * game.hole * game.seats > len(CARDS)


def _bets(game: Poker) -> tuple[Phrase, ...]:
    stakes = game.stakes
    return (
        phrase("sheet.poker.order.draw" if stakes.draw else "sheet.poker.order"),
        phrase("sheet.poker.check"),
        phrase("sheet.poker.call"),
        _raise(stakes),
        phrase("sheet.poker.fold.free" if stakes.free_folds else "sheet.poker.fold"),
        phrase("sheet.poker.all_in"),
        phrase("sheet.poker.time"),
    )


def _raise(stakes: Stakes) -> Phrase:
    blind, double = stakes.blind, 2 * stakes.blind
    if stakes.limit is Limit.POT:
        return phrase("sheet.poker.raise.pot", blind=blind)
    if stakes.limit is Limit.NONE:
        return phrase("sheet.poker.raise", blind=blind)
    if stakes.draw:
        return phrase("sheet.poker.raise.fixed.draw", blind=blind, double=double, most=DRAW_BETS)
    return phrase("sheet.poker.raise.fixed", blind=blind, double=double, most=HOLDEM_BETS)


def _showdown() -> tuple[Phrase, ...]:
    return phrase("sheet.poker.show"), phrase("sheet.poker.split")


def _ranking() -> Figure:
    """Show a hand of each kind, under its name."""
    rows = tuple(PieceRow(_made(hand), _cards(hand)) for hand in RANKING)
    return Figure(phrase("sheet.poker.ranking"), rows)


def _end(game: Poker) -> tuple[Phrase, ...]:
    out = (
        phrase("sheet.poker.rebuys", stack=game.stack, count=game.rebuys)
        if game.rebuys
        else phrase("sheet.poker.out")
    )
    return phrase("sheet.poker.end", count=game.hands), out


def _example(game: Poker) -> Figure:
    yours = phrase("sheet.hand")
    if game.stakes.draw:
        kept = Pieces(tuple(card.faces or () for card in _cards(KEPT)))
        return Figure(
            phrase("sheet.poker.example.draw", kept=kept, made=_made(AFTER)),
            (
                PieceRow(yours, _cards(BEFORE)),
                PieceRow(phrase("sheet.poker.after"), _cards(AFTER)),
            ),
        )
    own = game.stakes.own
    if own:
        made = _made(OMAHA_OWN, OMAHA_BOARD, own)
        return Figure(
            phrase("sheet.poker.example.own", made=made, own=own),
            (
                PieceRow(phrase("sheet.board"), _cards(OMAHA_BOARD)),
                PieceRow(yours, _cards(OMAHA_OWN)),
            ),
        )
    return Figure(
        phrase("sheet.poker.example", made=_made(OWN, BOARD), better=_made(OTHER, BOARD)),
        (
            PieceRow(phrase("sheet.board"), _cards(BOARD)),
            PieceRow(yours, _cards(OWN)),
            PieceRow(phrase("sheet.poker.against"), _cards(OTHER)),
        ),
    )


def _made(cards: str, board: str = "", own: int = 0) -> Phrase:
    """Name the hand that these cards make."""
    found = hand_phrase(_pieces(cards), _pieces(board), own)
    assert found is not None
    return found


def _pieces(cards: str) -> Hand:
    return tuple(map(CARDS.index, cards.split()))


def _cards(cards: str) -> tuple[PieceView, ...]:
    return tuple(PieceView(piece, tuple(CARDS[piece])) for piece in _pieces(cards))
