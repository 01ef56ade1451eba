"""Every error fairdeal raises, by whose fault it is.

    FairdealError
    ├── LocalError            we, or the person in front of us, did wrong; the text says what to do
    └── RemoteError(code)     the other side did wrong; the code goes over the wire, the text is ours
        ├── Refused(code)     an entry that cannot stand in the log as it is; nothing has changed
        └── Broken(code)      a signed entry that proves its author broke the protocol

A `RemoteError`'s text comes from `protocol.codes`: nothing a peer sent ever stands in it.
"""

from protocol.codes import Code, sentence


class FairdealError(Exception):
    """Base of all errors that fairdeal raises on purpose."""


class LocalError(FairdealError):
    """Our side or our user did wrong. The message is what the person reads, and says what to do next."""


class RemoteError(FairdealError):
    """The other side did wrong; `code` is the wire code."""

    def __init__(self, code: Code) -> None:
        super().__init__(sentence(code))
        self.code = code


class Refused(RemoteError):
    """This entry cannot be accepted now: mistimed, malformed or against the rules in plain sight."""


class Broken(RemoteError):
    """This entry was signed by a seat (or the table) that cannot have followed the protocol."""
