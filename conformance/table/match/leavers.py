"""Shared keys, so that the others can go on: wrong shares, and seats that leave at every step."""

from typing import Any

from conformance.case import CaseBody, CaseFailed, CaseGroup
from conformance.mutations import IDENTITY, NO_POINT, NO_SCALAR, alias_point, flip_bit
from conformance.table.environment import TableEnvironment
from conformance.table.fault_cases import (
    change_due_body,
    change_field,
    fault_case,
    late_discovery_case,
    leave_case,
    out_of_turn_case,
    refusal_case,
    replace_action,
)
from conformance.table.kit_match import KitMatch, SeatedPlayer
from conformance.table.match.clock import clock, heard
from conformance.table.match.game import has_called_tile
from protocol.codes import Code
from protocol.limits import MAX_SEATS

GROUP = CaseGroup("leavers")
TERMS: dict[str, Any] = {
    "dealing": "verified",
    "deal_options": [["leavers", "threshold"]],
    "seats": 3,
    "options": [["hand", 1], ["target", 1]],
}
# long enough for moves after the first
LONG: dict[str, Any] = TERMS | {"options": [["hand", 3], ["target", 1]]}
FOUR: dict[str, Any] = TERMS | {
    "seats": 4,
    "deal_options": [["leavers", "threshold"], ["quorum", 2]],
}
VOID: dict[str, Any] = TERMS | {"deal_options": [["leavers", "void"]]}

BAD_SHARE = Code.BAD_KEY_SHARE
BAD_POINT = Code.BAD_POINT
BAD_ENTRY = Code.BAD_ENTRY
for name, section, code, body in (
    # the sharing of a key
    (
        "key-shared-with-one-too-few",
        "13.9.2",
        BAD_SHARE,
        fault_case("key", 1, BAD_SHARE, change_field(3, lambda sealed: sealed[1:]), **TERMS),
    ),
    (
        "key-shared-with-one-too-many",
        "13.9.2",
        BAD_SHARE,
        fault_case(
            "key", 1, BAD_SHARE, change_field(3, lambda sealed: [*sealed, sealed[0]]), **TERMS
        ),
    ),
    (
        "key-shared-by-too-few-points",
        "13.9.2",
        BAD_SHARE,
        fault_case("key", 0, BAD_SHARE, change_field(2, lambda points: points[1:]), **TERMS),
    ),
    (
        "key-shared-by-too-many-points",
        "13.9.2",
        BAD_SHARE,
        fault_case(
            "key", 2, BAD_SHARE, change_field(2, lambda points: [*points, points[0]]), **TERMS
        ),
    ),
    (
        "key-shared-by-a-point-that-is-none",
        "13.9.2",
        BAD_POINT,
        fault_case(
            "key", 1, BAD_POINT, change_field(2, lambda points: [NO_POINT, *points[1:]]), **TERMS
        ),
    ),
    (
        "key-shared-by-a-point-under-a-second-encoding",
        "13.2.2",
        BAD_POINT,
        fault_case(
            "key",
            1,
            BAD_POINT,
            change_field(2, lambda points: [alias_point(points[0]), *points[1:]]),
            **TERMS,
        ),
    ),
    (
        "key-shared-in-a-short-envelope",
        "13.6",
        BAD_ENTRY,
        refusal_case(
            "key",
            0,
            BAD_ENTRY,
            change_field(3, lambda sealed: [sealed[0][1:], *sealed[1:]]),
            **TERMS,
        ),
    ),
    # the seat that reports a wrong share
    (
        "confirmation-that-names-its-author",
        "13.9.4",
        BAD_ENTRY,
        fault_case("confirm", 0, BAD_ENTRY, change_field(0, lambda seats: [0]), **TERMS),
    ),
    (
        "confirmation-that-is-not-ascending",
        "13.9.4",
        BAD_ENTRY,
        fault_case("confirm", 0, BAD_ENTRY, change_field(0, lambda seats: [2, 1]), **TERMS),
    ),
    (
        "confirmation-that-names-a-seat-twice",
        "13.9.4",
        BAD_ENTRY,
        fault_case("confirm", 1, BAD_ENTRY, change_field(0, lambda seats: [2, 2]), **TERMS),
    ),
    (
        "confirmation-that-names-nobody-here",
        "13.9.4",
        BAD_ENTRY,
        fault_case(
            "confirm", 2, BAD_ENTRY, change_field(0, lambda seats: [MAX_SEATS - 1]), **TERMS
        ),
    ),
    (
        "confirmation-that-names-what-is-no-seat",
        "13.6",
        BAD_ENTRY,
        refusal_case("confirm", 0, BAD_ENTRY, change_field(0, lambda seats: [MAX_SEATS]), **TERMS),
    ),
    (
        "confirmation-where-no-key-is-shared",
        "13.9.4",
        Code.NOT_NOW,
        out_of_turn_case("shuffle", 0, 1, "confirm", [[0]], **VOID),
    ),
    (
        "answer-that-nobody-asked-for",
        "13.9.5",
        Code.NOT_NOW,
        out_of_turn_case("shuffle", 0, 1, "answer", [[IDENTITY]], **TERMS),
    ),
    # the seat that stands in for a seat that has not left
    (
        "stand-in-for-a-seat-that-is-there",
        "13.9.7",
        Code.NOT_NOW,
        out_of_turn_case("shares", 0, 0, "stand_in", [IDENTITY, bytes(64)], **TERMS),
    ),
    (
        "stand-in-where-no-key-is-shared",
        "13.9.7",
        Code.NOT_NOW,
        out_of_turn_case("shares", 0, 0, "stand_in", [IDENTITY, bytes(64)], **VOID),
    ),
):
    GROUP.add(name, section, str(code), body)

