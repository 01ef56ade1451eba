"""A match in which programs restart, a seat leaves, or its time runs out at each entry."""

from dataclasses import dataclass, field
from functools import partial
from random import Random

from bots.random_bot import random_bot
from player.client.seat import Seat
from protocol.audit.verdict import audit
from protocol.codes import Code
from protocol.dealing import Post
from protocol.games import Action
from protocol.games.decks.deck_hand import DeckHand, Loadout
from protocol.games.operations import ShuffleCards
from protocol.games.scripted.engine.moves import hand_of
from protocol.games.scripted.rule_file.built_in import built_in_text, rule_digest
from protocol.identity.keys import Identity
from protocol.match.clock import LAPSE
from protocol.match.log import Record
from protocol.match.log_file import MAGIC, encode_record
from protocol.match.log_reader import LogReader
from protocol.view.view import View
from table.match.live_match import LiveMatch
from tests.adversary.campaign.play import Player
from tests.properties.script_games.checks import Wrong
from tests.properties.script_games.play import DEALINGS
from tests.support.at_once import StoredAtOnce
from tests.support.offline import make_setup

SHORTER = {  # short matches, so that most of a match is its beginning and its end
    "element-duel": (
        "TARGET, ROW, HAND, DECK, MOST_DUELS = 7,",
        "TARGET, ROW, HAND, DECK, MOST_DUELS = 1,",
    ),
    "mau-mau-shared": ('draw("deck", "hand", s, 5)', 'draw("deck", "hand", s, 2)'),
}
HOWS = ("leave", "lapse")
HOLDS = "nobody honest named or robbed, nothing hidden shown"


@dataclass(frozen=True)
class Ground:
    """The game and its dealing."""

    game: str
    dealing: str = "verified"
    seats: int = 2
    short: bool = False

    def __str__(self) -> str:
        return (
            f"{self.game}{' (short)' if self.short else ''} over {self.dealing}, {self.seats} seats"
        )

    @property
    def text(self) -> str:
        text = built_in_text(self.game)
        return text.replace(*SHORTER[self.game]) if self.short else text


GROUNDS = (
    Ground("element-duel"),
    Ground("element-duel", "seeded"),
    Ground("element-duel", "residue", short=True),
    Ground("mau-mau"),
    Ground("mau-mau-shared", seats=3, short=True),
    Ground("mau-mau-shared", seats=4, short=True),
)


def eager_bot(view: View, rng: Random) -> Action:
    """Play a card if possible, so that a match is shorter than with random moves."""
    lays = [action for offer in view.offers for action in offer.actions() if action[0] == "play"]
    return rng.choice(lays) if lays else random_bot(view, rng)


