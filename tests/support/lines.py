"""Two players with several lines in memory. A line can break, fall silent, delay data, and
return.
"""

from collections import deque
from random import Random
from typing import Protocol

from player.client.environment import Environment
from player.client.seat import Seat
from player.direct.direct_client import DirectClient
from player.direct.direct_match import INVITER
from player.multipath.line_set import LineCallbacks, LineKind, LineSet
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.messages.lines import Endpoint, decode_line
from protocol.messages.parcel import EntriesParcel, decode_parcel
from tests.support.without_table import Side, chosen_by_hand

BYE = object()


class Clock:
    """Clock that tests set."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


class Ends(Protocol):
    """Owner of the ends of wires."""

    lines: LineSet
    world: "Wires"
    complaints: list[Code]

    @property
    def key(self) -> bytes: ...

    @property
    def done(self) -> bool: ...


class End:
    """One end of a wire, used as a line by a `LineSet`."""

    def __init__(self, wire: "Wire", party: Ends) -> None:
        self.wire, self.party = wire, party
        self.inbox: deque[tuple[object, bytes | Code | None]] = deque()
        self.closed = False

    @property
    def other(self) -> "End":
        return next(end for end in self.wire.ends if end is not self)

    def send(self, payload: bytes) -> None:
        if not self.closed and not self.wire.broken and self.wire.deaf is not self.other:
            self.other.inbox.append((None, payload))
            self.party.world.crossed(payload)

    def close(self, code: Code | None = None) -> None:
        if not self.closed:
            self.closed = True
            if not self.wire.broken:
                self.other.inbox.append((BYE, code))
            self.party.lines.gone(self, code)

    def deliver(self) -> None:
        """Deliver the next payload that has arrived here."""
        mark, what = self.inbox.popleft()
        if self.closed:
            return
        if mark is BYE:
            assert not isinstance(what, bytes)
            self.closed = True
            self.party.lines.gone(self, what)
            return
        assert isinstance(what, bytes)
        try:
            self.party.lines.received(self, what)
        except RemoteError as error:
            self.party.complaints.append(error.code)
            self.close(error.code)


class Wire:
    """A line between two players.

    `held`: nothing is delivered, nothing is lost. `broken`: payloads in transit are lost. `deaf`:
    the end that receives nothing any more.
    """

    def __init__(self, kind: LineKind, one: Ends, two: Ends) -> None:
        self.kind, self.held, self.broken = kind, False, False
        self.ends = (End(self, one), End(self, two))
        self.deaf: End | None = None

    def cut(self, *, noticed: bool) -> None:
        """Break the wire. With `noticed` both sides are told."""
        self.broken = True
        for end in self.ends:
            end.inbox.clear()
            if noticed and not end.closed:
                end.closed = True
                end.party.lines.gone(end, Code.CUT_OFF)


class Party:
    """A player with its match and its lines."""

    def __init__(
        self, world: "World", side: Side, *, shares: bool = True, run: bytes = bytes(16)
    ) -> None:
        self.world, self.side = world, side
        self.found: list[tuple[Endpoint, ...]] = []
        self.moves: list[LineKind] = []
        self.complaints: list[Code] = []
        self.told: list[object] = []
        environment = Environment(
            side.identity, side.rng, Seat, chosen_by_hand, self.told.append, games=side.games
        )
        self.match = side.open()
        self.client = DirectClient(
            environment, None if self.match.own == INVITER else self._accept, self.match
        )
        self.plan = LineCallbacks(
            run, self._about, (lambda: ()) if shares else None, self.found.append, self.moves.append
        )
        self.lines = LineSet(self.client, self.plan, world.clock)
        self.client.on_finish = self.lines.close
        self.match.post()

    def _accept(self, _: object) -> None:
        raise AssertionError("the match has begun")

    @property
    def key(self) -> bytes:
        return self.side.identity.public

    @property
    def done(self) -> bool:
        return self.client.finished

    def _about(self) -> bytes | None:
        return self.match.reader.log.match_id if self.match.reader else None


class Wires:
    """Two players, the wires between them, and the time."""

    parties: "tuple[Ends, Ends]"

    def __init__(self) -> None:
        self.clock, self.rng = Clock(), Random(1)
        self.wires: list[Wire] = []

    def crossed(self, payload: bytes) -> None:
        """Handle a payload on a wire."""

    def wire(self, kind: LineKind) -> Wire:
        made = Wire(kind, *self.parties)
        self.wires.append(made)
        for end in made.ends:
            end.party.lines.add(end, kind, end.other.party.key)
        return made

    def step(self) -> bool:
        """Make one delivery. Return False if there was none."""
        waiting = [end for wire in self.wires for end in wire.ends if end.inbox and not wire.held]
        if waiting:
            self.rng.choice(waiting).deliver()
        return bool(waiting)

    def settle(self) -> None:
        """Deliver everything in transit. The answers are then in transit."""
        for end in [
            one for wire in self.wires if not wire.held for one in wire.ends for _ in one.inbox
        ]:
            if end.inbox:
                end.deliver()

    def wait(self, seconds: float) -> None:
        """Let time pass, with a check of the clock twice a second. Payloads stay in transit."""
        for _ in range(round(2 * seconds)):
            self.clock.seconds += 0.5
            for party in self.parties:
                if not party.done:
                    party.lines.beat()
            self.settle()


class World(Wires):
    """Ann and Bob, the wires between them, and the time."""

    def __init__(self, ann: Side, bob: Side, *, shares: tuple[bool, bool] = (True, True)) -> None:
        super().__init__()
        self.entries: dict[int, bytes] = {}
        first = bob.turn()  # Bob has accepted, and this is in his log
        assert first is not None
        ann.turn(first)
        self.ann = Party(self, ann, shares=shares[0], run=b"a" * 16)
        self.bob = Party(self, bob, shares=shares[1], run=b"b" * 16)

    @property
    def parties(self) -> tuple[Party, Party]:
        return self.ann, self.bob

    def crossed(self, payload: bytes) -> None:
        """Check a payload on a wire: nobody may post two different entries with one number."""
        if decode_line(payload) is None and isinstance(
            parcel := decode_parcel(payload), EntriesParcel
        ):
            for number, record in enumerate(parcel.records, parcel.first):
                assert self.entries.setdefault(number, record[0]) == record[0]

    def both(self, *kinds: LineKind) -> list[Wire]:
        """Add lines that both sides have used long enough to know each other's runs."""
        told = [len(party.found) + len(kinds) for party in self.parties]
        made = [self.wire(kind) for kind in kinds]
        while (
            any(len(party.found) < many for party, many in zip(self.parties, told, strict=True))
            and self.step()
        ):
            pass
        return made

    @property
    def number(self) -> int:
        return min(party.match.number for party in self.parties)

    @property
    def over(self) -> bool:
        return all(party.client.finished for party in self.parties)

    def play(self, until: int = 1 << 30) -> None:
        """Play until both sides have `until` entries, or nothing is in transit."""
        while not self.over and self.number < until and self.step():
            pass

    def close(self) -> None:
        for party in self.parties:
            party.match.close()
