"""The lobby: purposes for which people meet at a table, and the sessions in pipes between two of
them.

A pipe is opaque to the table: it carries a session of `protocol.session` between the two identities
at its ends. Nobody else can finish the handshake. No part of it is valid in another pipe, at
another table, or in the session with a table.
"""

from typing import NewType

from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.errors import LocalError, RemoteError
from protocol.limits import MAX_SAY, PIPE_OVERHEAD
from protocol.messages.table_talk import printable_remark
from protocol.session.session import Role

# purpose of a pipe: two people have at most one pipe for each purpose at a table
Purpose = NewType("Purpose", int)
# a match without a table; a trade
MATCH = Purpose(0)
TRADE = Purpose(1)
PURPOSES = (MATCH, TRADE)
WANTS_ALL = sum(1 << purpose for purpose in PURPOSES)


def encode_wants(*purposes: Purpose) -> int:
    """Encode a person's purposes in the lobby for messages: one bit for each purpose; 0: only to
    talk.
    """
    return sum(1 << purpose for purpose in set(purposes))


def decode_wants(wants: int) -> tuple[Purpose, ...]:
    """Return the purposes in the bits `wants`."""
    return tuple(purpose for purpose in PURPOSES if wants >> purpose & 1)


def pipe_role(own: bytes, other: bytes) -> Role:
    """Return an identity's role in the session of a pipe.

    The lower key calls, so the table has no influence on the roles.
    """
    return Role.PLAYER if own < other else Role.TABLE


def pipe_prologue(table_key: bytes, purpose: Purpose, own: bytes, other: bytes) -> bytes:
    """Return the prologue of a pipe's handshake: a digest of the table, the purpose and both
    identities.

    Both ends must agree on these values, or the handshake fails.
    """
    return digest("pipe", table_key, bytes([purpose]), *sorted((own, other)))


def pipe_window_cost(data: bytes) -> int:
    """Return the bytes of a pipe's window that a message takes. The overhead makes many small
    messages no cheaper.
    """
    return len(data) + PIPE_OVERHEAD


def make_remark(text: str) -> str:
    """Return a remark in the form in which it may be sent. Raises: LocalError if it is empty or too
    long.
    """
    remark = printable_remark(text)
    if not 1 <= len(remark) <= MAX_SAY:
        raise LocalError("wrong.remark", most=MAX_SAY, characters=len(remark))
    return remark


def check_remark(remark: str) -> None:
    """Check that a received remark has no characters that `printable_remark` removes.

    Raises: RemoteError(BAD_MESSAGE).
    """
    if printable_remark(remark) != remark:
        raise RemoteError(Code.BAD_MESSAGE)
