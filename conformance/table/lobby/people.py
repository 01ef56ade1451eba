"""People in the lobby: who is visible, public talk, invitations, and pipes between two."""

from conformance.case import CaseFailed, CaseGroup
from conformance.table.connection import PlayerConnection
from conformance.table.environment import TableEnvironment
from protocol.codes import Code
from protocol.limits import LOBBY_TALK, MAX_PIPE_DATA, MAX_PIPES_OF_ONE, PIPE_OVERHEAD, PIPE_WINDOW
from protocol.messages.lobby import MATCH, TRADE
from protocol.messages.table import Message

GROUP = CaseGroup("meeting")
PURPOSE = TRADE


def key(peer: PlayerConnection) -> bytes:
    """Return the player's public key."""
    return peer.identity.public


async def next_one(peer: PlayerConnection) -> Message:
    """Return the next message that is not about arrivals and departures: anybody may enter a
    lobby.
    """
    while (message := await peer.receive()) is not None:
        if message.name not in ("people", "waiting"):
            return message
    raise CaseFailed(f"{peer.described(None)} instead of an answer")


async def wants(peer: PlayerConnection, name: str, *values: object) -> None:
    """Expect this message next."""
    message = await next_one(peer)
    if message.name != name or message.values != list(values):
        raise CaseFailed(f"{peer.described(message)} instead of {name}")


async def refused(peer: PlayerConnection, code: Code) -> None:
    """Expect that the table declines, and that the connection stays open."""
    await wants(peer, "error", str(code))


async def undisturbed(peer: PlayerConnection) -> None:
    """Check that a player receives nothing except the answer to a new request."""
    await peer.send("list")
    message = await next_one(peer)
    if message.name != "tables":
        raise CaseFailed(f"{peer.described(message)} instead of silence")


async def own_table(arena: TableEnvironment, peer: PlayerConnection) -> str:
    """Create a table for a visible player; news of others may come before the answer."""
    await peer.send("create", arena.terms())
    message = await next_one(peer)
    if message.name != "created":
        raise CaseFailed(f"{peer.described(message)} instead of created")
    return str(message.values[0])


async def meet(arena: TableEnvironment, count: int = 2) -> list[PlayerConnection]:
    """Return visible players who have received news of each other."""
    peers = [await arena.guest() for _ in range(count)]
    for peer in peers:
        await peer.send("appear", 0)
    for peer in peers:
        here: set[bytes] = set()
        while not {key(other) for other in peers} <= here:
            came, went = await peer.expect("people")
            here = (here - set(went)) | {who for _, who, _ in came}
    return peers


async def piped(arena: TableEnvironment) -> tuple[PlayerConnection, PlayerConnection]:
    """Return two players with a pipe, visible to nobody."""
    ann = await arena.guest()
    bob = await arena.guest()
    await ann.send("open", key(bob), PURPOSE)
    await bob.send("open", key(ann), PURPOSE)
    await wants(ann, "opened", key(bob), PURPOSE)
    await wants(bob, "opened", key(ann), PURPOSE)
    return ann, bob


@GROUP.case("29.1.1", "silence")
async def guest_who_did_not_appear(arena: TableEnvironment) -> None:
    ann, bob = await meet(arena)
    hidden = await arena.guest()
    await ann.send("vanish")
    while True:
        came, went = await bob.expect("people")
        if key(hidden) in [who for _, who, _ in came]:
            raise CaseFailed("somebody is shown who did not appear")
        if key(ann) in went:
            break
    await undisturbed(hidden)


@GROUP.case("29.1.2", "who is seen is told")
async def wants_that_change(arena: TableEnvironment) -> None:
    ann, bob = await meet(arena)
    await bob.send("appear", 3)
    while [bob.name, key(bob), 3] not in (await ann.expect("people"))[0]:
        """Somebody else's news."""


@GROUP.case("29.1.3", "bad_message")
async def wants_that_there_are_not(arena: TableEnvironment) -> None:
    peer = await arena.guest()
    await peer.send_payload(bytes([0x92, 0xA6]) + b"appear" + bytes([4]))
    await peer.expect_closed(Code.BAD_MESSAGE, error=Code.BAD_MESSAGE)


@GROUP.case("29.2.1", "to all who are seen", alone=True)
async def remark_in_the_lobby(arena: TableEnvironment) -> None:
    ann, bob, cleo = await meet(arena, 3)
    hidden = await arena.guest()
    await ann.send("talk", "hello there")
    for other in (bob, cleo):
        await wants(other, "said", key(ann), "hello there")
    await undisturbed(ann)
    await undisturbed(hidden)


@GROUP.case("29.2.1", "not_here")
async def remark_of_who_is_not_seen(arena: TableEnvironment) -> None:
    peer = await arena.guest()
    await peer.send("talk", "hello there")
    await refused(peer, Code.NOT_HERE)


@GROUP.case("29.2.2", "bad_message", alone=True)
async def remark_that_steers_a_screen(arena: TableEnvironment) -> None:
    ann, bob = await meet(arena)
    await ann.send("talk", "a\x1b[2Jb")
    await refused(ann, Code.BAD_MESSAGE)
    await undisturbed(bob)


@GROUP.case("29.5.1", "too_many", alone=True)
async def talk_in_a_flood(arena: TableEnvironment) -> None:
    ann, bob = await meet(arena)
    count = 10 * int(LOBBY_TALK[0])
    for _ in range(count):
        await ann.send("talk", "again")
    await hears_too_many(ann)
    await bob.send("list")
    heard = 0
    while (await next_one(bob)).name == "said":
        heard += 1
    if heard >= count:
        raise CaseFailed("all of a flood of talk")


