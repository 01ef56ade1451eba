"""What a player says that it has of a match's log, and what it gives to a table that has lost the
end of it.
"""

from collections.abc import Iterator, Sequence

from player.client.table_match import TableMatch
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.match.log import Record
from protocol.match.log_reader import LogReader
from protocol.messages.tail import HeldHead, LogTail, split_tail


def newest(reader: LogReader | None) -> HeldHead | None:
    """The newest head that we have; None: we have nothing."""
    if reader is None:
        return None
    return HeldHead(reader.log.next_number - 1, reader.log.chain_hashes[-1], reader.head)


def give_back(playing: TableMatch, number: int) -> Iterator[LogTail]:
    """What the table has lost from this number on, with its own heads; nothing if we do not keep so
    much.

    Raises: RemoteError if it did not say so as we came, or asks once more.
    """
    reader = playing.reader
    if reader is None or not 0 < playing.lacks <= number < playing.number:
        raise RemoteError(Code.BAD_MESSAGE)
    playing.lacks = playing.number
    return split_tail(number, reader.log.chain_hashes[number - 1], _kept(playing, number))


def _kept(playing: TableMatch, number: int) -> Sequence[Record]:
    """The log from this number on, as far as we keep it: in a file, or the newest of it in
    memory.
    """
    if playing.store is not None:
        return playing.store.records(number)
    lacking = playing.number - number
    if lacking <= len(playing.newest):
        return list(playing.newest)[-lacking:]
    return ()
