"""Texts of poker for people, and their typed input."""

from dataclasses import replace

import pytest

from protocol.errors import LocalError
from protocol.games.dominoes import text as dominoes
from protocol.games.dominoes import view as dominoes_view
from protocol.games.game_text import GameText
from protocol.games.game_view import GameView
from protocol.games.poker import text, view
from protocol.games.poker.hand_names import hand_phrase
from protocol.games.poker.phases import PokerPhase, PokerResult
from protocol.games.poker.rules import DRAW, HOLDEM
from protocol.games.registry import BUILT_IN
from protocol.i18n import english_text, load_translator
from protocol.view.phrase import phrase
from protocol.view.text import phrase_renderer
from tests.support.errors import raises_text
from tests.support.poker import cards, poker, start, table
from tests.support.views import position, saying

NAMES = ("Ann", "Bob", "Cleo")
SAY = saying(NAMES)
CALL, FOLD, MUCK = ("call",), ("fold",), ("muck",)


def at(name: str, *before):
    """Return a table for three after these actions, with a seat to act; seat 0 has the button: the
    order is 1, 2, 0.
    """
    game = poker(name, 3)
    match = next(made for seed in range(99) if (made := table(game, seed)).state.button == 0)
    match.play(*before)
    return match


def typed(match, line: str):
    seat = match.state.to_act
    return text.parse_choice(position(match.game, match.state, seat, match.hands[seat]), SAY, line)


def hand_text(game, hand) -> str:
    return text.hand_text([view.piece(game, card) for card in hand], SAY)


def table_text(game, state, hand) -> list[str]:
    return text.table_text(position(game, state, state.to_act, hand, NAMES), SAY, 80)


def menu_text(match) -> list[str]:
    seat = match.state.to_act
    return text.menu_text(position(match.game, match.state, seat, match.hands[seat]), SAY)


def action_text(game, state, action) -> str:
    return SAY(view.narrate(game, state, 0, action)).removesuffix(".")


def news_text(game, before, after) -> list[str]:
    return [SAY(told) for told in view.news(game, before, after)]


def test_poker_cards_have_texts() -> None:
    assert hand_text(poker(HOLDEM, 2), cards("As Td 2c Kh")) == "A♠ K♥ 10♦ 2♣"
    assert hand_text(poker(HOLDEM, 2), ()) == "(no cards)"


def test_each_poker_game_has_its_text() -> None:
    rows = [BUILT_IN.specs[name] for name in (HOLDEM, DRAW)]
    assert all(row.load_text() is text and row.load_view() is view for row in rows)
    for each in (dominoes, text):
        assert set(vars(each)) >= {name for name in vars(GameText) if not name.startswith("_")}
    for each in (dominoes_view, view):
        assert set(vars(each)) >= {name for name in vars(GameView) if not name.startswith("_")}


def test_poker_actions_have_texts() -> None:
    match = at(HOLDEM)

    def said(action) -> str:
        return action_text(match.game, match.state, action)

    assert [said(CALL), said(FOLD), said(("raise", 8))] == [
        "Ann calls 2",
        "Ann folds",
        "Ann raises to 8",
    ]
    assert said(("raise", 200)) == "Ann raises to 200, all in"
    match.play(CALL, CALL, CALL)
    assert [said(CALL), said(("raise", 8))] == ["Ann checks", "Ann bets 8"]
    match.play(("raise", 198))
    assert said(CALL) == "Ann calls 198, all in"


def test_draw_and_showdown_have_texts() -> None:
    match = at(DRAW, CALL, CALL, CALL)

    def said(action) -> str:
        return action_text(match.game, match.state, action)

    assert [said(("exchange",)), said(("exchange", 3)), said(("exchange", 0, 1))] == [
        "Ann stands pat",
        "Ann exchanges 1 card",
        "Ann exchanges 2 cards",
    ]
    assert (
        said(("show", *cards("As Ah Kd Kc 2s")))
        == "Ann shows A♠ A♥ K♦ K♣ 2♠ (two pair, aces and kings)"
    )
    assert said(MUCK) == "Ann mucks"


def test_holdem_screen_shows_table_and_hand() -> None:
    match = at(HOLDEM, ("raise", 6), FOLD, CALL)
    match.board = match.state.board
    board = " ".join(hand_text(match.game, (card,)) for card in match.state.board)
    assert match.state.to_act == 2
    lines = table_text(match.game, match.state, cards("As Kd"))
    assert lines[:2] == ["Hand 1 of 20, blinds 1 and 2. The pot is 13.", f"Board: {board}"]
    assert lines[3:6] == ["  ● Ann     194", "    Bob     199  folded", "→   Cleo    194"]
    assert lines[-1].startswith("Your hand: A♠ K♦  (")


