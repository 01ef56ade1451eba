"""Invalid entries: the table refuses each to its author alone, with the code of 6.7.1, and nothing
else changes.
"""

from collections.abc import Callable
from typing import Any

from conformance.case import CaseBody, CaseGroup
from conformance.table.environment import TableEnvironment
from conformance.table.kit_match import KitMatch, SeatedPlayer
from conformance.table.lobby.log_reading import seat_given
from conformance.weak_keys import random_identity
from protocol import wire
from protocol.codes import Code
from protocol.dealing import TABLE
from protocol.limits import MAX_ENTRY
from protocol.match.log import decode_entry

GROUP = CaseGroup("entries")


def refused(code: Code, make: Callable[[SeatedPlayer, SeatedPlayer], bytes]) -> CaseBody:
    """Make a case: when the first seat must post `sit`, it posts the result of `make(first,
    other)`, which is refused.
    """

    async def run(arena: TableEnvironment) -> None:
        play = await arena.play()
        await play.players[0].refused(make(*play.players), code)
        await play.go_on()

    return run


def changed(**changes: Any) -> Callable[[SeatedPlayer, SeatedPlayer], bytes]:
    return lambda player, other: player.entry(**changes)


def raw(data: bytes) -> Callable[[SeatedPlayer, SeatedPlayer], bytes]:
    return lambda player, other: data


def content(
    change: Callable[[list[Any]], list[Any]],
) -> Callable[[SeatedPlayer, SeatedPlayer], bytes]:
    """Return the due entry with a changed content list, signed."""

    def make(player: SeatedPlayer, other: SeatedPlayer) -> bytes:
        inner = wire.encode(change(wire.decode(decode_entry(player.entry()).content)))
        return wire.encode([inner, player.peer.identity.sign("entry", player.log.match_id, inner)])

    return make


def noncanonical(player: SeatedPlayer, other: SeatedPlayer) -> bytes:
    """Return the due entry with the author's number in two bytes, signed."""
    inner = decode_entry(player.entry()).content
    assert inner[:2] == b"\x96\x00"
    longer = inner[:1] + b"\xcc\x00" + inner[2:]
    return wire.encode([longer, player.peer.identity.sign("entry", player.log.match_id, longer)])


def resigned(player: SeatedPlayer, other: SeatedPlayer) -> bytes:
    """Return the other seat's entry with the player's signature."""
    inner = decode_entry(other.entry()).content
    return wire.encode([inner, player.peer.identity.sign("entry", player.log.match_id, inner)])


def outer(
    change: Callable[[list[Any]], list[Any]],
) -> Callable[[SeatedPlayer, SeatedPlayer], bytes]:
    """Return the due entry with a changed list of content and signature."""
    return lambda player, other: wire.encode(change(wire.decode(player.entry())))


