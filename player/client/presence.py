"""Statements of the table about its players: who is connected, how long it has waited for each, and
the round-trip times. They are shown to people, and decide nothing.
"""

from collections.abc import Callable

from player.client import events
from player.client.match_replica import MatchReplica
from player.client.table_match import TableMatch
from protocol.codes import Code
from protocol.errors import RemoteError


def hear(playing: TableMatch, present: list[int], tell: Callable[[events.Event], None]) -> bool:
    """Take the seats whose players are connected. Return True if that is a change. Raises:
    RemoteError for a list that is not one of seats of the match.
    """
    if playing.reader is None:
        terms = playing.agreement.terms
        return terms is None or present != list(range(terms.seats))
    match = playing.reader.match
    seats = frozenset(range(match.setup.seats))
    if present != sorted(seats.intersection(present)):
        raise RemoteError(Code.BAD_MESSAGE)
    before = playing.absent
    playing.absent = seats.difference(present)
    gone = playing.absent - before - match.gone
    back = before - playing.absent - match.gone
    if gone or back:
        tell(events.Presence(match, tuple(sorted(gone)), tuple(sorted(back))))
    return playing.absent != before


def hear_waited(
    playing: TableMatch,
    waited: list[list[int] | None],
    tell: Callable[[events.Event], None],
) -> None:
    """Report for how long the table has waited for each seat, since which entry (number, and
    milliseconds). None: it does not wait for the seat.

    Raises: RemoteError for a list that does not have one item for each seat of the match.
    """
    terms = playing.agreement.terms
    seats = playing.reader.match.setup.seats if playing.reader else terms and terms.seats
    if seats is not None and len(waited) != seats:
        raise RemoteError(Code.BAD_MESSAGE)
    tell(
        events.Waited({seat: (wait[0], wait[1] / 1000) for seat, wait in enumerate(waited) if wait})
    )


def hear_trips(
    playing: MatchReplica, trips: list[int | None], tell: Callable[[events.Event], None]
) -> None:
    """Report the milliseconds from the table to each seat and back; None where the table does not
    know.

    Raises: RemoteError for a list that does not have one item for each seat of the match.
    """
    if playing.reader is None:
        return
    match = playing.reader.match
    if len(trips) != match.setup.seats:
        raise RemoteError(Code.BAD_MESSAGE)
    playing.trips = {seat: trip for seat, trip in enumerate(trips) if trip is not None}
    tell(events.Trips(match))