async def hears_too_many(peer: PlayerConnection) -> None:
    """Check that a player has received `too_many`, at least once."""
    await peer.send("list")
    said = 0
    while (message := await next_one(peer)).name == "error":
        if message.values != [str(Code.TOO_MANY)]:
            raise CaseFailed(f"{peer.described(message)} instead of too_many")
        said += 1
    if not said:
        raise CaseFailed("not a word about a flood of talk")


@GROUP.case("29.3.1", "who is called hears it")
async def invitation_to_a_table(arena: TableEnvironment) -> None:
    ann, bob = await meet(arena)
    table_id = await own_table(arena, ann)
    await ann.send("call", key(bob), table_id)
    await wants(bob, "called", key(ann), table_id)


@GROUP.case("29.3.1", "no_such_table")
async def invitation_to_no_table(arena: TableEnvironment) -> None:
    ann, bob = await meet(arena)
    await ann.send("call", key(bob), "nowhere")
    await refused(ann, Code.NO_SUCH_TABLE)
    await undisturbed(bob)


@GROUP.case("29.3.1", "not_here")
async def invitation_of_who_is_not_seen(arena: TableEnvironment) -> None:
    (ann,) = await meet(arena, 1)
    hidden = await arena.guest()
    await ann.send("call", key(hidden), await own_table(arena, ann))
    await refused(ann, Code.NOT_HERE)
    await undisturbed(hidden)


@GROUP.case("29.4.2", "silence")
async def data_before_the_other_has_opened(arena: TableEnvironment) -> None:
    ann = await arena.guest()
    bob = await arena.guest()
    await ann.send("open", key(bob), PURPOSE)
    await ann.send("send", key(bob), PURPOSE, b"unasked")
    await undisturbed(ann)
    await undisturbed(bob)


@GROUP.case("29.4.2", "the same bytes")
async def pipe_of_two_who_are_not_seen(arena: TableEnvironment) -> None:
    ann, bob = await piped(arena)
    await ann.send("send", key(bob), PURPOSE, b"\x00\xffopaque")
    await wants(bob, "sent", key(ann), PURPOSE, b"\x00\xffopaque")
    await bob.send("close", key(ann), PURPOSE)
    await wants(ann, "closed", key(bob), PURPOSE, None)
    await wants(bob, "closed", key(ann), PURPOSE, None)


@GROUP.case("29.4.3", "a knock")
async def pipe_with_somebody_who_is_seen(arena: TableEnvironment) -> None:
    ann, bob = await meet(arena)
    await ann.send("open", key(bob), MATCH)
    await wants(bob, "knock", key(ann), MATCH)
    await bob.send("close", key(ann), MATCH)
    await wants(ann, "closed", key(bob), MATCH, None)


@GROUP.case("29.4.5", "bad_message")
async def more_than_a_window(arena: TableEnvironment) -> None:
    ann, bob = await piped(arena)
    for _ in range(PIPE_WINDOW // (MAX_PIPE_DATA + PIPE_OVERHEAD) + 1):
        await ann.send("send", key(bob), PURPOSE, bytes(MAX_PIPE_DATA))
    await ann.expect_closed(Code.BAD_MESSAGE, error=Code.BAD_MESSAGE)
    while (message := await next_one(bob)).name == "sent":
        """What was within the window."""
    if message.values != [key(ann), PURPOSE, str(Code.NOT_HERE)]:
        raise CaseFailed(f"{bob.described(message)} instead of closed")


@GROUP.case("29.4.5", "granted back")
async def window_that_is_read(arena: TableEnvironment) -> None:
    ann, bob = await piped(arena)
    await ann.send("send", key(bob), PURPOSE, bytes(MAX_PIPE_DATA))
    await wants(bob, "sent", key(ann), PURPOSE, bytes(MAX_PIPE_DATA))
    await bob.send("grant", key(ann), PURPOSE, MAX_PIPE_DATA + PIPE_OVERHEAD)
    await wants(ann, "granted", key(bob), PURPOSE, MAX_PIPE_DATA + PIPE_OVERHEAD)


@GROUP.case("29.4.5", "bad_message")
async def grant_of_what_has_not_come(arena: TableEnvironment) -> None:
    ann, bob = await piped(arena)
    await bob.send("grant", key(ann), PURPOSE, 1)
    await bob.expect_closed(Code.BAD_MESSAGE, error=Code.BAD_MESSAGE)
    await wants(ann, "closed", key(bob), PURPOSE, str(Code.NOT_HERE))


@GROUP.case("29.4.6", "bad_message")
async def pipe_that_is_asked_for_twice(arena: TableEnvironment) -> None:
    peer = await arena.guest()
    for _ in range(2):
        await peer.send("open", bytes(32), PURPOSE)
    await peer.expect_closed(Code.BAD_MESSAGE, error=Code.BAD_MESSAGE)


@GROUP.case("29.5.3", "too_many")
async def one_pipe_too_many(arena: TableEnvironment) -> None:
    peer = await arena.guest()
    for number in range(MAX_PIPES_OF_ONE + 1):
        await peer.send("open", bytes([number]) * 32, PURPOSE)
    await wants(peer, "closed", bytes([MAX_PIPES_OF_ONE]) * 32, PURPOSE, str(Code.TOO_MANY))
