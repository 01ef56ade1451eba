"""Remarks to and from the other seats of one match."""

from player.client import events
from player.client.environment import Environment
from player.client.seat import Seat
from protocol.errors import LocalError, RemoteError
from protocol.match.state import Match
from protocol.messages.table_talk import TalkChannel

Seated = tuple[Seat, Match] | None  # a seat's private half and the match, once both are there


class TableTalk:
    """The remarks of the own seat and of the others."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        # the number of the newest remark that an earlier run of this program may have made
        self.said = 0
        self._talk: TalkChannel | None = None
        self._dropped: set[int] = set()  # seats of dropped remarks, which are reported once

    def say(self, remark: str, seated: Seated) -> list[tuple[int, bytes]]:
        """Return the envelopes of a remark for all other seats. Raises: LocalError if it cannot be
        sent now.
        """
        if (talk := self._ready(seated)) is None:
            raise LocalError("wrong.unheard")
        return talk.seal_remark(remark, self._environment.rng)

    def hear(self, sender: int, envelope: bytes, seated: Seated) -> None:
        """Take a remark from another seat. It is dropped unless it is new and from that seat."""
        talk = self._ready(seated)
        if talk is None:
            return
        try:
            remark = talk.open_remark(sender, envelope)
        except RemoteError:
            if sender not in self._dropped:
                self._dropped.add(sender)
                self._environment.tell(events.Unheard(sender))
            return
        self._environment.tell(events.Said(sender, remark))

    def _ready(self, seated: Seated) -> TalkChannel | None:
        if self._talk is None and seated is not None:
            seat, match = seated
            self._talk = seat.talk(match, self.said)
        return self._talk
