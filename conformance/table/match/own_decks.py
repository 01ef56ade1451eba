"""Own decks, in any game that has them: wrong shares, a wrong head, and places without their
opening (13.10).
"""

from typing import Any

from conformance.case import CaseGroup
from conformance.mutations import IDENTITY, flip_bit, replace_block, swap_blocks
from conformance.table.fault_cases import (
    change_field,
    change_part_field,
    copy_previous,
    fault_case,
    is_action,
    is_after,
    out_of_turn_case,
    refusal_case,
)
from conformance.table.lobby.lobby import bad_table
from protocol.codes import Code

GROUP = CaseGroup("own-decks")
TERMS: dict[str, Any] = {"game": "ligretto", "options": [["rounds", 1]], "dealing": "verified"}
BAD_PROOF = Code.BAD_PROOF
BAD_POINT = Code.BAD_POINT
BAD_ENTRY = Code.BAD_ENTRY
FLIPS = is_action("flip")

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
        fault_case(
            "shuffle",
            0,
            BAD_PROOF,
            change_field(1, lambda proof: flip_bit(proof, 40)),
            is_after("shuffle"),
            **TERMS,
        ),
    ),
    (
        "share-of-a-deck-missing",
        "13.10.2",
        BAD_PROOF,
        fault_case("shares", 1, BAD_PROOF, change_field(0, lambda shares: shares[32:]), **TERMS),
    ),
    (
        "head-before-all-shares",
        "13.10.4",
        Code.NOT_NOW,
        out_of_turn_case("shares", 1, 0, "turn_up", [bytes(32), bytes(64)], **TERMS),
    ),
    (
        "head-in-another-order",
        "13.10.4",
        BAD_PROOF,
        fault_case("turn_up", 1, BAD_PROOF, change_field(0, swap_blocks(32)), **TERMS),
    ),
    (
        "head-of-another-seat",
        "13.10.4",
        BAD_PROOF,
        fault_case("turn_up", 1, BAD_PROOF, copy_previous("turn_up"), is_after("turn_up"), **TERMS),
    ),
    (
        "place-with-the-identity",
        "13.10.5",
        BAD_POINT,
        fault_case(
            "move", None, BAD_POINT, change_part_field(1, replace_block(IDENTITY)), FLIPS, **TERMS
        ),
    ),
    (
        "place-without-a-share",
        "13.10.5",
        BAD_ENTRY,
        refusal_case("move", None, BAD_ENTRY, change_field(1, lambda parts: [[]]), FLIPS, **TERMS),
    ),
):
    GROUP.add(name, section, str(code), body)
