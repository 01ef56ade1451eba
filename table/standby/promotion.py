"""When a standby may become the table: what is known of its primary, and what nobody can know.

A promoted standby answers its old primary no more, and the old primary needs that answer for every
commit: so promotion is the fence, and no clock or lease is. It does not hold against a primary that
was told to go on alone. So whoever promotes is told what the standby knows, and asked for one more
word wherever that may have happened.
"""

from typing import NamedTuple

from protocol.errors import LocalError
from protocol.limits import STANDBY_FRESH_SECONDS
from protocol.view.phrase import Phrase, phrase
from table.storage.disk.replication_state import ReplicationState, Role


class PrimaryStatus(NamedTuple):
    """What is known as a standby is to be promoted."""

    standing: ReplicationState
    now: int  # Unix seconds
    answers: bool  # the table's old address does, with the table's key


def promotion_doubts(known: PrimaryStatus) -> list[Phrase]:
    """Why two tables may sign with one key, or entries that somebody was told of be lost, if it is
    promoted.
    """
    standing = known.standing
    silent = known.now - standing.heard
    found = []
    if standing.role is Role.LEFT:
        found.append(phrase("standby.left"))
    if known.answers:
        found.append(phrase("standby.answers", address=standing.peer))
    if not 0 <= silent <= STANDBY_FRESH_SECONDS and standing.role is not Role.LEFT:
        found.append(phrase("standby.silent", minutes=max(0, silent // 60)))
    return found


def promoted(known: PrimaryStatus, anyway: bool) -> ReplicationState:
    """How it stands as a table. Raises: LocalError if it cannot be one; if there are doubts, unless
    `anyway`.
    """
    standing = known.standing
    if standing.role not in (Role.STANDBY, Role.LEFT):
        raise LocalError(
            "wrong.standby.empty" if standing.role is Role.EMPTY else "wrong.standby.none"
        )
    if standing.role is Role.LEFT and not standing.written:
        raise LocalError("wrong.standby.empty")
    if promotion_doubts(known) and not anyway:
        raise LocalError("wrong.standby.doubts")
    return standing._replace(role=Role.PROMOTED)
