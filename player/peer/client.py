"""A match without a table over connections, as a state machine: parcels in, parcels out. No socket and no clock here.

Both sides send what the other may lack as soon as they are connected, and what is new as it comes. Whoever made the
last entry stays until the other side has hung up without a complaint: that says that it has arrived.
"""

from collections.abc import Callable

from player import events
from player.peer.match import PeerMatch
from player.requirements import Unacceptable
from player.seat.environment import Environment
from protocol.codes import Code, sentence
from protocol.errors import LocalError, RemoteError
from protocol.games import Action
from protocol.limits import MAX_MESSAGE
from protocol.match.log import decode_entry
from protocol.match.setup import parse_setup
from protocol.messages.parcel import Entries, Invitation, Parcel, decode_parcel, encode_parcel, split

AGAIN = "The match is kept: start the program again with the same command, and it goes on."
TRANSIENT = (
    None, Code.CUT_OFF, Code.CLOSING, Code.TOO_SLOW, Code.INTERNAL, Code.BAD_HANDSHAKE, Code.BAD_RECORD,
    Code.FRAME_SIZE, Code.GAP, Code.TAKEN_OVER,
)  # fmt: skip


class PeerClient:
    """One side. `finished` when there is nothing left to do; `settled` when the other side has all of it, too."""

    def __init__(
        self,
        environment: Environment,
        accept: Callable[[Invitation], PeerMatch] | None,
        playing: PeerMatch | None = None,
    ) -> None:
        """`accept`: begins the match that an invitation offers (a guest's), or raises Unacceptable.

        `playing`: it has begun, or we invite.
        """
        self.environment, self.playing = environment, playing
        self.finished = self.settled = False
        self.declined = False  # whether what is offered is less than we ask for
        self.reason: str | None = None  # why we stopped before the match's end
        self.on_finish: Callable[[], None] = lambda: None
        self._accept = accept
        self._send: Callable[[bytes], None] | None = None
        self._peer = b""  # the identity at the other end of the connection
        self._sent = 0  # entries before this number went out on this connection, or are known to be there
        self._from_start = False  # whether the other side has said that it lacks what we thought it had
        self._away = False

    @property
    def attached(self) -> bool:
        """Whether a connection stands."""
        return self._send is not None

    @property
    def number(self) -> int:
        """How many entries there are."""
        return self.playing.number if self.playing else 0

    @property
    def complaint(self) -> Code | None:
        """What to say when hanging up: nothing, or that we leave in the middle."""
        return None if self.playing is not None and self.playing.settled else Code.CLOSING

    @property
    def remembered(self) -> bool:
        """Whether another run of the program can go on with it."""
        return self.playing is not None

    def attach(self, send: Callable[[bytes], None], peer: bytes) -> None:
        """A session stands with this identity."""
        self._send, self._peer = send, peer
        playing = self.playing
        if self._away:
            self._away = False
            self.environment.tell(events.Notice("The connection is back."))
        if playing is None:
            return
        first = playing.give()
        self._sent = 0 if self._from_start or first is None else first.first
        self.go_on()

    def detached(self, code: Code | None) -> None:
        """The connection is gone: with this reason, if the other side gave one (CUT_OFF: it did not close)."""
        self._send = None
        if self.finished:
            return
        self._from_start = code is Code.GAP
        if code is None and self.playing is not None and self.playing.settled:
            self._finish(None, settled=True)
        elif code not in TRANSIENT:
            lost = self.playing is None and code is Code.BAD_MESSAGE  # a table expects a greeting
            hint = " If this is the link of a table, type: fairdeal join LINK" if lost else ""
            self._finish(f"The other side says: {sentence(code)}.{hint}")
        elif self.playing is not None and not self._away:
            self._away = True
            self.environment.tell(events.Notice("The connection is lost; waiting for it to come back."))

    def received(self, payload: bytes) -> None:
        """A parcel of the other side. Raises: RemoteError, which ends the connection; LocalError of our disk."""
        if self.finished:
            return
        parcel = decode_parcel(payload, self.environment.games)
        if isinstance(parcel, Invitation):
            self._invited(parcel)
        else:
            self._take(parcel)
        self.go_on()

    def _invited(self, invitation: Invitation) -> None:
        if self._accept is None or invitation.inviter.identity != self._peer:
            raise RemoteError(Code.BAD_MESSAGE)
        if self.playing is None:
            try:
                self.playing = self._accept(invitation)
            except Unacceptable as error:
                self.declined = True
                self._finish(str(error))
        elif self.playing.invitation != invitation:
            self._finish("The host offers another match than the one that you have begun. To drop yours: --forget")

    def _take(self, parcel: Entries) -> None:
        if self.playing is None:
            raise RemoteError(Code.BAD_MESSAGE)
        if self.playing.reader is None and parcel.first == 0:
            guest = parse_setup(decode_entry(parcel.records[0][0]).body, self.environment.games).people[-1]
            if guest.identity != self._peer:  # somebody else's acceptance, handed on
                raise RemoteError(Code.NOT_INVITED)
        self.playing.take(parcel)

    def go_on(self) -> None:
        """Say what is for us to say, send it, and finish when the match has."""
        playing = self.playing
        if playing is None or self.finished:
            return
        playing.post()
        if self._send is not None and (new := playing.give(self._sent)) is not None:
            self._sent = playing.number
            for part in split(new, MAX_MESSAGE):
                self._post(part)
        if playing.stopped is not None:
            self._finish(f"This match cannot go on: {playing.stopped}.")
        elif playing.settled and (not playing.said_last or any(fault.seat != playing.own for fault in playing.faults)):
            self._finish(None, settled=True)

    def _post(self, parcel: Parcel) -> None:
        if self._send is not None:
            self._send(encode_parcel(parcel))

    # --- the person ---

    def choose(self, action: Action) -> None:
        """Make one of the choices of `events.YourTurn`."""
        if self.playing is not None:
            self.playing.choose(action)
            self.go_on()

    def say(self, remark: str) -> None:
        """There is no table talk. Raises: LocalError."""
        raise LocalError("Without a table there is no table talk: two people have other ways to speak.")

    def leave(self) -> None:
        """Leave the match, by an entry, as soon as it is our turn to say something."""
        if self.playing is None or self.playing.reader is None:
            self._finish("You left.")
            return
        self.playing.leaving = True
        self.go_on()
        if not self.finished and not self.playing.settled:
            self.environment.tell(
                events.Notice("You leave as soon as it is your turn. To stop now, and keep the match: Ctrl-C")
            )

    def stop(self) -> None:
        """Finish here, unsaid: the match is kept."""
        self._finish(f"You stopped. {AGAIN}" if self.remembered else "You stopped.")

    def give_up(self, reason: str | None) -> None:
        """Finish here, for this reason (a sentence), or because there is no more to wait for."""
        self._finish(reason)

    def _finish(self, reason: str | None, settled: bool = False) -> None:
        if not self.finished:
            self.finished, self.reason, self.settled = True, reason, settled
            self.on_finish()
