"""The interface to a table's key, and the plain one: a key that is at hand, and does as it is told.

The other is a process of its own that remembers what it has signed (`table.signer`). Its answers
take a while, it may be away for a time, and it may refuse; so what a match has signed is handed
over with what to call when it is there.
"""

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Protocol

from protocol.crypto.hashing import Field
from protocol.errors import LocalError
from protocol.identity.keys import Identity
from protocol.match.log import encode_entry
from table.signer.requests import ENTRY, SECRETS, Request

Answers = Callable[[Sequence[bytes]], None]


class Denied(Enum):
    """Why something is not signed."""

    FORK = "another hash was signed for that number"
    GAP = (
        "numbers before that one are not known: was an older copy of the signer's folder put back?"
    )
    BEHIND = "the match has gone on since under this key, at another host"
    FORGOTTEN = "that is so long ago that only the newest number is remembered"
    UNKNOWN = "the match began under another signer, or before there was one"
    MALFORMED = "no table has such a thing signed"


class SignerGone(LocalError):
    """The signer does not answer: ask again later."""


class SignerRefuses(LocalError):
    """The signer will not sign this, now or later."""

    def __init__(self, why: Denied) -> None:
        super().__init__("wrong.signer.refuses", why=why.value)
        self.why = why


class Signer(Protocol):
    """A table's key. `public` is its public half."""

    public: bytes
    # it answers before `submit` returns, and remembers nothing: own entries need no head before
    # them
    at_once: bool

    def sign(self, label: str, *fields: Field) -> bytes:
        """What a session needs (`protocol.session.session.SessionSigner`). Raises: SignerGone,
        SignerRefuses.
        """

    def ask(self, request: Request) -> bytes:
        """The answer, waited for. Raises: SignerGone, SignerRefuses."""

    def submit(
        self, requests: Sequence[Request], done: Answers, denied: Callable[[Denied], None]
    ) -> None:
        """Have all of these signed, and then call `done` with the answers in order; or `denied`,
        once, if one will not be. A signer that is away is waited for: then neither is called until
        it is back."""

    def secret(self, label: str) -> bytes:
        """32 bytes that follow from the key, as `Identity.secret` gives them; of a signer those
        for `SECRETS`.
        """

    @property
    def away(self) -> bool:
        """Whether it does not answer just now, or owes too many answers: nobody's time runs then,
        nobody can come, and only what a match needs to go on is to be asked for."""

    def close(self) -> None:
        """Let go; nothing is called any more."""


class OwnKey:
    """A key that is at hand."""

    at_once, away = True, False

    def __init__(self, identity: Identity) -> None:
        self._identity, self.public = identity, identity.public

    def sign(self, label: str, *fields: Field) -> bytes:
        """See `Signer`."""
        return self._identity.sign(label, *fields)

    def ask(self, request: Request) -> bytes:
        """See `Signer`."""
        return answer(self._identity, request)

    def submit(
        self, requests: Sequence[Request], done: Answers, denied: Callable[[Denied], None]
    ) -> None:
        """See `Signer`."""
        done([answer(self._identity, request) for request in requests])

    def secret(self, label: str) -> bytes:
        """See `Signer`."""
        return self._identity.secret(label)

    def close(self) -> None:
        """See `Signer`."""


Key = Identity | Signer


def signer_of(key: Key) -> Signer:
    """The interface to a key that is at hand, or to what has one."""
    return OwnKey(key) if isinstance(key, Identity) else key


def answer(identity: Identity, request: Request) -> bytes:
    """What a key that signs this says."""
    purpose, fields = request
    if purpose in SECRETS:
        return identity.secret(purpose)
    signature = identity.sign(purpose, *fields)
    if purpose != ENTRY:
        return signature
    content = fields[1]
    assert isinstance(content, bytes)
    return encode_entry(content, signature)
