"""Remarks that may be lost with a connection. Nobody acknowledges a remark, so its author is told, and
may send it again.

The program does not send it again by itself. The others may have read it, and a remark that comes
twice looks to them like the table's doing (docs/protocol, 7.4). At a host that has just taken over,
the others may not be back yet.

A message from the table after a while shows that the table has read what was sent before. That also
holds for a network that drops only packets to the table: TCP sends nothing new while nothing is
acknowledged (tried on Linux: one more message, 0.1 and 0.6 seconds after the cut).
"""

from collections import deque
from collections.abc import Callable

from player.client import events
from protocol.messages.table_talk import printable_remark
from protocol.view.phrase import phrase

# a message of the table so long after a remark shows that the table has read it: it reads in order
READ_SECONDS = 2.0
UNSURE_SECONDS = 30.0  # an older remark is not reported: nobody waits for an answer to it any more
MOST = 3  # newest remarks that are reported; a person makes no more in that time


class LostRemarks:
    """The newest own remarks, and those that may be lost."""

    def __init__(self, steady: Callable[[], float]) -> None:
        """`steady`: a clock that only goes forward, in seconds."""
        self._steady = steady
        self._sent: deque[tuple[float, str]] = deque(maxlen=MOST)
        self._lost: list[str] = []

    def add(self, remark: str) -> None:
        """Note a remark that was given to the connection."""
        self._sent.append((self._steady(), printable_remark(remark)))

    def note_message(self) -> None:
        """Note a message of the table: it has read the remarks that are older than `READ_SECONDS`."""
        while self._sent and self._sent[0][0] + READ_SECONDS <= self._steady():
            self._sent.popleft()

    def note_end(self) -> None:
        """Note the end of the connection: the remarks that were not read may be lost."""
        now = self._steady()
        self._lost += [remark for sent, remark in self._sent if now - sent < UNSURE_SECONDS]
        self._sent.clear()

    def report(self, tell: Callable[[events.Event], None]) -> None:
        """Report the remarks that may be lost, each once. Call this on a new connection."""
        lost = self._lost
        self._lost = []
        for remark in lost[-MOST:]:
            tell(events.Notice(phrase("notice.unsaid", remark=remark)))
