"""Verified dealing: a seat that posts a wrong thing at each of its steps. Every lie is named at
once.
"""

from typing import Any

from conformance.case import Group
from conformance.mutations import (IDENTITY, NO_POINT, doubled, first, flipped, second_encoding, swapped)
from conformance.table.fault_cases import (after, fault, field, in_part, makes, of_the_other, out_of_turn, refused)
from conformance.table.kit_match import Player
from protocol.codes import Code
from protocol.crypto.elgamal import encode_ciphertexts
from protocol.dealing.verified.state import Verified

GROUP = Group("verified")
PROOF, CARD = 64, 64
PLAYS, DRAWS = makes("play"), makes("draw")
TERMS: dict[str, Any] = {"dealing": "verified", "options": [["hand", 2], ["target", 1]]}
DRAWING: dict[str, Any] = TERMS | {"game": "draw-dominoes", "options": [["hand", 4], ["target", 1]]}


def as_it_was(player: Player, body: list[Any]) -> list[Any]:
    """The deck unshuffled, in clear or as the seat before left it, with the proof for another."""
    deal = player.match.deal
    assert isinstance(deal, Verified)
    return [encode_ciphertexts(deal.deck), body[1]]


BAD_PROOF, BAD_POINT, BAD_ENTRY = Code.BAD_PROOF, Code.BAD_POINT, Code.BAD_ENTRY
for name, section, code, body in (
    # keys
    (
        "key-with-a-false-proof",
        "13.7.1",
        BAD_PROOF,
        fault("key", 0, BAD_PROOF, field(1, flipped), **TERMS),
    ),
    (
        "key-that-is-the-identity",
        "13.2.2",
        BAD_POINT,
        fault("key", 0, BAD_POINT, field(0, lambda key: IDENTITY), **TERMS),
    ),
    (
        "key-that-is-no-point",
        "13.2.2",
        BAD_POINT,
        fault("key", 0, BAD_POINT, field(0, lambda key: NO_POINT), **TERMS),
    ),
    (
        "key-under-a-second-encoding",
        "13.2.2",
        BAD_POINT,
        fault("key", 0, BAD_POINT, field(0, second_encoding), **TERMS),
    ),
    (
        "key-that-is-the-identity-under-a-second-encoding",
        "13.2.2",
        BAD_POINT,
        fault("key", 0, BAD_POINT, field(0, lambda key: IDENTITY[:-1] + b"\x80"), **TERMS),
    ),
    (
        "key-of-another-seat",
        "13.3.1",
        BAD_PROOF,
        fault("key", 1, BAD_PROOF, of_the_other("key"), after("key"), **TERMS),
    ),
    (
        "key-with-a-scalar-above-the-order",
        "13.2.3",
        BAD_PROOF,
        fault("key", 0, BAD_PROOF, field(1, lambda proof: proof[:32] + NO_POINT), **TERMS),
    ),
    (
        "key-with-shares-that-nobody-asked-for",
        "13.9.2",
        Code.BAD_KEY_SHARE,
        fault("key", 0, Code.BAD_KEY_SHARE, field(2, lambda points: [IDENTITY]), **TERMS),
    ),
    (
        "key-one-byte-short",
        "13.6",
        BAD_ENTRY,
        refused("key", 0, BAD_ENTRY, field(0, lambda key: key[1:]), **TERMS),
    ),
    (
        "key-without-a-proof",
        "13.6",
        BAD_ENTRY,
        refused("key", 0, BAD_ENTRY, lambda player, body: body[:1], **TERMS),
    ),
    # shuffles
    (
        "shuffle-with-a-false-proof",
        "13.5.7",
        BAD_PROOF,
        fault("shuffle", 0, BAD_PROOF, field(1, lambda proof: flipped(proof, 40)), **TERMS),
    ),
    (
        "shuffle-with-a-card-exchanged",
        "13.5.5",
        BAD_PROOF,
        fault("shuffle", 0, BAD_PROOF, field(0, swapped(CARD)), **TERMS),
    ),
    (
        "shuffle-with-a-card-twice",
        "13.5.6",
        BAD_PROOF,
        fault("shuffle", 1, BAD_PROOF, field(0, doubled(CARD)), **TERMS),
    ),
    ("shuffle-of-nothing", "13.5.6", BAD_PROOF, fault("shuffle", 1, BAD_PROOF, as_it_was, **TERMS)),
    (
        "shuffle-of-the-seat-before",
        "13.3.1",
        BAD_PROOF,
        fault("shuffle", 1, BAD_PROOF, of_the_other("shuffle"), **TERMS),
    ),
    (
        "shuffle-with-a-card-in-clear",
        "13.2.2",
        BAD_POINT,
        fault("shuffle", 0, BAD_POINT, field(0, first(IDENTITY)), **TERMS),
    ),
    (
        "shuffle-with-a-card-that-is-no-point",
        "13.2.2",
        BAD_POINT,
        fault("shuffle", 0, BAD_POINT, field(0, first(NO_POINT)), **TERMS),
    ),
    (
        "shuffle-with-a-card-under-a-second-encoding",
        "13.2.2",
        BAD_POINT,
        fault("shuffle", 0, BAD_POINT, field(0, second_encoding), **TERMS),
    ),
    (
        "shuffle-one-card-short",
        "13.7.2",
        BAD_POINT,
        fault("shuffle", 0, BAD_POINT, field(0, lambda cards: cards[CARD:]), **TERMS),
    ),
    (
        "shuffle-with-a-proof-for-fewer-cards",
        "13.5.7",
        BAD_PROOF,
        fault("shuffle", 0, BAD_PROOF, field(1, lambda proof: proof[4 * 32 :]), **TERMS),
    ),
    (
        "shuffle-with-half-a-card-left-over",
        "13.6.2",
        BAD_POINT,
        fault("shuffle", 0, BAD_POINT, field(0, lambda cards: cards[:-32]), **TERMS),
    ),
    (
        "shuffle-without-cards",
        "13.6",
        BAD_ENTRY,
        refused("shuffle", 0, BAD_ENTRY, field(0, lambda cards: b""), **TERMS),
    ),
    (
        "shuffle-out-of-turn",
        "13.6",
        Code.NOT_NOW,
        out_of_turn("shuffle", 0, 1, "shuffle", [bytes(CARD), bytes(9 * 32)], **TERMS),
    ),
    # shares
    (
        "share-that-is-another",
        "13.4.2",
        BAD_PROOF,
        fault("shares", 0, BAD_PROOF, field(0, swapped(32)), **TERMS),
    ),
    (
        "share-with-a-false-proof",
        "13.4.1",
        BAD_PROOF,
        fault("shares", 0, BAD_PROOF, field(1, flipped), **TERMS),
    ),
    (
        "share-with-the-proof-of-another-card",
        "13.4.2",
        BAD_PROOF,
        fault("shares", 1, BAD_PROOF, field(1, swapped(PROOF)), **TERMS),
    ),
    (
        "share-that-is-the-identity",
        "13.2.2",
        BAD_POINT,
        fault("shares", 0, BAD_POINT, field(0, first(IDENTITY)), **TERMS),
    ),
    (
        "share-that-is-no-point",
        "13.2.2",
        BAD_POINT,
        fault("shares", 0, BAD_POINT, field(0, first(NO_POINT)), **TERMS),
    ),
    (
        "share-under-a-second-encoding",
        "13.2.2",
        BAD_POINT,
        fault("shares", 0, BAD_POINT, field(0, second_encoding), **TERMS),
    ),
    (
        "share-missing",
        "13.7.3",
        BAD_PROOF,
        fault("shares", 0, BAD_PROOF, field(0, lambda shares: shares[32:]), **TERMS),
    ),
    (
        "share-too-many",
        "13.7.3",
        BAD_PROOF,
        fault(
            "shares",
            0,
            BAD_PROOF,
            lambda player, body: [body[0] + body[0][:32], body[1] + body[1][:64]],
            **TERMS,
        ),
    ),
    (
        "shares-of-another-seat",
        "13.3.1",
        BAD_PROOF,
        fault("shares", 1, BAD_PROOF, of_the_other("shares"), after("shares"), **TERMS),
    ),
    (
        "share-with-a-byte-left-over",
        "13.6.2",
        BAD_PROOF,
        fault("shares", 0, BAD_PROOF, field(0, lambda shares: shares + b"\0"), **TERMS),
    ),
    (
        "shares-empty",
        "13.6",
        BAD_ENTRY,
        refused("shares", 0, BAD_ENTRY, lambda player, body: [b"", b""], **TERMS),
    ),
    (
        "shares-before-the-shuffles",
        "13.6",
        Code.NOT_NOW,
        out_of_turn("shuffle", 1, 0, "shares", [bytes(32), bytes(64)], **TERMS),
    ),
    # draws and openings
    (
        "draw-of-a-certain-card",
        "13.8.1",
        BAD_ENTRY,
        refused("move", None, BAD_ENTRY, field(1, lambda parts: [[20]]), DRAWS, **DRAWING),
    ),
    (
        "drawn-card-not-unlocked",
        "13.7.3",
        BAD_PROOF,
        fault(
            "shares",
            None,
            BAD_PROOF,
            field(1, flipped),
            lambda player: player.match.pending is not None,
            **DRAWING,
        ),
    ),
    (
        "opening-of-a-card-not-held",
        "13.8.2",
        Code.NOT_HELD,
        fault("move", None, Code.NOT_HELD, in_part(0, lambda card: 27), PLAYS, **TERMS),
    ),
    (
        "opening-with-a-false-proof",
        "13.8.2",
        BAD_PROOF,
        fault("move", None, BAD_PROOF, in_part(2, flipped), PLAYS, **TERMS),
    ),
    (
        "opening-with-the-identity",
        "13.8.2",
        BAD_POINT,
        fault("move", None, BAD_POINT, in_part(1, lambda share: IDENTITY), PLAYS, **TERMS),
    ),
    (
        "opening-of-another-shape",
        "13.8.2",
        BAD_ENTRY,
        refused("move", None, BAD_ENTRY, field(1, lambda parts: [parts[0][:2]]), PLAYS, **TERMS),
    ),
    # the end
    (
        "hand-shown-with-a-false-proof",
        "13.8.5",
        BAD_PROOF,
        fault("show", None, BAD_PROOF, field(1, flipped), **TERMS),
    ),
    (
        "hand-shown-one-card-short",
        "13.8.5",
        BAD_PROOF,
        fault(
            "show",
            None,
            BAD_PROOF,
            field(1, lambda proofs: proofs[PROOF:] or bytes(2 * PROOF)),
            **TERMS,
        ),
    ),
    (
        "hand-not-shown",
        "13.6",
        BAD_ENTRY,
        refused("show", None, BAD_ENTRY, lambda player, body: [b"", b""], **TERMS),
    ),
    (
        "protest-at-verified-dealing",
        "13.1",
        Code.NOT_NOW,
        out_of_turn("shares", 0, 0, "protest", [1], **TERMS),
    ),
):
    GROUP.add(name, section, str(code), body)
