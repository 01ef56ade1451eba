"""Vectors of chapter 18: betting, pots and shares of single hands, the ranking of hands, the places
of button and blinds.
"""

from typing import Any

from protocol.codes import Code
from protocol.errors import Refused
from protocol.games.poker.betting import (
    BettingHand,
    Blinds,
    Limit,
    Stage,
    Stakes,
    begin_hand,
)
from protocol.games.poker.button import ButtonRule, Places, next_places
from protocol.games.poker.ranking import value
from tests.support.poker import cards
from tests.support.poker_rulings import RULED, Step, draw, holdem
from tests.vectors.make.forms import Bad, Vector

BOARD = cards("2c 7d 9h Jc 3s")


def bet_hand(
    draw: bool,
    ante: int,
    blind: int,
    small: int,
    limit: str,
    free_folds: bool,
    stacks: list[int],
    blinds: list[int | None],
    steps: list[list[Any]],
) -> dict[str, Any]:
    """Operation of 18.9 to 18.12: play a hand. `blinds` are the players of the small and the big
    blind, or null. Return what the hand waits for at first and after each step, and in the end its
    shares.

    A step is `fold`, `call`, `raise` and an amount, `exchange`, `board` and cards, `show` and
    cards, or `muck`.
    """
    stakes = Stakes(draw, ante, blind, small, Limit(limit), free_folds)
    hand = begin_hand(stakes, tuple(stacks), Blinds(*blinds))
    states = [_state(hand)]
    for step in steps:
        hand = _after(hand, step)
        states.append(_state(hand))
    over = hand.stage is Stage.OVER
    return {
        "states": states,
        "uncalled": [list(share) for share in hand.uncalled],
        "shares": [[list(share) for share in pot] for pot in hand.pot_shares()] if over else None,
    }


def _after(hand: BettingHand, step: list[Any]) -> BettingHand:
    verb, *numbers = step
    may = {
        "fold": hand.stage is Stage.BET and hand.may_fold(),
        "call": hand.stage is Stage.BET,
        "raise": hand.stage is Stage.BET and numbers[:1] and numbers[0] in hand.raise_amounts(),
        "exchange": hand.stage is Stage.EXCHANGE,
        "board": hand.board_count == len(numbers) > 0,
        "show": hand.stage is Stage.SHOW,
        "muck": hand.stage is Stage.SHOW and not hand.all_show,
    }
    if not may[verb]:
        raise Refused(Code.ILLEGAL_MOVE)
    match verb:
        case "raise":
            return hand.raise_to(numbers[0])
        case "board":
            return hand.turn_up(tuple(numbers))
        case "show":
            return hand.show(tuple(numbers))
    after: BettingHand = getattr(hand, verb)()
    return after


def _state(hand: BettingHand) -> dict[str, Any]:
    betting = hand.stage is Stage.BET
    amounts = hand.raise_amounts()
    return {
        "waits": str(hand.stage),
        "player": hand.actor,
        "price": hand.price(hand.queue[0]) if betting else None,
        "fold": betting and hand.may_fold(),
        "raise": [amounts[0], amounts[-1]] if amounts else None,
        "all_show": hand.all_show,
        "stacks": list(hand.stacks),
        "bets": list(hand.bets),
        "pots": [[pot.chips, list(pot.players)] for pot in hand.pots],
    }


def rank_hand(own: list[int], board: list[int]) -> dict[str, Any]:
    """Operation of 18.12: rank the best five cards."""
    kind, ranks = value(tuple(own), tuple(board))
    return {"kind": int(kind), "ranks": list(ranks)}


def place_button(
    players: list[int], before: list[int | None], rule: str, blinds: bool
) -> dict[str, Any]:
    """Operation of 18.3.2: find the seats of button, small and big blind. `before` are those of the
    hand before.
    """
    button, small, big = before
    assert button is not None
    places = next_places(players, Places(button, small, big), ButtonRule(rule), blinds=blinds)
    return {"places": list(places)}


OPERATIONS = {"bet hand": bet_hand, "rank hand": rank_hand, "place button": place_button}

HANDS = (
    "As Ks Qs Js Ts 2c 2d",
    "5h 4h 3h 2h Ah Kd Kc",
    "9c 9d 9h 9s 8c 8d 8h",
    "Kc Kd Kh 2s 2c 2d Ah",
    "Ac Jc 9c 4c 3c 2d 2h",
    "Ac 2d 3h 4s 5c Kd Qh",
    "7c 7d 7h As Kd 3c 2d",
    "Ac Ad Kc Kd Qh Qs 2c",
    "Tc Td 8h 7s 6d 3c 2h",
    "Ac Qd Th 8s 6d 4c 2h",
    "As As Ad Ah Ac",
)
PLACES: tuple[tuple[str, list[int], list[int | None], str, bool], ...] = (
    ("the button moves", [0, 1, 2, 3], [0, 1, 2], "moving", True),
    ("the small blind has dropped out", [0, 2, 3], [0, 1, 2], "moving", True),
    ("three become two, and the button has dropped out", [1, 2], [0, 1, 2], "moving", True),
    ("three become two, and the small blind has dropped out", [0, 2], [0, 1, 2], "moving", True),
    ("a dead button", [0, 2, 3], [0, 1, 2], "dead", True),
    ("a dead small blind", [0, 1, 3], [0, 1, 2], "dead", True),
    ("three become two with a dead button", [1, 2], [0, 1, 2], "dead", True),
    ("at draw", [0, 2, 3], [0, None, None], "moving", False),
)


