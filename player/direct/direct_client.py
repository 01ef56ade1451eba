"""A match without a table over connections, as a state machine: parcels in, parcels out. No socket
and no clock here.

Both sides send what the other may lack as soon as they are connected, and what is new as it comes.
Whoever made the last entry stays until the other side has hung up without a complaint: that says
that it has arrived.
"""

from collections.abc import Callable

from player.client import events
from player.client.client_base import MENDABLE, ClientBase
from player.client.environment import Environment
from player.client.requirements import Unacceptable
from player.direct.direct_match import DirectMatch
from player.multipath.discovery import MOVED
from player.multipath.line_set import LineKind
from protocol.codes import Code, code_phrase
from protocol.errors import LocalError, RemoteError
from protocol.limits import MAX_MESSAGE
from protocol.match.log import decode_entry
from protocol.match.setup import parse_setup
from protocol.messages.parcel import (
    EntriesParcel,
    Invitation,
    Parcel,
    decode_parcel,
    encode_parcel,
    split_entries,
)
from protocol.view.phrase import phrase

TRANSIENT = (*MENDABLE, Code.GAP, Code.TAKEN_OVER)


class DirectClient(ClientBase):
    """One side. `settled`: it has finished, and the other side has all of it, too."""

    playing: DirectMatch | None

    def __init__(
        self,
        environment: Environment,
        accept: Callable[[Invitation], DirectMatch] | None,
        playing: DirectMatch | None = None,
    ) -> None:
        """Make a client. `accept`: begins the match that an invitation offers (for a guest), or
        raises Unacceptable.

        `playing`: the match, if it has begun or this side invites.
        """
        super().__init__(environment)
        self.playing = playing
        self._accept = accept
        self.settled = False
        self.declined = False  # whether what is offered is less than we ask for
        # whether our disk did not take what we would have said: nobody has heard it
        self.disk_failed = False
        self._peer = b""  # the identity at the other end of the connection
        # entries before this number went out on this connection, or are known to be there
        self._sent = 0
        # whether the other side has said that it lacks what we thought it had
        self._from_start = False

    @property
    def complaint(self) -> Code | None:
        """Return the code for the close record: none, or that this side leaves in the middle."""
        settled = self.playing is not None and self.playing.settled and not self.disk_failed
        return None if settled else Code.CLOSING

    @property
    def remembered(self) -> bool:
        """Return True if another run of the program can continue the match."""
        return self.playing is not None

    # --- what the lines are told ---

    @property
    def about(self) -> bytes | None:
        """The id of the match, once it has begun."""
        playing = self.playing
        if playing is not None and playing.reader is not None:
            return playing.reader.log.match_id
        return None

    @property
    def partner(self) -> bytes | None:
        """The identity of the other side, once the match has begun."""
        if self.playing is not None:
            return self.playing.partner
        return None

    @property
    def begun(self) -> bool:
        """Return True if there is something to continue."""
        return self.playing is not None

    def came(self, peer: bytes) -> None:
        """They are known by the match."""

    def moved(self, kind: LineKind) -> None:
        """The match goes on over another kind of line."""
        self.environment.tell(events.Notice(phrase(MOVED[kind])))

    def restarted(self) -> None:
        """The other program was started anew: its log is on disk, and that is all there is to
        know.
        """

    # --- the connection ---

    def attach(self, send: Callable[[bytes], None], peer: bytes) -> None:
        """A session stands with this identity."""
        self._send = send
        self._peer = peer
        playing = self.playing
        self._set_away(False, phrase("notice.back"))
        if playing is None:
            return
        first = playing.give()
        if self._from_start or first is None:
            self._sent = 0
        else:
            self._sent = first.first
        self.go_on()

    def detached(self, code: Code | None) -> None:
        """The connection is gone: with this reason, if the other side gave one (CUT_OFF: it did not
        close).
        """
        self._send = None
        if self.finished:
            return
        self._from_start = code is Code.GAP
        if self._accept is None and code is not None and not self._from_start:
            code = Code.CUT_OFF  # who has invited waits on, whatever a guest complains of
        if code is None and self.playing is not None and self.playing.settled:
            self._settle()
        elif code not in TRANSIENT:
            lost = self.playing is None and code is Code.BAD_MESSAGE  # a table expects a greeting
            self.give_up(phrase("stop.says.table" if lost else "stop.says", why=code_phrase(code)))
        elif self.playing is not None:
            self._set_away(True, phrase("notice.lost"))

    def answered(self, peer: bytes, payload: bytes) -> None:
        """Take the acceptance of an identity that has no line yet. Raises: RemoteError if it is
        none.
        """
        self._peer = peer
        self.received(payload)

    def received(self, payload: bytes) -> None:
        """Take a parcel of the other side. Raises: RemoteError, which ends the connection;
        LocalError of the own disk.
        """
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
                self.give_up(error.phrase)
        elif self.playing.invitation != invitation and self.playing.settled:
            # who invites anew lacks nothing of it
            self._settle()
        elif self.playing.invitation != invitation:
            self.give_up(phrase("stop.other_match"))

    def _take(self, parcel: EntriesParcel) -> None:
        if self.playing is None:
            raise RemoteError(Code.BAD_MESSAGE)
        if self.playing.reader is None and parcel.first == 0:
            guest = parse_setup(
                decode_entry(parcel.records[0][0]).body, self.environment.games
            ).people[-1]
            if guest.identity != self._peer:  # somebody else's acceptance, handed on
                raise RemoteError(Code.NOT_INVITED)
        self.playing.take(parcel)

    def go_on(self) -> None:
        """Say what is for us to say, send it, and finish when the match has."""
        playing = self.playing
        if playing is None or self.finished:
            return
        try:
            playing.post()
        except LocalError as error:  # so it must not be sent, and nothing can follow it
            self.disk_failed = True
            self.give_up(phrase("stop.disk.kept", why=error.phrase))
            return
        if self._send is not None and (new := playing.give(self._sent)) is not None:
            self._sent = playing.number
            for part in split_entries(new, MAX_MESSAGE):
                self._post(part)
        if playing.stopped is not None:
            self.give_up(phrase("stop.cannot", why=playing.stopped))
        elif playing.settled and (
            not playing.said_last or any(fault.seat != playing.own for fault in playing.faults)
        ):
            self._settle()

    def _post(self, parcel: Parcel) -> None:
        if self._send is not None:
            self._send(encode_parcel(parcel))

    # --- the person ---

    def say(self, remark: str) -> None:
        """Refuse: a match without a table has no table talk. Raises: LocalError."""
        raise LocalError("wrong.no_talk")

    def leave(self) -> None:
        """Leave the match, by an entry, as soon as it is this side's turn to post."""
        if self.playing is None or self.playing.reader is None:
            self.give_up(phrase("stop.left"))
            return
        self.playing.leaving = True
        self.go_on()
        if not self.finished and not self.playing.settled:
            self.environment.tell(events.Notice(phrase("notice.leaving")))

    def stop(self) -> None:
        """Finish here, unsaid: the match is kept."""
        self.give_up(phrase("stop.stopped.kept" if self.remembered else "stop.stopped"))

    def _settle(self) -> None:
        """Finish if the match is over on both sides."""
        if not self.finished:
            self.settled = True
            self.give_up(None)
