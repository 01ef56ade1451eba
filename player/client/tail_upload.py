"""The part of a match's log that a player holds, and its upload to a table that has lost the end of
the log.
"""

from collections.abc import Iterator, Sequence

from player.client.table_match import TableMatch
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.match.log import Record
from protocol.match.log_reader import LogReader
from protocol.messages.tail import HeldHead, LogTail, split_tail


def newest(reader: LogReader | None) -> HeldHead | None:
    """Return the newest head that this player has; None if it has none."""
    if reader is None:
        return None
    return HeldHead(reader.log.next_number - 1, reader.log.chain_hashes[-1], reader.head)


def give_back(playing: TableMatch, number: int) -> Iterator[LogTail]:
    """Yield the entries that the table has lost from this number on, with its own heads; nothing if
    this player does not store as much.

    Raises: RemoteError if the table did not say so at the return, or asks a second time.
    """
    reader = playing.reader
    if reader is None or not 0 < playing.lost_from <= number < playing.number:
        raise RemoteError(Code.BAD_MESSAGE)
    playing.lost_from = playing.number
    return split_tail(number, reader.log.chain_hashes[number - 1], _kept(playing, number))


def _kept(playing: TableMatch, number: int) -> Sequence[Record]:
    """Return the log from this number on, as far as it is stored: in a file, or its newest part in
    memory.
    """
    if playing.store is not None:
        return playing.store.records(number)
    lacking = playing.number - number
    if lacking <= len(playing.newest_records):
        return list(playing.newest_records)[-lacking:]
    return ()
