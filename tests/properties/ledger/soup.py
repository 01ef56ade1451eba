"""Random records without any plausible story: everything a view may be given, signed by anybody."""

from random import Random

from protocol.ledger.record_contents import (
    Attestation,
    CardTransfer,
    CardType,
    Creator,
    FraudProof,
    Instance,
    Trade,
    Waive,
)
from protocol.ledger.records import LedgerRecord, waive_of
from tests.support.ledger import bare

PEOPLE = [bytes([number]) * 32 for number in range(1, 6)]  # two of them create cards
WITNESSES = tuple(bytes([number]) * 32 for number in range(20, 24))


class Soup:
    """Random records: `records` has some hundred, of a few cards, so that many conflict."""

    def __init__(self, rng: Random, many: int = 60) -> None:
        self.rng, self.records, self.trades = rng, [], []
        self.cards: list[LedgerRecord] = []
        # pick among this many latest chances: fewer means more double spends
        self.late = rng.choice([1, 2, 6])
        for key in PEOPLE[:2]:
            kind = self._put(CardType(key, None, 0, None, "Card", "", None, (), False, ""))
            self.cards += [
                self._put(Instance(key, kind.id, serial, bytes(16))) for serial in range(2)
            ]
            self._put(Creator(key, 0, None, "Maker", None, "", WITNESSES[:3], rng.choice([2, 3])))
        # an instance of another creator's type
        self._put(Instance(PEOPLE[2], kind.id, 0, bytes(16)))
        for _ in range(many):
            rng.choices(
                [self._trade, self._waive, self._seen, self._certify, self._revise, self._lie],
                [10, 2, 1, 5, 0.3, 0.1],
            )[0]()

    def _put(
        self, content: CardType | Creator | Instance | FraudProof | Attestation | Trade | Waive
    ) -> LedgerRecord:
        self.records.append(bare(content))
        return self.records[-1]

    def _trade(self) -> None:
        """Add a trade, mostly with valid links: by a person who had the card at some time."""
        rng = self.rng
        first, *others = rng.sample(self.cards, rng.choice([1, 1, 2, 3]))
        giver = rng.choice(self._chances(first)[-self.late :])[0]
        a, b = sorted((giver, rng.choice([key for key in PEOPLE if key != giver])))
        moved = []
        for card in sorted((first, *others), key=lambda card: card.id):
            chances = [chance for chance in self._chances(card) if chance[0] in (a, b)][
                -self.late :
            ]
            if chances and rng.random() < 0.98:
                giver, index, prev, over = rng.choice(chances)
                moved.append(CardTransfer(card.id, int(giver == b), index, prev, over))
            elif card is first or rng.random() < 0.05:
                links = [None, *(trade.id for trade in self.trades), bytes(32)]
                moved.append(
                    CardTransfer(
                        card.id,
                        rng.randrange(2),
                        rng.randrange(3),
                        rng.choice(links),
                        rng.choice(links),
                    )
                )
        waives = [one for one in self.records if isinstance(one.content, Waive)]
        listed = rng.sample(waives, min(len(waives), rng.choice([0, 0, 1, 2, 5])))
        ids = {one.id for one in listed} | ({bytes(32)} if rng.random() < 0.02 else set())
        if rng.random() < 0.5:
            # what the places need, as honest givers list it
            at = {(one.instance, one.prev) for one in moved}
            ids |= {
                one.id
                for one in waives
                for trade in self.trades
                if one.content.trade == trade.id
                and at & {(each.instance, each.prev) for each in trade.content.transfers}
            }
        self.trades.append(self._put(Trade(a, b, tuple(moved), waives=tuple(sorted(ids)))))

    def _chances(self, card: LedgerRecord) -> list[tuple[bytes, int, bytes | None, bytes | None]]:
        """Return the possible givers of a card, with slot and origin."""
        found: list[tuple[bytes, int, bytes | None, bytes | None]] = [
            (card.content.creator, 0, None, None)
        ]  # type: ignore[union-attr]
        for trade in self.trades:
            for one in (one for one in trade.content.transfers if one.instance == card.id):
                giver, taker = trade.content.giver(one), trade.content.receiver(one)
                found += [
                    (giver, one.index + 1, one.prev, trade.id),
                    (taker, one.index + 1, trade.id, None),
                ]
        return found

    def _waive(self) -> None:
        if self.trades:
            trade = self.rng.choice(self.trades)
            self._put(
                waive_of(
                    trade.content, self.rng.choice([trade.content.a, trade.content.b, PEOPLE[0]])
                )
            )

    def _seen(self) -> None:
        if self.trades:
            trade = self.rng.choice(self.trades)
            one = self.rng.choice(trade.content.transfers)
            self._put(
                Attestation(self.rng.choice(WITNESSES), one.slot, trade.id, self.rng.randrange(2))
            )

    def _certify(self) -> None:
        """Certify the oldest of these trades by all witnesses but one."""
        if self.trades:
            trade = self.rng.choice(self.trades[: 1 + len(self.trades) // 2])
            for one in trade.content.transfers:
                for key in WITNESSES[:2]:
                    self._put(Attestation(key, one.slot, trade.id, 0))

    def _lie(self) -> None:
        self._put(FraudProof(self.rng.choice(WITNESSES), b"0", b"1"))

    def _revise(self) -> None:
        rng = self.rng
        self._put(
            Creator(
                rng.choice(PEOPLE[:2]),
                1,
                bytes(32),
                "Maker",
                None,
                "",
                WITNESSES[:3],
                rng.choice([1, 3]),
            )
        )
