"""Spec of the game of matches."""

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
            Option(name="n", help_key="option.n", default=20, least=1, most=MAX_MATCHES),
            Option(name="misere", help_key="option.misere", default="no", choices=("no", "yes")),
        ),
        information=Information.PERFECT,
        dealing=Selection("none"),
        rules="protocol.games.matchsticks.rules:Matchsticks",
        view="protocol.games.matchsticks.view",
        text="protocol.games.matchsticks.text",
        sheet="protocol.games.matchsticks.sheet:rule_sheet",
    ),
)
