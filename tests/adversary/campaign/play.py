"""Match of a plot without sockets; every seat has its own reader, pace and secrets."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random
from typing import Any

from bots.registry import available_bots
from player.client.deterministic_seat import DeterministicSeat
from player.client.seat import Seat
from protocol.codes import Code
from protocol.dealing import Post
from protocol.errors import Refused
from protocol.games import Action
from protocol.games.decks.deck_hand import Loadout
from protocol.games.decks.match_decks import ACTIONS
from protocol.games.poker.state import PokerState as Poker
from protocol.games.registry import BUILT_IN
from protocol.identity.keys import Identity
from protocol.match.clock import LAPSE
from protocol.match.log_file import MAGIC, encode_record
from protocol.match.log_reader import DamagedLog, LogReader
from protocol.match.setup import NO_TABLE, Person, Setup, TableIdentity
from protocol.match.state import Match
from tests.adversary.campaign.card_world import CardWorld, Program, ledger
from tests.adversary.campaign.checks import Broken, check_bounds
from tests.adversary.campaign.dishonest_parties import CardCrook, Crook, CrookedTable
from tests.adversary.campaign.match_plan import Plot
from tests.golden.play import Kept
from tests.support.at_once import StoredAtOnce, at_once
from tests.support.offline import NAMES
from tests.support.strangers import strange_move
from verification.game.rules import Intruder
from verification.game.state import IntruderState

# codes of an entry that was right when it was made
LATE = {Code.STALE, Code.NOT_NOW, Code.MATCH_OVER, Code.NOT_YOUR_TURN}
LATE_STEP = {Code.ILLEGAL_MOVE}  # of a step about decks: the other seat was named meanwhile
SITS = 0.02  # chance that a person sits out, or returns
# chance, at each turn, that the clock of a silent seat runs out while the others play on
OVERDUE = 0.01
MOST_TURNS = 3000
BOTS = available_bots(BUILT_IN)


@dataclass
class Player:
    """One seat's program: its log reader and its secrets."""

    number: int
    person: Identity
    seed: bytes
    seat_type: Callable[..., Seat]
    reader: LogReader
    own: DeterministicSeat = field(init=False)
    honest: bool = True
    asleep: bool = False
    stopped: bool = False  # the program cannot read on: the log is damaged
    refused_at: int = -1  # number of entries that it had read when it was last refused
    under_way: int = 0  # number of its newest entry; it posts again only after reading this entry
    learned_at: int = -1  # number of entries that it had read when its person last learned of cards

    def __post_init__(self) -> None:
        self.own = DeterministicSeat(
            self.seat_type, self.person, self.number, self.seed, self.reader
        )

    def read(self, records: list[Any]) -> None:
        """Read on. Stop for good at a record without a valid signature."""
        for record in records:
            try:
                self.reader.feed(record.entry, record.head)
            except DamagedLog:
                self.stopped = True
                return
            self.own.follow()


