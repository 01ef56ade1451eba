"""Spec of Hexapawn."""

from protocol.games.open_game import SEATS
from protocol.games.spec import GameSpec, Information
from protocol.limits import MAX_HEXAPAWN, MIN_HEXAPAWN
from protocol.options import Option, Selection

SPECS = (
    GameSpec(
        name="hexapawn",
        about="game.hexapawn",
        edition="1",
        seats=(SEATS, SEATS),
        options=(
            Option(
                name="width",
                help_key="option.width",
                default=3,
                least=MIN_HEXAPAWN,
                most=MAX_HEXAPAWN,
            ),
            Option(
                name="height",
                help_key="option.height",
                default=3,
                least=MIN_HEXAPAWN,
                most=MAX_HEXAPAWN,
            ),
        ),
        information=Information.PERFECT,
        dealing=Selection("none"),
        rules="protocol.games.hexapawn.rules:Hexapawn",
        view="protocol.games.hexapawn.view",
        text="protocol.games.hexapawn.text",
        sheet="protocol.games.hexapawn.sheet:rule_sheet",
    ),
)
