"""Round trips in games of simultaneous play: the table measures them, and publishes them to all."""

import asyncio

from conformance.case import CaseGroup
from conformance.table.environment import TableEnvironment

GROUP = CaseGroup("trips")


@GROUP.case("20.3.3", "trips")
async def round_trips_are_told(arena: TableEnvironment) -> None:
    """All seats answer the measurements, and all receive everybody's round trip."""
    peers = await arena.seated(game="ligretto", options=[], dealing="verified")
    await asyncio.gather(*(peer.trips_known() for peer in peers))


@GROUP.case("20.3.2", "trips")
async def who_does_not_answer_is_not_known(arena: TableEnvironment) -> None:
    """A seat that does not answer disturbs nothing; its round trip is unknown."""
    silent, other = await arena.seated(game="ligretto", options=[], dealing="verified")
    silent.answers = False
    await other.trips_known(but=silent.seat)
