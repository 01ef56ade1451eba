"""The people in a table's lobby and their requests. Plain state: no socket, no clock, no screen."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from player.client.muted_keys import MutedKeys
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.limits import MAX_CALLS_SHOWN, MAX_PRESENT
from protocol.messages.lobby import Purpose, decode_wants

NUMBERS_KEPT = 16  # of the newest who went: nobody types a number after so many others have gone


@dataclass(frozen=True)
class Guest:
    """A person in the lobby. `number` is given by this program, and belongs to nobody else as long
    as something of the guest's is unanswered.

    Nor does it soon after the guest left, so that nobody is taken for somebody else.
    """

    number: int
    name: str  # as the table says it
    key: bytes
    wants: tuple[Purpose, ...] = ()


@dataclass(frozen=True)
class Call:
    """A request from another person: to come to a table, or to open a pipe for a purpose."""

    guest: Guest
    table_id: str | None = None
    purpose: Purpose | None = None


@dataclass(frozen=True)
class RosterChange:
    """The people who came (or want something else now) and those who went, without muted ones."""

    came: tuple[Guest, ...]
    went: tuple[Guest, ...]


@dataclass(frozen=True)
class Remark:
    """A remark of a person, as the table passes it on."""

    guest: Guest
    text: str


class LobbyRoster:
    """The people, numbered as they come, and the newest thing that each asks of us."""

    def __init__(self, own: bytes, ignored: MutedKeys) -> None:
        self._own = own
        self.ignored = ignored
        self._guests: dict[bytes, Guest] = {}
        self._calls: dict[bytes, Call] = {}  # the newest is last
        self._left: dict[bytes, int] = {}  # numbers of who went; the newest is last

    @property
    def guests(self) -> tuple[Guest, ...]:
        """Return all people but this one, by number, muted ones too."""
        return tuple(sorted(self._guests.values(), key=lambda guest: guest.number))

    @property
    def calls(self) -> tuple[Call, ...]:
        """Return the open requests, the newest last. Requests of people who left count too: they
        may sit at their table. Those of muted people do not.
        """
        return tuple(call for call in self._calls.values() if call.guest.key not in self.ignored)

    def find(self, text: str) -> Guest | None:
        """Return the guest with this number or, if the name is unique, this name. No name is a
        number.
        """
        known = {**{call.guest.key: call.guest for call in self._calls.values()}, **self._guests}
        numbered = [guest for guest in known.values() if str(guest.number) == text]
        called = [guest for guest in known.values() if guest.name.casefold() == text.casefold()]
        found = numbered if text.isdecimal() else called
        return found[0] if len(found) == 1 else None

    def call_of(self, guest: Guest) -> Call | None:
        """Return the open request of a guest."""
        return self._calls.get(guest.key)

    def answered(self, guest: Guest) -> None:
        """Note that a request was answered."""
        self._calls.pop(guest.key, None)

    def ignore(self, guest: Guest) -> None:
        """Hear somebody no more. Raises: LocalError."""
        self.ignored.add(guest.key, guest.name)
        self.answered(guest)

    def clear(self) -> None:
        """Forget all people when the connection ends: the table lists them anew. Requests stay."""
        self._go(list(self._guests))

    # --- what the table says ---

    def people(self, came: Iterable[list[Any]], went: Iterable[bytes]) -> RosterChange:
        """Take the table's news of people, and return who came and went. Raises: RemoteError if
        there are more people than a lobby holds.
        """
        rows = [(str(name), key, wants) for name, key, wants in came if key != self._own]
        back = {key for _, key, _ in rows}
        gone = self._go([key for key in went if key in self._guests and key not in back])
        here = [self._met(*row) for row in rows]
        if len(self._guests) > MAX_PRESENT:
            raise RemoteError(Code.BAD_MESSAGE)
        heard = [
            tuple(guest for guest in some if guest.key not in self.ignored) for some in (here, gone)
        ]
        return RosterChange(*heard)

    def said(self, key: bytes, text: str) -> Remark | None:
        """Take a remark; None if its author is muted or unknown."""
        guest = self._guests.get(key)
        if guest is None or key in self.ignored:
            return None
        return Remark(guest, text)

    def asked(
        self, key: bytes, table_id: str | None = None, purpose: Purpose | None = None
    ) -> Call | None:
        """Take a request; None if its author is muted or unknown. If there are too many, the oldest
        one goes.
        """
        guest = self._guests.get(key)
        if guest is None or key in self.ignored:
            return None
        self._calls.pop(key, None)
        call = self._calls[key] = Call(guest, table_id, purpose)
        if len(self._calls) > MAX_CALLS_SHOWN:
            del self._calls[next(iter(self._calls))]
        return call

    def _met(self, name: str, key: bytes, wants: int) -> Guest:
        before = self._guests.get(key) or (self._calls[key].guest if key in self._calls else None)
        number = self._left.pop(key, None)
        guest = Guest(
            before.number if before else number or self._free(), name, key, decode_wants(wants)
        )
        self._guests[key] = guest
        return guest

    def _go(self, keys: list[bytes]) -> list[Guest]:
        gone = [self._guests.pop(key) for key in keys if key in self._guests]
        self._left.update((guest.key, guest.number) for guest in gone)
        for key in list(self._left)[:-NUMBERS_KEPT]:
            del self._left[key]
        return gone

    def _free(self) -> int:
        taken = {*self._left.values(), *(guest.number for guest in self._guests.values())}
        taken.update(call.guest.number for call in self._calls.values())
        return next(number for number in range(1, len(taken) + 2) if number not in taken)
