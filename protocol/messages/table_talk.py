"""Table talk: remarks from seat to seat, sealed, that the table routes and cannot read, repeat or
reorder.

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

# (sender, receiver) -> the key of their envelopes, see `sealed.pair_key`
PairKey = Callable[[int, int], bytes]


def printable_remark(said: str) -> str:
    """The text without what could steer a terminal or hide: control, format and unassigned
    characters, line ends.

    Of spaces in a row one is left: many would push what follows them to the beginning of a line.
    """
    spaced = "".join(" " if category(char)[0] == "Z" else char for char in said)
    return " ".join("".join(char for char in spaced if category(char)[0] != "C").split())


class TalkChannel:
    """One seat's talk in one match: counts what it says, and drops what it has heard before."""

    def __init__(self, seat: int, seats: int, pair_key: PairKey, said: int = 0) -> None:
        """`said`: the counter of the newest remark that was made before a crash, or a number above
        it.
        """
        self._seat, self._seats, self._pair_key = seat, seats, pair_key
        self._said = said
        self._heard = [0] * seats  # the newest counter of each sender

    def seal_remark(self, remark: str, rng: Random) -> list[tuple[int, bytes]]:
        """A remark for everybody else: (receiver's seat, envelope). Raises `LocalError` if empty or
        too long.
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
        """What another seat said, fit to be shown.

        Raises: RemoteError(BAD_ENVELOPE) if it is not that seat's, not for us, or was heard before
        (or is older).
        """
        if sender == self._seat or sender >= self._seats:
            raise RemoteError(Code.BAD_ENVELOPE)
        plaintext = unseal(
            self._pair_key(sender, self._seat), envelope, PURPOSE, padded_to=SAY_PADDED
        )
        counter, remark = _decoded(plaintext)
        if counter <= self._heard[sender]:
            raise RemoteError(Code.BAD_ENVELOPE)
        self._heard[sender] = counter
        return printable_remark(remark)


def _decoded(plaintext: bytes) -> tuple[int, str]:
    try:
        remark: Any = wire.decode(plaintext)
    except RemoteError as error:
        raise RemoteError(Code.BAD_ENVELOPE) from error
    if not _REMARK(remark):
        raise RemoteError(Code.BAD_ENVELOPE)
    return remark[0], remark[1]
