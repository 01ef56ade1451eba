"""Program that trades cards, with one defect, for tests of the conformance kit: `scripts/run
tests.support.broken_trader DEFECT cards trade ...`.

`DEFECTS` lists the cases of the kit that must fail for each defect.
"""

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from fairdeal.__main__ import main
from player.cards.trades import trade_letter
from player.cli.cards import letter_command
from player.multipath.reliable_channel import ReliableChannel
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.ledger.merge.merge_session import MergeSession
from protocol.ledger.trading import handlers
from protocol.ledger.trading.channel import OrderedChannel


class Defect(NamedTuple):
    """A change that breaks the program, and the cases that must notice it."""

    breaks: Callable[[], None]
    fails: tuple[str, ...]


def _nothing(*_: Any, **__: Any) -> None:
    """Replace a check by one that always passes."""


def _put(where: Any, name: str, value: Any) -> Callable[[], None]:
    return lambda: setattr(where, name, value)


def _no_gaps() -> None:
    came = ReliableChannel._came

    def broken(self: Any, data: Any) -> None:
        if data.number <= self._heard + 1:
            came(self, data)

    ReliableChannel._came = broken  # type: ignore[method-assign]


def _any_number() -> None:
    confirmed = ReliableChannel._confirmed

    def broken(self: Any, number: int) -> None:
        confirmed(self, min(number, self._first + len(self._waiting) - 1))

    ReliableChannel._confirmed = broken  # type: ignore[method-assign]


def _forgets_parts() -> None:
    def broken(self: Any, send: Any, peer: bytes) -> None:
        self._send = send

    ReliableChannel.attach = broken  # type: ignore[method-assign]


def _any_merge() -> None:
    received = MergeSession.received

    def broken(self: Any, message: bytes) -> Any:
        try:
            return received(self, message)
        except RemoteError:
            return []

    MergeSession.received = broken  # type: ignore[method-assign]


def _any_salt() -> None:
    read = OrderedChannel.read

    def broken(self: Any, payload: bytes) -> Any:
        try:
            return read(self, payload)
        except RemoteError as error:
            if error.code is Code.ANOTHER_SESSION:
                return None
            raise

    OrderedChannel.read = broken  # type: ignore[method-assign]


def _agrees_to_anything() -> None:
    handlers._wrong = _nothing  # type: ignore[assignment]


DEFECTS = {
    "no-gaps": Defect(_no_gaps, ("part-with-a-gap",)),
    "any-confirmation": Defect(_any_number, ("heard-of-what-was-never-sent",)),
    "forgets-parts": Defect(_forgets_parts, ("line-cut-with-parts-*",)),
    "any-name": Defect(_put(handlers, "check_name", _nothing), ("name-that-steers",)),
    "any-standing": Defect(
        _put(handlers, "check_standing", _nothing), ("standing-that-is-not-signed",)
    ),
    "any-salt": Defect(_any_salt, ("another-salt",)),
    "any-shape": Defect(
        _put(sys.modules["protocol.ledger.trading.trade_session"], "check", _nothing),
        ("standing-before-meet",),
    ),
    "any-merge": Defect(_any_merge, ("records-that-nobody-asked-for",)),
    "any-proposal": Defect(_agrees_to_anything, ("proposal-of-what-was-not-offered",)),
    "any-letter": Defect(_put(trade_letter, "verify", _nothing), ("letter-signed-by-another",)),
    "any-standing-by-letter": Defect(
        _put(letter_command, "check_standing", _nothing), ("standing-of-another",)
    ),
}

if __name__ == "__main__":
    DEFECTS[sys.argv[1]].breaks()
    sys.exit(main(sys.argv[2:]))
