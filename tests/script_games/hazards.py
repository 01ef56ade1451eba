"""A duel in which, at each entry, programs start again, a seat leaves, or its time runs out."""

from dataclasses import dataclass, field
from functools import partial
from random import Random

from bots.any_game import random_bot
from player.seat.seat import Seat
from protocol.audit.verdict import audit
from protocol.codes import Code
from protocol.dealing import Post
from protocol.games.decks.held import Brings
from protocol.games.scripted.reading.shipped import name_of, shipped
from protocol.identity.keys import Identity
from protocol.match.clock import LAPSE
from protocol.match.log import Record
from protocol.match.logfile import MAGIC, encode_record
from protocol.match.reader import Reader
from protocol.match.state import Match
from table.room.live_match import LiveMatch
from tests.campaign.play import Player
from tests.script_games.checks import Wrong
from tests.support.offline import make_setup

WHOLE = shipped("element-duel")
SHORT = WHOLE.replace("TARGET, ROW, HAND, DECK, MOST_DUELS = 7,", "TARGET, ROW, HAND, DECK, MOST_DUELS = 1,")
HOWS = ("leave", "lapse")
THRESHOLD: dict[str, int | str] = {"leavers": "threshold"}


@dataclass
class Duel:
    """One duel under way: the table, and two programs that keep nothing but a seed and the log."""

    text: str
    seed: int
    live: LiveMatch = field(init=False)
    players: list[Player] = field(init=False)
    dues: list[tuple[Post | None, ...]] = field(default_factory=list)  # after each entry: what programs would post

    def __post_init__(self) -> None:
        rng = Random(self.seed)
        self.table, *self.people = (Identity(rng.randbytes(32)) for _ in range(3))
        rules: dict[str, int | str] = {"rules": name_of(self.text)}
        setup = make_setup(self.table, self.people, rng, "script", rules, THRESHOLD, "verified")
        self.live = LiveMatch(self.table, setup, rng.randbytes(32))
        self.seeds = [rng.randbytes(32) for _ in self.people]
        self.players = self._programs(self.live.records)

    def _programs(self, records: list[Record]) -> list[Player]:
        """Programs that begin, and read what there is."""
        first, *others = records
        players = []
        for number, (person, seed) in enumerate(zip(self.people, self.seeds, strict=True)):
            made = partial(Seat, brings=Brings(text=self.text))
            players.append(Player(number, person, seed, made, Reader(first.entry, first.head)))
            players[-1].read(others)
        return players

    def play(self, gone: int | None = None) -> None:
        """To the end; one seat may be gone."""
        while not self.live.match.over:
            self.dues.append(tuple(player.own.due for player in self.players))
            player, post = next(
                (player, post) for player in self.players if player.number != gone and (post := self._post(player))
            )
            self.live.offer(player.own.seat.entry(player.reader.log, post), player.number)
            self.read()

    def read(self) -> None:
        """All read on."""
        for player in self.players:
            player.read(self.live.records[player.reader.log.number :])

    def _post(self, player: Player) -> Post | None:
        match, own = player.reader.match, player.own
        if own.due is not None or not own.seat.choices(match):
            return own.due
        dice = Random(f"{self.seed} {player.number} {match.number}")
        return own.move(random_bot(own.seat.view(match), dice))

    def from_entry(self, number: int) -> "Duel":
        """The same duel after so many entries, the table and both programs started again. Raises: Wrong."""
        again = Duel(self.text, self.seed)
        again.live = LiveMatch.restore(self.table, self.live.seed, self.live.records[:number])
        again.players = again._programs(again.live.records)
        if tuple(player.own.due for player in again.players) != self.dues[number - 1]:
            raise Wrong(f"after entry {number} a program that has started again would post something else")
        return again

    def file(self) -> bytes:
        """The log file."""
        return MAGIC + b"".join(encode_record(record.entry, record.head) for record in self.live.records)


def played(text: str, seed: int) -> Duel:
    """A whole duel in which nothing happens."""
    duel = Duel(text, seed)
    duel.play()
    return duel


def befall(whole: Duel, number: int, seat: int, how: str) -> bool:
    """After so many entries a seat leaves, or its time runs out; whether it could. Raises: Wrong."""
    duel = whole.from_entry(number)
    before, match = known_of(duel.live.match, seat), duel.live.match
    won = match.game is not None and match.setup.game.winner(match.game) == seat  # receipts are still to come
    if how == "leave":
        player = duel.players[seat]
        duel.live.offer(player.own.seat.entry(player.reader.log, Post("leave", [])), seat)
    elif not _lapse(duel.live, seat):
        return False
    duel.read()
    at_once = known_of(duel.live.match, seat)
    gone = bool(duel.live.match.faults)
    duel.play(seat if gone else None)
    if not at_once <= before or (gone and not known_of(duel.live.match, seat) <= before):
        raise Wrong(f"{how} of seat {seat} after entry {number} shows cards that were hidden")
    if gone and not won and duel.live.match.winner == seat:
        raise Wrong(f"{how} of seat {seat} after entry {number}: it has won by that")
    _judge(duel, seat, gone, f"{how} of seat {seat} after entry {number}")
    return True


def _lapse(live: LiveMatch, seat: int) -> bool:
    kind = ""
    while kind != LAPSE:
        due = live.match.due(seat)
        if due is None:
            return False
        kind = due.kind
        live.post_clock(Post(kind, [seat, due.after]))
    return True


def known_of(match: Match, seat: int) -> set[int]:
    """The slots of a seat that everybody has seen opened."""
    decks = match.game.decks if match.game is not None else None
    return set() if decks is None else set(decks.faces) & set(decks.pieces(seat))


def _judge(duel: Duel, seat: int, gone: bool, what: str) -> None:
    match, report = duel.live.match, audit(duel.file())
    named = {(fault.seat, fault.code) for fault in report.faults}
    if named - {(seat, Code.LEFT), (seat, Code.LAPSED)} or bool(named) != gone or report.faults != match.faults:
        raise Wrong(f"{what}: the audit names {named}")
    if any(player.reader.match.scores != match.scores for player in duel.players if player.number != seat):
        raise Wrong(f"{what}: the other came to another end")
