"""Who is in a table's lobby with us, and what they ask of us. Plain state: no socket, no clock,
nothing on a screen.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.limits import MAX_CALLS_SHOWN, MAX_PRESENT
from protocol.messages.lobby import Purpose, decode_wants


class MutedKeys(Protocol):
    """The keys that are not heard."""

    def __contains__(self, key: bytes) -> bool: ...

    def add(self, key: bytes, name: str) -> None:
        """Hear this key no more. Raises: LocalError."""

    def remove(self, key: bytes) -> None:
        """Hear it again. Raises: LocalError."""


NUMBERS_KEPT = 16  # of the newest who went: nobody types a number after so many others have gone


@dataclass(frozen=True)
class Guest:
    """Somebody who is seen. `number` is ours, and nobody else's as long as there is anything of
    theirs to answer.

    Nor soon after they went: who comes then is not to be taken for them.
    """

    number: int
    name: str  # as the table says it
    key: bytes
    wants: tuple[Purpose, ...] = ()


@dataclass(frozen=True)
class Call:
    """What somebody asks of us: to come to a table, or to have a pipe for a purpose."""

    guest: Guest
    table_id: str | None = None
    purpose: Purpose | None = None


@dataclass(frozen=True)
class RosterChange:
    """Who came (or wants something else now), and who went; none of whom is ignored."""

    came: tuple[Guest, ...]
    went: tuple[Guest, ...]


@dataclass(frozen=True)
class Remark:
    """Somebody says something, as the table has it."""

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
        """All who are seen but ourselves, by number; those who are ignored, too."""
        return tuple(sorted(self._guests.values(), key=lambda guest: guest.number))

    @property
    def calls(self) -> tuple[Call, ...]:
        """What is asked of us, the newest last. Of somebody who has gone, too: they may sit at
        their table.
        """
        return tuple(self._calls.values())

    def find(self, text: str) -> Guest | None:
        """Whom a person means by a number or, if nobody else is called so, by a name, which no
        number is.
        """
        known = {**{call.guest.key: call.guest for call in self._calls.values()}, **self._guests}
        numbered = [guest for guest in known.values() if str(guest.number) == text]
        called = [guest for guest in known.values() if guest.name.casefold() == text.casefold()]
        found = numbered if text.isdecimal() else called
        return found[0] if len(found) == 1 else None

    def call_of(self, guest: Guest) -> Call | None:
        """What this one asks of us."""
        return self._calls.get(guest.key)

    def answered(self, guest: Guest) -> None:
        """That is answered."""
        self._calls.pop(guest.key, None)

    def ignore(self, guest: Guest) -> None:
        """Hear somebody no more. Raises: LocalError."""
        self.ignored.add(guest.key, guest.name)
        self.answered(guest)

    def clear(self) -> None:
        """The connection is gone: whoever is there will be said anew; what was asked for stands."""
        self._go(list(self._guests))

    # --- what the table says ---

    def people(self, came: Iterable[list[Any]], went: Iterable[bytes]) -> RosterChange:
        """Who came and went. Raises: RemoteError if there are more than there can be."""
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
        """Somebody says something; None if they are ignored, or nobody who is seen."""
        guest = self._guests.get(key)
        if guest is None or key in self.ignored:
            return None
        return Remark(guest, text)

    def asked(
        self, key: bytes, table_id: str | None = None, purpose: Purpose | None = None
    ) -> Call | None:
        """Somebody asks something of us; None if they are ignored, or nobody who is seen. Too many:
        the oldest goes.
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
