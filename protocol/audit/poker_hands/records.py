"""Finished hands of poker in a log, action by action.

Everything comes from the replay and from the views of the game, as a spectator sees it: no card is
in a record that its holder has not shown. The fold acts for seats that are away; their checks and
folds are in the record as well, found by the order of play.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from email.utils import formatdate, parsedate
from typing import NamedTuple

from protocol.audit.replay import Step
from protocol.match.state import Match
from protocol.view.board import PokerStreet, PokerTable, SeatStatus, SeatSummary
from protocol.view.phrase import Phrase, SeatRef

BETTING = ("fold", "call", "raise")
TimeOfDay = tuple[int, int, int, int, int, int]


def utc_time(seconds: int) -> TimeOfDay | None:
    """Return year, month, day, hour, minute and second of a Unix time; None if there is none: a
    table may claim any.
    """
    try:
        found = parsedate(formatdate(seconds, usegmt=True))
    except (ValueError, OverflowError, OSError):
        return None
    return None if found is None else found[:6]


class HandAction(NamedTuple):
    """A step of a hand. `player` is a place in the order of play; None for cards on the board."""

    verb: str  # fold, call, raise, exchange, show, muck, board
    player: int | None = None
    # raise: chips bet on this street in all; call: chips put in; exchange: number of cards
    amount: int = 0
    cards: tuple[str, ...] = ()
    raises: int = 0  # of a raise: chips above the highest bet before, 0 for a bet


@dataclass
class HandRecord:
    """A hand. Tuples and numbers of players are in the order of play; the button is last, if its
    seat plays.
    """

    number: int
    seats: tuple[int, ...]  # seat in the match of each player
    button: int  # seat of the button
    ante: int
    blinds: tuple[int, ...]  # small and big blind; empty in draw poker
    posters: tuple[int | None, int | None]  # players who post the small and the big blind
    fixed: bool
    starting: tuple[int, ...]  # chips before the hand
    posted: list[int]  # blind of each player, as far as its chips went
    actions: list[HandAction] = field(default_factory=list)
    board: tuple[str, ...] = ()
    shown: dict[int, tuple[str, ...]] = field(default_factory=dict)  # by player
    returned: list[tuple[int, int]] = field(default_factory=list)  # player, chips nobody called
    won: list[tuple[int, int]] = field(default_factory=list)  # player, chips of one pot
    finishing: tuple[int, ...] = ()  # chips after the hand
    # False: the hand ended by a rule that other programs do not have, as when seats leave
    regular: bool = True

    @property
    def players(self) -> range:
        """Places of the players."""
        return range(len(self.seats))


def hand_records(steps: Iterable[Step]) -> Iterator[HandRecord]:
    """Yield the finished hands of a log of poker, oldest first. Nothing for another game."""
    running: _RunningHand | None = None
    for step in steps:
        before = step.before
        after = step.after
        if before is None or before.game is None or after.game is None:
            continue
        if running is not None and step.entry is not None and step.entry.kind == "move":
            running.choose(step.entry.author, before, step.entry.body[0])
        if after.game is before.game:
            continue
        was = _look(before)
        now = _look(after)
        if was is None or now is None:
            return
        if now.table.hand != was.table.hand:
            running = _RunningHand(was, now)
        if running is None:
            continue
        running.follow(was, now)
        told = after.setup.view.result(after.setup.game, after.game, before.game)
        if told:
            yield running.end(told, now)
            running = None


class _Look(NamedTuple):
    """The table and the seats as everybody sees them."""

    table: PokerTable
    seats: tuple[SeatSummary, ...]

    @property
    def to_act(self) -> int | None:
        return next((seat for seat, one in enumerate(self.seats) if one.to_act), None)


def _look(match: Match) -> _Look | None:
    view = match.setup.view
    table = view.board(match.setup.game, match.game)
    if not isinstance(table, PokerTable):
        return None
    return _Look(table, view.standings(match.setup.game, match.game))


class _RunningHand:
    """A hand in progress: the record so far, and whose turn it is by the order of play."""

    def __init__(self, before: _Look, after: _Look) -> None:
        count = len(before.seats)
        self._button = next(seat for seat, one in enumerate(after.seats) if one.dealer)
        around = [(self._button + step) % count for step in range(1, count + 1)]
        seats = tuple(
            seat
            for seat in around
            if before.seats[seat].score > 0 and before.seats[seat].status is not SeatStatus.LEFT
        )
        table = after.table
        starting = tuple(before.seats[seat].score for seat in seats)
        antes = [min(table.ante, chips) for chips in starting]
        fell = [
            chips - ante - after.seats[seat].score
            for seat, chips, ante in zip(seats, starting, antes, strict=True)
        ]
        posters = _posters(fell, table.blinds)
        # of a blind that nobody can call, the rest may be back already
        posted = [0] * len(seats)
        for player, blind in zip(posters, table.blinds, strict=False):
            if player is not None:
                posted[player] = min(blind, starting[player] - antes[player])
        left = [
            chips - ante - blind for chips, ante, blind in zip(starting, antes, posted, strict=True)
        ]
        self.record = HandRecord(
            number=table.hand,
            seats=seats,
            button=self._button,
            ante=table.ante,
            blinds=table.blinds,
            posters=posters,
            fixed=table.fixed,
            starting=starting,
            posted=posted,
        )
        self._stacks = left
        self._bets = list(posted)
        self._paid = [ante + blind for ante, blind in zip(antes, posted, strict=True)]
        self._folded: set[int] = set()
        self._acted: set[int] = set()
        big = self.record.posters[1]
        self._next = 0 if big is None else big + 1
        self._street = table.street
        self._board = 0

    # --- what happens ---

    def choose(self, seat: int, before: Match, raw: object) -> None:
        """A seat acts."""
        verb, *numbers = before.setup.game.parse(raw)
        if seat not in self.record.seats or verb in ("rebuy", "decline"):
            return
        player = self.record.seats.index(seat)
        if verb in BETTING:
            self._act_for_absent(player)
            self._bet(player, verb, numbers[0] if numbers else 0)
        elif verb == "exchange":
            self.record.actions.append(HandAction("exchange", player, len(numbers)))
        elif verb == "show":
            cards = _cards(before.setup.view.piece(before.setup.game, n).faces for n in numbers)
            self.record.shown[player] = cards
            self.record.actions.append(HandAction("show", player, cards=cards))
        elif verb == "muck":
            self.record.actions.append(HandAction("muck", player))

    def follow(self, before: _Look, after: _Look) -> None:
        """The fold has gone on: act for absent seats, and turn up what lies on the board."""
        seat = after.to_act
        betting = after.table.street is self._street and len(after.table.cards) == self._board
        target = None
        if betting and seat in self.record.seats:
            target = self.record.seats.index(seat)
        self._act_for_absent(target)
        if len(after.table.cards) > self._board and after.table.hand == self.record.number:
            cards = _cards(card.faces for card in after.table.cards[self._board :])
            self.record.actions.append(HandAction("board", cards=cards))
            self.record.board += cards
            self._board = len(after.table.cards)
            self._begin_street()
        if after.table.street is not self._street:
            if after.table.street is PokerStreet.DRAW:
                self._begin_street()
            self._street = after.table.street

    def end(self, told: tuple[Phrase, ...], after: _Look) -> HandRecord:
        """The hand is over; `told` says who was paid."""
        record = self.record
        for one in told:
            args = dict(one.args)
            who = args.get("who")
            if not isinstance(who, SeatRef) or who.seat not in record.seats:
                continue
            player = record.seats.index(who.seat)
            if one.key == "poker.returned":
                record.returned.append((player, _number(args["chips"])))
            else:
                pot = args.get("pot")
                whole = dict(pot.args)["chips"] if isinstance(pot, Phrase) else 0
                record.won.append((player, _number(args.get("chips", whole))))
        for seat in record.seats:
            shown = _cards(card.faces for card in after.seats[seat].shown)
            if shown:
                record.shown.setdefault(record.seats.index(seat), shown)
        record.finishing = tuple(after.seats[seat].score for seat in record.seats)
        got = [0] * len(record.seats)
        for player, chips in (*record.returned, *record.won):
            got[player] += chips
        record.regular = record.regular and record.finishing == tuple(
            start - paid + back
            for start, paid, back in zip(record.starting, self._paid, got, strict=True)
        )
        return record

    # --- the order of play ---

    def _act_for_absent(self, until: int | None) -> None:
        """Check or fold for each player before `until`; None: until nobody has to act."""
        while (player := self._expected()) is not None and player != until:
            self._bet(player, "fold" if self._bets[player] < max(self._bets) else "call", 0)

    def _expected(self) -> int | None:
        """The player whose turn it is on this street; None: nobody has to act any more."""
        live = [player for player in self.record.players if player not in self._folded]
        if len(live) < 2:
            return None
        able = [player for player in live if self._stacks[player] > 0]
        highest = max(self._bets)
        count = len(self.record.seats)
        for step in range(count):
            player = (self._next + step) % count
            waits = player not in self._acted and (len(able) > 1 or self._bets[player] < highest)
            if player in able and (waits or self._bets[player] < highest):
                return player
        return None

    def _bet(self, player: int, verb: str, amount: int) -> None:
        highest = max(self._bets)
        if verb == "fold":
            self._folded.add(player)
            self.record.actions.append(HandAction("fold", player))
        elif verb == "raise":
            self._pay(player, amount - self._bets[player])
            raised = amount - highest if highest else 0
            self.record.actions.append(HandAction("raise", player, amount, raises=raised))
            self._acted.clear()
        else:
            chips = min(highest - self._bets[player], self._stacks[player])
            self._pay(player, chips)
            self.record.actions.append(HandAction("call", player, chips))
        self._acted.add(player)
        self._next = player + 1

    def _pay(self, player: int, chips: int) -> None:
        self._bets[player] += chips
        self._stacks[player] -= chips
        self._paid[player] += chips

    def _begin_street(self) -> None:
        self._bets = [0] * len(self.record.seats)
        self._acted.clear()
        self._next = 0


def _posters(posted: list[int], blinds: tuple[int, ...]) -> tuple[int | None, int | None]:
    """Return who posts the small and the big blind. With two players the button posts the small
    one; the small blind may be missing.
    """
    paid = [player for player, chips in enumerate(posted) if chips > 0]
    if not blinds or not paid:
        return None, None
    if len(paid) == 1:
        return None, paid[0]
    if len(posted) == 2:
        return 1, 0
    return paid[0], paid[1]


def _cards(faces: Iterable[object]) -> tuple[str, ...]:
    """Return cards as two letters, rank and suit: "As", "Td"."""
    return tuple("".join(map(str, one)) for one in faces if isinstance(one, tuple))


def _number(value: object) -> int:
    assert isinstance(value, int)
    return value
