"""The table's messages about connected seats."""

from conformance.case import CaseGroup
from conformance.table.environment import TableEnvironment
from conformance.table.kit_match import KitMatch, SeatedPlayer
from conformance.table.lobby.log_reading import seat_given
from conformance.table.sanity import start_spectator

GROUP = CaseGroup("presence")


async def comes_back(arena: TableEnvironment, play: KitMatch, player: SeatedPlayer) -> None:
    """Reconnect a player whose line was cut."""
    back = await arena.back(player.peer)
    await back.send("resume", player.peer.match_id, None, None)
    await seat_given(back, player)
    player.peer = back
    await player.ask(len(player.records))


@GROUP.case("4.5.12", "present")
async def seat_that_is_gone_and_back(arena: TableEnvironment) -> None:
    play = await arena.play(seats=3)
    ann, bob, cleo = play.players
    await bob.peer.close(polite=False)
    await ann.peer.sees(0, 2)
    await cleo.peer.sees(0, 2)
    await comes_back(arena, play, bob)
    await ann.peer.sees(0, 1, 2)
    await play.finish()


@GROUP.case("4.5.12", "present")
async def spectator_hears_it_too(arena: TableEnvironment) -> None:
    play = await arena.play()
    spectator = await start_spectator(arena, play)
    await play.players[1].peer.close()
    await spectator.peer.sees(0)
    await comes_back(arena, play, play.players[1])
    await spectator.peer.sees(0, 1)
    await play.finish()


@GROUP.case("4.5.12", "present")
async def who_comes_later_hears_who_is_not_there(arena: TableEnvironment) -> None:
    play = await arena.play()
    ann, bob = play.players
    await bob.peer.close()
    await ann.peer.sees(0)
    spectator = await start_spectator(arena, play)
    await spectator.peer.sees(0)
    await comes_back(arena, play, bob)
    await play.finish()
