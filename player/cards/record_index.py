"""What the records of a set are about, by what screens ask for: makers, types with their revisions,
copies, trades.
"""

from collections import defaultdict

from protocol.ledger.record_contents import CardType, Creator, Instance, PrintRun, Trade, Waive
from protocol.ledger.records import LedgerRecord, signers
from protocol.ledger.type_revisions import TypeRevisions


class Index:
    """Grows with the set. Of two revisions with one number the smaller id is shown: an alarm names
    their creator.
    """

    def __init__(self) -> None:
        self.creators: dict[bytes, tuple[LedgerRecord, Creator]] = {}  # the newest of each key
        self._types = TypeRevisions()
        self.types = self._types.newest  # of each type, by the id of revision 0
        self.instances: dict[bytes, Instance] = {}
        self.trades: dict[bytes, Trade] = {}
        self.trades_of: dict[bytes, list[bytes]] = defaultdict(list)  # of an instance
        self.children: dict[bytes, list[bytes]] = defaultdict(list)  # trades that build on a trade
        self.runs: dict[bytes, list[tuple[bytes, PrintRun]]] = defaultdict(list)  # of a creator
        self.waived: dict[bytes, set[bytes]] = defaultdict(set)  # by whom, of a trade
        self.images: set[bytes] = set()  # digests that a record names
        self.keys: set[bytes] = set()  # everybody who has signed something

    def add(self, record: LedgerRecord) -> None:
        """One more record."""
        if (digest := image_of(record)) is not None:
            self.images.add(digest)
        match record.content:
            case Creator() as content:
                self._revised(record, content)
            case CardType():
                self._types.add(record)
            case Instance() as content:
                self.instances[record.id] = content
            case PrintRun() as content:
                self.runs[content.creator].append((record.id, content))
            case Trade() as content:
                self._traded(record.id, content)
            case Waive(creator, trade):
                self.waived[trade].add(creator)
        self.keys.update(signers(record.content))

    def _revised(self, record: LedgerRecord, content: Creator) -> None:
        maker = self.creators.get(content.creator)
        if maker is None or _newer(record, content.revision, maker[0], maker[1].revision):
            self.creators[content.creator] = record, content

    def _traded(self, trade_id: bytes, trade: Trade) -> None:
        self.trades[trade_id] = trade
        for transfer in trade.transfers:
            self.trades_of[transfer.instance].append(trade_id)
            for link in {transfer.prev, transfer.over}:
                if link is not None:
                    self.children[link].append(trade_id)


def _newer(record: LedgerRecord, revision: int, before: LedgerRecord, its: int) -> bool:
    return (revision, before.id) > (its, record.id)


def image_of(record: LedgerRecord) -> bytes | None:
    """The digest of the image that a record names."""
    match record.content:
        case CardType(image=digest) | Creator(icon=digest):
            return digest
        case _:
            return None