BAD = Code.BAD_ENTRY
SIGNATURE = Code.BAD_ENTRY_SIGNATURE
for name, section, code, make in (
    ("entry-that-is-nil", "6.3.2", BAD, raw(b"\xc0")),
    ("entry-of-zeros-at-the-limit", "6.3.2", BAD, raw(bytes(MAX_ENTRY))),
    ("entry-without-a-signature", "6.3.2", BAD, outer(lambda entry: entry[:1])),
    ("entry-with-a-field-too-many", "6.3.2", BAD, outer(lambda entry: [*entry, 0])),
    ("entry-with-a-short-signature", "6.3.2", BAD, outer(lambda entry: [entry[0], entry[1][:-1]])),
    (
        "entry-with-content-as-a-list",
        "6.3.2",
        BAD,
        outer(lambda entry: [wire.decode(entry[0]), entry[1]]),
    ),
    ("entry-with-a-byte-left-over", "2.2.3", BAD, lambda player, other: player.entry() + b"\0"),
    ("entry-in-a-longer-form", "2.2.2", BAD, noncanonical),
    ("content-without-a-body", "6.3.1", BAD, content(lambda inner: inner[:-1])),
    ("content-with-a-field-too-many", "6.3.1", BAD, content(lambda inner: [*inner, 0])),
    ("body-that-is-no-list", "6.3.1", BAD, content(lambda inner: [*inner[:-1], 0])),
    ("kind-that-is-empty", "6.3.1", BAD, content(lambda inner: [*inner[:4], "", inner[5]])),
    (
        "seen-hash-too-short",
        "6.3.1",
        BAD,
        content(lambda inner: [*inner[:3], bytes(31), *inner[4:]]),
    ),
    ("sequence-that-is-true", "2.2.4", BAD, content(lambda inner: [inner[0], False, *inner[2:]])),
    ("kind-unknown", "6.7.1", BAD, changed(kind="bribe", body=[])),
    ("kind-of-the-first-entry", "6.7.1", BAD, changed(kind="open", body=[])),
    (
        "kind-of-the-other-dealing",
        "6.7.1",
        BAD,
        changed(kind="shares", body=[bytes(32), bytes(64)]),
    ),
    ("body-empty", "6.6", BAD, changed(body=[])),
    ("body-with-a-field-missing", "6.6", BAD, changed(body=[bytes(32)])),
    ("body-with-a-field-too-many", "6.6", BAD, changed(body=[bytes(32), bytes(32), 0])),
    ("body-with-a-short-key", "6.6", BAD, changed(body=[bytes(31), bytes(32)])),
    ("author-that-is-no-seat", "6.7.1", Code.WRONG_AUTHOR, changed(author=2)),
    ("author-256", "6.3.1", BAD, content(lambda inner: [256, *inner[1:]])),
    ("author-is-the-table", "6.7.1", SIGNATURE, changed(author=TABLE, sequence=1)),
    ("author-is-another-seat", "6.7.1", SIGNATURE, changed(author=1)),
    ("entry-of-another-seat", "6.7.1", Code.WRONG_AUTHOR, lambda player, other: other.entry()),
    ("entry-of-another-seat-signed-by-us", "6.7.1", SIGNATURE, resigned),
    ("signature-of-zeros", "6.7.1", SIGNATURE, outer(lambda entry: [entry[0], bytes(64)])),
    (
        "signature-of-a-stranger",
        "6.7.1",
        SIGNATURE,
        lambda player, other: player.entry(identity=random_identity()),
    ),
    ("signature-for-another-match", "6.3.2", SIGNATURE, changed(match_id=bytes(range(32)))),
    ("sequence-one-too-high", "6.3.3", Code.WRONG_SEQUENCE, changed(sequence=1)),
    ("sequence-of-2-to-the-62", "6.3.3", Code.WRONG_SEQUENCE, changed(sequence=2**62)),
    ("seen-hash-of-another-log", "6.3.4", Code.WRONG_HEAD, changed(seen=(0, bytes(32)))),
    ("seen-number-not-yet-there", "6.3.4", Code.WRONG_HEAD, changed(seen=(5, bytes(32)))),
    ("nonce-before-all-sit", "6.5", Code.NOT_NOW, changed(kind="nonce", body=[bytes(32)])),
    ("move-before-the-deal", "6.5", Code.NOT_NOW, changed(kind="move", body=[["pass"], []])),
    ("receipt-before-the-end", "6.5", Code.NOT_NOW, changed(kind="receipt", body=[[0, 0]])),
    ("protest-before-the-deal", "8.13.1", Code.NOT_NOW, changed(kind="protest", body=[0])),
    ("layer-before-the-deal", "6.5", Code.NOT_NOW, changed(kind="layer", body=[[bytes(32)]])),
    (
        "entry-of-the-tables-kind",
        "6.5",
        Code.NOT_NOW,
        changed(kind="pseudonyms", body=[[bytes(32)], bytes(32)]),
    ),
    ("lapse-by-a-seat", "6.7.1", Code.WRONG_AUTHOR, changed(kind="lapse", body=[1, 10**9])),
    ("warning-by-a-seat", "6.7.1", Code.WRONG_AUTHOR, changed(kind="warning", body=[1, 10**9])),
    ("slow-by-a-seat", "6.7.1", Code.WRONG_AUTHOR, changed(kind="slow", body=[1, 10**9])),
    ("ended-by-a-seat", "6.6.4", Code.WRONG_AUTHOR, changed(kind="ended", body=[])),
    ("extension-by-a-seat", "6.7.1", Code.WRONG_AUTHOR, changed(kind="extension", body=[1, 10**9])),
):
    GROUP.add(name, section, str(code), refused(code, make))


@GROUP.case("6.7.1", str(Code.WRONG_SEQUENCE))
async def entry_posted_twice(arena: TableEnvironment) -> None:
    play = await arena.play()
    player = play.players[0]
    sent = player.entry()
    await play.play(player)
    await player.refused(sent, Code.WRONG_SEQUENCE)
    await play.go_on()