# An obvious lie counts as leaving: the others go on.
for name, section, kind, code, change in (
    ("key-that-is-no-point", "13.6.3", "key", BAD_POINT, change_field(0, lambda key: NO_POINT)),
    (
        "shuffle-with-a-false-proof",
        "6.7.2",
        "shuffle",
        Code.BAD_PROOF,
        change_field(1, lambda proof: flip_bit(proof, 40)),
    ),
    ("shares-with-a-false-proof", "6.7.2", "shares", Code.BAD_PROOF, change_field(1, flip_bit)),
):
    GROUP.add(
        f"{name}-while-the-others-go-on",
        section,
        str(code),
        fault_case(kind, 1, code, change, **TERMS),
    )

for kind in ("key", "confirm", "shuffle", "shares", "receipt"):
    GROUP.add(f"leave-instead-of-{kind}", "13.9.6", str(Code.LEFT), leave_case(kind, 1, **TERMS))
GROUP.add(
    "leave-instead-of-move", "9.7.1", str(Code.LEFT), leave_case("move", 1, **LONG)
)  # otherwise the first move may end the match
GROUP.add("leave-instead-of-show", "13.9.6", str(Code.LEFT), leave_case("show", **LONG))
for kind in ("confirm", "shuffle"):
    GROUP.add(
        f"leave-instead-of-{kind}-by-the-first",
        "13.9.6",
        str(Code.LEFT),
        leave_case(kind, 0, **TERMS),
    )
GROUP.add("leave-where-no-key-is-shared", "13.9.1", str(Code.LEFT), leave_case("shares", 1, **VOID))


# --- the one who was doubted answers ---


async def doubted(arena: TableEnvironment, **terms: Any) -> tuple[KitMatch, SeatedPlayer]:
    """Return a match in which seat 0 says that seat 1 has shared its key wrongly; seat 1 must
    answer.
    """
    play = await arena.play(**terms)
    accuser = await play.reach("confirm", 0)
    await play.stands(accuser, accuser.entry(body=[[1]]))
    return play, await play.reach("answer", 1)


def answered(shares: Any) -> CaseBody:
    async def run(arena: TableEnvironment) -> None:
        play, accused = await doubted(arena, **TERMS)
        await play.convict(accused, change_due_body(accused, change_field(0, shares)), BAD_SHARE)

    return run


for name, shares in (
    ("answer-with-another-share", lambda shares: [IDENTITY]),
    ("answer-that-is-no-scalar", lambda shares: [NO_SCALAR]),
    ("answer-with-a-share-too-many", lambda shares: shares * 2),
):
    GROUP.add(name, "13.9.5", str(BAD_SHARE), answered(shares))


@GROUP.case("13.6", str(BAD_ENTRY))
async def answer_without_a_share(arena: TableEnvironment) -> None:
    play, accused = await doubted(arena, **TERMS)
    await accused.refused(accused.entry(body=[[]]), BAD_ENTRY)
    await play.go_on()


@GROUP.case("13.9.5", "the match goes on")
async def share_that_was_doubted_without_reason(arena: TableEnvironment) -> None:
    play, _ = await doubted(arena, **TERMS)
    await play.finish()


# --- the others stand in for one who has left ---


