"""Random histories of cards, made from a seed: valid records for code that processes sets of
them.
"""

from functools import cache
from random import Random

from protocol.identity.keys import Identity
from protocol.ledger.record_contents import (
    CardTransfer,
    CardType,
    Content,
    Creator,
    Instance,
    Trade,
)
from protocol.ledger.records import LedgerRecord, sign_record, waive_of


@cache
def person(number: int) -> Identity:
    """Return person `number`, always the same one."""
    return Identity(number.to_bytes(32, "big"))


class History:
    """Cards of one creator, some people, and trades of two cards between them. `records` has all
    records, parents first.

    `spends` of the trades are made a second time, with somebody else.
    """

    def __init__(
        self, seed: int, cards: int = 8, people: int = 4, trades: int = 12, spends: int = 1
    ) -> None:
        self.rng = Random(seed)
        self.people = [person(seed * 100 + number) for number in range(2, 2 + people)]
        self.creator = person(seed * 100 + 1)
        key = self.creator.public
        self.records: list[LedgerRecord] = [
            self._signed(Creator(key, 0, None, "Maker", None, "", (), 0), self.creator)
        ]
        self.type = self._signed(
            CardType(key, None, 0, None, "Card", "First", None, (), False, ""), self.creator
        )
        self.records.append(self.type)
        self.cards = [self._signed(self._instance(serial), self.creator) for serial in range(cards)]
        self.records += self.cards
        self.last: dict[bytes, tuple[Identity, LedgerRecord | None]] = {
            card.id: (self.creator, None) for card in self.cards
        }
        for number in range(trades):
            self.trade(twice=number < spends)

    def _instance(self, serial: int) -> Instance:
        return Instance(self.creator.public, self.type.id, serial, self.rng.randbytes(16))

    @staticmethod
    def _signed(content: Content, *who: Identity) -> LedgerRecord:
        return sign_record(content, *who)

    def trade(self, twice: bool = False) -> LedgerRecord:
        """Add a trade: a card of one person, and one back if the other has any."""
        card = self.rng.choice(self.cards).id
        giver = self.last[card][0]
        receiver, third = self.rng.sample([one for one in self.people if one is not giver], 2)
        theirs = [other for other, (who, _) in self.last.items() if who is receiver]
        cards = [card, *([self.rng.choice(theirs)] if theirs else [])]
        made = self.between(giver, receiver, cards)
        if twice:
            self.records.append(self.between(giver, third, [card]))
        self.records.append(made)
        for one in cards:
            self.last[one] = (receiver if self.last[one][0] is giver else giver, made)
        return made

    def between(self, giver: Identity, receiver: Identity, cards: list[bytes]) -> LedgerRecord:
        """Make a trade of the cards in their present state, without adding it."""
        a, b = sorted((giver, receiver), key=lambda one: one.public)
        moved = []
        for card in sorted(cards):
            owner, last = self.last[card]
            index = 0
            if last is not None and isinstance(last.content, Trade):
                index = 1 + next(
                    one.index for one in last.content.transfers if one.instance == card
                )
            moved.append(
                CardTransfer(card, int(owner is b), index, last.id if last else None, None)
            )
        return self._signed(Trade(a.public, b.public, tuple(moved)), giver, receiver)

    def waive(self, trade: LedgerRecord, who: Identity) -> LedgerRecord:
        """Add a record by which `who` waives a trade."""
        assert isinstance(trade.content, Trade)
        made = sign_record(waive_of(trade.content, who.public), who)
        self.records.append(made)
        return made
