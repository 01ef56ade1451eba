"""What lies beside the notes of a match, and does not stay: its sealed seed, and a mark.

    s.<match>   [writer, sealed seed]   before the first note, overwritten when the match is over
    o.<match>   [writer, nothing]       the match is over, and its log file is still to be written

So what is under `s.` and `o.` are the matches that are open.
"""

import asyncio

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.schema import between, exactly, fields
from table.storage.shared.backend import SharedLog
from table.storage.shared.match_notes import WRITER
from table.storage.shared.subject_append import LONGEST_PAUSE, AppendOutcome, SubjectAppend, asked

SEEDS, MARKS = "s.", "o."
_MAX_SEALED = 256  # bytes; a sealed seed has 60
_LOOKS = 5  # whoever is asked may not know the newest yet
_SEED = fields(exactly(WRITER), between(0, _MAX_SEALED))


def decode_seed(data: bytes) -> bytes:
    """What was kept. Raises: RemoteError(BAD_ENCODING)."""
    value = wire.decode(data)
    if not _SEED(value):
        raise RemoteError(Code.BAD_ENCODING)
    return bytes(value[1])


class SealedSeeds:
    """The seeds and marks in a store."""

    def __init__(self, logs: SharedLog, writer: bytes) -> None:
        self._logs, self._writer = logs, writer

    async def keep(self, match_id: bytes, sealed: bytes) -> bool:
        """Keep the seed of a match that begins; False if somebody else has begun it."""
        return await self._put(SEEDS, match_id, sealed)

    async def find(self, match_id: bytes) -> bytes | None:
        """The sealed seed of a match; None if there is none. Raises: RemoteError if it is none."""
        for _ in range(_LOOKS):
            item = await asked(lambda: self._logs.last(SEEDS + match_id.hex()))
            if item is not None:
                return decode_seed(item.data)
            await asyncio.sleep(LONGEST_PAUSE)
        return None

    async def forget(self, match_id: bytes) -> None:
        """The match is over: its seed is overwritten, and a mark stands until `exported`."""
        await self._put(MARKS, match_id, b"")
        await self.erase(SEEDS, match_id)

    async def exported(self, match_id: bytes) -> None:
        """Its log file is written."""
        await self.erase(MARKS, match_id)

    async def stopped(self, match_id: bytes) -> None:
        """Nobody goes on with it."""
        for prefix in (SEEDS, MARKS):
            await self.erase(prefix, match_id)

    async def erase(self, prefix: str, match_id: bytes) -> None:
        """Overwrite what stands there, until nothing does."""
        await asked(lambda: self._logs.erase(prefix + match_id.hex()))

    async def open(self) -> list[bytes]:
        """The matches of which there is a seed or a mark."""
        seeds, marks = (
            await asked(lambda: self._logs.names(SEEDS)),
            await asked(lambda: self._logs.names(MARKS)),
        )
        names = [name.removeprefix(SEEDS).removeprefix(MARKS) for name in (*seeds, *marks)]
        return [bytes.fromhex(name) for name in dict.fromkeys(names) if is_match(name)]

    async def _put(self, prefix: str, match_id: bytes, value: bytes) -> bool:
        data = wire.encode([self._writer, value])
        return (
            await SubjectAppend(self._logs, prefix + match_id.hex(), 0, lambda after: data).append(
                data
            )
            is AppendOutcome.DONE
        )


def is_match(name: str) -> bool:
    """Tell if this is the id of a match, in hexadecimal digits."""
    return len(name) == 64 and not name.strip("0123456789abcdef")