def test_draw_screen_shows_table_and_hand() -> None:
    match = at(DRAW, ("raise", 199), CALL, FOLD)
    lines = table_text(match.game, match.state, cards("As Ah Kd Kc 2s"))
    assert lines[0] == "Hand 1 of 20, ante 1, bets from 2. The pot is 401."
    assert not any(line.startswith("Board") for line in lines)
    assert "all in" in lines[3] and "folded" in lines[2]
    assert lines[-1] == "Your hand: 1: A♠  2: A♥  3: K♦  4: K♣  5: 2♠  (two pair, aces and kings)"
    over = match.game._next_hand(replace(match.state, phase=PokerPhase.REBUY, stacks=(0, 0, 600)))
    assert "out of chips" in "\n".join(table_text(match.game, over, ()))
    left = match.game.forfeit(match.state, 0)
    assert "left" in table_text(match.game, left, ())[2]


@pytest.mark.parametrize(
    ("before", "menu"),
    [
        ([], "fold, call 2, raise 4 to 200, all-in"),
        ([CALL, CALL], "check, raise 4 to 200, all-in"),
        ([CALL, CALL, CALL], "check, bet 2 to 198, all-in"),
        ([("raise", 200)], "fold, call 199"),
        ([("raise", 200), CALL, CALL], "show"),
        ([CALL] * 12, "show"),
    ],
)
def test_typed_poker_actions_are_parsed(before: list, menu: str) -> None:
    match = at(HOLDEM, *before)
    assert menu_text(match) == [f"Your turn: {menu}"]


def test_typed_exchanges_are_parsed() -> None:
    match = at(DRAW, CALL, CALL, CALL)
    assert menu_text(match) == ["Your turn: exchange PLACES (for example: exchange 1 3), stand"]
    assert "exchange" in text.help_text(position(match.game, match.state), SAY)
    assert "exchange" not in text.help_text(position(at(HOLDEM).game, at(HOLDEM).state), SAY)


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("fold", FOLD),
        ("call", CALL),
        ("call 2", CALL),
        ("  CALL ", CALL),
        ("raise 8", ("raise", 8)),
        ("bet 8", ("raise", 8)),
        ("all-in", ("raise", 200)),
        ("allin", ("raise", 200)),
        ("All in", ("raise", 200)),
    ],
)
def test_typed_bet_amounts_are_parsed(line: str, action) -> None:
    assert typed(at(HOLDEM), line) == action


@pytest.mark.parametrize(
    "line",
    [
        "check",
        "call 3",
        "raise",
        "raise 3",
        "raise 201",
        "raise 8 9",
        "raise -8",
        "raise ٨",
        "fold 1",
        "show",
        "muck",
        "stand",
        "exchange 1",
        "raise 99999999999999999999",
        "call x",
    ],
)
def test_impossible_typed_action_lists_possible_ones(line: str) -> None:
    with pytest.raises(LocalError) as answer:
        typed(at(HOLDEM), line)
    assert (
        english_text(answer.value.phrase)
        == "You can do this now: fold, call 2, raise 4 to 200, all-in."
    )


def test_all_in_is_call_when_no_raise_possible() -> None:
    assert typed(at(HOLDEM, ("raise", 200)), "all-in") == CALL
    assert typed(at(HOLDEM, CALL, CALL), "check") == CALL


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("exchange 1 3", ("exchange", 0, 1)),
        ("draw 5,1", ("exchange", 1, 3)),
        ("exchange 2, 4", ("exchange", 2, 4)),
        ("stand", ("exchange",)),
        ("exchange 9♣ A♥", ("exchange", 0, 1)),
        ("draw 5h, kd", ("exchange", 2, 4)),
        ("Exchange 1 2S", ("exchange", 1, 3)),
    ],
)
def test_exchange_is_typed_by_numbers_or_visible_cards(line: str, action) -> None:
    match = at(DRAW, CALL, CALL, CALL)
    match.hands[match.state.to_act] = cards("9c Ah Kd 2s 5h")  # displayed as A K 9 5 2
    assert typed(match, line) == action


NO_EXCHANGES = (
    "exchange",
    "exchange 0",
    "exchange 6",
    "exchange 1 1",
    "draw x",
    "draw 1c",
    "check",
    "all-in",
)


