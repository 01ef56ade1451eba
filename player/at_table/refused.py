"""What a player makes of a refusal of its entry: judged by its own fold, at the head that it holds."""

from enum import Enum

from player.disk.store import Store
from protocol.codes import Code, sentence
from protocol.errors import LocalError
from protocol.match.reader import Reader
from protocol.match.refusal import OUTSIDE, Kept, Refusal, acceptable, check_refusal


class Opinion(Enum):
    """Whether the entry can stand."""

    NONE_YET = "none yet"  # judged at what we have not been shown: it may be there that our entry stands
    FORK = "fork"  # judged at another log than ours
    LEGAL = "legal"  # it can stand
    ILLEGAL = "illegal"


def opinion(reader: Reader, raw: bytes, refusal: Refusal) -> Opinion:
    """Ours on these bytes of ours, which the table refused. Raises: RemoteError if it did not sign the refusal."""
    check_refusal(refusal, reader.log.match_id, reader.log.setup.table.key)
    if refusal.number >= reader.log.number:
        return Opinion.NONE_YET
    if reader.log.hashes[refusal.number] != refusal.hash:
        return Opinion.FORK
    return Opinion.LEGAL if acceptable(reader.log, reader.match, raw) else Opinion.ILLEGAL


def in_words(code: Code) -> str:
    """Why we stop, after a legal entry has been refused to the end."""
    if code in OUTSIDE:
        return f"the table does not take a legal move ({sentence(code)})"
    return "the table refuses a legal move"


def keep(store: Store, kept: Kept) -> str:
    """Put the table's word on disk; a sentence that says where, or why not."""
    try:
        return f"The table's word for it is kept in {store.keep_refusal(kept)}"
    except LocalError as error:
        return str(error)
