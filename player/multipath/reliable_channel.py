"""Payloads in order, each exactly once, over a `LineSet`: for a trade, which has no log to repeat
from.

A state machine without socket and clock. It lives as long as the program. What must live longer is
on disk with its user (a trade's journal), which starts a new channel from there.
"""

from collections import deque
from collections.abc import Callable

from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.limits import MAX_LINE_PART, MAX_MESSAGE, MAX_UNHEARD
from protocol.messages.lines import DataMessage, HeardMessage, decode_line, encode_line


class ReliableChannel:
    """One side of the channel. `take` gets each payload once; it may raise RemoteError, which ends
    the line that the payload came on.
    """

    def __init__(
        self, take: Callable[[bytes], None], lost: Callable[[Code | None], None] = lambda _: None
    ) -> None:
        """`lost` is told that there is no line any more, and why."""
        self._take = take
        self._lost = lost
        self.finished = False  # whether there is nothing left to do
        self.complaint: Code | None = None  # what to say when hanging up; None: nothing is wrong
        self._send: Callable[[bytes], None] | None = None
        # parts that are not heard over there, and if more follow
        self._waiting: deque[tuple[bool, bytes]] = deque()
        self._first = 1  # the number of the first of them
        self._size = 0  # bytes of all of them
        self._heard = 0  # the number of the newest that came from there
        self._begun: list[bytes] = []  # parts of a payload that is not whole

    @property
    def unheard(self) -> int:
        """Return the number of parts that the other side has not confirmed."""
        return len(self._waiting)

    def send(self, payload: bytes) -> None:
        """Have a payload arrive. Raises: LocalError if it is too long; RemoteError if the other
        side takes nothing.
        """
        if len(payload) > MAX_MESSAGE:
            raise LocalError("wrong.ours.message")
        if self._size + len(payload) > MAX_UNHEARD:
            raise RemoteError(Code.TOO_SLOW)
        self._size += len(payload)
        for start in range(0, len(payload) or 1, MAX_LINE_PART):
            self._waiting.append(
                (start + MAX_LINE_PART < len(payload), payload[start : start + MAX_LINE_PART])
            )
            self._give(self._first + len(self._waiting) - 1, *self._waiting[-1])

    def attach(self, send: Callable[[bytes], None], peer: bytes) -> None:
        """Take a line, or another one, and send all unconfirmed parts again."""
        self._send = send
        for number, part in enumerate(list(self._waiting), self._first):
            self._give(number, *part)

    def detached(self, code: Code | None) -> None:
        """Note that no line stands any more."""
        self._send = None
        self._lost(code)

    def received(self, payload: bytes) -> None:
        """A message of a line. Raises: RemoteError."""
        message = decode_line(payload)
        if isinstance(message, HeardMessage):
            self._confirmed(message.number)
        elif isinstance(message, DataMessage):
            self._confirmed(message.heard)
            self._came(message)
        else:
            raise RemoteError(Code.BAD_MESSAGE)

    def _came(self, data: DataMessage) -> None:
        if data.number > self._heard + 1:  # a new line begins with the oldest that is not confirmed
            raise RemoteError(Code.GAP)
        if data.number == self._heard + 1:
            self._heard += 1
            self._add(data)
        if self._send is not None:
            self._send(encode_line(HeardMessage(self._heard)))

    def _add(self, data: DataMessage) -> None:
        self._begun.append(data.part)
        if sum(map(len, self._begun)) > MAX_MESSAGE or (data.more and not data.part):
            raise RemoteError(Code.BAD_MESSAGE)
        if not data.more:
            payload = b"".join(self._begun)
            self._begun = []
            self._take(payload)

    def _confirmed(self, number: int) -> None:
        if number >= self._first + len(self._waiting):  # what was never sent
            raise RemoteError(Code.BAD_MESSAGE)
        while self._first <= number:
            self._size -= len(self._waiting.popleft()[1])
            self._first += 1

    def _give(self, number: int, more: bool, part: bytes) -> None:
        if self._send is not None:
            self._send(encode_line(DataMessage(number, self._heard, more, part)))