@pytest.mark.parametrize("line", NO_EXCHANGES)
def test_impossible_typed_exchange_is_refused(line: str) -> None:
    with raises_text(LocalError, match="You can do this now"):
        typed(at(DRAW, CALL, CALL, CALL), line)


@pytest.mark.parametrize("word", ["10♦", "10d", "td", "T♦"])
def test_ten_has_two_typed_names(word: str) -> None:
    match = at(DRAW, CALL, CALL, CALL)
    match.hands[match.state.to_act] = cards("9c Ah Td 2s 5h")
    assert typed(match, f"exchange {word}") == ("exchange", 2)


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("aussteigen", FOLD),
        ("mitgehen", CALL),
        ("mitgehen 2", CALL),
        ("erhöhen 8", ("raise", 8)),
        ("Setzen 8", ("raise", 8)),
        ("all-in", ("raise", 200)),
        ("raise 8", ("raise", 8)),
        ("fold", FOLD),
    ],
)
def test_bet_is_typed_in_shown_language_or_english(line: str, action) -> None:
    match = at(HOLDEM)
    seat = match.state.to_act
    shown = position(match.game, match.state, seat, match.hands[seat])
    assert text.parse_choice(shown, phrase_renderer(load_translator("de"), NAMES), line) == action
    assert text.parse_choice(shown, SAY, "aussteigen") is None


@pytest.mark.parametrize("language", ["en", "de"])
def test_choices_have_distinct_first_letters(language: str) -> None:
    say = phrase_renderer(load_translator(language), NAMES)
    labels = [
        say(phrase(key, chips="", least="", count=1)).split()[0] for key in text.VERBS.values()
    ]
    assert len(set(labels)) == len(labels)
    others = set(text.VERBS) - {"all-in"}
    # an English word must not have another meaning
    assert language == "en" or not others & set(labels)


def test_typed_showdown_actions_are_parsed() -> None:
    match = at(HOLDEM, *[CALL] * 12)
    while (
        len(
            legal := match.game.legal(
                match.state, match.state.to_act, match.hands[match.state.to_act]
            )
        )
        == 1
    ):
        match.act(*legal)
    assert menu_text(match) == ["Your turn: show, muck"]
    assert typed(match, "show") == ("show", *match.hands[match.state.to_act])
    assert typed(match, "muck") == MUCK


def test_invalid_typed_choice_is_refused() -> None:
    match = at(HOLDEM)
    assert [typed(match, line) for line in ("", "hello", "1", "help fold")] == [None] * 4
    with raises_text(LocalError, match="not your turn"):
        text.parse_choice(position(match.game, match.state), SAY, "fold")


def test_poker_news_have_texts() -> None:
    match = at(HOLDEM)
    assert news_text(match.game, None, match.state) == []
    before = start(match.game)
    assert news_text(match.game, before, match.state) == [
        "Hand 1: Ann is the dealer, blinds 1 and 2.",
        "Bob posts the small blind, 1.",
        "Cleo posts the big blind, 2.",
    ]
    dealt = replace(match.state, phase=PokerPhase.DEAL)
    assert news_text(match.game, dealt, match.state) == [
        "Bob posts the small blind, 1.",
        "Cleo posts the big blind, 2.",
    ]
    vacant = replace(match.state, places=match.state.places._replace(small=7))
    assert news_text(match.game, dealt, vacant) == ["Cleo posts the big blind, 2."]
    old = match.state
    match.play(CALL, CALL, CALL)
    board = " ".join(hand_text(match.game, (card,)) for card in match.state.board)
    assert news_text(match.game, old, match.state) == [f"Flop: {board}. The pot is 6."]
    assert news_text(match.game, match.state, match.state) == []
    draw = at(DRAW)
    assert news_text(draw.game, before, draw.state) == ["Hand 1: Ann is the dealer, ante 1."]


