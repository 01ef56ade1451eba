"""Guests: games that no registry knows, at a table like any other."""

from player.seat.seat import Seat
from protocol.audit.verdict import audit
from protocol.dealing import Post
from protocol.games import Action
from protocol.match.state import Match, Stage
from table.room.live_match import LiveMatch
from tests.support.offline import Offline, make_offline


def guest_match(game: str, seats: int, seed: int = 1, dealing: str = "none") -> Offline:
    """A match of a guest, its seats played at random."""
    match = make_offline(seats, seed, game, {}, dealing=dealing)
    match.bots = ("random",)
    return match


def until_playing(match: Offline) -> None:
    """Everything that comes before the first action."""
    while match.live.match.stage is not Stage.PLAYING:
        assert any(match.step(seat) for seat in match.seats)  # one entry, then look again


def written(match: Offline, seat: int, action: Action) -> bytes:
    """An action as this seat would post it now; it is not sent."""
    reader, player = match.readers[seat], match.seats[seat]
    match.catch_up(reader)
    assert isinstance(player, Seat)
    return player.entry(reader.log, player.move(reader.match, action))


def leave(match: Offline, seat: int) -> None:
    """The seat leaves now, and its program ends."""
    reader = match.readers[seat]
    match.catch_up(reader)
    player = next(player for player in match.seats if player.number == seat)
    match.live.offer(player.entry(reader.log, Post("leave", [])), seat)
    match.seats.remove(player)


def agreed(match: Offline) -> Match:
    """Everybody who reads the log, the audit too, and the table that begins again, say the same; the end."""
    for reader in match.readers:
        match.catch_up(reader)
        assert reader.match == match.live.match
    assert audit(match.file()).faults == match.live.match.faults
    again = LiveMatch.restore(match.live._identity, match.live.seed, match.live.records)
    assert again.match == match.live.match
    return match.live.match
