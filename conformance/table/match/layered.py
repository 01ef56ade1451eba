"""Layered dealing: a seat posts something wrong at each of its steps."""

from typing import Any

from conformance.case import CaseFailed, CaseGroup
from conformance.mutations import alias_point, flip_bit
from conformance.table.environment import TableEnvironment
from conformance.table.fault_cases import (
    change_field,
    change_part_field,
    fault_case,
    is_action,
    late_discovery_case,
    out_of_turn_case,
    reach_kind,
    refusal_case,
)
from conformance.table.kit_match import KitMatch, SeatedPlayer
from protocol.codes import Code

GROUP = CaseGroup("layered", dealing="layered")
ZERO = bytes(32)
GARBAGE = bytes(range(32))
DRAWING: dict[str, Any] = {"game": "draw-dominoes", "options": [["hand", 4], ["target", 1]]}


def fewer(bitmap: bytes) -> bytes:
    """Remove one element from a set."""
    value = int.from_bytes(bitmap, "little")
    return (value & (value - 1)).to_bytes(len(bitmap), "little")


def beyond(bitmap: bytes) -> bytes:
    """Set a bit for an element that does not exist."""
    return bitmap[:-1] + bytes([bitmap[-1] | 0x80])


PLAYS = is_action("play")
DRAWS = is_action("draw")
for name, section, code, body in (
    # the lists
    (
        "layer-one-element-short",
        "8.4.3",
        Code.BAD_LIST,
        fault_case("layer", 1, Code.BAD_LIST, change_field(0, lambda items: items[1:])),
    ),
    (
        "layer-one-element-too-many",
        "8.4.3",
        Code.BAD_LIST,
        fault_case("layer", 1, Code.BAD_LIST, change_field(0, lambda items: [*items, GARBAGE])),
    ),
    (
        "layer-with-an-element-twice",
        "8.4.3",
        Code.BAD_LIST,
        fault_case(
            "layer", 0, Code.BAD_LIST, change_field(0, lambda items: [items[1], *items[1:]])
        ),
    ),
    (
        "layer-with-a-short-element",
        "8.2.3",
        Code.BAD_ENTRY,
        refusal_case(
            "layer", 1, Code.BAD_ENTRY, change_field(0, lambda items: [items[0][1:], *items[1:]])
        ),
    ),
    (
        "layer-out-of-turn",
        "8.2.3",
        Code.NOT_NOW,
        out_of_turn_case("layer", 1, 0, "layer", [[ZERO]]),
    ),
    (
        "strip-with-wrong-keys",
        "8.7.2",
        Code.BAD_LAYER_KEY,
        fault_case(
            "strip",
            1,
            Code.BAD_LAYER_KEY,
            change_field(0, lambda keys: [flip_bit(key) for key in keys]),
        ),
    ),
    # selection
    (
        "hop-one-byte-short",
        "8.5.3",
        Code.BAD_HOP,
        fault_case("hop", 0, Code.BAD_HOP, change_field(0, lambda hop: hop[1:])),
    ),
    (
        "hop-one-byte-too-long",
        "8.5.3",
        Code.BAD_HOP,
        fault_case("hop", 0, Code.BAD_HOP, change_field(0, lambda hop: hop + b"\0")),
    ),
    (
        "hop-empty",
        "8.5.3",
        Code.BAD_HOP,
        fault_case("hop", 1, Code.BAD_HOP, change_field(0, lambda hop: b"")),
    ),
    (
        "hop-that-does-not-open",
        "8.5.6",
        Code.BAD_HOP,
        late_discovery_case("hop", 1, Code.BAD_HOP, change_field(0, lambda hop: flip_bit(hop, -1))),
    ),
    ("hop-out-of-turn", "8.2.3", Code.NOT_NOW, out_of_turn_case("hop", 0, 1, "hop", [GARBAGE])),
    (
        "stock-by-another-than-the-first-seat",
        "8.5.3",
        Code.NOT_NOW,
        out_of_turn_case("hop", 1, 1, "stock", [b"\xff\xff\xff\x0f"]),
    ),
    (
        "stock-one-piece-short",
        "8.5.5",
        Code.BAD_STOCK,
        fault_case("stock", 0, Code.BAD_STOCK, change_field(0, fewer)),
    ),
    (
        "stock-a-byte-too-long",
        "8.5.5",
        Code.BAD_ENTRY,
        refusal_case("stock", 0, Code.BAD_ENTRY, change_field(0, lambda bitmap: bitmap + b"\0")),
    ),
    (
        "stock-with-pieces-that-there-are-not",
        "8.5.5",
        Code.BAD_ENTRY,
        refusal_case("stock", 0, Code.BAD_ENTRY, change_field(0, beyond)),
    ),
    # commitment and reveal
    (
        "commitment-with-a-short-hash",
        "8.2.3",
        Code.BAD_ENTRY,
        refusal_case("commit", 0, Code.BAD_ENTRY, change_field(1, lambda b: b[1:])),
    ),
    (
        "commitment-to-nothing",
        "8.12.2",
        Code.BAD_HAND_OPENING,
        late_discovery_case("commit", 0, Code.BAD_HAND_OPENING, change_field(1, lambda b: GARBAGE)),
    ),
    (
        "strip-one-key-short",
        "8.7.2",
        Code.BAD_LIST,
        fault_case("strip", 0, Code.BAD_LIST, change_field(0, lambda keys: keys[1:])),
    ),
    (
        "strip-with-the-keys-in-another-order",
        "8.7.2",
        Code.BAD_LAYER_KEY,
        fault_case("strip", 0, Code.BAD_LAYER_KEY, change_field(0, lambda keys: keys[::-1])),
    ),
    (
        "strip-out-of-turn",
        "8.2.3",
        Code.NOT_NOW,
        out_of_turn_case("strip", 0, 1, "strip", [[ZERO, GARBAGE]]),
    ),
    # slots
    (
        "slot-hop-one-byte-short",
        "8.8.2",
        Code.BAD_HOP,
        fault_case("slot_hop", 0, Code.BAD_HOP, change_field(0, lambda hop: hop[1:])),
    ),
    (
        "slot-hop-that-does-not-open",
        "8.8.4",
        Code.BAD_HOP,
        late_discovery_case(
            "slot_hop", 1, Code.BAD_HOP, change_field(0, lambda hop: flip_bit(hop, -1))
        ),
    ),
    (
        "slots-one-short",
        "8.8.3",
        Code.BAD_SLOTS,
        fault_case("slots", 0, Code.BAD_SLOTS, change_field(0, lambda slots: slots[1:])),
    ),
    (
        "slots-two-alike",
        "8.8.3",
        Code.BAD_SLOTS,
        fault_case(
            "slots", 0, Code.BAD_SLOTS, change_field(0, lambda slots: [slots[0]] * len(slots))
        ),
    ),
    (
        "slots-with-an-empty-one",
        "8.8.3",
        Code.BAD_SLOTS,
        fault_case("slots", 0, Code.BAD_SLOTS, change_field(0, lambda slots: [ZERO, *slots[1:]])),
    ),
    (
        "slots-with-a-key-of-low-order",
        "8.8.3",
        Code.BAD_SLOTS,
        fault_case(
            "slots",
            0,
            Code.BAD_SLOTS,
            change_field(0, lambda slots: [b"\1" + bytes(31), *slots[1:]]),
        ),
    ),
    (
        "slots-by-another-than-the-first-seat",
        "8.8.2",
        Code.NOT_NOW,
        out_of_turn_case("slot_hop", 1, 1, "slots", [[GARBAGE, ZERO]]),
    ),
    # openings
    (
        "opening-with-another-key",
        "8.10.1",
        Code.BAD_OPENING,
        fault_case(
            "move", None, Code.BAD_OPENING, change_part_field(1, lambda part: GARBAGE), PLAYS
        ),
    ),
    (
        "opening-of-another-position",
        "8.10.1",
        Code.BAD_OPENING,
        fault_case(
            "move",
            None,
            Code.BAD_OPENING,
            change_field(1, lambda parts: [[(parts[0][0] + 1) % 28, *parts[0][1:]]]),
            PLAYS,
        ),
    ),
    (
        "opening-with-layer-keys-for-a-piece-dealt",
        "8.10.2",
        Code.BAD_ENTRY,
        refusal_case(
            "move", None, Code.BAD_ENTRY, change_part_field(2, lambda part: [ZERO, ZERO]), PLAYS
        ),
    ),
    (
        "opening-of-another-shape",
        "6.8.2",
        Code.BAD_ENTRY,
        refusal_case("move", None, Code.BAD_ENTRY, change_field(1, lambda parts: [[[]]]), PLAYS),
    ),
    # draws
    (
        "draw-of-nothing",
        "8.11.1",
        Code.BAD_ENTRY,
        refusal_case(
            "move", None, Code.BAD_ENTRY, change_field(1, lambda parts: [[]]), DRAWS, **DRAWING
        ),
    ),
    (
        "draw-of-a-piece-that-is-not-there",
        "8.11.1",
        Code.NOT_IN_STOCK,
        refusal_case(
            "move",
            None,
            Code.NOT_IN_STOCK,
            change_part_field(0, lambda part: 200),
            DRAWS,
            **DRAWING,
        ),
    ),
    (
        "draw-key-that-does-not-open",
        "8.11.3",
        Code.BAD_DRAW_KEY,
        late_discovery_case(
            "draw_key",
            None,
            Code.BAD_DRAW_KEY,
            lambda player, body: [data and flip_bit(data) for data in body],
            lambda player: True,
            **DRAWING,
        ),
    ),
    (
        "draw-key-missing",
        "8.11.2",
        Code.BAD_ENTRY,
        refusal_case(
            "draw_key",
            None,
            Code.BAD_ENTRY,
            lambda player, body: [b"", b""],
            lambda player: True,
            **DRAWING,
        ),
    ),
    (
        "draw-key-for-nobody",
        "8.11.2",
        Code.BAD_ENTRY,
        refusal_case(
            "draw_key",
            None,
            Code.BAD_ENTRY,
            lambda player, body: [data or ZERO for data in body],
            lambda player: True,
            **DRAWING,
        ),
    ),
    (
        "draw-query-of-the-identity",
        "8.11.4",
        Code.BAD_DRAW_QUERY,
        fault_case(
            "draw_query",
            None,
            Code.BAD_DRAW_QUERY,
            lambda player, body: [ZERO],
            lambda player: True,
            **DRAWING,
        ),
    ),
    (
        "draw-query-under-a-second-encoding",
        "13.2.2",
        Code.BAD_DRAW_QUERY,
        fault_case(
            "draw_query",
            None,
            Code.BAD_DRAW_QUERY,
            lambda player, body: [alias_point(body[0])],
            lambda player: True,
            **DRAWING,
        ),
    ),
    (
        "draw-query-that-is-no-point",
        "8.11.4",
        Code.BAD_DRAW_QUERY,
        fault_case(
            "draw_query",
            None,
            Code.BAD_DRAW_QUERY,
            lambda player, body: [b"\xff" * 32],
            lambda player: True,
            **DRAWING,
        ),
    ),
    # the end
    (
        "hand-opened-with-wrong-layer-keys",
        "8.12.2",
        Code.BAD_LAYER_KEY,
        late_discovery_case(
            "open_seat", 0, Code.BAD_LAYER_KEY, change_field(0, lambda keys: keys[::-1])
        ),
    ),
    (
        "hand-opened-without-layer-keys",
        "8.12.2",
        Code.BAD_LAYER_KEY,
        late_discovery_case("open_seat", 0, Code.BAD_LAYER_KEY, change_field(0, lambda keys: [])),
    ),
    (
        "hand-opened-with-another-r2",
        "8.12.2",
        Code.BAD_HAND_OPENING,
        late_discovery_case(
            "open_seat", 1, Code.BAD_HAND_OPENING, change_field(2, lambda r2: GARBAGE)
        ),
    ),
    (
        "hand-opened-with-other-elements",
        "8.12.2",
        Code.BAD_HAND_OPENING,
        late_discovery_case(
            "open_seat",
            1,
            Code.BAD_HAND_OPENING,
            change_field(1, lambda hand: [(hand[0] + 1) % 28]),
        ),
    ),
    (
        "hand-opened-without-slot-keys",
        "8.12.2",
        Code.HAND_NOT_HELD,
        late_discovery_case("open_seat", 0, Code.HAND_NOT_HELD, change_field(3, lambda keys: [])),
    ),
    (
        "hand-opened-with-another-slot-key",
        "8.12.2",
        Code.HAND_NOT_HELD,
        late_discovery_case(
            "open_seat", 0, Code.HAND_NOT_HELD, change_field(3, lambda keys: [GARBAGE])
        ),
    ),
    (
        "hand-opened-with-a-draw-that-was-not",
        "8.12.2",
        Code.PEEKED,
        late_discovery_case(
            "open_seat", 0, Code.PEEKED, change_field(4, lambda choices: [[0, ZERO]])
        ),
    ),
):
    GROUP.add(name, section, str(code), body)