def test_poker_results_have_texts() -> None:
    match, board = at(HOLDEM), cards("2c 7d 9h Jc 3s")
    shown = ((0, cards("As Ah")), (1, cards("Kc Kd")))

    def said(*pots, uncalled=(), shown=shown) -> list[str]:
        result = PokerResult((0, 0, 0), shown, board, pots, uncalled)
        return [SAY(told) for told in view.result(match.game, replace(match.state, result=result))]

    assert said(((0, 66),)) == ["Ann wins the pot of 66 with a pair of aces."]
    assert said(((1, 3),), uncalled=((1, 12),), shown=()) == [
        "12 returned to Bob: nobody called it.",
        "Bob wins the pot of 3.",
    ]
    assert said(((0, 33), (1, 32))) == [
        "Ann wins 33 of the pot of 65 with a pair of aces.",
        "Bob wins 32 of the pot of 65 with a pair of kings.",
    ]
    assert said(((0, 30),), ((1, 40),), ((1, 8),)) == [
        "Ann wins the main pot of 30 with a pair of aces.",
        "Bob wins side pot 1 of 40 with a pair of kings.",
        "Bob wins side pot 2 of 8 with a pair of kings.",
    ]


@pytest.mark.parametrize(
    ("hand", "called"),
    [
        ("As Kd 9c 5h 2s", "ace high"),
        ("Ts Td 9c 5h 2s", "a pair of tens"),
        ("6s 6d 5c 5h 2s", "two pair, sixes and fives"),
        ("6s 6d 6c 5h 2s", "three of a kind, sixes"),
        ("As 2d 3c 4h 5s", "a straight, five high"),
        ("As Kd Qc Jh Ts", "a straight, ace high"),
        ("As Js 9s 5s 2s", "a flush, ace high"),
        ("2s 2d 2c Kh Ks", "a full house, twos full of kings"),
        ("Js Jd Jc Jh 2s", "four of a kind, jacks"),
        ("As 2s 3s 4s 5s", "a straight flush, five high"),
        ("9s 8s 7s 6s Ts", "a straight flush, ten high"),
        ("As Ks Qs Js Ts", "a royal flush"),
    ],
)
def test_poker_hands_have_names(hand: str, called: str) -> None:
    made = hand_phrase(cards(hand), ())
    assert made is not None and SAY(made) == called


def test_hand_below_five_cards_has_no_name() -> None:
    assert hand_phrase(cards("As Ad"), ()) is None


def test_side_pots_are_listed_while_they_are_played_for() -> None:
    """Bob has 10, Cleo and Ann more: they alone can win the bets beyond his 10."""
    game = poker(HOLDEM, 3)
    match = next(made for seed in range(99) if (made := table(game, seed)).state.button == 0)
    match.state = replace(match.state, stacks=(200, 10, 200))
    match.play(("raise", 40), CALL, CALL)
    assert table_text(match.game, match.state, ())[2] == "Pots: main 30, side 1: 60 (Ann, Cleo)"
    assert not any(line.startswith("Pots") for line in table_text(match.game, at(HOLDEM).state, ()))


def test_summary_has_winnings_and_returns_of_hand() -> None:
    match = at(HOLDEM, ("raise", 30), CALL, FOLD, ("raise", 50))
    match.act(FOLD)
    state, _ = match.game.settle(match.state, (), ())
    assert [SAY(told) for told in view.result(match.game, state)] == [
        "50 returned to Bob: nobody called it.",
        "Bob wins the pot of 62.",
    ]


def test_no_all_in_beyond_pot_limit_is_offered() -> None:
    match = table(poker(HOLDEM, 2, limit="pot", stack=100))
    match.settle_down()
    seat = match.state.to_act
    view_of = position(match.game, match.state, seat, match.hands[seat])
    assert "Pot limit: you can raise by at most what is in the pot." in text.table_text(
        view_of, SAY, 80
    )
    assert text.menu_text(view_of, SAY) == ["Your turn: fold, call 1, raise 4 to 6"]
    with pytest.raises(LocalError):
        text.parse_choice(view_of, SAY, "all-in")
    named = {preset.amount: SAY(preset.label) for preset in view_of.offers[-1].amount.presets}
    assert named[6] == "maximum" and "all in" not in named.values()


def test_fold_for_free_is_offered_beside_the_check() -> None:
    match = table(poker(HOLDEM, 2, folds="free"))
    match.play(CALL)
    seat = match.state.to_act
    view_of = position(match.game, match.state, seat, match.hands[seat])
    assert [offer.kind for offer in view_of.offers][:2] == ["fold", "check"]
    assert match.game.timeout(match.state, seat) == CALL


def test_blinds_of_their_own_are_said() -> None:
    match = table(poker(HOLDEM, 3, blind=10, small=3, stack=100))
    match.settle_down()
    assert view.board(match.game, match.state).blinds == (3, 10)
    said = [SAY(told) for told in view.news(match.game, start(match.game), match.state)]
    assert said and "3" in said[0] and "10" in said[0]
