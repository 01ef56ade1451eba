"""Signs of life: the table gives them, and ends a connection whose player has stopped giving
them.
"""

import asyncio

from conformance.case import CaseFailed, CaseGroup
from conformance.table.connection import PlayerConnection
from conformance.table.environment import TableEnvironment
from conformance.table.lobby.presence import comes_back
from conformance.table.sanity import start_spectator
from protocol.codes import Code
from protocol.limits import LIFE_SECONDS, SILENCE_SECONDS
from protocol.messages.table import SIGN_OF_LIFE

GROUP = CaseGroup("signs")
# seconds after which every table has noticed that a line is dead
NOTICED = SILENCE_SECONDS + 2 * LIFE_SECONDS


async def _hears_signs(peer: PlayerConnection, seconds: float) -> None:
    """Check that the table says something all the time for so long, and `present` among it."""
    clock = asyncio.get_running_loop().time
    peer.present = None
    end = clock() + seconds
    while clock() < end:
        message = await peer.receive_any(SILENCE_SECONDS)
        if message is None:
            raise CaseFailed(f"{peer.described(message)} in a match")
    if peer.present is None:
        raise CaseFailed("no sign of life")


@GROUP.case("4.9.1", "present")
async def nobody_moves(arena: TableEnvironment) -> None:
    """Both seats and a spectator hear signs of life while nothing happens."""
    play = await arena.play()
    spectator = await start_spectator(arena, play)
    peers = [spectator.peer, *(player.peer for player in play.players)]
    await asyncio.gather(*(_hears_signs(peer, 2 * LIFE_SECONDS) for peer in peers))
    await play.finish()


@GROUP.case("4.9.3", str(Code.TOO_SLOW))
async def seat_whose_line_died(arena: TableEnvironment) -> None:
    """A seat gives one sign of life, and then none: its connection ends, and its seat stays."""
    play = await arena.play()
    ann, bob = play.players
    await bob.peer.send("pong", bob.peer.match_id, SIGN_OF_LIFE)
    await bob.peer.expect_closed(Code.TOO_SLOW)
    await ann.peer.sees(0)
    await comes_back(arena, play, bob)
    await ann.peer.sees(0, 1)
    await play.finish()


@GROUP.case("4.9.3", str(Code.TOO_SLOW))
async def spectator_whose_line_died(arena: TableEnvironment) -> None:
    play = await arena.play()
    spectator = await start_spectator(arena, play)
    await spectator.peer.send("pong", spectator.peer.match_id, SIGN_OF_LIFE)
    await spectator.peer.expect_closed(Code.TOO_SLOW)
    await play.finish()


@GROUP.case("4.9.3", "present")
async def programs_that_give_no_signs(arena: TableEnvironment) -> None:
    """Seats and a spectator that never give a sign of life are of an older version, and stay."""
    play = await arena.play()
    spectator = await start_spectator(arena, play)
    peers = [spectator.peer, *(player.peer for player in play.players)]
    await asyncio.gather(*(_hears_signs(peer, NOTICED) for peer in peers))
    await play.finish()
