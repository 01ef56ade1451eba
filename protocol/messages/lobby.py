"""Meeting at a table: what people there may want of each other, and whose session a pipe between
two of them carries.

A pipe is opaque to the table: what goes through it is a session of `protocol.session` between the
two identities at its ends. Nobody else can finish its handshake, and nothing of it fits another
pipe, another table or a table's own session.
"""

from typing import NewType

from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.errors import LocalError, RemoteError
from protocol.limits import MAX_SAY, PIPE_OVERHEAD
from protocol.messages.table_talk import printable_remark
from protocol.session.session import Role

Purpose = NewType("Purpose", int)  # what a pipe is for: two people have one of each at a table
MATCH, TRADE = Purpose(0), Purpose(1)  # a match that needs no table; a trade
PURPOSES = (MATCH, TRADE)
WANTS_ALL = sum(1 << purpose for purpose in PURPOSES)


def encode_wants(*purposes: Purpose) -> int:
    """What somebody is in the lobby for, as messages say it: a bit for each purpose; 0: to talk."""
    return sum(1 << purpose for purpose in set(purposes))


def decode_wants(wants: int) -> tuple[Purpose, ...]:
    """What these wants are."""
    return tuple(purpose for purpose in PURPOSES if wants >> purpose & 1)


def pipe_role(own: bytes, other: bytes) -> Role:
    """Which side of a pipe's session an identity has: the lower key calls, so that no table has a
    say in it.
    """
    return Role.PLAYER if own < other else Role.TABLE


def pipe_prologue(table_key: bytes, purpose: Purpose, own: bytes, other: bytes) -> bytes:
    """What both ends of a pipe must agree on before they begin: which table it goes through, for
    what, between whom.
    """
    return digest("pipe", table_key, bytes([purpose]), *sorted((own, other)))


def pipe_window_cost(data: bytes) -> int:
    """Bytes of a pipe's window that a message with this data takes: many small ones are not to be
    cheaper.
    """
    return len(data) + PIPE_OVERHEAD


def make_remark(text: str) -> str:
    """A remark as it may be sent. Raises: LocalError if it is empty or too long."""
    remark = printable_remark(text)
    if not 1 <= len(remark) <= MAX_SAY:
        raise LocalError("wrong.remark", most=MAX_SAY, characters=len(remark))
    return remark


def check_remark(remark: str) -> None:
    """Raise `RemoteError(BAD_MESSAGE)` for a remark that could steer a screen, or has been padded
    out.
    """
    if printable_remark(remark) != remark:
        raise RemoteError(Code.BAD_MESSAGE)
