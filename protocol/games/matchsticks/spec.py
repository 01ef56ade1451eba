"""The matches game, as a row of the registry."""

from protocol.games.open_game import SEATS
from protocol.games.spec import GameSpec, Information
from protocol.limits import MAX_MATCHES
from protocol.options import Option, Selection

SPECS = (
    GameSpec(
        name="matches",
        about="game.matches",
        edition="1",
        seats=(SEATS, SEATS),
        options=(
            Option(name="n", about="option.n", default=20, least=1, most=MAX_MATCHES),
            Option(name="misere", about="option.misere", default="no", choices=("no", "yes")),
        ),
        information=Information.PERFECT,
        dealing=Selection("none"),
        rules="protocol.games.matchsticks.rules:Matchsticks",
        view="protocol.games.matchsticks.view",
        text="protocol.games.matchsticks.text",
    ),
)
