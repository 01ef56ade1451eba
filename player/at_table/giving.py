"""What a player says that it has of a match's log, and what it gives to a table that has lost the end of it."""

from collections.abc import Iterator

from player.at_table.playing import Playing
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.match.reader import Reader
from protocol.messages.tail import Holds, Tail, tails


def newest(reader: Reader | None) -> Holds | None:
    """The newest head that we have; None: we have nothing."""
    return None if reader is None else Holds(reader.log.number - 1, reader.log.hashes[-1], reader.head)


def give_back(playing: Playing, number: int) -> Iterator[Tail]:
    """What the table has lost from this number on, with its own heads; nothing if we keep no log.

    Raises: RemoteError if it did not say so as we came, or asks once more.
    """
    reader, store = playing.reader, playing.store
    if reader is None or not 0 < playing.lacks <= number < playing.number:
        raise RemoteError(Code.BAD_MESSAGE)
    playing.lacks = playing.number
    return tails(number, reader.log.hashes[number - 1], store.records(number) if store else ())