def _given(hand: BettingHand, steps: list[list[Any]]) -> dict[str, Any]:
    """Return the input that begins with this hand."""
    stakes = hand.stakes
    count = len(hand.stacks)
    blinds = [None, None] if stakes.draw else [1, 0] if count == 2 else [0, 1]
    back = dict(hand.uncalled)
    stacks = [
        hand.stacks[player] + hand.bets[player] + hand.paid[player] for player in range(count)
    ]
    assert not back or stakes.draw
    return {
        "draw": stakes.draw,
        "ante": stakes.ante,
        "blind": stakes.blind,
        "small": stakes.small,
        "limit": str(stakes.limit),
        "free_folds": stakes.free_folds,
        "stacks": stacks,
        "blinds": blinds,
        "steps": steps,
    }


def _steps(steps: tuple[Step, ...]) -> list[list[Any]]:
    """Write the steps of a sample in the form of `bet hand`."""
    board = iter((BOARD[:3], BOARD[3:4], BOARD[4:]))
    return [
        ["raise", step]
        if isinstance(step, int)
        else ["board", *next(board)]
        if step == "board"
        else [step]
        for step in steps
    ]


def _shows(*hands: str) -> list[list[Any]]:
    return [["show", *cards(hand)] for hand in hands]


def _whole_hands() -> list[Vector]:
    """Hands to their shares."""
    board = [["board", *BOARD[:3]], ["board", *BOARD[3:4]], ["board", *BOARD[4:]]]
    call = ["call"]
    checked = [one for cards_up in board for one in (cards_up, call, call)]
    sides = _given(
        holdem(2, (100, 100, 100, 4, 100)),
        [
            ["raise", 5],
            call,
            ["raise", 10],
            ["fold"],
            call,
            ["fold"],
            *checked,
            *_shows("As Kd", "4c 5d", "Ad Kh"),
        ],
    )
    short = _given(
        holdem(40, (200, 5, 200)),
        [call, call, *checked, *_shows("As Kd", "Ad Kh", "Qs Qd")],
    )
    alone = _given(holdem(40, (200, 5, 200)), [["fold"], *board, *_shows("As Kd", "Ad Kh")])
    ties = _given(
        holdem(4, (9, 9, 9, 9), small=2),
        [["fold"], call, call, call]
        + [one for cards_up in board for one in (cards_up, call, call, call)]
        + _shows("As Kd", "Ad Kh", "Ah Ks"),
    )
    all_in = _given(
        draw(10, (20, 5, 20), ante=5),
        [
            ["raise", 15],
            ["fold"],
            ["exchange"],
            ["exchange"],
            *_shows("2c 3c 4c 5d 7h", "As Ad Kh Qc 9d"),
        ],
    )
    return [
        Vector("18.11", "two share a main pot and a side pot", "bet hand", sides),
        Vector("18.11", "callers of a short big blind have a side pot", "bet hand", short),
        Vector("18.10", "a short big blind against the small blind", "bet hand", alone),
        Vector("18.11", "an odd chip for each of the first", "bet hand", ties),
        Vector("18.4", "all in with the antes at draw", "bet hand", all_in),
    ]


def vectors() -> list[Vector]:
    """Return all vectors of this module."""
    found = []
    for name, ruled in RULED.items():
        steps = _steps(ruled.steps)
        wrong = 1 if ruled.least is None else ruled.least - 1
        bad = Bad(
            "less than may be raised to", {"steps": [*steps, ["raise", wrong]]}, "illegal_move"
        )
        found.append(
            Vector(
                "18.10", f"{name} ({ruled.source})", "bet hand", _given(ruled.hand, steps), (bad,)
            )
        )
    found += _whole_hands()
    for hand in HANDS:
        dealt = list(cards(hand))
        given = {"own": dealt[:2], "board": dealt[2:]}
        found.append(Vector("18.12", hand, "rank hand", given))
    for text, players, before, rule, blinds in PLACES:
        given = {"players": players, "before": before, "rule": rule, "blinds": blinds}
        found.append(Vector("18.3", text, "place button", given))
    return found