@dataclass
class Play:
    """A match in progress."""

    plot: Plot
    dice: Random
    live: Any  # a LiveMatch, or an object with the same methods
    table: tuple[Identity, bytes]
    players: list[Player]
    # by seat: the state before the seat was named
    named: dict[int, Match] = field(default_factory=dict)
    world: CardWorld | None = None  # people who own cards
    program: Program = ledger  # what honest programs know of cards
    _horizon: int | None = None  # honest seats read no further in this round

    @property
    def match(self) -> Match:
        """State of the match for a reader of the whole log."""
        state: Match = self.live.match
        return state

    @property
    def _exposed(self) -> bool:
        return isinstance(self.live, CrookedTable) and self.live.exposed

    def run(self) -> None:
        """Play to the end, or until no seat continues. Raises: Broken."""
        for _ in range(MOST_TURNS):
            if self._ended() or not (self._round() or self._clock()):
                return
        raise Broken("the match does not end")

    def _ended(self) -> bool:
        reading = [
            player
            for player in self.players
            if player.honest and not (player.stopped or player.reader.over)
        ]
        return (self.match.over and not reading) or (
            not reading and any(player.honest for player in self.players)
        )

    def _round(self) -> bool:
        before = len(self.live.records)
        self._horizon = before if self.dice.random() < self.plot.blind else None
        for number in range(len(self.players)):
            self._hurry()
            self._overdue()
            self._stir()
            if self.dice.random() < self.plot.restarts:
                self._restart(self.players[number])
            self._act(self.players[number])
        return len(self.live.records) > before or self._behind()

    def _stir(self) -> None:
        """Let somebody outside of the match do something about cards."""
        if self.world is not None and self.dice.random() < self.plot.stirs:
            seat = self.world.stir(self.dice)
            if seat is not None:
                player = self.players[seat]
                player.learned_at = player.reader.log.next_number

    def _behind(self) -> bool:
        return any(
            p.reader.log.next_number < self.live.log.next_number
            for p in self.players
            if not (p.stopped or p.reader.over)
        )

    def _act(self, player: Player) -> None:
        try:
            self._turn(player)
        except Broken:
            raise
        except Exception:  # a lying program may crash on its own lie: from then on it is silent
            if player.honest:
                raise
            player.stopped = player.asleep = True

    def _turn(self, player: Player) -> None:
        new = self.live.records[player.reader.log.next_number :]
        if player.honest and self._horizon is not None:
            new = new[: max(0, self._horizon - player.reader.log.next_number)]
        elif player.honest and len(new) > 1 and self.dice.random() < self.plot.slow:
            new = new[: self.dice.randrange(1, len(new))]
        if not (player.stopped or player.reader.over):
            player.read(new)
        match = player.reader.match
        alone = not self.plot.has_table and match.next_author != player.number
        if player.stopped or player.reader.over or alone or player.number in match.gone:
            return
        post = self._post(player, match)
        ready = player.under_way < player.reader.log.next_number != player.refused_at
        if post is not None and ready:
            self._offer(player, post)

    def _post(self, player: Player, match: Match) -> Post | None:
        own, seat = player.own, player.own.seat
        post = own.due
        if post is None and seat.choices(match):
            post = own.move(self._choice(player, match))
        sitting = match.sit_kind(player.number)
        if (
            sitting
            and Random(f"{self.plot.seed} sits {player.number} {match.next_number}").random() < SITS
        ):
            post = Post(sitting, [])
        if isinstance(seat, Crook):
            if seat.wants(match, "silence") or (
                seat.wants(match, "all in") and _only_shows(match, player.number)
            ):
                player.asleep = True
            post = seat.instead(match, post)
        return None if player.asleep else post

    def _choice(self, player: Player, match: Match) -> Action:
        rng = Random(f"{self.plot.seed} {player.number} {match.next_number}")
        game, state = match.setup.game, match.game
        if isinstance(game, Intruder) and isinstance(state, IntruderState):
            offered = player.own.seat.choices(match)
            return strange_move(
                game, state, offered, rng, int(dict(self.plot.terms.game.options)["sessions"])
            )
        return BOTS[self.plot.bots[player.number]](player.own.seat.seen(match), rng)

    def _offer(self, player: Player, post: Post) -> None:
        before = self.match
        raw = player.own.seat.entry(player.reader.log, post)
        try:
            player.under_way = len(self.live.records)
            self.live.offer(raw, player.number)
        except Refused as refused:
            player.refused_at, player.under_way = player.reader.log.next_number, 0
            behind = player.reader.log.next_number < self.live.log.next_number
            late = behind and refused.code in (LATE | LATE_STEP if _is_deck_step(post) else LATE)
            if player.honest and not late and not self._exposed:
                raise Broken(
                    f"seat {player.number}'s {post.kind} was refused as {refused.code}"
                ) from None
            if not player.honest and not behind:
                player.refused_at = -1  # let it try again, as its program would
        except Exception as error:
            if self.plot.table is not None:
                raise  # a lying table may crash on its own lie
            raise Broken(
                f"an entry of seat {player.number} stops its readers: {error!r}"
            ) from error
        self._note(before)

    def _note(self, before: Match) -> None:
        check_bounds(self.match.game)
        for fault in self.match.faults[len(before.faults) :]:
            self.named.setdefault(fault.seat, before)

    def _clock(self) -> bool:
        """Let the time of a duty run out while every seat is silent. Return whether this helped."""
        if not self.plot.has_table or self.match.over or self._exposed:
            return False
        slow = [
            player
            for player in self.players
            if not player.honest or player.stopped or player.reader.over
        ]
        waited = [player.number for player in slow if self.match.next_clock_entry(player.number)]
        return bool(waited) and self._lapse(waited[0])

    def _hurry(self) -> None:
        """Let a lying table declare that a seat's time is over before it is."""
        live = self.live
        if isinstance(live, CrookedTable) and live.wants("hurry"):
            waited = [
                player.number
                for player in self.players
                if live.match.next_clock_entry(player.number)
            ]
            if waited:
                live.lied = True
                self._lapse(self.dice.choice(waited))

    def _overdue(self) -> None:
        """Let single clocks run out where seats act independently and the others play on."""
        if self.match.active_simultaneous is None or self._exposed or self.dice.random() >= OVERDUE:
            return
        silent = (
            player.number
            for player in self.players
            if player.asleep and self.match.next_clock_entry(player.number)
        )
        seat = next(silent, None)
        if seat is not None:
            self._lapse(seat)

    def _lapse(self, seat: int) -> bool:
        before, kind = self.match, ""
        while kind != LAPSE:
            due = self.match.next_clock_entry(seat)
            if due is None or self._exposed:
                break
            kind = due.kind
            self.live.post_clock(Post(kind, [seat, due.after]))
        self._note(before)
        return True

    def _restart(self, player: Player) -> None:
        """Restart an honest program from its seed and the log; or an honest table."""
        if self.plot.table is None and self.plot.has_table:
            identity, seed = self.table
            self.live = StoredAtOnce.restore(identity, seed, self.live.records)
            self.live.answer()
        if not player.honest or player.stopped or player.reader.over:
            return
        due, number = player.own.due, player.reader.log.next_number
        first, *others = self.live.records[:number]
        again = Player(
            player.number,
            player.person,
            player.seed,
            player.seat_type,
            LogReader(first.entry, first.head),
        )
        again.read(others)
        # what it learned since it last read may change what it would post
        if again.own.due != due and player.learned_at != number:
            raise Broken(
                f"seat {player.number} would post something else after it has started again"
            )
        again.honest = player.honest
        again.refused_at = player.refused_at
        again.under_way = player.under_way
        self.players[player.number] = again

    def entries(self) -> list[bytes]:
        """Valid entries; for a log with an invalid entry, the entries before it."""
        return [
            record.entry for record in self.live.records[: len(self.live.records) - self._exposed]
        ]

    def file(self) -> bytes:
        return MAGIC + b"".join(
            encode_record(record.entry, record.head) for record in self.live.records
        )


