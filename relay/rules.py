"""The rules of a relay: channels, guests and lines, without sockets, clock or loop.

| who comes | to | state | is left by |
| --- | --- | --- | --- |
| table | `table` | CHALLENGED: it has a challenge | a claim: OPEN, or `closed` |
| table | | OPEN: the channel of its fingerprint is its own | its end; a newer claim of the same key |
| guest | `t/<fingerprint>` | WAITING: the table has the guest's token | a line: JOINED; `turn_away`; time |
| guest | | JOINED: what it sends goes to its line, and back | the end of either |
| line | `line/<token>` | JOINED: a table has opened it for the guest of the token | the end of either |

Only a claim gets a channel, and only a signature of the channel's own key takes it from a table.
When a table's line ends, the lines of all its guests end too. A channel without a table does not
exist: nothing is remembered of it. A party with many addresses counts as one (`widest_group`).
"""

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field
from enum import Enum
from random import Random
from typing import Generic, NamedTuple, TypeVar

from protocol import limits
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity.keys import fingerprint
from protocol.limits import RELAY_TOKEN
from protocol.messages.relay import (
    CHALLENGE,
    Challenge,
    Claim,
    Closed,
    ControlMessage,
    Guest,
    Open,
    TurnAway,
    check_claim,
    decode,
)
from table.net.addresses import widest_group
from table.net.fair_slots import FairSlots

Party = TypeVar("Party", bound=Hashable)


@dataclass(frozen=True)
class RelayBounds:
    """Numbers of channels and guests; units as in `protocol.limits`."""

    channels: int = limits.MAX_RELAY_CHANNELS
    channels_of_address: int = limits.MAX_RELAY_CHANNELS_PER_ADDRESS
    guests: int = limits.MAX_RELAY_GUESTS
    guests_of_address: int = limits.MAX_RELAY_GUESTS_PER_ADDRESS
    waiting: int = limits.MAX_RELAY_WAITING
    waiting_of_address: int = limits.MAX_RELAY_WAITING_PER_ADDRESS


class Say(NamedTuple, Generic[Party]):
    """Send a control message to a table."""

    party: Party
    message: ControlMessage


class Join(NamedTuple, Generic[Party]):
    """Answer both requests, and pass frames between the two from now on."""

    guest: Party
    line: Party


class Refuse(NamedTuple, Generic[Party]):
    """Answer a request: there is no place, or no table."""

    party: Party


class End(NamedTuple, Generic[Party]):
    """Close a connection."""

    party: Party


Effect = Say[Party] | Join[Party] | Refuse[Party] | End[Party]
Effects = list[Effect[Party]]


class State(Enum):
    """See the table above."""

    CHALLENGED = "challenged"
    OPEN = "open"
    WAITING = "waiting"
    JOINED = "joined"


class _Table(Generic[Party]):
    """The line by which a table has its channel, or claims it."""

    def __init__(self, party: Party, address: str, challenge: bytes, bounds: RelayBounds) -> None:
        self.party = party
        self.group = widest_group(address)
        self.challenge = challenge
        self.fingerprint = ""  # until the claim
        self.guests: dict[Party, _Guest[Party]] = {}
        self.guests_of: Counter[str] = Counter()
        self.waiting: FairSlots[Party] = FairSlots(bounds.waiting, bounds.waiting_of_address)


@dataclass
class _Guest(Generic[Party]):
    party: Party
    group: str
    table: _Table[Party]
    token: bytes
    line: Party | None = field(default=None)


