"""Block and draw dominoes, as rows of the registry."""

from protocol.games.dominoes.tiles import tiles
from protocol.games.row import BotRow, Row
from protocol.limits import DOMINO_SETS, MAX_DOMINO_SEATS, MAX_DOMINO_TARGET, MIN_DOMINO_SEATS
from protocol.options import Chosen, Option, Values, Varies

GREEDY = "bots.dominoes:greedy_bot"
TARGET = Varies("100, 200 by fives", lambda seats, values: 200 if values["scoring"] == "fives" else 100)


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
                about="what counts: the pips that others are left with, or all-fives (muggins) before that too",
                default="points",
                choices=("points", "fives"),
            ),
            Option(
                name="partners",
                about="four seats, two against two, with the partner opposite",
                default="no",
                choices=("no", "yes"),
            ),
            Option(name="target", about="points that win", default=TARGET, least=1, most=MAX_DOMINO_TARGET),
            Option(name="highest", about="the highest number of the set", default=6, choices=DOMINO_SETS),
            Option(
                name="hand",
                about="tiles dealt to each",
                default=hand,
                least=1,
                most=Varies("what the set has for each", _most),
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
                "what scores at once, then the heaviest tile, doubles first, then what leaves most to play",
            ),
            BotRow("sensible", GREEDY, "as greedy"),
        ),
    )


ROWS = (
    _row("block", "dominoes without drawing: who cannot play passes", 7),
    _row(
        "draw",
        "dominoes where who cannot play draws from the stock",
        Varies("7 for two, else 5", lambda seats, values: 7 if seats == 2 else 5),
    ),
)
