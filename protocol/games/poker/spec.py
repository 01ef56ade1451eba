"""Specs of Texas hold'em, five-card draw and Omaha, and their editions."""

from protocol.games.poker.edition_1 import spec as edition_1
from protocol.games.spec import BotSpec, GameSpec
from protocol.limits import (
    MAX_DRAW_SEATS,
    MAX_POKER_HANDS,
    MAX_POKER_REBUYS,
    MAX_POKER_SEATS,
    MAX_POKER_STACK,
    MIN_POKER_SEATS,
)
from protocol.options import DependentNumber, Option, Selection

STACK = DependentNumber("option.stack.name", lambda seats, values: int(values["stack"]))
BIG_BLIND = DependentNumber("option.blind.name", lambda seats, values: int(values["blind"]))
STAKES = (
    Option(name="stack", help_key="option.stack", default=200, least=1, most=MAX_POKER_STACK),
    Option(name="hands", help_key="option.hands", default=20, least=1, most=MAX_POKER_HANDS),
)
BLINDS = (
    Option(name="ante", help_key="option.ante", default=0, most=STACK),
    Option(name="blind", help_key="option.blind.big", default=2, least=2, most=STACK),
    Option(name="small", help_key="option.small", default=0, most=BIG_BLIND),
    Option(name="button", help_key="option.button", default="moving", choices=("moving", "dead")),
)
ANTES = (
    Option(name="ante", help_key="option.ante", default=1, least=1, most=STACK),
    Option(name="blind", help_key="option.blind.bet", default=2, least=2, most=STACK),
)
COURSE = (
    Option(name="folds", help_key="option.folds", default="priced", choices=("priced", "free")),
    Option(name="levels", help_key="option.levels", default=0, most=MAX_POKER_HANDS),
    Option(name="rebuys", help_key="option.rebuys", default=0, most=MAX_POKER_REBUYS),
)


def _limit(usual: str) -> Option:
    return Option(
        name="limit", help_key="option.limit", default=usual, choices=("none", "pot", "fixed")
    )


def _spec(
    name: str,
    about: str,
    seats: int,
    options: tuple[Option, ...],
    *,
    edition: str = "2",
    older: tuple[GameSpec, ...] = (),
) -> GameSpec:
    return GameSpec(
        name=name,
        about=about,
        edition=edition,
        older=older,
        chips=True,
        seats=(MIN_POKER_SEATS, seats),
        options=(*STAKES, *options, *COURSE),
        # A seat that leaves must not void a game for chips.
        dealing=Selection("verified", (("leavers", "threshold"),)),
        rules="protocol.games.poker.rules:Poker",
        view="protocol.games.poker.view",
        text="protocol.games.poker.text",
        sheet="protocol.games.poker.sheet:rule_sheet",
        hand_formats="protocol.audit.poker_hands:FORMATS",
        bots=(BotSpec("sensible", "bots.poker:sensible_bot", "help.bot.sensible.poker"),),
    )


SPECS = (
    _spec(
        "texas-holdem",
        "game.texas_holdem",
        MAX_POKER_SEATS,
        (*BLINDS, _limit("none")),
        older=(edition_1.HOLDEM,),
    ),
    _spec(
        "five-card-draw",
        "game.five_card_draw",
        MAX_DRAW_SEATS,
        (*ANTES, _limit("none")),
        older=(edition_1.DRAW,),
    ),
    _spec("omaha", "game.omaha", MAX_POKER_SEATS, (*BLINDS, _limit("pot")), edition="1"),
)
