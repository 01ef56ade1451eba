"""Spec of Ligretto."""

from protocol.games.spec import BotSpec, GameSpec, TurnOrder
from protocol.limits import (
    LIGRETTO_ROWS,
    MAX_LIGRETTO_RESCUES,
    MAX_LIGRETTO_ROUNDS,
    MAX_LIGRETTO_SEATS,
    MAX_LIGRETTO_TARGET,
)
from protocol.options import DependentNumber, Option, Selection, Values

LEAST, MOST = LIGRETTO_ROWS


def _usual_row(seats: int, values: Values) -> int:
    if values["blitz"] == "yes":
        return MOST if seats == 2 else LEAST
    return max(LEAST, MOST + 2 - seats)


SPECS = (
    GameSpec(
        name="ligretto",
        about="game.ligretto",
        edition="2",
        seats=(2, MAX_LIGRETTO_SEATS),
        options=(
            # Without it entry 0 and the rules are as they were before there was this option, so it
            # is no new edition.
            Option(name="blitz", help_key="option.blitz", default="no", choices=("no", "yes")),
            Option(
                name="row",
                help_key="option.row",
                default=DependentNumber("option.row.usual", _usual_row),
                least=LEAST,
                most=MOST,
            ),
            Option(
                name="target",
                help_key="option.target",
                default=DependentNumber(
                    "option.race_target.usual",
                    lambda seats, values: 75 if values["blitz"] == "yes" else 99,
                ),
                least=1,
                most=MAX_LIGRETTO_TARGET,
            ),
            Option(
                name="rounds",
                help_key="option.rounds",
                default=30,
                least=1,
                most=MAX_LIGRETTO_ROUNDS,
            ),
            Option(
                name="rescues", help_key="option.rescues", default=10, most=MAX_LIGRETTO_RESCUES
            ),
            Option(name="redeal", help_key="option.redeal", default="no", choices=("no", "yes")),
        ),
        dynamics=TurnOrder.INDEPENDENT,
        keys="123450d fb",
        minor=frozenset({"ligretto.flipped"}),
        # Without `threshold`, one seat that leaves ends the match for all.
        dealing=Selection("verified", (("leavers", "threshold"),)),
        rules="protocol.games.ligretto.blitz:create_game",
        view="protocol.games.ligretto.view",
        text="protocol.games.ligretto.text",
        sheet="protocol.games.ligretto.sheet:rule_sheet",
        bots=(
            BotSpec(
                "ligretto",
                "bots.ligretto:ligretto_bot",
                "help.bot.ligretto",
            ),
        ),
    ),
)
