"""The intruder, as a row of the registry."""

from protocol.games.row import Information, Row
from protocol.limits import MAX_SESSIONS
from protocol.options import Chosen, Option
from protocol.verification.protocols.table import SHIPPED

OWN = "own"  # a protocol whose text is the first action

ROWS = (
    Row(
        name="intruder",
        about="game.intruder",
        edition="2",
        seats=(1, 1),
        options=(
            Option(
                name="protocol",
                about="option.protocol",
                default=next(iter(SHIPPED)),
                choices=(*SHIPPED, OWN),
                brought=lambda protocol: protocol == OWN,
            ),
            Option(name="sessions", about="option.sessions", default=1, least=1, most=MAX_SESSIONS),
            Option(name="typed", about="option.typed", default="yes", choices=("yes", "no")),
        ),
        information=Information.PERFECT,
        dealing=Chosen("none"),
        rules="protocol.games.intruder.rules:Intruder",
        view="protocol.games.intruder.view",
    ),
)