@GROUP.case("8.12.2", str(Code.COPIED_COMMITMENT))
async def commitment_of_another_seat(arena: TableEnvironment) -> None:
    play = await arena.play()
    first = await play.reach("commit", 0)
    due = first.due()
    assert due is not None
    await play.play(first)
    second = play.players[1]
    await second.post(second.entry(kind="commit", body=due.body))
    await play.read(len(second.records) + 1)
    while await play.step():
        pass
    reader = second.reader
    assert reader is not None
    if [(fault_case.seat, fault_case.code) for fault_case in reader.faults] != [
        (1, Code.COPIED_COMMITMENT)
    ]:
        raise CaseFailed("the log does not show copied_commitment")
    await play.is_over()


@GROUP.case("8.13.2", str(Code.FALSE_PROTEST))
async def protest_against_an_entry_that_is_right(arena: TableEnvironment) -> None:
    play, player = await reach_kind(arena, "move", None, None)
    await protested(play, player)
    while await play.step():
        pass
    reader = player.reader
    assert reader is not None
    if [(fault_case.seat, fault_case.code) for fault_case in reader.faults] != [
        (player.number, Code.FALSE_PROTEST)
    ]:
        raise CaseFailed("the log does not show false_protest")
    await play.is_over()


@GROUP.case("8.13.1", str(Code.NOT_NOW))
async def protest_after_a_protest(arena: TableEnvironment) -> None:
    play, player = await reach_kind(arena, "move", None, None)
    await protested(play, player)
    other = play.players[1 - player.number]
    await other.refused(other.entry(kind="protest", body=[0]), Code.NOT_NOW)
    await play.go_on()


async def protested(play: KitMatch, player: SeatedPlayer) -> None:
    """Let a seat protest against the previous entry."""
    count = len(player.records)
    await player.post(player.entry(kind="protest", body=[count - 1]))
    await play.read(count + 1)


@GROUP.case("8.3.2", "pseudonyms")
async def pseudonyms_that_are_not_made_anew(arena: TableEnvironment) -> None:
    lists = []
    for _ in range(2):
        play = await arena.play()
        await play.reach("layer", 1)
        names, point = play.players[0].log_body(-1)
        lists.append((set(names), point))
        await play.end()
    if lists[0][0] & lists[1][0] or lists[0][1] == lists[1][1]:
        raise CaseFailed("two deals have a pseudonym, or the point for draws, in common")
