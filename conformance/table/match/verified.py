"""Verified dealing: a seat posts something wrong at each of its steps. Every lie is named at
once.
"""

from typing import Any

from conformance.case import CaseGroup
from conformance.mutations import (
    IDENTITY,
    NO_POINT,
    alias_point,
    flip_bit,
    repeat_block,
    replace_block,
    swap_blocks,
)
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
from conformance.table.kit_match import SeatedPlayer
from protocol.codes import Code
from protocol.crypto.elgamal import encode_ciphertexts
from protocol.dealing.verified.state import VerifiedState

GROUP = CaseGroup("verified")
PROOF = 64
CARD = 64
PLAYS = is_action("play")
DRAWS = is_action("draw")
TERMS: dict[str, Any] = {"dealing": "verified", "options": [["hand", 2], ["target", 1]]}
DRAWING: dict[str, Any] = TERMS | {"game": "draw-dominoes", "options": [["hand", 4], ["target", 1]]}


def as_it_was(player: SeatedPlayer, body: list[Any]) -> list[Any]:
    """Return the unshuffled deck, in clear or from the seat before, with a proof for another
    deck.
    """
    deal = player.match.deal
    assert isinstance(deal, VerifiedState)
    return [encode_ciphertexts(deal.deck), body[1]]


BAD_PROOF = Code.BAD_PROOF
BAD_POINT = Code.BAD_POINT
BAD_ENTRY = Code.BAD_ENTRY
for name, section, code, body in (
    # keys
    (
        "key-with-a-false-proof",
        "13.7.1",
        BAD_PROOF,
        fault_case("key", 0, BAD_PROOF, change_field(1, flip_bit), **TERMS),
    ),
    (
        "key-that-is-the-identity",
        "13.2.2",
        BAD_POINT,
        fault_case("key", 0, BAD_POINT, change_field(0, lambda key: IDENTITY), **TERMS),
    ),
    (
        "key-that-is-no-point",
        "13.2.2",
        BAD_POINT,
        fault_case("key", 0, BAD_POINT, change_field(0, lambda key: NO_POINT), **TERMS),
    ),
    (
        "key-under-a-second-encoding",
        "13.2.2",
        BAD_POINT,
        fault_case("key", 0, BAD_POINT, change_field(0, alias_point), **TERMS),
    ),
    (
        "key-that-is-the-identity-under-a-second-encoding",
        "13.2.2",
        BAD_POINT,
        fault_case(
            "key", 0, BAD_POINT, change_field(0, lambda key: IDENTITY[:-1] + b"\x80"), **TERMS
        ),
    ),
    (
        "key-of-another-seat",
        "13.3.1",
        BAD_PROOF,
        fault_case("key", 1, BAD_PROOF, copy_previous("key"), is_after("key"), **TERMS),
    ),
    (
        "key-with-a-scalar-above-the-order",
        "13.2.3",
        BAD_PROOF,
        fault_case(
            "key", 0, BAD_PROOF, change_field(1, lambda proof: proof[:32] + NO_POINT), **TERMS
        ),
    ),
    (
        "key-with-shares-that-nobody-asked-for",
        "13.9.2",
        Code.BAD_KEY_SHARE,
        fault_case(
            "key", 0, Code.BAD_KEY_SHARE, change_field(2, lambda points: [IDENTITY]), **TERMS
        ),
    ),
    (
        "key-one-byte-short",
        "13.6",
        BAD_ENTRY,
        refusal_case("key", 0, BAD_ENTRY, change_field(0, lambda key: key[1:]), **TERMS),
    ),
    (
        "key-without-a-proof",
        "13.6",
        BAD_ENTRY,
        refusal_case("key", 0, BAD_ENTRY, lambda player, body: body[:1], **TERMS),
    ),
    # shuffles
    (
        "shuffle-with-a-false-proof",
        "13.5.7",
        BAD_PROOF,
        fault_case(
            "shuffle", 0, BAD_PROOF, change_field(1, lambda proof: flip_bit(proof, 40)), **TERMS
        ),
    ),
    (
        "shuffle-with-a-card-exchanged",
        "13.5.5",
        BAD_PROOF,
        fault_case("shuffle", 0, BAD_PROOF, change_field(0, swap_blocks(CARD)), **TERMS),
    ),
    (
        "shuffle-with-a-card-twice",
        "13.5.6",
        BAD_PROOF,
        fault_case("shuffle", 1, BAD_PROOF, change_field(0, repeat_block(CARD)), **TERMS),
    ),
    (
        "shuffle-of-nothing",
        "13.5.6",
        BAD_PROOF,
        fault_case("shuffle", 1, BAD_PROOF, as_it_was, **TERMS),
    ),
    (
        "shuffle-of-the-seat-before",
        "13.3.1",
        BAD_PROOF,
        fault_case("shuffle", 1, BAD_PROOF, copy_previous("shuffle"), **TERMS),
    ),
    (
        "shuffle-with-a-card-in-clear",
        "13.2.2",
        BAD_POINT,
        fault_case("shuffle", 0, BAD_POINT, change_field(0, replace_block(IDENTITY)), **TERMS),
    ),
    (
        "shuffle-with-a-card-that-is-no-point",
        "13.2.2",
        BAD_POINT,
        fault_case("shuffle", 0, BAD_POINT, change_field(0, replace_block(NO_POINT)), **TERMS),
    ),
    (
        "shuffle-with-a-card-under-a-second-encoding",
        "13.2.2",
        BAD_POINT,
        fault_case("shuffle", 0, BAD_POINT, change_field(0, alias_point), **TERMS),
    ),
    (
        "shuffle-one-card-short",
        "13.7.2",
        BAD_POINT,
        fault_case("shuffle", 0, BAD_POINT, change_field(0, lambda cards: cards[CARD:]), **TERMS),
    ),
    (
        "shuffle-with-a-proof-for-fewer-cards",
        "13.5.7",
        BAD_PROOF,
        fault_case(
            "shuffle", 0, BAD_PROOF, change_field(1, lambda proof: proof[4 * 32 :]), **TERMS
        ),
    ),
    (
        "shuffle-with-half-a-card-left-over",
        "13.6.2",
        BAD_POINT,
        fault_case("shuffle", 0, BAD_POINT, change_field(0, lambda cards: cards[:-32]), **TERMS),
    ),
    (
        "shuffle-without-cards",
        "13.6",
        BAD_ENTRY,
        refusal_case("shuffle", 0, BAD_ENTRY, change_field(0, lambda cards: b""), **TERMS),
    ),
    (
        "shuffle-out-of-turn",
        "13.6",
        Code.NOT_NOW,
        out_of_turn_case("shuffle", 0, 1, "shuffle", [bytes(CARD), bytes(9 * 32)], **TERMS),
    ),
    # shares
    (
        "share-that-is-another",
        "13.4.2",
        BAD_PROOF,
        fault_case("shares", 0, BAD_PROOF, change_field(0, swap_blocks(32)), **TERMS),
    ),
    (
        "share-with-a-false-proof",
        "13.4.1",
        BAD_PROOF,
        fault_case("shares", 0, BAD_PROOF, change_field(1, flip_bit), **TERMS),
    ),
    (
        "share-with-the-proof-of-another-card",
        "13.4.2",
        BAD_PROOF,
        fault_case("shares", 1, BAD_PROOF, change_field(1, swap_blocks(PROOF)), **TERMS),
    ),
    (
        "share-that-is-the-identity",
        "13.2.2",
        BAD_POINT,
        fault_case("shares", 0, BAD_POINT, change_field(0, replace_block(IDENTITY)), **TERMS),
    ),
    (
        "share-that-is-no-point",
        "13.2.2",
        BAD_POINT,
        fault_case("shares", 0, BAD_POINT, change_field(0, replace_block(NO_POINT)), **TERMS),
    ),
    (
        "share-under-a-second-encoding",
        "13.2.2",
        BAD_POINT,
        fault_case("shares", 0, BAD_POINT, change_field(0, alias_point), **TERMS),
    ),
    (
        "share-missing",
        "13.7.3",
        BAD_PROOF,
        fault_case("shares", 0, BAD_PROOF, change_field(0, lambda shares: shares[32:]), **TERMS),
    ),
    (
        "share-too-many",
        "13.7.3",
        BAD_PROOF,
        fault_case(
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
        fault_case("shares", 1, BAD_PROOF, copy_previous("shares"), is_after("shares"), **TERMS),
    ),
    (
        "share-with-a-byte-left-over",
        "13.6.2",
        BAD_PROOF,
        fault_case("shares", 0, BAD_PROOF, change_field(0, lambda shares: shares + b"\0"), **TERMS),
    ),
    (
        "shares-empty",
        "13.6",
        BAD_ENTRY,
        refusal_case("shares", 0, BAD_ENTRY, lambda player, body: [b"", b""], **TERMS),
    ),
    (
        "shares-before-the-shuffles",
        "13.6",
        Code.NOT_NOW,
        out_of_turn_case("shuffle", 1, 0, "shares", [bytes(32), bytes(64)], **TERMS),
    ),
    # draws and openings
    (
        "draw-of-a-certain-card",
        "13.8.1",
        BAD_ENTRY,
        refusal_case(
            "move", None, BAD_ENTRY, change_field(1, lambda parts: [[20]]), DRAWS, **DRAWING
        ),
    ),
    (
        "drawn-card-not-unlocked",
        "13.7.3",
        BAD_PROOF,
        fault_case(
            "shares",
            None,
            BAD_PROOF,
            change_field(1, flip_bit),
            lambda player: player.match.pending_action is not None,
            **DRAWING,
        ),
    ),
    (
        "opening-of-a-card-not-held",
        "13.8.2",
        Code.NOT_HELD,
        fault_case(
            "move", None, Code.NOT_HELD, change_part_field(0, lambda card: 27), PLAYS, **TERMS
        ),
    ),
    (
        "opening-with-a-false-proof",
        "13.8.2",
        BAD_PROOF,
        fault_case("move", None, BAD_PROOF, change_part_field(2, flip_bit), PLAYS, **TERMS),
    ),
    (
        "opening-with-the-identity",
        "13.8.2",
        BAD_POINT,
        fault_case(
            "move", None, BAD_POINT, change_part_field(1, lambda share: IDENTITY), PLAYS, **TERMS
        ),
    ),
    (
        "opening-of-another-shape",
        "13.8.2",
        BAD_ENTRY,
        refusal_case(
            "move", None, BAD_ENTRY, change_field(1, lambda parts: [parts[0][:2]]), PLAYS, **TERMS
        ),
    ),
    # the end
    (
        "hand-shown-with-a-false-proof",
        "13.8.5",
        BAD_PROOF,
        fault_case("show", None, BAD_PROOF, change_field(1, flip_bit), **TERMS),
    ),
    (
        "hand-shown-one-card-short",
        "13.8.5",
        BAD_PROOF,
        fault_case(
            "show",
            None,
            BAD_PROOF,
            change_field(1, lambda proofs: proofs[PROOF:] or bytes(2 * PROOF)),
            **TERMS,
        ),
    ),
    (
        "hand-not-shown",
        "13.6",
        BAD_ENTRY,
        refusal_case("show", None, BAD_ENTRY, lambda player, body: [b"", b""], **TERMS),
    ),
    (
        "protest-at-verified-dealing",
        "13.1",
        Code.NOT_NOW,
        out_of_turn_case("shares", 0, 0, "protest", [1], **TERMS),
    ),
):
    GROUP.add(name, section, str(code), body)
