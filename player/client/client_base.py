"""The base of all clients that follow a match over connections: to a table (`TableClient`), to its
lobby (`LobbyClient`), or to another player (`DirectClient`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable

from player.client import events
from player.client.environment import Environment
from player.client.match_replica import MatchReplica
from protocol.codes import Code
from protocol.games import Action
from protocol.session.ticket import Ticket
from protocol.view.phrase import Phrase, phrase

# How a connection may end that it makes sense to go on over a new one.
MENDABLE = (
    None,
    Code.CUT_OFF,
    Code.CLOSING,
    Code.TOO_SLOW,
    Code.INTERNAL,
    Code.BAD_HANDSHAKE,
    Code.BAD_RECORD,
    Code.FRAME_SIZE,
)


class ClientBase(ABC):
    """A state machine without socket and clock. `finished` when there is nothing left to do."""

    playing: MatchReplica | None  # the match, once there is one

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.finished = False
        self.reason: Phrase | None = None  # why it finished before the match's end
        self.on_finish: Callable[[], None] = lambda: None
        self._send: Callable[[bytes], None] | None = None
        # the encoded key history that the table has just shown
        self.shown_keys: bytes | None = None
        self.named: list[str] | None = None  # where else the table can be found, as it says itself
        self.sent_to: str | None = None  # where it says that we should ask, instead of here
        # there are other addresses at which our match may be, should it not be here
        self.unasked = False
        # the message that says that we are there; empty until the table has said so of itself
        self.sign_of_life = b""
        self._told_of: set[Phrase] = set()  # of where it sends us, until we are back
        self._away = False  # the connection was lost, and we are not yet back where we were

    # --- the connection ---

    @property
    def ticket(self) -> Ticket | None:
        """The ticket to show a table at the begin of the next connection."""
        return None

    @property
    def attached(self) -> bool:
        """Return True while a connection stands."""
        return self._send is not None

    @property
    def away(self) -> bool:
        """Return True from the loss of a connection until this client is back at the same point."""
        return self._away

    @property
    def number(self) -> int:
        """Return the number of entries of the match that this client has read."""
        return self.playing.number if self.playing else 0

    @property
    @abstractmethod
    def complaint(self) -> Code | None:
        """Return the code for the close record; None if nothing is wrong."""

    @abstractmethod
    def attach(self, send: Callable[[bytes], None], peer: bytes, /) -> None:
        """A session stands with this identity."""

    @abstractmethod
    def detached(self, code: Code | None) -> None:
        """The connection is gone: with this reason, if the other side gave one (CUT_OFF: it did not
        close).
        """

    @abstractmethod
    def received(self, payload: bytes) -> None:
        """Take a message. Raises: RemoteError, which ends the connection; LocalError of the own
        disk.
        """

    @abstractmethod
    def go_on(self) -> None:
        """Send what this seat must send, and finish when the match has finished."""

    def _set_away(self, away: bool, notice: Phrase) -> None:
        """The connection is lost, or back, which is said once."""
        if self._away is not away:
            self._away = away
            self._told_of.clear()
            self.environment.tell(events.Notice(notice))

    def sent_on(self, goes: bool) -> None:
        """Decide about a `moved` of the table. Return True if this client goes there; False if the
        address does not belong to the table, or if the table has sent it on too often.
        """
        self.sent_to = None
        notice = phrase("notice.moved" if goes else "notice.moved.not")
        if notice not in self._told_of:
            self._told_of.add(notice)
            self.environment.tell(events.Notice(notice))

    # --- the person ---

    def choose(self, action: Action) -> None:
        """Make one of the choices of `events.YourTurn`, or sit out or in. Raises: LocalError."""
        if self.playing is not None:
            self.playing.choose(action)
            self.go_on()

    @abstractmethod
    def say(self, remark: str) -> None:
        """Talk to the others. Raises: LocalError if it cannot be said."""

    @abstractmethod
    def leave(self) -> None:
        """Leave: a match by an entry that says so."""

    @abstractmethod
    def stop(self) -> None:
        """Finish here, without a word to the others: the match is kept."""

    def lost_for_good(self) -> None:
        """Finish, since nobody was reached for as long as the person wanted to wait."""
        kept = self.playing is not None and self.playing.remembered
        self.give_up(phrase("stop.lost.kept" if kept else "stop.lost"))

    def give_up(self, reason: Phrase | None) -> None:
        """Finish here, for this reason (a sentence), or because there is nothing left to do."""
        if not self.finished:
            self.finished = True
            self.reason = reason
            self.on_finish()
