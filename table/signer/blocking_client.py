"""A connection to a signer on which one waits for the answer."""

import socket
from pathlib import Path

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.limits import MAX_SIGNER_FRAME, READ_CHUNK, SIGNER_ASK_SECONDS
from table.signer.messages import SignQuestion, decode_answer, decode_hello, encode_question
from table.signer.requests import Request
from table.signer.signer import Denied


class BlockingClient:
    """One request at a time; opened when it is first needed, and again after something went
    wrong.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._socket: socket.socket | None = None
        self._frames = wire.FrameDecoder(MAX_SIGNER_FRAME)
        self._last = 0

    def ask(self, request: Request, public: bytes) -> bytes | Denied:
        """The answer of the signer that has this key. Raises: OSError, RemoteError; then it must be
        closed.
        """
        line = self._socket or self._open(public)
        self._last += 1
        line.sendall(encode_question(SignQuestion(self._last, request)))
        number, said = decode_answer(self._frame(line))
        if number != self._last:
            raise RemoteError(Code.BAD_MESSAGE)
        return said

    def close(self) -> None:
        """What was asked is not waited for."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _open(self, public: bytes) -> socket.socket:
        self._socket = line = socket.socket(socket.AF_UNIX)
        self._frames = wire.FrameDecoder(MAX_SIGNER_FRAME)
        line.settimeout(SIGNER_ASK_SECONDS)
        line.connect(str(self._path))
        if decode_hello(self._frame(line)) != public:
            raise RemoteError(Code.BAD_IDENTITY)
        return line

    def _frame(self, line: socket.socket) -> bytes:
        while (frame := self._frames.next_payload()) is None:
            data = line.recv(READ_CHUNK)
            if not data:
                raise ConnectionResetError
            self._frames.feed(data)
        return frame
