"""The spec of the game against a protocol; its code is in the package `verification`.

The registry has the spec as data: tables and players check the terms of a match by it. Nothing here
imports `verification`, whose rules are loaded by name when somebody plays.
"""

from protocol.games.spec import GameFamily, GameSpec, Information
from protocol.limits import MAX_SESSIONS
from protocol.options import Option, Selection

OWN_PROTOCOL = "own"  # option value for a protocol whose text is the first action

# The names of `verification.protocols.catalog`, in the same order: values on the wire.
PROTOCOLS = (
    "needham-schroeder",
    "needham-schroeder-lowe",
    "otway-rees",
    "yahalom",
    "woo-lam",
    "woo-lam-full",
    "denning-sacco",
    "denning-sacco-names",
    "diffie-hellman",
    "diffie-hellman-signed",
    "needham-schroeder-shared",
    "needham-schroeder-shared-leak",
    "kerberos",
    "andrew-rpc",
    "wide-mouthed-frog",
    "session",
    "session-weak-hash",
    "session-weak-ephemeral",
    "match-keys",
    "match-keys-weak-match",
    "match-keys-weak-unsigned",
)

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
                default=PROTOCOLS[0],
                choices=(*PROTOCOLS, OWN_PROTOCOL),
                brought=lambda protocol: protocol == OWN_PROTOCOL,
            ),
            Option(
                name="sessions", help_key="option.sessions", default=1, least=1, most=MAX_SESSIONS
            ),
            Option(name="typed", help_key="option.typed", default="yes", choices=("yes", "no")),
        ),
        information=Information.PERFECT,
        family=GameFamily.STUDY,
        dealing=Selection("none"),
        rules="verification.game.rules:Intruder",
        view="verification.game.view",
        sheet="verification.game.sheet:rule_sheet",
    ),
)
