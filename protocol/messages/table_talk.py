"""Table talk: encrypted remarks between seats, which the table routes. The table cannot read,
repeat or reorder them.

    plaintext = [counter, text]     canonical MessagePack, padded to SAY_PADDED bytes
    envelope  = sealed under the pair key of sender and receiver, for the purpose "say"

Talk is not in the log: it proves nothing and binds nobody. The table can still drop it.
"""

from collections.abc import Callable
from random import Random
from typing import Any
from unicodedata import category

from protocol import wire
from protocol.codes import Code
from protocol.crypto.envelopes import seal, unseal
from protocol.errors import LocalError, RemoteError
from protocol.limits import MAX_SAY, SAY_PADDED
from protocol.schema import fields, text, uint

PURPOSE = "say"
_REMARK = fields(uint(), text(MAX_SAY))

# (sender, receiver) -> the key of their envelopes: see `pair_key` in `protocol.crypto`
PairKey = Callable[[int, int], bytes]


def printable_remark(said: str) -> str:
    """Remove characters that could control a terminal or be invisible: control, format and
    unassigned characters.

    Each row of spaces and line ends becomes one space: many spaces could push text to the beginning
    of a line.
    """
    spaced = "".join(" " if category(char)[0] == "Z" else char for char in said)
    return " ".join("".join(char for char in spaced if category(char)[0] != "C").split())


class TalkChannel:
    """Talk of one seat in one match: numbers its own remarks, and rejects repeated remarks of
    others.
    """

    def __init__(self, seat: int, seats: int, pair_key: PairKey, said: int = 0) -> None:
        """Create the channel. `said` is the counter of the newest own remark before a crash, or a
        larger number.
        """
        self._seat = seat
        self._seats = seats
        self._pair_key = pair_key
        self._said = said
        self._heard = [0] * seats  # newest counter of each sender

    def seal_remark(self, remark: str, rng: Random) -> list[tuple[int, bytes]]:
        """Encrypt a remark for all other seats, and return pairs (receiver's seat, envelope).

        Raises: LocalError for an empty or too long remark.
        """
        remark = printable_remark(remark)
        if not 1 <= len(remark) <= MAX_SAY:
            raise LocalError("wrong.remark", most=MAX_SAY, characters=len(remark))
        self._said += 1
        plaintext = wire.encode([self._said, remark])
        others = [seat for seat in range(self._seats) if seat != self._seat]
        return [
            (
                other,
                seal(
                    self._pair_key(self._seat, other), rng, plaintext, PURPOSE, padded_to=SAY_PADDED
                ),
            )
            for other in others
        ]

    def open_remark(self, sender: int, envelope: bytes) -> str:
        """Decrypt a remark of another seat, and return it without unprintable characters.

        Raises: RemoteError(BAD_ENVELOPE) if the envelope is from another seat, for another seat,
        repeated, or older than a remark received before.
        """
        if sender == self._seat or sender >= self._seats:
            raise RemoteError(Code.BAD_ENVELOPE)
        plaintext = unseal(
            self._pair_key(sender, self._seat), envelope, PURPOSE, padded_to=SAY_PADDED
        )
        counter, remark = _decode_remark(plaintext)
        if counter <= self._heard[sender]:
            raise RemoteError(Code.BAD_ENVELOPE)
        self._heard[sender] = counter
        return printable_remark(remark)


def _decode_remark(plaintext: bytes) -> tuple[int, str]:
    try:
        remark: Any = wire.decode(plaintext)
    except RemoteError as error:
        raise RemoteError(Code.BAD_ENVELOPE) from error
    if not _REMARK(remark):
        raise RemoteError(Code.BAD_ENVELOPE)
    return remark[0], remark[1]
