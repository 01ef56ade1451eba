"""Tables of every game for pictures and tests of the match page: the fewest and the most seats,
in the middle of a real match between bots.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import count, islice
from random import Random
from typing import Any, NamedTuple

from bots.ligretto import ligretto_bot
from bots.random_bot import random_bot
from bots.registry import Bot
from player.client.events import Happened
from player.presenter.match_data import deeds_data
from protocol.fast_replace import replace
from protocol.games import Hand
from protocol.games.registry import BUILT_IN
from protocol.i18n import english
from protocol.identity.keys import Identity
from protocol.limits import MAX_POKER_STACK
from protocol.match.fold import begin
from protocol.match.log import Record
from protocol.match.log_reader import LogReader
from protocol.match.seat_view import view_of
from protocol.match.state import Match, MatchStage
from protocol.view.board import DominoLine, GridBoard, PokerTable, RegionBoard
from protocol.view.view import View
from tests.page.snapshots import Json, snapshot
from tests.support.ligretto import Dealer, ligretto
from tests.support.offline import NAMES, make_offline, make_setup
from tests.support.views import legal_in

GUESTS = (*NAMES, "Joy")
THRESHOLD = {"leavers": "threshold"}
UNPLAYABLE = {"script"}  # needs a rule file
PACKS = ("texas-holdem", "five-card-draw", "omaha")


@dataclass(frozen=True)
class Table:
    """A table of one game. The moment shown is the busiest of its first `moments` choices."""

    game: str
    seats: int
    dealing: str = "verified"
    options: Mapping[str, int | str] = field(default_factory=dict)
    bots: tuple[str | Bot, ...] = (random_bot,)
    moments: int = 40
    seed: int = 3


def calls(view: View, rng: Any) -> Any:
    """Bot for poker: stay in the hand, so that cards come and nobody folds."""
    legal = legal_in(view)
    return next((one for one in (("check",), ("call",)) if one in legal), legal[0])


def usual_table(game: str, seats: int) -> Table:
    """Make the table of a game, over the dealing that costs least time."""
    default = BUILT_IN.specs[game].dealing.name
    if game in PACKS:
        stakes = {"stack": MAX_POKER_STACK, "blind": 100}  # long numbers on the buttons
        return Table(
            game, seats, "verified" if seats == 6 else "commutative", stakes, (calls,), 6 * seats
        )
    if game.endswith("dominoes"):
        hand = 5 if seats > 2 else 7
        return Table(game, seats, "layered", {"hand": hand, "target": 100}, ("greedy",))
    if game == "ligretto":
        return Table(game, seats, default, moments=12 * seats)
    return Table(game, seats, default)


def _tables() -> Iterator[tuple[str, Table]]:
    for game, spec in BUILT_IN.specs.items():
        if game not in UNPLAYABLE:
            for seats in sorted(set(spec.seats)):
                yield f"{game} {seats}", usual_table(game, seats)


TABLES = dict(_tables())
LARGEST = {table.game: name for name, table in TABLES.items()}  # the table with the most seats


def _busy(view: View) -> tuple[int, int, int, int]:
    """Return a measure of what a seat has to see: choices, cards, and pieces on the board."""
    board = view.board
    laid, cards = 0, 0
    if isinstance(board, DominoLine):
        laid = len(board.tiles)
    elif isinstance(board, PokerTable):
        cards = len(board.cards)
    elif isinstance(board, GridBoard):
        laid = sum(cell is not None for cell in board.cells)
    elif isinstance(board, RegionBoard):
        laid = sum(len(region.pieces) for region in board.regions)
    amounts = sum(offer.amount is not None for offer in view.offers)
    places = sum(offer.places is not None for offer in view.offers)
    return amounts + places, cards, laid + 4 * len(view.hand), len(view.offers)


class Moment(NamedTuple):
    """A moment at which a seat can choose, and the log records up to it."""

    match: Match
    seat: int
    hand: Hand
    records: list[Record]


def _moments(table: Table) -> Iterator[Moment]:
    """Play a match."""
    shared = THRESHOLD if table.dealing == "verified" else {}
    played = make_offline(
        table.seats, table.seed, table.game, dict(table.options), shared, dealing=table.dealing
    )
    played.bots = table.bots
    reader = played.readers[0]
    while sum(played.step(seat) for seat in played.seats):
        played.catch_up(reader)
        match = reader.match
        if match.stage is not MatchStage.PLAYING:
            continue
        for seat in played.seats:
            idle = seat.respond(match) is None  # the seat learns its pieces in this call
            if idle and seat.choices(match):
                records = played.live.records[: match.next_number]
                yield Moment(match, seat.number, seat.held(match), records)


def _raced(table: Table) -> Iterator[Moment]:
    """Play Ligretto without cryptography, which takes half a minute for nine decks."""
    rng = Random(table.seed)
    table_key, *people = (Identity(rng.randbytes(32)) for _ in range(1 + table.seats))
    setup = make_setup(table_key, people, rng, table.game, {}, THRESHOLD, table.dealing)
    dealer = Dealer.of(ligretto(table.seats), table.seed)
    dealer.deal()
    begun = replace(begin(setup, rng.randbytes(32)), stage=MatchStage.PLAYING)
    for number in count():
        match = replace(begun, game=dealer.state)
        yield Moment(match, 0, (), [])
        seat = number % table.seats
        dealer.act(seat, ligretto_bot(view_of(match, seat), rng))


@cache
def timeline(name: str, length: int) -> list[Json]:
    """Return the `timeline_of` a table, which must not be changed."""
    return timeline_of(TABLES[name], length)


def timeline_of(table: Table, length: int) -> list[Json]:
    """Return snapshots for one seat in the first moments of a match. If pieces are hidden, these
    are the moments at which the seat can choose, because then its hand is known.
    """
    play = _raced if table.game == "ligretto" else _moments
    found = list(islice(play(table), length))
    you = found[0].seat
    own = [moment for moment in found if moment.seat == you or table.dealing == "none"]
    return [
        snapshot(moment.match, you, moment.hand, GUESTS, serial=serial)
        for serial, moment in enumerate(own, 1)
    ]


class Busiest(NamedTuple):
    """A table's busiest moment: the snapshot, and the log lines before it."""

    snapshot: Json
    told: list[Json]


@cache
def busiest(name: str) -> Busiest:
    """Return a table's busiest moment, which must not be changed. The match is played now."""
    table = TABLES[name]
    best: tuple[int, ...] = ()
    found: Moment | None = None
    play = _raced if table.game == "ligretto" else _moments
    for moment in islice(play(table), table.moments):
        measure = _busy(view_of(moment.match, moment.seat, moment.hand))
        if measure >= best:
            best, found = measure, moment
    if found is None:
        raise LookupError(name)
    shown = snapshot(found.match, found.seat, found.hand, GUESTS)
    return Busiest(shown, _deeds(found.records, found.seat))


def _deeds(records: list[Record], you: int) -> list[Json]:
    """Return the log lines of these records, as the stream sends them."""
    if not records:
        return []
    first, *rest = records
    reader = LogReader(first.entry, first.head)
    told: list[Json] = []
    for record in rest:
        before = reader.match
        entry = reader.feed(record.entry, record.head)
        assert entry is not None
        told += deeds_data(Happened(before, entry, reader.match), you, english)
    return told
