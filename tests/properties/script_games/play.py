"""Whole matches of games by rule files over any dealing, played by bots; and repeated over another
dealing with the same random choices.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from random import Random
from typing import Any

from bots.bot_view import bot_view
from bots.foresight import foresight_bot
from bots.random_bot import random_bot
from bots.registry import Bot
from player.client.seat import Seat
from protocol.games import Action, Piece
from protocol.games.decks import ProxyCard
from protocol.games.decks.deck_hand import DeckHand, Loadout
from protocol.games.operations import Card
from protocol.games.scripted.open_deal import OpenDeal
from protocol.games.scripted.rule_file.built_in import built_in_text
from protocol.games.scripted.rule_file.contract import RuleContract, parse_contract
from protocol.identity.keys import Identity
from protocol.match.log_reader import LogReader
from protocol.view.view import View
from tests.properties.script_games.course import Chance, Happened, InOrder, Pieces, Recorded, orders
from tests.properties.script_games.oracle import games_with
from tests.support.offline import Offline, make_offline
from tests.support.scripts import ClearTable

DEALINGS: dict[str, dict[str, int | str]] = {
    "verified": {"leavers": "threshold"},
    "seeded": {},
    "residue": {"bits": "breakable-512"},
}
RECORDED = games_with(Recorded)
MOST_TURNS = 20_000


@dataclass(frozen=True)
class Kind:
    """The game. `decks` are the cards that each seat brings, as indices of the file's cards; empty
    for a shared pack.
    """

    game: str
    dealing: str
    seats: int = 2
    options: tuple[tuple[str, str], ...] = ()
    decks: tuple[tuple[int, ...], ...] = ()

    def __str__(self) -> str:
        words = [
            self.game,
            self.dealing,
            f"{self.seats} seats",
            *(f"{name}={value}" for name, value in self.options),
        ]
        return f"{', '.join(words)}{', own decks' if self.decks else ''}"

    @property
    def contract(self) -> RuleContract:
        return parse_contract(built_in_text(self.game))

    @property
    def pack(self) -> tuple[int, ...]:
        """Return the file's card for each piece."""
        if not self.contract.own:
            return tuple(range(len(self.contract.cards)))
        return tuple(
            card for deck in self.decks or (self.contract.starter,) * self.seats for card in deck
        )

    def brings(self, seat: int) -> Loadout:
        return Loadout(cards=tuple(map(ProxyCard, self.decks[seat]))) if self.decks else Loadout()


@dataclass
class Course:
    """A complete match."""

    kind: Kind
    first: int
    happened: list[Happened]
    orders: list[dict[Card, Piece]]
    file: bytes = b""
    played: Offline | None = None

    def actions(self, seat: int) -> list[Action]:
        """Return the choices of a seat, without the parts that prove them."""
        return [one.action[:5] for one in self.happened if one.seat == seat and one.chosen]


class Seeing(Seat):
    """Seat whose bot gets only the information that a bot may have."""

    def view(self, match: Any) -> View:
        """Return the match as this seat's bot sees it."""
        return bot_view(super().view(match), match.setup.game, match.game, self.held(match))


@dataclass
class Playing:
    """A match in progress, and a reader that records its course."""

    kind: Kind
    found: Offline
    observer: LogReader = field(init=False)

    def __post_init__(self) -> None:
        first = self.found.live.records[0]
        self.observer = LogReader(first.entry, first.head, RECORDED)

    @property
    def game(self) -> Recorded:
        game = self.observer.match.setup.game
        assert isinstance(game, Recorded)
        return game

    def round(self) -> bool:
        """Let every seat post once; return whether any did."""
        posted = False
        for seat in self.found.seats:
            posted |= self.found.step(seat)
            self._observe()
        return posted

    def _observe(self) -> None:
        self.found.catch_up(self.observer)
        state = self.observer.match.game
        if state is None or state.wanted:
            return
        for seat in self.found.seats:
            reader = self.found.readers[seat.number]
            self.found.catch_up(reader)
            if not reader.over:
                seat.respond(reader.match)
                held = seat.held(reader.match)
                self.game.saw(held.visible if isinstance(held, DeckHand) else {})

    def to_the_end(self) -> Course:
        """Play to the end and return the course."""
        for _ in range(MOST_TURNS):
            if self.found.live.match.over or not self.round():
                break
        state = self.observer.match.game
        found = orders(self.game.shuffles, len(state.pieces))
        return Course(
            self.kind, state.first, self.game.happened, found, self.found.file(), self.found
        )