async def left(arena: TableEnvironment, **terms: Any) -> KitMatch:
    """Return a match in which the last seat leaves when the first must give its shares of the dealt
    cards.
    """
    play = await arena.play(**terms)
    await play.reach("shares", 0)
    leaver = play.players[-1]
    await play.stands(leaver, leaver.entry(kind="leave", body=[]))
    return play


def stood_in(change: Any, code: Code) -> CaseBody:
    """Make a case: a seat that stands in wrongly is named too, and the remaining seat has won."""

    async def run(arena: TableEnvironment) -> None:
        play = await left(arena, **TERMS)
        liar = await play.reach("stand_in", 0)
        count = await play.stands(liar, liar.entry(body=change_due_body(liar, change).body))
        named = [(fault_case.seat, fault_case.code) for fault_case in play.match.faults]
        if named != [(2, Code.LEFT), (0, code)] or play.match.faults[-1].entry != count:
            raise CaseFailed(f"the log does not show {code}")
        await play.go_on_without()

    return run


for name, code, change in (
    (
        "stand-in-with-a-false-proof",
        Code.BAD_PROOF,
        change_field(1, lambda proofs: flip_bit(proofs, -32)),
    ),
    (
        "stand-in-with-another-part",
        Code.BAD_PROOF,
        change_field(0, lambda parts: parts[32:] + parts[:32]),
    ),
    ("stand-in-that-is-no-point", BAD_POINT, change_field(0, lambda parts: NO_POINT + parts[32:])),
    ("stand-in-with-the-identity", BAD_POINT, change_field(0, lambda parts: IDENTITY + parts[32:])),
    (
        "stand-in-with-a-part-too-many",
        Code.BAD_PROOF,
        change_field(0, lambda parts: parts + parts[:32]),
    ),
):
    GROUP.add(name, "13.9.7", str(code), stood_in(change, code))


@GROUP.case("13.6", str(BAD_ENTRY))
async def stand_in_without_a_part(arena: TableEnvironment) -> None:
    play = await left(arena, **TERMS)
    giver = await play.reach("stand_in", 0)
    await giver.refused(giver.entry(body=[b"", b""]), BAD_ENTRY)
    await play.go_on_without()


@GROUP.case("13.9.7", str(Code.NOT_NOW))
async def stand_in_before_all_have_given_their_own(arena: TableEnvironment) -> None:
    play = await left(arena, **TERMS)
    giver = await play.reach("shares", 0)
    await giver.refused(giver.entry(kind="stand_in", body=[IDENTITY * 2, bytes(128)]), Code.NOT_NOW)
    await play.go_on_without()


@GROUP.case("13.9.6", str(Code.NOT_NOW))
async def entry_of_a_seat_that_has_left(arena: TableEnvironment) -> None:
    play = await left(arena, **TERMS)
    leaver = play.players[2]
    await leaver.refused(leaver.entry(kind="leave", body=[]), Code.NOT_NOW)
    await play.go_on_without()


@GROUP.case("13.9.6", "the match goes on")
async def seat_that_leaves_while_the_others_stand_in(arena: TableEnvironment) -> None:
    play = await left(arena, **FOUR)
    giver = await play.reach("stand_in", 0)
    await play.play(giver)
    leaver = play.players[2]
    await play.stands(leaver, leaver.entry(kind="leave", body=[]))
    await play.reach("stand_in", 0)
    await play.go_on_without()


@GROUP.case("13.9.6", str(Code.LEFT))
async def one_more_leaver_than_the_others_can_spare(arena: TableEnvironment) -> None:
    play = await arena.play(**LONG)
    await play.reach("move")
    for number in (2, 1):
        leaver = play.players[number]
        await play.stands(leaver, leaver.entry(kind="leave", body=[]))
    if [fault_case.code for fault_case in play.match.faults] != [Code.LEFT] * 2:
        raise CaseFailed("not both who left are named")
    await play.go_on_without()


@GROUP.case("13.9.6", str(Code.LAPSED))
async def share_withheld_while_the_others_can_go_on(arena: TableEnvironment) -> None:
    play = await arena.play(**TERMS, clock=clock(step=6))
    await play.reach("shares", 2)
    since = play.posted_at
    for player in play.players[:2]:
        if player.due() is not None:
            await play.play(player)
    if await heard(play, "lapse", since) != {2}:
        raise CaseFailed("the clock runs for a seat that has done its part")
    await play.go_on_without()


GROUP.add(
    "false-denial-while-the-others-go-on",
    "9.6",
    str(Code.FALSE_DENIAL),
    late_discovery_case(
        "move", None, Code.FALSE_DENIAL, replace_action("deny"), has_called_tile, **TERMS
    ),
)
