"""Loose cards: shuffled, requested and opened by a seat that lies (13.11)."""

from typing import Any

from conformance.case import CaseGroup
from conformance.mutations import IDENTITY, flip_bit, replace_block, swap_blocks
from conformance.table.fault_cases import (
    change_field,
    change_part_field,
    copy_previous,
    fault_case,
    is_action,
    leave_case,
    out_of_turn_case,
    refusal_case,
)
from conformance.table.match.rule_files.kit_files import KIT, terms
from protocol.codes import Code

GROUP = CaseGroup("loose-cards")
TERMS: dict[str, Any] = terms(KIT)
THREE = terms(KIT, seats=3)
LAYS = is_action("lay")
BAD_PROOF = Code.BAD_PROOF
BAD_POINT = Code.BAD_POINT
BAD_ENTRY = Code.BAD_ENTRY

for name, section, code, body in (
    (
        "shuffle-before-the-cards-are-laid",
        "13.11.1",
        Code.NOT_NOW,
        out_of_turn_case("key", 0, 1, "shuffle", [bytes(8 * 64), bytes(9 * 32)], **TERMS),
    ),
    (
        "shuffle-with-a-card-exchanged",
        "13.11.4",
        BAD_PROOF,
        fault_case("shuffle", 0, BAD_PROOF, change_field(0, swap_blocks(64)), **TERMS),
    ),
    (
        "shuffle-of-the-seat-before",
        "13.11.4",
        BAD_PROOF,
        fault_case("shuffle", 1, BAD_PROOF, copy_previous("shuffle"), **TERMS),
    ),
    (
        "shuffle-out-of-turn",
        "13.11.4",
        Code.NOT_NOW,
        out_of_turn_case("shuffle", 0, 1, "shuffle", [bytes(8 * 64), bytes(9 * 32)], **TERMS),
    ),
    (
        "share-for-who-looks-that-is-another",
        "13.11.6",
        BAD_PROOF,
        fault_case("shares", 0, BAD_PROOF, change_field(0, swap_blocks(32)), **TERMS),
    ),
    (
        "share-for-who-looks-missing",
        "13.11.6",
        BAD_PROOF,
        fault_case("shares", 1, BAD_PROOF, change_field(0, lambda shares: shares[32:]), **TERMS),
    ),
    (
        "share-for-who-looks-that-is-the-identity",
        "13.11.6",
        BAD_POINT,
        fault_case("shares", 1, BAD_POINT, change_field(0, replace_block(IDENTITY)), **TERMS),
    ),
    (
        "card-opened-with-a-false-proof",
        "13.11.7",
        BAD_PROOF,
        fault_case("move", None, BAD_PROOF, change_part_field(2, flip_bit), LAYS, **TERMS),
    ),
    (
        "card-opened-with-the-identity",
        "13.11.7",
        BAD_POINT,
        fault_case(
            "move", None, BAD_POINT, change_part_field(1, lambda share: IDENTITY), LAYS, **TERMS
        ),
    ),
    (
        "card-opened-as-another-piece",
        "13.11.7",
        Code.BAD_OPENING,
        fault_case(
            "move",
            None,
            Code.BAD_OPENING,
            change_field(0, lambda words: [*words[:4], words[4] % 7 + 1, words[5]]),
            LAYS,
            **TERMS,
        ),
    ),
    (
        "card-opened-before-it-was-hidden",
        "13.11.7",
        Code.STALE,
        refusal_case("move", None, Code.STALE, change_part_field(0, lambda seen: 0), LAYS, **TERMS),
    ),
    (
        "card-opened-without-a-share",
        "13.11.7",
        BAD_ENTRY,
        refusal_case("move", None, BAD_ENTRY, change_field(1, lambda parts: [[]]), LAYS, **TERMS),
    ),
):
    GROUP.add(name, section, str(code), body)
GROUP.add(
    "seat-of-three-that-leaves-with-cards",
    "13.11.8",
    str(Code.LEFT),
    leave_case("move", 1, **THREE),
)
