"""Every error fairdeal raises, by whose fault it is.

    FairdealError
    ├── LocalError(key, …)    we, or the person in front of us, did wrong; the text says what to do
    └── RemoteError(code)     the other side did wrong; the code goes over the wire, the text is ours
        ├── Refused(code)     an entry that cannot stand in the log as it is; nothing has changed
        └── Broken(code)      a signed entry that proves its author broke the protocol

All texts are in the catalogue (`protocol.i18n`); in a `RemoteError`'s stands nothing that a peer
sent.
"""

from protocol.codes import Code, code_phrase
from protocol.i18n import english_text
from protocol.view.phrase import Phrase, Value, phrase
from protocol.view.text import Translate, phrase_renderer


class FairdealError(Exception):
    """Base of all errors that fairdeal raises on purpose."""


class LocalError(FairdealError):
    """Our side or our user did wrong. `phrase` is what the person reads, and says what to do next;
    `str` in English.
    """

    def __init__(self, said: str | Phrase, /, **args: Value) -> None:
        """`said`: a phrase, or its key."""
        self.phrase = said if isinstance(said, Phrase) else phrase(said, **args)
        super().__init__(self.phrase.key)

    def translated(self, translate: Translate) -> str:
        """The same in a person's language."""
        return phrase_renderer(translate, ())(self.phrase)

    def __str__(self) -> str:
        return english_text(self.phrase)


class RemoteError(FairdealError):
    """The other side did wrong; `code` is the wire code."""

    def __init__(self, code: Code) -> None:
        super().__init__(code)
        self.code = code

    @property
    def phrase(self) -> Phrase:
        """What the code means."""
        return code_phrase(self.code)

    def __str__(self) -> str:
        return english_text(self.phrase)


class Refused(RemoteError):
    """This entry cannot be accepted now: mistimed, malformed or against the rules in plain
    sight.
    """


class ProtocolViolation(RemoteError):
    """This entry was signed by a seat (or the table) that cannot have followed the protocol."""
