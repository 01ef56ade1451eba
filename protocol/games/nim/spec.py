"""Spec of Nim."""

from protocol.games.nim.rows import EXAMPLE_ROWS, ROWS_FORMAT
from protocol.games.open_game import SEATS
from protocol.games.spec import GameSpec, Information
from protocol.options import Option, Selection

SPECS = (
    GameSpec(
        name="nim",
        about="game.nim",
        edition="1",
        seats=(SEATS, SEATS),
        options=(
            Option(
                name="rows", help_key="option.rows", default=EXAMPLE_ROWS, text_format=ROWS_FORMAT
            ),
            Option(name="misere", help_key="option.misere", default="no", choices=("no", "yes")),
        ),
        information=Information.PERFECT,
        dealing=Selection("none"),
        rules="protocol.games.nim.rules:Nim",
        view="protocol.games.nim.view",
        text="protocol.games.nim.text",
        sheet="protocol.games.nim.sheet:rule_sheet",
    ),
)