class Switchboard(Generic[Party]):
    """All channels of one relay. Each method returns the effects of a change, in order."""

    def __init__(self, urls: frozenset[str], bounds: RelayBounds, rng: Random) -> None:
        """`urls`: those by which tables call this relay, which their claims must name."""
        self._urls, self._bounds, self._rng = urls, bounds, rng
        self._tables: dict[Party, _Table[Party]] = {}
        self._channels: dict[str, _Table[Party]] = {}  # by fingerprint
        self._channels_of: dict[str, set[_Table[Party]]] = {}  # by group of addresses
        self._guests: dict[Party, _Guest[Party]] = {}
        self._lines: dict[Party, _Guest[Party]] = {}
        self._tokens: dict[bytes, _Guest[Party]] = {}  # of guests that wait

    @property
    def channels(self) -> int:
        """The number of channels."""
        return len(self._channels)

    def state(self, party: Party) -> State | None:
        """Return the state of a party; None if it has none."""
        if (table := self._tables.get(party)) is not None:
            return State.OPEN if table.fingerprint else State.CHALLENGED
        if (guest := self._guests.get(party)) is not None:
            return State.WAITING if guest.line is None else State.JOINED
        return State.JOINED if party in self._lines else None

    def has_token(self, token: bytes) -> bool:
        """Tell if a guest waits for the line with this token."""
        return token in self._tokens

    def expected_lines(self, address: str) -> int:
        """Return the number of lines that tables at this address are to open."""
        return sum(len(table.waiting) for table in self._channels_of.get(widest_group(address), ()))

    def table_of(self, line: Party) -> str:
        """Return the fingerprint of the table that has opened a line; empty for any other party."""
        guest = self._lines.get(line)
        return "" if guest is None else guest.table.fingerprint

    # --- tables ---

    def add_table(self, party: Party, address: str) -> Effects[Party]:
        """Challenge a table whose control line stands."""
        table = _Table(party, address, self._rng.randbytes(CHALLENGE), self._bounds)
        self._tables[party] = table
        return [Say(party, Challenge(table.challenge))]

    def table_message(self, party: Party, payload: bytes) -> Effects[Party]:
        """Process a control message of a table."""
        table = self._tables.get(party)
        if table is None:  # closed already
            return []
        try:
            message = decode(payload)
            if isinstance(message, Claim) and not table.fingerprint:
                return self._claim(table, message)
            if isinstance(message, TurnAway) and table.fingerprint:
                return self._turn_away(table, message.token)
        except RemoteError as error:
            return self._close(table, error.code)
        return self._close(table, Code.BAD_MESSAGE)

    def _claim(self, table: _Table[Party], claim: Claim) -> Effects[Party]:
        if claim.relay not in self._urls:
            return self._close(table, Code.WRONG_RELAY)
        check_claim(claim, table.challenge)
        whose = fingerprint(claim.public)
        before = self._channels.get(whose)
        # a claim that is refused displaces nothing: its own older channel goes on
        others = len(self._channels) - (before is not None)
        if others >= self._bounds.channels:
            return self._close(table, Code.TOO_MANY)
        here = self._channels_of.get(table.group, set())
        if len(here) - (before in here) >= self._bounds.channels_of_address:
            return self._close(table, Code.TOO_MANY_HERE)
        effects = [] if before is None else self._close(before, Code.TAKEN_OVER)
        table.fingerprint = whose
        self._channels[whose] = table
        self._channels_of.setdefault(table.group, set()).add(table)
        return [*effects, Say(table.party, Open())]

    def _turn_away(self, table: _Table[Party], token: bytes) -> Effects[Party]:
        guest = self._tokens.get(token)
        if guest is None or guest.table is not table:  # gone meanwhile
            return []
        self._forget_guest(guest)
        return [Refuse(guest.party)]

    def _close(self, table: _Table[Party], code: Code) -> Effects[Party]:
        return [Say(table.party, Closed(code)), End(table.party), *self._remove_table(table)]

    def _remove_table(self, table: _Table[Party]) -> Effects[Party]:
        del self._tables[table.party]
        if table.fingerprint:
            del self._channels[table.fingerprint]
            here = self._channels_of[table.group]
            here.remove(table)
            if not here:
                del self._channels_of[table.group]
        return [effect for guest in list(table.guests.values()) for effect in self._drop(guest)]

    # --- guests ---

    def add_guest(self, party: Party, whose: str, address: str) -> Effects[Party]:
        """Announce a guest to the table of this fingerprint, or refuse it."""
        table, bounds, group = self._channels.get(whose), self._bounds, widest_group(address)
        if (
            table is None
            or len(table.guests) - len(table.waiting) >= bounds.guests
            or table.guests_of[group] >= bounds.guests_of_address
        ):
            return [Refuse(party)]
        token = self._rng.randbytes(RELAY_TOKEN)
        guest = _Guest(party, group, table, token)
        self._guests[party] = table.guests[party] = self._tokens[token] = guest
        table.guests_of[group] += 1
        effects: Effects[Party] = []
        gives_way = table.waiting.take(party, group)
        if gives_way is not None:
            self._forget_guest(self._guests[gives_way])
            effects.append(Refuse(gives_way))
        if gives_way is not party:
            effects.append(Say(table.party, Guest(token, address)))
        return effects

    def add_line(self, party: Party, token: bytes) -> Effects[Party]:
        """Join a line with the guest of this token, which only the guest's table knows."""
        guest = self._tokens.pop(token, None)
        if guest is None:
            return [Refuse(party)]
        guest.line = party
        guest.table.waiting.free(guest.party)
        self._lines[party] = guest
        return [Join(guest.party, party)]

    def remove(self, party: Party) -> Effects[Party]:
        """Remove a party that has gone, or that has waited for too long."""
        if (table := self._tables.get(party)) is not None:
            return self._remove_table(table)
        guest = self._guests.get(party) or self._lines.get(party)
        if guest is None:
            return []
        return [
            effect
            for effect in self._drop(guest)
            if not isinstance(effect, (Refuse, End)) or effect.party is not party
        ]

    def _drop(self, guest: _Guest[Party]) -> Effects[Party]:
        self._forget_guest(guest)
        if guest.line is None:
            return [Refuse(guest.party)]
        return [End(guest.party), End(guest.line)]

    def _forget_guest(self, guest: _Guest[Party]) -> None:
        table = guest.table
        del self._guests[guest.party]
        del table.guests[guest.party]
        table.waiting.free(guest.party)
        table.guests_of[guest.group] -= 1
        if not table.guests_of[guest.group]:
            del table.guests_of[guest.group]
        if guest.line is None:
            self._tokens.pop(guest.token, None)
        else:
            del self._lines[guest.line]
