"""Block and draw dominoes, as rows of the registry."""

from protocol.games.dominoes.tiles import tiles
from protocol.games.spec import (BotRow, Row)
from protocol.limits import DOMINO_SETS, MAX_DOMINO_SEATS, MAX_DOMINO_TARGET, MIN_DOMINO_SEATS
from protocol.options import Chosen, Option, Values, Varies

GREEDY = "bots.dominoes:greedy_bot"
TARGET = Varies(
    "option.target.usual", lambda seats, values: 200 if values["scoring"] == "fives" else 100
)


def _most(seats: int, values: Values) -> int:
    return len(tiles(int(values["highest"]))) // seats


def _row(variant: str, about: str, hand: int | Varies) -> Row:
    return Row(
        name=f"{variant}-dominoes",
        about=about,
        edition="1",
        seats=(MIN_DOMINO_SEATS, MAX_DOMINO_SEATS),
        options=(
            Option(
                name="scoring",
                about="option.scoring",
                default="points",
                choices=("points", "fives"),
            ),
            Option(
                name="partners",
                about="option.partners",
                default="no",
                choices=("no", "yes"),
            ),
            Option(
                name="target",
                about="option.target",
                default=TARGET,
                least=1,
                most=MAX_DOMINO_TARGET,
            ),
            Option(name="highest", about="option.highest", default=6, choices=DOMINO_SETS),
            Option(
                name="hand",
                about="option.hand",
                default=hand,
                least=1,
                most=Varies("option.hand.most", _most),
            ),
        ),
        dealing=Chosen("layered"),
        rules="protocol.games.dominoes.rules:Dominoes.create",
        view="protocol.games.dominoes.view",
        text="protocol.games.dominoes.text",
        bots=(
            BotRow(
                "greedy",
                GREEDY,
                "what scores at once, then the heaviest tile, doubles first, then what leaves "
                "most to play",
            ),
            BotRow("sensible", GREEDY, "as greedy"),
        ),
    )


ROWS = (
    _row("block", "game.block_dominoes", 7),
    _row(
        "draw",
        "game.draw_dominoes",
        Varies("option.hand.usual", lambda seats, values: 7 if seats == 2 else 5),
    ),
)
