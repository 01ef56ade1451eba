"""Errors of fairdeal, ordered by the party at fault.

    FairdealError
    ├── LocalError(key, …)         this program or its user is at fault; the text says what to do
    └── RemoteError(code)          the other side is at fault; the code goes over the wire
        ├── Refused(code)          an entry cannot stand in the log as it is; nothing has changed
        └── ProtocolViolation(code)  a signed entry proves that its author broke the protocol

Errors know no language: each has a `phrase`, and the program that shows it finds the words in the
catalogue (`protocol.i18n`). `str` of an error is for tracebacks: its key or code, and its values. A
`RemoteError` never contains bytes from a peer.
"""

from protocol.codes import Code, code_phrase
from protocol.view.phrase import Phrase, Value, phrase


class FairdealError(Exception):
    """Base of all errors that fairdeal raises on purpose."""


class LocalError(FairdealError):
    """An error of this program or of its user.

    `phrase` is the text for the person, with advice on what to do next.
    """

    def __init__(self, said: str | Phrase, /, **args: Value) -> None:
        """Create the error from a phrase, or from its key and arguments."""
        if isinstance(said, Phrase):
            self.phrase = said
        else:
            self.phrase = phrase(said, **args)
        super().__init__(self.phrase.key)

    def __str__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self.phrase.args)
        return f"{self.phrase.key}({values})"


class RemoteError(FairdealError):
    """An error of the other side; `code` is the wire code."""

    def __init__(self, code: Code) -> None:
        super().__init__(code)
        self.code = code

    @property
    def phrase(self) -> Phrase:
        """Meaning of the code."""
        return code_phrase(self.code)


class Refused(RemoteError):
    """The entry cannot be accepted now: it is mistimed, malformed or visibly against the rules."""


class ProtocolViolation(RemoteError):
    """The signed entry proves that its author, a seat or the table, has not followed the
    protocol.
    """
