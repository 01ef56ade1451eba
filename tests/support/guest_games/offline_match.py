"""Matches of games that are in no registry."""

from player.client.seat import Seat
from protocol.audit.verdict import audit
from protocol.dealing import Post
from protocol.games import Action, Game
from protocol.games.registry import BUILT_IN
from protocol.games.spec import GameSpec, TurnOrder
from protocol.match.state import Match, MatchStage
from protocol.options import Selection
from tests.support.at_once import StoredAtOnce
from tests.support.guest_games.draws import Draws, Greedy, Restless
from tests.support.guest_games.duels import Duels
from tests.support.guest_games.grab import Debts, Grab, Scramble, Scuffle, Shed, ShedEvenly
from tests.support.guest_games.nim import Nim
from tests.support.guest_games.peel import Peel
from tests.support.guest_games.plain import Plain, PlainCards
from tests.support.guest_games.suits import Careless, Suits
from tests.support.offline import Offline, make_offline


def row(
    name: str, kind: type[Game], dealing: str = "none", view: str = "protocol.games.generic_view"
) -> GameSpec:
    where = f"{kind.__module__}:{kind.__name__}"
    return GameSpec(
        name=name,
        about="a guest",
        edition="1",
        seats=(1, 9),
        dynamics=TurnOrder.INDEPENDENT if kind.real_time else TurnOrder.TURNS,
        dealing=Selection(dealing),
        rules=where,
        view=view,
    )


QUICK = GameSpec(
    name="quick grab",
    about="a guest",
    edition="1",
    seats=(1, 9),
    dealing=Selection("none"),
    keys="123456780",
    rules="tests.support.guest_games.grab:Grab",
    view="tests.support.guest_games.grab_view",
    dynamics=TurnOrder.INDEPENDENT,
)
HANDLED = GameSpec(
    name="beacons",
    about="a guest",
    edition="1",
    seats=(2, 4),
    dealing=Selection("verified", (("leavers", "threshold"),)),
    rules="tests.support.guest_games.beacons:Beacons",
    private_half="tests.support.guest_games.beacons:Half",
)
GUESTS = BUILT_IN.with_specs(
    QUICK,
    HANDLED,
    row("nim for all", Nim),
    row("plain", Plain),
    row("plain cards", PlainCards, "verified"),
    row("grab", Grab),
    row("debts", Debts),
    row("scramble", Scramble),
    row("scuffle", Scuffle),
    row("shed", Shed, "verified"),
    row("shed evenly", ShedEvenly, "verified"),
    row("peel", Peel, "verified"),
    row("duels", Duels, "verified"),
    row("draws", Draws, "seeded"),
    row("restless", Restless, "seeded"),
    row("greedy", Greedy, "seeded"),
    row("suits", Suits, "verified", "tests.support.guest_games.suits_view"),
    row("careless suits", Careless, "verified"),
)


def guest_match(
    game: str, seats: int, seed: int = 1, dealing: str = "none", **options: str
) -> Offline:
    """Make a match of such a game with random players. `options` are those of the dealing."""
    match = make_offline(seats, seed, game, {}, options, dealing=dealing, games=GUESTS)
    match.bots = ("random",)
    return match


def until_playing(match: Offline) -> None:
    """Run the match up to the first action."""
    while match.live.match.stage is not MatchStage.PLAYING:
        # one entry at a time, then another check
        assert any(match.step(seat) for seat in match.seats)


def written(match: Offline, seat: int, action: Action) -> bytes:
    """Make the entry with which a seat would post an action now, but do not post it."""
    reader, player = match.readers[seat], match.seats[seat]
    match.catch_up(reader)
    assert isinstance(player, Seat)
    return player.entry(reader.log, player.move(reader.match, action))


def leave(match: Offline, seat: int) -> None:
    """Let a seat leave, and end its program."""
    reader = match.readers[seat]
    match.catch_up(reader)
    player = next(player for player in match.seats if player.number == seat)
    match.live.offer(player.entry(reader.log, Post("leave", [])), seat)
    match.seats.remove(player)


def agreed(match: Offline) -> Match:
    """Check that all readers, the audit and a restarted table reach the same state. Return it."""
    for reader in match.readers:
        match.catch_up(reader)
        assert reader.match == match.live.match
    assert audit(match.file(), GUESTS).faults == match.live.match.faults
    again = StoredAtOnce.restore(match.live._identity, match.live.seed, match.live.records, GUESTS)
    assert again.match == match.live.match
    return match.live.match
