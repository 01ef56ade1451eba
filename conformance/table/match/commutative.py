"""Commutative dealing: visible faults are named at once, all others when the keys are opened."""

from typing import Any

from conformance.case import CaseGroup
from conformance.mutations import (
    IDENTITY,
    NO_POINT,
    NO_SCALAR,
    alias_point,
    flip_bit,
    repeat_block,
    replace_block,
    replace_point,
)
from conformance.table.environment import TableEnvironment
from conformance.table.fault_cases import (
    BodyChange,
    change_field,
    change_part_field,
    copy_previous,
    fault_case,
    is_action,
    late_discovery_case,
    leave_case,
    out_of_turn_case,
    reach_kind,
    refusal_case,
    replace_action,
)
from conformance.table.kit_match import SeatedPlayer
from conformance.table.match.game import has_called_tile
from protocol.codes import Code
from protocol.crypto.group import encode
from protocol.dealing.card_state import piece_points
from protocol.dealing.commutative.state import CommutativeState
from protocol.match.log import decode_entry

GROUP = CaseGroup("commutative")
TERMS: dict[str, Any] = {"dealing": "commutative", "options": [["hand", 2], ["target", 1]]}
DRAWING: dict[str, Any] = TERMS | {"game": "draw-dominoes", "options": [["hand", 4], ["target", 1]]}
PLAYS = is_action("play")
DRAWS = is_action("draw")
POINT = 32
PIECES = 28


def hands(change: Any) -> BodyChange:
    """Return a change of the cards chosen for the seats."""
    return change_field(0, change)


def faces_again(player: SeatedPlayer, body: list[Any]) -> list[Any]:
    """Return the first pack with all faces unmasked."""
    return [encode(piece_points(PIECES))]


def of_the_stock(player: SeatedPlayer, body: list[Any]) -> list[Any]:
    """Return one of the seat's own tiles as a card of the stock."""
    deal = player.match.deal
    assert isinstance(deal, CommutativeState)
    return [body[0], [[deal.stock_of(0)[0]]]]


def drawing(player: SeatedPlayer) -> bool:
    """Check that the requested cards belong to a draw, not to the deal."""
    return player.match.pending_action is not None


