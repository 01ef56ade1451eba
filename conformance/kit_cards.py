"""Cards of the kit: a creator, a type, copies, and the trades by which people have them."""

from collections.abc import Sequence
from itertools import pairwise
from random import Random

from protocol.identity.keys import Identity
from protocol.ledger.record_contents import CardTransfer, CardType, Instance, Trade
from protocol.ledger.records import LedgerRecord, sign_record, waive_of

CARD_NAME = "Kit card"
VALUES: tuple[tuple[str, int | str], ...] = (("element", "fire"), ("strength", 3))


class CardMaker:
    """A creator of cards. The same random source gives the same cards."""

    def __init__(self, rng: Random, values: tuple[tuple[str, int | str], ...] = VALUES) -> None:
        self.rng = rng
        self.identity = Identity(rng.randbytes(32))
        self.type = sign_record(
            CardType(
                self.identity.public, None, 0, None, CARD_NAME, "First", None, values, True, ""
            ),
            self.identity,
        )

    def card(self, serial: int) -> LedgerRecord:
        """Make a copy."""
        nonce = self.rng.randbytes(16)
        return sign_record(
            Instance(self.identity.public, self.type.id, serial, nonce), self.identity
        )


def give(
    card: LedgerRecord,
    giver: Identity,
    taker: Identity,
    before: LedgerRecord | None = None,
    number: int = 0,
) -> LedgerRecord:
    """Make a trade in which a card goes from `giver` to `taker`; `before` is the trade by which the
    giver has it. `number`: see `Trade`.
    """
    return sign_record(trade_of(card, giver, taker, before, number), giver, taker)


def trade_of(
    card: LedgerRecord,
    giver: Identity,
    taker: Identity,
    before: LedgerRecord | None = None,
    number: int = 0,
) -> Trade:
    """Make the content of such a trade."""
    a, b = sorted((giver.public, taker.public))
    index = 0 if before is None else 1 + index_in(before, card)
    previous = None if before is None else before.id
    transfer = CardTransfer(card.id, int(giver.public != a), index, previous, None)
    return Trade(a, b, (transfer,), number)


def index_in(trade: LedgerRecord, card: LedgerRecord) -> int:
    """Return the index of a card in a trade."""
    assert isinstance(trade.content, Trade)
    return next(each.index for each in trade.content.transfers if each.instance == card.id)


def waive(trade: LedgerRecord, by: Identity) -> LedgerRecord:
    """Make the record by which a party says that a trade was never finished."""
    assert isinstance(trade.content, Trade)
    return sign_record(waive_of(trade.content, by.public), by)


def chain(card: LedgerRecord, people: Sequence[Identity]) -> list[LedgerRecord]:
    """Make the trades by which a card goes from each of these people to the next."""
    trades: list[LedgerRecord] = []
    for giver, taker in pairwise(people):
        trades.append(give(card, giver, taker, trades[-1] if trades else None))
    return trades
