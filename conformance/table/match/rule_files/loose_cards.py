"""Loose cards: shuffled, asked for and opened by a seat that lies (13.11)."""

from typing import Any

from conformance.case import Group
from conformance.mutations import (IDENTITY, first, flipped, swapped)
from conformance.table.fault_cases import (fault, field, in_part, leaves, makes, of_the_other, out_of_turn, refused)
from conformance.table.match.rule_files.kit_files import (KIT, terms)
from protocol.codes import Code

GROUP = Group("loose-cards")
TERMS: dict[str, Any] = terms(KIT)
THREE = terms(KIT, seats=3)
LAYS = makes("lay")
BAD_PROOF, BAD_POINT, BAD_ENTRY = Code.BAD_PROOF, Code.BAD_POINT, Code.BAD_ENTRY

for name, section, code, body in (
    (
        "shuffle-before-the-cards-are-laid",
        "13.11.1",
        Code.NOT_NOW,
        out_of_turn("key", 0, 1, "shuffle", [bytes(8 * 64), bytes(9 * 32)], **TERMS),
    ),
    (
        "shuffle-with-a-card-exchanged",
        "13.11.4",
        BAD_PROOF,
        fault("shuffle", 0, BAD_PROOF, field(0, swapped(64)), **TERMS),
    ),
    (
        "shuffle-of-the-seat-before",
        "13.11.4",
        BAD_PROOF,
        fault("shuffle", 1, BAD_PROOF, of_the_other("shuffle"), **TERMS),
    ),
    (
        "shuffle-out-of-turn",
        "13.11.4",
        Code.NOT_NOW,
        out_of_turn("shuffle", 0, 1, "shuffle", [bytes(8 * 64), bytes(9 * 32)], **TERMS),
    ),
    (
        "share-for-who-looks-that-is-another",
        "13.11.6",
        BAD_PROOF,
        fault("shares", 0, BAD_PROOF, field(0, swapped(32)), **TERMS),
    ),
    (
        "share-for-who-looks-missing",
        "13.11.6",
        BAD_PROOF,
        fault("shares", 1, BAD_PROOF, field(0, lambda shares: shares[32:]), **TERMS),
    ),
    (
        "share-for-who-looks-that-is-the-identity",
        "13.11.6",
        BAD_POINT,
        fault("shares", 1, BAD_POINT, field(0, first(IDENTITY)), **TERMS),
    ),
    (
        "card-opened-with-a-false-proof",
        "13.11.7",
        BAD_PROOF,
        fault("move", None, BAD_PROOF, in_part(2, flipped), LAYS, **TERMS),
    ),
    (
        "card-opened-with-the-identity",
        "13.11.7",
        BAD_POINT,
        fault("move", None, BAD_POINT, in_part(1, lambda share: IDENTITY), LAYS, **TERMS),
    ),
    (
        "card-opened-as-another-piece",
        "13.11.7",
        Code.BAD_OPENING,
        fault(
            "move",
            None,
            Code.BAD_OPENING,
            field(0, lambda words: [*words[:4], words[4] % 7 + 1, words[5]]),
            LAYS,
            **TERMS,
        ),
    ),
    (
        "card-opened-before-it-was-hidden",
        "13.11.7",
        Code.STALE,
        refused("move", None, Code.STALE, in_part(0, lambda seen: 0), LAYS, **TERMS),
    ),
    (
        "card-opened-without-a-share",
        "13.11.7",
        BAD_ENTRY,
        refused("move", None, BAD_ENTRY, field(1, lambda parts: [[]]), LAYS, **TERMS),
    ),
):
    GROUP.add(name, section, str(code), body)
GROUP.add(
    "seat-of-three-that-leaves-with-cards", "13.11.8", str(Code.LEFT), leaves("move", 1, **THREE)
)
