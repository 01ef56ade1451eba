"""Spec of Connect Four."""

from protocol.games.open_game import SEATS
from protocol.games.spec import GameSpec, Information
from protocol.limits import CONNECT_FOUR_BITS, MAX_CONNECT_FOUR, MIN_CONNECT_FOUR
from protocol.options import DependentNumber, Option, Selection, Values


def _max_height(seats: int, values: Values) -> int:
    return CONNECT_FOUR_BITS // int(values["width"]) - 1


SPECS = (
    GameSpec(
        name="connect-four",
        about="game.connect_four",
        edition="1",
        seats=(SEATS, SEATS),
        options=(
            Option(
                name="width",
                help_key="option.width",
                default=7,
                least=MIN_CONNECT_FOUR,
                most=MAX_CONNECT_FOUR,
            ),
            Option(
                name="height",
                help_key="option.height",
                default=DependentNumber(
                    "option.height.usual", lambda seats, values: min(6, _max_height(seats, values))
                ),
                least=MIN_CONNECT_FOUR,
                most=DependentNumber("option.height.most", _max_height),
            ),
            # Without it entry 0 and the rules are as they were before there was this option, so it
            # is no new edition.
            Option(name="popout", help_key="option.popout", default="no", choices=("no", "yes")),
        ),
        information=Information.PERFECT,
        dealing=Selection("none"),
        rules="protocol.games.connect_four.popout:create_game",
        solver="search.connect_four.scores:solve_position",
        view="protocol.games.connect_four.view",
        text="protocol.games.connect_four.text",
        sheet="protocol.games.connect_four.sheet:rule_sheet",
    ),
)
