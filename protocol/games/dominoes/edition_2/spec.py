"""Specs of edition 2 of block dominoes and draw dominoes. They stay as they were."""

from protocol.games.dominoes.edition_2.tiles import tiles
from protocol.games.spec import BotSpec, GameSpec
from protocol.options import DependentNumber, Option, Selection, Values

GREEDY = "bots.dominoes:greedy_bot"
TARGET = DependentNumber(
    "option.target.usual", lambda seats, values: 200 if values["scoring"] == "fives" else 100
)


def _max_hand(seats: int, values: Values) -> int:
    return len(tiles(int(values["highest"]))) // seats


def _spec(variant: str, about: str, hand: int | DependentNumber) -> GameSpec:
    return GameSpec(
        name=f"{variant}-dominoes",
        about=about,
        edition="2",
        seats=(2, 4),
        options=(
            Option(
                name="scoring",
                help_key="option.scoring",
                default="points",
                choices=("points", "fives"),
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
                most=10_000,
            ),
            Option(
                name="length",
                help_key="option.length",
                default=500,
                least=1,
                most=500,
            ),
            Option(name="highest", help_key="option.highest", default=6, choices=(6, 9)),
            Option(
                name="hand",
                help_key="option.hand",
                default=hand,
                least=1,
                most=DependentNumber("option.hand.most", _max_hand),
            ),
        ),
        dealing=Selection("layered"),
        rules="protocol.games.dominoes.edition_2.rules:Dominoes.create",
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


BLOCK, DRAW = (
    _spec("block", "game.block_dominoes", 7),
    _spec(
        "draw",
        "game.draw_dominoes",
        DependentNumber("option.hand.usual", lambda seats, values: 7 if seats == 2 else 5),
    ),
)