def begun(kind: Kind, seed: int, chances: Callable[[int], Random] | None = None) -> Playing:
    """Begin a match from a seed; `chances` replaces the random source of some seats."""

    def seat(person: Identity, number: int, rng: Random) -> Seat:
        return Seeing(
            person,
            number,
            chances(number) if chances else InOrder(f"{seed} {number}"),
            kind.brings(number),
        )

    types: Any = dict.fromkeys(range(kind.seats), seat)
    options: dict[str, int | str] = dict(kind.options)
    more = DEALINGS[kind.dealing]
    return Playing(
        kind, make_offline(kind.seats, seed, kind.game, options, more, types, dealing=kind.dealing)
    )


def played(kind: Kind, seed: int, thinking: bool = False) -> Course:
    """Play a match by bots; with `thinking`, seat 0 looks ahead."""
    playing = begun(kind, seed)
    bots: tuple[Bot, ...] = (
        foresight_bot if thinking else random_bot,
        *(random_bot,) * (kind.seats - 1),
    )
    playing.found.bots = bots
    return playing.to_the_end()


def again(course: Course, dealing: str) -> Course:
    """Repeat the same choices and random choices over a dealing in which the last shuffler decides
    the order.
    """
    kind = Kind(
        course.kind.game, dealing, course.kind.seats, course.kind.options, course.kind.decks
    )
    cards = len(kind.pack)
    for seed in count(1000):
        playing = begun(kind, seed, partial(_chance, course, cards, seed))
        while playing.observer.match.game is None:
            assert playing.round()
        if _first(playing) == course.first:
            break
    playing.found.bots = tuple(_recited(course.actions(seat)) for seat in range(kind.seats))
    return playing.to_the_end()


def _first(playing: Playing) -> int:
    state = playing.observer.match.game
    return int(state.first) if playing.kind.contract.by_chance else 0


def _chance(course: Course, cards: int, seed: int, seat: int) -> Random:
    return Chance(f"{seed} {seat}").tell(course.orders, cards, seat == course.kind.seats - 1)


def _recited(actions: list[Action]) -> Bot:
    """Return a bot that repeats recorded actions where they are legal."""
    left = iter(actions)

    def bot(view: View, rng: Random) -> Action:
        action = next(left)
        return next(one for offer in view.offers for one in offer.actions() if one[:5] == action)

    return bot


def in_the_clear(course: Course) -> Course:
    """Repeat the same choices and random choices with all pieces open."""
    kind = course.kind
    game = Recorded(kind.game, kind.seats, _values(course))
    decks = tuple(map(kind.brings, range(kind.seats)))
    table = next(
        table
        for table in _tables(game, decks)
        if not kind.contract.by_chance or table.state.first == course.first
    )
    table.deal = OpenDeal(kind.seats, Pieces(1).tell(course.orders, len(kind.pack)))
    left = {seat: iter(course.actions(seat)) for seat in range(kind.seats)}
    while (want := table.onward()) is not None:
        action = next(left[want.seats[0]])
        table.post(
            want.seats[0], next(one for one in table.choices(want.seats[0]) if one[:5] == action)
        )
    return Course(kind, table.state.first, game.happened, course.orders)


def _values(course: Course) -> dict[str, int | str]:
    assert course.played is not None
    setup = course.played.live.match.setup
    return dict(setup.spec.values(setup.seats, dict(setup.terms.game.options)))


def _tables(game: Recorded, decks: tuple[Loadout, ...]) -> Iterator[ClearTable]:
    return (ClearTable(game, seed, decks=decks, kind=InOrder) for seed in count())