def _is_deck_step(post: Post) -> bool:
    """Return whether this is a step that programs post about decks."""
    return post.kind == "move" and bool(post.body[0]) and post.body[0][0] in ACTIONS


def _only_shows(match: Match, seat: int) -> bool:
    """Return whether a seat is all in, or nobody can bet any more: a silent seat then keeps its
    claim.
    """
    return isinstance(match.game, Poker) and match.game.is_all_in(seat)


def begun(
    plot: Plot, program: Program = ledger, world_type: Callable[[int], CardWorld] = CardWorld
) -> Play:
    """Return the match of a plot before the first entry of a seat.

    Tests pass another `program` or `world_type` to see that a broken product is noticed.
    """
    rng = Random(f"match {plot.seed}")
    table = Identity(rng.randbytes(32))
    people = [Identity(rng.randbytes(32)) for _ in range(plot.terms.seats)]
    world = world_type(plot.seed) if plot.deck else None
    loadouts = [Loadout(text=plot.text) for _ in people]
    if world is not None:
        loadouts = [_brings(plot, world, seat, program) for seat in range(len(people))]
        people = [world.identity(seat) for seat in range(len(people))]
    seated = tuple(Person(name, person.public) for name, person in zip(NAMES, people, strict=False))
    setup = Setup(
        TableIdentity(table.public, "Table", "main"),
        rng.randbytes(32),
        1_700_000_000,
        plot.terms,
        seated,
    )
    seed = rng.randbytes(32)
    live: Any
    if not plot.has_table:
        live = Kept(people, replace(setup, table=NO_TABLE))
    elif plot.table is None:
        live = StoredAtOnce(table, setup, seed)
    else:
        live = at_once(CrookedTable)(table, setup, seed)
        live.wrong, live.dice = plot.table, Random(f"table {plot.seed}")
    first = live.records[0]
    players = []
    for number, person in enumerate(people):
        kind = _seat_type(plot, number, world, loadouts[number])
        player = Player(number, person, rng.randbytes(32), kind, LogReader(first.entry, first.head))
        player.honest = number not in plot.wrongs
        players.append(player)
    dice = Random(f"dice {plot.seed}")
    return Play(plot, dice, live, (table, seed), players, world=world, program=program)


def _brings(plot: Plot, world: CardWorld, seat: int, program: Program) -> Loadout:
    honest = seat not in plot.wrongs
    cards = world.seat(seat, honest, plot.deck, plot.lies.get(seat, "own"))
    person = world.seats[seat]
    return Loadout(cards, plot.text, program(person.records, person.view))


def _seat_type(
    plot: Plot, number: int, world: CardWorld | None, loadout: Loadout
) -> Callable[..., Seat]:
    kind: Callable[..., Seat] = Seat
    wrongs = plot.wrongs.get(number)
    dice = Random(f"crook {plot.seed} {number}")
    if wrongs is not None and world is not None:
        kind = partial(CardCrook, world, wrongs, dice)
    elif wrongs is not None:
        kind = partial(Crook, wrongs, dice)
    return partial(kind, brings=loadout) if loadout.cards or loadout.text else kind