@GROUP.case("6.7.1", str(Code.NOT_NOW))
async def same_duty_done_twice(arena: TableEnvironment) -> None:
    play = await arena.play()
    player = play.players[0]
    due = player.due()
    assert due is not None
    await play.play(player)
    await player.refused(player.entry(kind=due.kind, body=due.body), Code.NOT_NOW)
    await play.go_on()


@GROUP.case("6.7.1", str(Code.STALE))
async def head_older_than_the_duty(arena: TableEnvironment) -> None:
    play = await arena.play()
    player = await play.reach("nonce", 0)
    await player.refused(player.entry(seen=(0, player.log.match_id)), Code.STALE)
    await play.go_on()


@GROUP.case("6.6", str(Code.STALE))
async def protest_against_an_entry_to_come(arena: TableEnvironment) -> None:
    play = await arena.play()
    player = await play.reach("move")
    await player.refused(player.entry(kind="protest", body=[len(player.records)]), Code.STALE)
    await play.go_on()


@GROUP.case("6.6.1", str(Code.BAD_MATCH_KEY))
async def match_key_of_another_seat(arena: TableEnvironment) -> None:
    play = await arena.play()
    first, second = play.players
    await play.play(first)
    due = second.due()
    assert due is not None
    await second.refused(
        second.entry(body=[first.seat.key.public, due.body[1]]), Code.BAD_MATCH_KEY
    )
    await play.go_on()


@GROUP.case("6.6", str(Code.WRONG_SCORES))
async def receipt_with_points_of_ones_own(arena: TableEnvironment) -> None:
    play = await arena.play()
    player = await play.reach("receipt")
    due = player.due()
    assert due is not None
    wrong = [points + 1 for points in due.body[0]]
    await player.refused(player.entry(body=[wrong]), Code.WRONG_SCORES)
    await play.finish()


@GROUP.case("6.6", str(Code.WRONG_SCORES))
async def receipt_for_a_seat_too_many(arena: TableEnvironment) -> None:
    play = await arena.play()
    player = await play.reach("receipt")
    due = player.due()
    assert due is not None
    await player.refused(player.entry(body=[[*due.body[0], 0]]), Code.WRONG_SCORES)
    await play.finish()


@GROUP.case("4.6", str(Code.WRONG_MATCH))
async def entry_for_a_match_that_is_not_ours(arena: TableEnvironment) -> None:
    play = await arena.play()
    player = play.players[0]
    await player.peer.send("post", bytes(32), player.entry())
    await player.peer.expect_error(Code.WRONG_MATCH)
    await play.go_on()


@GROUP.case("4.6", str(Code.WRONG_MATCH))
async def entry_for_a_match_of_others(arena: TableEnvironment) -> None:
    play = await arena.play()
    others = await arena.play()
    player = play.players[0]
    await player.peer.send("post", others.players[0].peer.match_id, others.players[0].entry())
    await player.peer.expect_error(Code.WRONG_MATCH)
    await play.go_on()
    await others.go_on()


@GROUP.case("4.6", str(Code.MATCH_OVER))
async def entry_after_the_end(arena: TableEnvironment) -> None:
    play = await arena.play()
    await play.finish()
    player = play.players[0]
    await player.post(player.entry(kind="leave", body=[]))
    await player.peer.expect_error(Code.MATCH_OVER)


async def misshapen(arena: TableEnvironment, size: int) -> None:
    play = await arena.play()
    peer = play.players[0].peer
    await peer.send_payload(wire.encode(["post", peer.match_id, bytes(size)]))
    await peer.expect_closed(Code.BAD_MESSAGE, error=Code.BAD_MESSAGE)
    await comes_back(arena, play)


@GROUP.case("6.3.2", str(Code.BAD_MESSAGE))
async def entry_of_no_bytes(arena: TableEnvironment) -> None:
    await misshapen(arena, 0)


@GROUP.case("6.3.2", str(Code.BAD_MESSAGE))
async def entry_one_byte_too_long(arena: TableEnvironment) -> None:
    await misshapen(arena, MAX_ENTRY + 1)


async def comes_back(arena: TableEnvironment, play: KitMatch) -> None:
    """Reconnect the first seat's player, and check that the match goes on from the same entry."""
    player = play.players[0]
    back = await arena.back(player.peer)
    await back.send("join", play.match.setup.table.id)
    await seat_given(back, player)
    player.peer = back
    await player.ask(len(player.records))
    await play.go_on()


GROUP.need(
    "kind-of-the-other-dealing",
    "layer-before-the-deal",
    "entry-of-the-tables-kind",
    dealing="layered",
)
GROUP.need("protest-against-an-entry-to-come", game="block-dominoes")
