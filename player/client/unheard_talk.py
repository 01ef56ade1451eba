"""Table talk that may have got lost with a connection: nobody answers it, so its author is told,
and may say it again.

It is not sent again by itself. The others may have heard it, and to them a remark that comes twice
looks like the table's doing (docs/protocol, 7.4); and at a host that has just taken over, they may
not be there yet.

Whoever still says something counts as one who reads. A way that is cut only from us to the table is
no exception: TCP sends nothing new while nothing is acknowledged (tried on Linux: one word more,
0.1 and 0.6 seconds after the cut).
"""

from collections import deque
from collections.abc import Callable

from player.client import events
from protocol.messages.table_talk import printable_remark
from protocol.view.phrase import phrase

# after a remark, then whoever still says something has read it: what is sent is read in order
READ_SECONDS = 2.0
UNSURE_SECONDS = 30.0  # after a remark, then nobody waits for an answer to it any more
MOST = 3  # remarks that are told of, the newest; a person says no more in that time


class UnheardTalk:
    """The newest remarks of one's own."""

    def __init__(self, steady: Callable[[], float]) -> None:
        """`steady`: a clock that goes forward, in seconds."""
        self._steady = steady
        self._said: deque[tuple[float, str]] = deque(maxlen=MOST)
        self._lost: list[str] = []

    def said(self, remark: str) -> None:
        """Note a remark that was given to the connection."""
        self._said.append((self._steady(), printable_remark(remark)))

    def heard(self) -> None:
        """The table has said something."""
        while self._said and self._said[0][0] + READ_SECONDS <= self._steady():
            self._said.popleft()

    def cut(self) -> None:
        """The connection has ended."""
        now = self._steady()
        self._lost += [remark for when, remark in self._said if now - when < UNSURE_SECONDS]
        self._said.clear()

    def tell(self, tell: Callable[[events.Event], None]) -> None:
        """We are back: say, once, what perhaps nobody has heard."""
        lost = self._lost
        self._lost = []
        for remark in lost[-MOST:]:
            tell(events.Notice(phrase("notice.unsaid", remark=remark)))
