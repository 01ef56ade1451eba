"""Seeded dealing: false numbers and cards, found when the seeds are open, and faults that are
visible at once (chapter 35).
"""

from typing import Any

from conformance.case import CaseGroup
from conformance.mutations import flip_bit
from conformance.table.fault_cases import (
    change_field,
    change_part_field,
    fault_case,
    late_discovery_case,
    out_of_turn_case,
    refusal_case,
)
from conformance.table.kit_match import SeatedPlayer
from conformance.table.lobby.lobby import bad_table
from protocol.codes import Code

GROUP = CaseGroup("seeded")
TERMS: dict[str, Any] = {
    "game": "element-duel",
    "options": [["mode", "hidden"]],
    "dealing": "seeded",
}
MAU: dict[str, Any] = TERMS | {"game": "mau-mau"}
BAD_ENTRY = Code.BAD_ENTRY
BAD_GIVE = Code.BAD_GIVE
BAD_SEED = Code.BAD_SEED
BAD_OPENING = Code.BAD_OPENING


def shows(player: SeatedPlayer) -> bool:
    """Check that the action shows a card that not all seats knew."""
    due = player.due()
    return due is not None and due.body[0][0] == "play" and bool(due.body[0][4])


def several(player: SeatedPlayer) -> bool:
    """Check that more than one card is to be shown."""
    due = player.due()
    return due is not None and len(due.body[0]) > 1


for name, section, code, body in (
    (
        "commitment-one-byte-short",
        "35.3",
        BAD_ENTRY,
        refusal_case("commit", 0, BAD_ENTRY, change_field(0, lambda seed: seed[1:]), **TERMS),
    ),
    (
        "number-before-all-are-bound",
        "35.2.1",
        Code.NOT_NOW,
        out_of_turn_case("commit", 0, 1, "give", [bytes(32)], **TERMS),
    ),
    (
        "number-one-byte-short",
        "35.3",
        BAD_ENTRY,
        refusal_case("give", 0, BAD_ENTRY, change_field(0, lambda give: give[1:]), **TERMS),
    ),
    (
        "number-that-is-not-the-seeds",
        "35.5.2",
        BAD_GIVE,
        late_discovery_case("give", 0, BAD_GIVE, change_field(0, flip_bit), **TERMS),
    ),
    (
        "seed-before-the-end",
        "35.5.1",
        Code.NOT_NOW,
        out_of_turn_case("give", 0, 1, "open_seed", [bytes(32), bytes(32)], **TERMS),
    ),
    (
        "seed-that-was-not-committed-to",
        "35.5.1",
        BAD_SEED,
        fault_case("open_seed", 0, BAD_SEED, change_field(0, flip_bit), **TERMS),
    ),
    (
        "card-shown-as-the-others",
        "35.3.2",
        BAD_OPENING,
        fault_case(
            "show", 0, BAD_OPENING, change_field(0, lambda pieces: [10, *pieces[1:]]), **TERMS
        ),
    ),
    (
        "cards-shown-one-too-few",
        "35.3.2",
        Code.BAD_LIST,
        fault_case(
            "show", 0, Code.BAD_LIST, change_field(0, lambda pieces: pieces[:-1]), several, **TERMS
        ),
    ),
    (
        "cards-shown-as-each-other",
        "35.5.2",
        BAD_OPENING,
        late_discovery_case(
            "show", 0, BAD_OPENING, change_field(0, lambda pieces: pieces[::-1]), several, **TERMS
        ),
    ),
    (
        "card-opened-after-another-number-of-shuffles",
        "35.3.3",
        Code.STALE,
        refusal_case("move", None, Code.STALE, change_part_field(0, lambda epoch: 0), shows, **MAU),
    ),
    (
        "card-opened-without-that-number",
        "35.3.3",
        BAD_ENTRY,
        refusal_case("move", None, BAD_ENTRY, change_field(1, lambda parts: [[]]), shows, **MAU),
    ),
    (
        "pack-for-all-dealt-by-seeds",
        "35.1.3",
        Code.BAD_OPTIONS,
        bad_table(game="mau-mau-shared", options=[], dealing="seeded"),
    ),
):
    GROUP.add(name, section, str(code), body)