BAD_POINT = Code.BAD_POINT
BAD_LIST = Code.BAD_LIST
BAD_ENTRY = Code.BAD_ENTRY
NOT_IN_STOCK = Code.NOT_IN_STOCK
for name, section, code, body in (
    (
        "commitment-one-byte-short",
        "16.3",
        BAD_ENTRY,
        refusal_case("commit", 0, BAD_ENTRY, change_field(0, lambda data: data[1:]), **TERMS),
    ),
    # packs
    (
        "pack-with-the-identity",
        "16.3.4",
        BAD_POINT,
        fault_case("pack", 0, BAD_POINT, change_field(0, replace_block(IDENTITY)), **TERMS),
    ),
    (
        "pack-with-what-is-no-point",
        "16.3.4",
        BAD_POINT,
        fault_case("pack", 1, BAD_POINT, change_field(0, replace_block(NO_POINT)), **TERMS),
    ),
    (
        "pack-with-a-point-under-a-second-encoding",
        "13.2.2",
        BAD_POINT,
        fault_case("pack", 0, BAD_POINT, change_field(0, alias_point), **TERMS),
    ),
    (
        "pack-with-a-byte-left-over",
        "16.3.1",
        BAD_POINT,
        fault_case("pack", 0, BAD_POINT, change_field(0, lambda cards: cards + b"\0"), **TERMS),
    ),
    (
        "pack-one-card-short",
        "16.3.1",
        BAD_LIST,
        fault_case("pack", 0, BAD_LIST, change_field(0, lambda cards: cards[POINT:]), **TERMS),
    ),
    (
        "pack-with-a-card-too-many",
        "16.3.1",
        BAD_LIST,
        fault_case(
            "pack",
            0,
            BAD_LIST,
            change_field(0, lambda cards: replace_point(cards[:POINT]) + cards),
            **TERMS,
        ),
    ),
    (
        "pack-with-a-card-twice",
        "16.3.1",
        BAD_LIST,
        fault_case("pack", 1, BAD_LIST, change_field(0, repeat_block(POINT)), **TERMS),
    ),
    (
        "pack-in-no-envelopes",
        "16.3.1",
        BAD_LIST,
        fault_case("pack", 0, BAD_LIST, faces_again, **TERMS),
    ),
    (
        "pack-of-the-seat-before",
        "16.3.1",
        BAD_LIST,
        fault_case("pack", 1, BAD_LIST, copy_previous("pack"), **TERMS),
    ),
    (
        "pack-of-nothing",
        "16.3",
        BAD_ENTRY,
        refusal_case("pack", 0, BAD_ENTRY, change_field(0, lambda cards: b""), **TERMS),
    ),
    (
        "pack-out-of-turn",
        "16.3",
        Code.NOT_NOW,
        out_of_turn_case("pack", 0, 1, "pack", [bytes(POINT)], **TERMS),
    ),
    (
        "pack-with-another-card",
        "16.5.2",
        Code.BAD_PACK,
        late_discovery_case("pack", 0, Code.BAD_PACK, change_field(0, replace_point), **TERMS),
    ),
    # choices
    (
        "choice-of-a-card-twice",
        "16.3.2",
        NOT_IN_STOCK,
        fault_case(
            "choose", 1, NOT_IN_STOCK, hands(lambda chosen: [chosen[0], chosen[0]]), **TERMS
        ),
    ),
    (
        "choice-of-a-card-that-is-not-there",
        "16.3.2",
        NOT_IN_STOCK,
        fault_case(
            "choose",
            1,
            NOT_IN_STOCK,
            hands(lambda chosen: [[chosen[0][0], PIECES], chosen[1]]),
            **TERMS,
        ),
    ),
    (
        "choice-of-a-card-too-few",
        "16.3.2",
        NOT_IN_STOCK,
        fault_case(
            "choose", 1, NOT_IN_STOCK, hands(lambda chosen: [chosen[0][1:], chosen[1]]), **TERMS
        ),
    ),
    (
        "choice-for-one-seat-alone",
        "16.3.2",
        NOT_IN_STOCK,
        fault_case("choose", 1, NOT_IN_STOCK, hands(lambda chosen: chosen[:1]), **TERMS),
    ),
    (
        "choice-for-a-seat-too-many",
        "16.3.2",
        NOT_IN_STOCK,
        fault_case("choose", 1, NOT_IN_STOCK, hands(lambda chosen: [*chosen, []]), **TERMS),
    ),
    (
        "choice-for-nobody",
        "16.3",
        BAD_ENTRY,
        refusal_case("choose", 1, BAD_ENTRY, hands(lambda chosen: []), **TERMS),
    ),
    (
        "choice-by-who-packed-first",
        "16.3",
        Code.NOT_NOW,
        out_of_turn_case("choose", 1, 0, "choose", [[[0, 1], [2, 3]]], **TERMS),
    ),
    # envelopes that come off
    (
        "card-unwrapped-to-the-identity",
        "16.3.4",
        BAD_POINT,
        fault_case("unwrap", 1, BAD_POINT, change_field(0, replace_block(IDENTITY)), **TERMS),
    ),
    (
        "card-unwrapped-to-a-second-encoding",
        "13.2.2",
        BAD_POINT,
        fault_case("unwrap", 0, BAD_POINT, change_field(0, alias_point), **TERMS),
    ),
    (
        "card-not-unwrapped",
        "16.3.3",
        BAD_LIST,
        fault_case("unwrap", 1, BAD_LIST, change_field(0, lambda cards: cards[POINT:]), **TERMS),
    ),
    (
        "card-unwrapped-too-many",
        "16.3.3",
        BAD_LIST,
        fault_case(
            "unwrap", 1, BAD_LIST, change_field(0, lambda cards: cards + cards[:POINT]), **TERMS
        ),
    ),
    (
        "unwrapping-out-of-turn",
        "16.3.3",
        Code.NOT_NOW,
        out_of_turn_case("unwrap", 1, 0, "unwrap", [bytes(2 * POINT)], **TERMS),
    ),
    (
        "card-unwrapped-to-another",
        "16.5.2",
        Code.BAD_UNWRAP,
        late_discovery_case("unwrap", 0, Code.BAD_UNWRAP, change_field(0, replace_point), **TERMS),
    ),
    (
        "drawn-card-unwrapped-to-another",
        "16.5.2",
        Code.BAD_UNWRAP,
        late_discovery_case(
            "unwrap", None, Code.BAD_UNWRAP, change_field(0, replace_point), drawing, **DRAWING
        ),
    ),
    # cards that are shown and chosen
    (
        "opening-of-a-card-not-held",
        "16.4",
        Code.NOT_HELD,
        fault_case("move", None, Code.NOT_HELD, of_the_stock, PLAYS, **TERMS),
    ),
    (
        "opening-of-another-shape",
        "16.4",
        BAD_ENTRY,
        refusal_case("move", None, BAD_ENTRY, change_field(1, lambda parts: [[]]), PLAYS, **TERMS),
    ),
    (
        "opening-with-a-share",
        "16.4",
        BAD_ENTRY,
        refusal_case(
            "move",
            None,
            BAD_ENTRY,
            change_field(1, lambda parts: [[*parts[0], IDENTITY]]),
            PLAYS,
            **TERMS,
        ),
    ),
    (
        "draw-of-no-card",
        "16.4",
        BAD_ENTRY,
        refusal_case(
            "move", None, BAD_ENTRY, change_field(1, lambda parts: [[]]), DRAWS, **DRAWING
        ),
    ),
    (
        "draw-of-two-cards",
        "16.4",
        BAD_ENTRY,
        refusal_case(
            "move", None, BAD_ENTRY, change_field(1, lambda parts: [parts[0] * 2]), DRAWS, **DRAWING
        ),
    ),
    (
        "draw-of-a-card-that-is-not-there",
        "16.4",
        NOT_IN_STOCK,
        refusal_case(
            "move", None, NOT_IN_STOCK, change_part_field(0, lambda card: PIECES), DRAWS, **DRAWING
        ),
    ),
    (
        "false-denial",
        "9.6",
        Code.FALSE_DENIAL,
        late_discovery_case(
            "move", None, Code.FALSE_DENIAL, replace_action("deny"), has_called_tile, **TERMS
        ),
    ),
    # keys that are opened
    (
        "key-opened-that-is-no-scalar",
        "16.5.1",
        Code.BAD_SCALAR,
        fault_case("open_key", 0, Code.BAD_SCALAR, change_field(0, lambda key: NO_SCALAR), **TERMS),
    ),
    (
        "key-opened-that-is-zero",
        "16.5.1",
        Code.BAD_KEY_OPENING,
        fault_case(
            "open_key", 1, Code.BAD_KEY_OPENING, change_field(0, lambda key: bytes(32)), **TERMS
        ),
    ),
    (
        "key-opened-that-is-another",
        "16.5.1",
        Code.BAD_KEY_OPENING,
        fault_case("open_key", 0, Code.BAD_KEY_OPENING, change_field(0, flip_bit), **TERMS),
    ),
    (
        "key-opened-with-another-salt",
        "16.5.1",
        Code.BAD_KEY_OPENING,
        fault_case("open_key", 1, Code.BAD_KEY_OPENING, change_field(1, flip_bit), **TERMS),
    ),
    (
        "key-opened-before-the-end",
        "16.3",
        Code.NOT_NOW,
        out_of_turn_case("unwrap", 1, 0, "open_key", [bytes(32), bytes(32)], **TERMS),
    ),
    (
        "protest-before-a-pack",
        "16.3.5",
        Code.NOT_NOW,
        out_of_turn_case("pack", 0, 1, "protest", [1], **TERMS),
    ),
    (
        "protest-when-keys-are-opened",
        "16.3.5",
        Code.NOT_NOW,
        out_of_turn_case("open_key", 0, 1, "protest", [1], **TERMS),
    ),
):
    GROUP.add(name, section, str(code), body)

for kind in ("commit", "pack", "choose", "unwrap", "move", "open_key"):
    GROUP.add(
        f"leave-instead-of-{kind.replace('_', '-')}",
        "16.1",
        str(Code.LEFT),
        leave_case(kind, **TERMS),
    )


@GROUP.case("16.5.2", str(Code.FALSE_PROTEST))
async def protest_without_reason(arena: TableEnvironment) -> None:
    play, player = await reach_kind(arena, "move", None, None, **TERMS)
    count = await play.stands(player, player.entry(kind="protest", body=[len(player.records) - 1]))
    while await play.step():
        pass
    play.names(player.number, count, Code.FALSE_PROTEST)
    await play.is_over()


@GROUP.case("16.3.3", "the last to pack first")
async def turns_to_unwrap(arena: TableEnvironment) -> None:
    """Three seats: each unwraps the cards of the others; the last to pack begins."""
    play = await arena.play(**TERMS | {"seats": 3})
    await play.reach("move")
    authors = [
        entry.author
        for raw, _ in play.players[0].records
        if (entry := decode_entry(raw)).kind == "unwrap"
    ]
    assert authors == [2, 1, 0]
    await play.end()
