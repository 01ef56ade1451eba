"""Spec of the intruder game: find an attack on a security protocol."""

from protocol.games.spec import GameSpec, Information
from protocol.limits import MAX_SESSIONS
from protocol.options import Option, Selection
from verification.protocols.catalog import BUILT_IN_PROTOCOLS

OWN_PROTOCOL = "own"  # option value for a protocol whose text is the first action

SPECS = (
    GameSpec(
        name="intruder",
        about="game.intruder",
        edition="2",
        seats=(1, 1),
        options=(
            Option(
                name="protocol",
                help_key="option.protocol",
                default=next(iter(BUILT_IN_PROTOCOLS)),
                choices=(*BUILT_IN_PROTOCOLS, OWN_PROTOCOL),
                brought=lambda protocol: protocol == OWN_PROTOCOL,
            ),
            Option(
                name="sessions", help_key="option.sessions", default=1, least=1, most=MAX_SESSIONS
            ),
            Option(name="typed", help_key="option.typed", default="yes", choices=("yes", "no")),
        ),
        information=Information.PERFECT,
        dealing=Selection("none"),
        rules="verification.game.rules:Intruder",
        view="verification.game.view",
    ),
)
