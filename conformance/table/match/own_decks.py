"""Own decks, at any game that has them: wrong shares, a wrong head, and places without what opens
them (13.10).
"""

from typing import Any

from conformance.case import Group
from conformance.mutations import (IDENTITY, first, flipped, swapped)
from conformance.table.fault_cases import (after, fault, field, in_part, makes, of_the_other, out_of_turn, refused)
from conformance.table.lobby.lobby import bad_table
from protocol.codes import Code

GROUP = Group("own-decks")
TERMS: dict[str, Any] = {"game": "ligretto", "options": [["rounds", 1]], "dealing": "verified"}
BAD_PROOF, BAD_POINT, BAD_ENTRY = Code.BAD_PROOF, Code.BAD_POINT, Code.BAD_ENTRY
FLIPS = makes("flip")

for name, section, code, body in (
    (
        "dealt-by-commuting-locks",
        "6.8.5",
        Code.BAD_OPTIONS,
        bad_table(**TERMS | {"dealing": "commutative"}),
    ),
    (
        "another-deck-shuffled-with-a-false-proof",
        "13.10.1",
        BAD_PROOF,
        fault(
            "shuffle",
            0,
            BAD_PROOF,
            field(1, lambda proof: flipped(proof, 40)),
            after("shuffle"),
            **TERMS,
        ),
    ),
    (
        "share-of-a-deck-missing",
        "13.10.2",
        BAD_PROOF,
        fault("shares", 1, BAD_PROOF, field(0, lambda shares: shares[32:]), **TERMS),
    ),
    (
        "head-before-all-shares",
        "13.10.4",
        Code.NOT_NOW,
        out_of_turn("shares", 1, 0, "turn_up", [bytes(32), bytes(64)], **TERMS),
    ),
    (
        "head-in-another-order",
        "13.10.4",
        BAD_PROOF,
        fault("turn_up", 1, BAD_PROOF, field(0, swapped(32)), **TERMS),
    ),
    (
        "head-of-another-seat",
        "13.10.4",
        BAD_PROOF,
        fault("turn_up", 1, BAD_PROOF, of_the_other("turn_up"), after("turn_up"), **TERMS),
    ),
    (
        "place-with-the-identity",
        "13.10.5",
        BAD_POINT,
        fault("move", None, BAD_POINT, in_part(1, first(IDENTITY)), FLIPS, **TERMS),
    ),
    (
        "place-without-a-share",
        "13.10.5",
        BAD_ENTRY,
        refused("move", None, BAD_ENTRY, field(1, lambda parts: [[]]), FLIPS, **TERMS),
    ),
):
    GROUP.add(name, section, str(code), body)
