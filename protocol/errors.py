"""Errors of fairdeal, ordered by the party at fault.

    FairdealError
    ├── LocalError(key, …)         this program or its user is at fault; the text says what to do
    └── RemoteError(code)          the other side is at fault; the code goes over the wire
        ├── Refused(code)          an entry cannot stand in the log as it is; nothing has changed
        └── ProtocolViolation(code)  a signed entry proves that its author broke the protocol

All texts are in the catalogue (`protocol.i18n`). The text of a `RemoteError` never contains bytes
from a peer.
"""

from protocol.codes import Code, code_phrase
from protocol.i18n import english_text
from protocol.view.phrase import Phrase, Value, phrase
from protocol.view.text import Translate, phrase_renderer


class FairdealError(Exception):
    """Base of all errors that fairdeal raises on purpose."""


class LocalError(FairdealError):
    """An error of this program or of its user.

    `phrase` is the text for the person, with advice on what to do next; `str` is this text in
    English.
    """

    def __init__(self, said: str | Phrase, /, **args: Value) -> None:
        """Create the error from a phrase, or from its key and arguments."""
        self.phrase = said if isinstance(said, Phrase) else phrase(said, **args)
        super().__init__(self.phrase.key)

    def translated(self, translate: Translate) -> str:
        """Return the text in the person's language."""
        return phrase_renderer(translate, ())(self.phrase)

    def __str__(self) -> str:
        return english_text(self.phrase)


class RemoteError(FairdealError):
    """An error of the other side; `code` is the wire code."""

    def __init__(self, code: Code) -> None:
        super().__init__(code)
        self.code = code

    @property
    def phrase(self) -> Phrase:
        """Meaning of the code."""
        return code_phrase(self.code)

    def __str__(self) -> str:
        return english_text(self.phrase)


class Refused(RemoteError):
    """The entry cannot be accepted now: it is mistimed, malformed or visibly against the rules."""


class ProtocolViolation(RemoteError):
    """The signed entry proves that its author, a seat or the table, has not followed the
    protocol.
    """