@dataclass
class Hazardous:
    """One match in progress: the table, and programs that keep nothing but a seed and the log."""

    ground: Ground
    seed: int
    live: LiveMatch = field(init=False)
    players: list[Player] = field(init=False)
    # after each entry: the posts that programs would make
    dues: list[tuple[Post | None, ...]] = field(default_factory=list)

    def __post_init__(self) -> None:
        rng = Random(self.seed)
        self.table, *self.people = (
            Identity(rng.randbytes(32)) for _ in range(1 + self.ground.seats)
        )
        rules: dict[str, int | str] = {"rules": rule_digest(self.ground.text)}
        options, dealing = DEALINGS[self.ground.dealing], self.ground.dealing
        setup = make_setup(self.table, self.people, rng, "script", rules, options, dealing)
        self.live = StoredAtOnce(self.table, setup, rng.randbytes(32))
        self.seeds = [rng.randbytes(32) for _ in self.people]
        self.players = self._programs(self.live.records)

    def _programs(self, records: list[Record]) -> list[Player]:
        """Return fresh programs that read the records."""
        first, *others = records
        players = []
        for number, (person, seed) in enumerate(zip(self.people, self.seeds, strict=True)):
            made = partial(Seat, brings=Loadout(text=self.ground.text))
            players.append(Player(number, person, seed, made, LogReader(first.entry, first.head)))
            players[-1].read(others)
        return players

    def play(self, gone: int | None = None) -> None:
        """Play to the end; one seat may be gone, and nobody may learn more of its pieces. Raises:
        Wrong.
        """
        before = self.seen_of(gone)
        while not self.live.match.over:
            self.dues.append(tuple(player.own.due for player in self.players))
            playing = (
                (player, self._post(player)) for player in self.players if player.number != gone
            )
            player, post = next(
                ((player, post) for player, post in playing if post is not None), (None, None)
            )
            if player is None or post is None:
                raise Wrong(f"nobody goes on after entry {self.live.match.next_number}")
            self.live.offer(player.own.seat.entry(player.reader.log, post), player.number)
            self.read()
            if self.new_of(gone, before):
                raise Wrong(
                    f"entry {self.live.match.next_number - 1} shows what seat {gone} has left in "
                    "the dark"
                )

    def read(self) -> None:
        """Let all programs read on."""
        for player in self.players:
            player.read(self.live.records[player.reader.log.next_number :])

    def _post(self, player: Player) -> Post | None:
        match, own = player.reader.match, player.own
        if own.due is not None or not own.seat.choices(match):
            return own.due
        dice = Random(f"{self.seed} {player.number} {match.next_number}")
        return own.move(eager_bot(own.seat.view(match), dice))

    def from_entry(self, number: int) -> "Hazardous":
        """Return the match after `number` entries with the table and all programs restarted.
        Raises: Wrong.
        """
        again = Hazardous(self.ground, self.seed)
        again.live = StoredAtOnce.restore(self.table, self.live.seed, self.live.records[:number])
        again.live.answer()
        again.players = again._programs(again.live.records)
        if tuple(player.own.due for player in again.players) != self.dues[number - 1]:
            raise Wrong(
                f"after entry {number} a program that has started again would post something else"
            )
        return again

    def seen_of(self, seat: int | None) -> set[tuple[str, int]]:
        """Return opened slots of a seat's deck, and cards that others know in regions that only
        this seat sees.
        """
        match = self.live.match
        if seat is None or match.game is None or not match.game.lies:
            return set()
        game, decks = match.game, match.game.decks
        slots = set() if decks is None else set(decks.faces) & set(decks.pieces(seat))
        hand = hand_of(match.setup.game.table(game), game, seat)
        known = {card for card in hand if game.pieces[card] is not None}
        for player in self.players:
            held = (
                player.own.seat.held(match)
                if player.number != seat and match.deal is not None
                else None
            )
            known |= set(hand) & set(held.visible) if isinstance(held, DeckHand) else set()
        return {("slot", slot) for slot in slots} | {("card", card) for card in known}

    def new_of(self, seat: int | None, before: set[tuple[str, int]]) -> set[tuple[str, int]]:
        """Return the items that are not in `before`; cards that are still to be hidden are left
        out.
        """
        wanted = self.live.match.game.wanted if self.live.match.game is not None else ()
        hiding = {card for one in wanted if isinstance(one, ShuffleCards) for card in one.cards}
        return {
            one for one in self.seen_of(seat) - before if one[0] == "slot" or one[1] not in hiding
        }

    def file(self) -> bytes:
        return MAGIC + b"".join(
            encode_record(record.entry, record.head) for record in self.live.records
        )


def played(ground: Ground, seed: int) -> Hazardous:
    """Play a whole match without hazards."""
    match = Hazardous(ground, seed)
    match.play()
    return match


def befall(whole: Hazardous, number: int, seat: int, how: str) -> bool:
    """Let a seat leave or lapse after `number` entries; return whether this was possible. Raises:
    Wrong.
    """
    again = whole.from_entry(number)
    before, match = again.seen_of(seat), again.live.match
    # the receipts are still due
    won = match.game is not None and match.setup.game.winner(match.game) == seat
    if how == "leave":
        player = again.players[seat]
        again.live.offer(player.own.seat.entry(player.reader.log, Post("leave", [])), seat)
    elif not _lapse(again.live, seat):
        return False
    again.read()
    what, gone = (
        f"{whole.ground}: {how} of seat {seat} after entry {number}",
        bool(again.live.match.faults),
    )
    if again.new_of(seat, before):
        raise Wrong(f"{what} shows cards that were hidden")
    again.play(seat if gone else None)
    winner = again.live.match.winner
    if gone and not won and winner == seat:
        raise Wrong(f"{what}: it has won by that")
    if gone and winner is None and match.game is not None:
        raise Wrong(f"{what}: nobody has won by that")
    _judge(again, seat, gone, what)
    return True


def _lapse(live: LiveMatch, seat: int) -> bool:
    kind = ""
    while kind != LAPSE:
        due = live.match.next_clock_entry(seat)
        if due is None:
            return False
        kind = due.kind
        live.post_clock(Post(kind, [seat, due.after]))
    return True


def _judge(again: Hazardous, seat: int, gone: bool, what: str) -> None:
    match, report = again.live.match, audit(again.file())
    named = {(fault.seat, fault.code) for fault in report.faults}
    if (
        named - {(seat, Code.LEFT), (seat, Code.LAPSED)}
        or bool(named) != gone
        or report.faults != match.faults
    ):
        raise Wrong(f"{what}: the audit names {named}")
    others = [player.reader.match for player in again.players if player.number != seat]
    if any((other.scores, other.winner) != (match.scores, match.winner) for other in others):
        raise Wrong(f"{what}: the others came to another end")
