"""Specs of block dominoes and draw dominoes, and their editions."""

from protocol.games.dominoes.edition_2 import spec as edition_2
from protocol.games.dominoes.tiles import tiles
from protocol.games.spec import BotSpec, GameSpec
from protocol.limits import (
    DOMINO_SETS,
    MAX_DOMINO_HANDS,
    MAX_DOMINO_RESERVE,
    MAX_DOMINO_SEATS,
    MAX_DOMINO_TARGET,
    MIN_DOMINO_SEATS,
)
from protocol.options import DependentChoice, DependentNumber, Option, Selection, Values

GREEDY = "bots.dominoes:greedy_bot"
TARGET = DependentNumber(
    "option.target.usual", lambda seats, values: 200 if values["scoring"] == "fives" else 100
)
SPINNER = DependentChoice(
    "option.spinner.usual", lambda seats, values: "yes" if values["scoring"] == "fives" else "no"
)
RESERVE = Option(name="reserve", help_key="option.reserve", default=0, most=MAX_DOMINO_RESERVE)


def _max_hand(seats: int, values: Values) -> int:
    return len(tiles(int(values["highest"]))) // seats


def _spec(
    variant: str,
    about: str,
    hand: int | DependentNumber,
    options: tuple[Option, ...],
    older: GameSpec,
) -> GameSpec:
    return GameSpec(
        name=f"{variant}-dominoes",
        about=about,
        edition="3",
        older=(older,),
        seats=(MIN_DOMINO_SEATS, MAX_DOMINO_SEATS),
        options=(
            Option(
                name="scoring",
                help_key="option.scoring",
                default="points",
                choices=("points", "fives"),
            ),
            Option(
                name="spinner",
                help_key="option.spinner",
                default=SPINNER,
                choices=("no", "yes"),
            ),
            Option(
                name="partners",
                help_key="option.partners",
                default="no",
                choices=("no", "yes"),
            ),
            Option(
                name="target",
                help_key="option.target",
                default=TARGET,
                least=1,
                most=MAX_DOMINO_TARGET,
            ),
            Option(
                name="length",
                help_key="option.length",
                default=MAX_DOMINO_HANDS,
                least=1,
                most=MAX_DOMINO_HANDS,
            ),
            Option(name="highest", help_key="option.highest", default=6, choices=DOMINO_SETS),
            Option(
                name="hand",
                help_key="option.hand",
                default=hand,
                least=1,
                most=DependentNumber("option.hand.most", _max_hand),
            ),
            *options,
        ),
        dealing=Selection("layered"),
        rules="protocol.games.dominoes.rules:Dominoes.create",
        view="protocol.games.dominoes.view",
        text="protocol.games.dominoes.text",
        sheet="protocol.games.dominoes.sheet:rule_sheet",
        bots=(
            BotSpec(
                "greedy",
                GREEDY,
                "help.bot.greedy",
            ),
            BotSpec("sensible", GREEDY, "help.bot.sensible.dominoes"),
        ),
    )


SPECS = (
    _spec("block", "game.block_dominoes", 7, (), edition_2.BLOCK),
    _spec(
        "draw",
        "game.draw_dominoes",
        DependentNumber("option.hand.usual", lambda seats, values: 7 if seats == 2 else 5),
        (RESERVE,),
        edition_2.DRAW,
    ),
)
