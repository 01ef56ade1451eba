"""Matches with own decks: restarts, leaving and lapses at every entry, and cheats with lying
programs.
"""

from functools import partial

import pytest

from player.client.deterministic_seat import DeterministicSeat
from player.client.seat import Seat
from protocol.codes import Code
from protocol.dealing import Post
from protocol.errors import RemoteError
from protocol.games import Action
from protocol.games.decks import DeckCard, ProxyCard
from protocol.games.decks.deck_hand import Loadout, loadout_bytes, read_loadout
from protocol.games.decks.ownership import NoOwnership
from protocol.games.registry import BUILT_IN
from protocol.identity.keys import Identity
from protocol.match.clock import Allowance
from protocol.match.log_reader import LogReader
from protocol.match.setup import Person, Setup, TableIdentity
from protocol.match.state import Match
from protocol.match.terms import make_terms
from protocol.options import Selection
from tests.support.at_once import StoredAtOnce
from tests.support.decks import SIZE, cards_of
from tests.support.ledger import ANN, BOB
from tests.support.showing import ROW, SHOWN

TABLE = Identity(b"t" * 32)
GAMES = BUILT_IN.with_specs(ROW)
PEOPLE = (ANN, BOB)
DECK = tuple(map(ProxyCard, range(SIZE)))


class Brazen(Seat):
    """Seat that posts actions which its own rules forbid."""

    def move(self, match: Match, action: Action) -> Post:
        return Post("move", [list(action), []])


class Table:
    """A match, with a deterministic seat and a reader for each person."""

    seat_type = Seat

    def __init__(
        self,
        mode: str = "closing",
        decks: tuple[tuple[DeckCard, ...], ...] = (DECK, DECK),
        cards: str = "proxies",
    ) -> None:
        options = Selection(ROW.name, (("mode", mode), ("cards", cards)))
        terms = make_terms(options, Selection("none"), Allowance().options(), 2, GAMES)
        people = tuple(
            Person(name, one.public) for name, one in zip(("Ann", "Bob"), PEOPLE, strict=True)
        )
        setup = Setup(
            TableIdentity(TABLE.public, "Club", "main"), bytes(32), 0, terms, people, GAMES
        )
        self.live, self.decks = StoredAtOnce(TABLE, setup, bytes(32)), decks
        self.seats = [self.started(number) for number in (0, 1)]

    @property
    def match(self) -> Match:
        return self.live.match

    def started(self, number: int) -> tuple[LogReader, DeterministicSeat]:
        """Restart a program. It reads the log from the beginning, and its files."""
        kept = loadout_bytes(Loadout(self.decks[number]))
        first, *rest = self.live.records
        reader = LogReader(first.entry, first.head, GAMES)
        maker = partial(self.seat_type, brings=read_loadout(kept, NoOwnership()))
        steady = DeterministicSeat(maker, PEOPLE[number], number, bytes([number]) * 32, reader)
        for record in rest:
            reader.feed(record.entry, record.head)
            steady.follow()
        return reader, steady

    def step(self, number: int) -> bool:
        """Let a seat post its duty. Return False if it has none."""
        reader, steady = self.seats[number]
        for record in self.live.records[reader.log.next_number :]:
            reader.feed(record.entry, record.head)
            steady.follow()
        if reader.over or number in reader.match.gone:
            return False
        choices = steady.seat.choices(reader.match)
        post = steady.due or (steady.move(choices[0]) if choices else None)
        if post is None:
            return False
        self.live.offer(steady.seat.entry(reader.log, post), number)
        return True

    def play(self, entries: int = 1000) -> "Table":
        """Play until there are `entries` entries, or nobody posts."""
        while self.live.log.next_number < entries and not self.match.over:
            if not any(self.step(number) for number in (0, 1)):
                break
        return self


@pytest.mark.parametrize("mode", ["open", "closing", "hidden"])
@pytest.mark.parametrize("cards", ["proxies", "owned"])
def test_deck_match_is_played_to_its_end_without_faults(mode: str, cards: str) -> None:
    decks = (
        tuple(tuple(one for one, _ in cards_of(seat)) for seat in (0, 1))
        if cards == "owned"
        else (DECK, DECK)
    )
    table = Table(mode, decks, cards).play()
    assert table.match.over and table.match.faults == () and table.match.winner == 0
    assert len(table.match.game.decks.opened) == (2 * SHOWN if mode == "hidden" else 2 * SIZE)


@pytest.mark.slow
def test_restarted_program_opens_the_same_bytes_at_any_entry() -> None:
    whole = Table().play().live.records
    for entries in range(1, len(whole)):
        table = Table().play(entries)
        table.seats = [table.started(number) for number in (0, 1)]
        assert [record.entry for record in table.play().live.records] == [
            record.entry for record in whole
        ]


@pytest.mark.slow
@pytest.mark.parametrize("leaver", [0, 1])
def test_leaver_alone_is_named_and_visible_deck_wins(
    leaver: int,
) -> None:
    for entries in range(6, 16):
        table = Table().play(entries)
        reader, steady = table.started(leaver)
        if table.match.over or table.match.stage.value not in ("playing", "dealing"):
            continue
        table.live.offer(steady.seat.entry(reader.log, Post("leave", [])), leaver)
        before = table.match.game.decks.phase.value
        table.play()
        assert [(fault.seat, fault.code) for fault in table.match.faults] == [(leaver, Code.LEFT)]
        assert table.match.over and table.match.winner == 1 - leaver, before


class Brazenly(Table):
    """Match of two `Brazen` seats."""

    seat_type = Brazen


def test_bringer_of_forbidden_deck_leaves_before_showing() -> None:
    table = Table(decks=((*DECK, ProxyCard(5)), DECK)).play()
    assert [(fault.seat, fault.code) for fault in table.match.faults] == [(0, Code.LEFT)]
    assert table.match.winner == 1


@pytest.mark.slow
def test_forbidden_deck_loses_even_after_leaving() -> None:
    table = Brazenly(decks=((*DECK, ProxyCard(5)), DECK)).play()
    assert [(fault.seat, fault.code) for fault in table.match.faults] == [(0, Code.BAD_DECK)]
    assert table.match.winner == 1
    both = Brazenly(decks=((*DECK, ProxyCard(5)), (*DECK, ProxyCard(5)))).play()
    assert {fault.seat for fault in both.match.faults} == {0, 1} and both.match.winner is None


def test_card_of_other_seat_is_named_when_shown() -> None:
    theirs = tuple(one for one, _ in cards_of(1))
    table = Brazenly("open", (theirs, theirs), "owned").play()
    assert [(fault.seat, fault.code) for fault in table.match.faults] == [(0, Code.NOT_OWNED)]
    assert table.match.winner == 1


def test_saved_decks_are_read_only_as_written() -> None:
    for cards in (DECK, tuple(one for one, _ in cards_of(0))):
        brings = Loadout(cards, "RULES = {}")
        assert read_loadout(loadout_bytes(brings), NoOwnership())[:2] == brings[:2]
    for data in (b"", b"\xc0", b"\x92\x90\x01", loadout_bytes(Loadout(DECK))[:-1]):
        with pytest.raises(RemoteError):
            read_loadout(data, NoOwnership())
