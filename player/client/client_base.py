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

# codes of an ended connection after which a new one may go on
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
    """A state machine without socket and clock. It is `finished` when nothing is left to do."""

    playing: MatchReplica | None  # the match, once there is one

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.finished = False
        self.reason: Phrase | None = None  # for finishing before the end of the match
        self.on_finish: Callable[[], None] = lambda: None
        self._send: Callable[[bytes], None] | None = None
        # the encoded key history that the table has just shown
        self.key_history: bytes | None = None
        # further addresses that the table has named in its `welcome`
        self.other_addresses: list[str] | None = None
        self.redirect_address: str | None = None  # of a `moved`: the table sends us there
        # another host of the table may know our match if the present one does not
        self.match_may_be_elsewhere = False
        # our sign of life, encoded; empty until the table has sent one
        self.sign_of_life = b""
        self._reported: set[Phrase] = set()  # notices since the loss of the connection
        self._away = False  # the connection was lost, and we are not back at the same point yet

    # --- the connection ---

    @property
    def ticket(self) -> Ticket | None:
        """The ticket to show the table at the beginning of the next connection."""
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
        """Begin with a session. `peer`: the identity key of the other side."""

    @abstractmethod
    def detached(self, code: Code | None) -> None:
        """Note the end of the connection. `code`: the reason of the other side, if it gave one;
        CUT_OFF if it did not close the connection.
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
        """Note that the connection is lost, or back, and report each change once."""
        if self._away is not away:
            self._away = away
            self._reported.clear()
            self.environment.tell(events.Notice(notice))

    def report_redirect(self, followed: bool) -> None:
        """Report a redirect of the table. `followed`: this client calls the address; False if the
        address does not belong to the table, or if the table has redirected it too often.
        """
        self.redirect_address = None
        notice = phrase("notice.moved" if followed else "notice.moved.not")
        if notice not in self._reported:
            self._reported.add(notice)
            self.environment.tell(events.Notice(notice))

    # --- the person ---

    def choose(self, action: Action) -> None:
        """Make one of the choices of `events.YourTurn`, or sit out or in. Raises: LocalError."""
        if self.playing is not None:
            self.playing.choose(action)
            self.go_on()

    @abstractmethod
    def say(self, remark: str) -> None:
        """Send a remark to the others. Raises: LocalError if it cannot be sent."""

    @abstractmethod
    def leave(self) -> None:
        """Leave the match, with an entry."""

    @abstractmethod
    def stop(self) -> None:
        """Finish without an entry. The match is kept, and can go on later."""

    def lost_for_good(self) -> None:
        """Finish, because nobody was reached within the time that the person wanted to wait."""
        kept = self.playing is not None and self.playing.remembered
        self.give_up(phrase("stop.lost.kept" if kept else "stop.lost"))

    def give_up(self, reason: Phrase | None) -> None:
        """Finish for this reason; None if nothing is left to do."""
        if not self.finished:
            self.finished = True
            self.reason = reason
            self.on_finish()
