"""Index of a record set for screens: creators, types with their revisions, cards, trades."""

from collections import defaultdict

from protocol.ledger.pictures import image_of
from protocol.ledger.record_contents import CardType, Creator, Instance, PrintRun, Trade, Waive
from protocol.ledger.records import LedgerRecord, signers
from protocol.ledger.type_revisions import TypeRevisions


class RecordIndex:
    """An index that grows with its record set.

    If a creator signs two revisions with one number, the index shows the one with the smaller id.
    An alarm names that creator.
    """

    def __init__(self) -> None:
        # newest revision of each creator, by key
        self.creators: dict[bytes, tuple[LedgerRecord, Creator]] = {}
        self._types = TypeRevisions()
        self.types = self._types.newest  # newest revision of each type, by the id of revision 0
        # ids of revision 0 of the types of each creator
        self.types_of: dict[bytes, list[bytes]] = defaultdict(list)
        self.instances: dict[bytes, Instance] = {}
        self.trades: dict[bytes, Trade] = {}
        # ids of the trades of each instance
        self.trades_of: dict[bytes, list[bytes]] = defaultdict(list)
        # ids of the trades that build on each trade
        self.children: dict[bytes, list[bytes]] = defaultdict(list)
        # print runs of each creator
        self.runs: dict[bytes, list[tuple[bytes, PrintRun]]] = defaultdict(list)
        self.waived: dict[bytes, set[bytes]] = defaultdict(set)  # keys that have waived each trade
        self.images: set[bytes] = set()  # digests of the images that records name
        self.keys: set[bytes] = set()  # keys of all signers

    def add(self, record: LedgerRecord) -> None:
        if (digest := image_of(record.content)) is not None:
            self.images.add(digest)
        match record.content:
            case Creator() as content:
                self._revised(record, content)
            case CardType(creator=key, type=root):
                self._types.add(record)
                if root is None:
                    self.types_of[key].append(record.id)
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
        if maker is None or _is_newer(record, content.revision, maker[0], maker[1].revision):
            self.creators[content.creator] = record, content

    def _traded(self, trade_id: bytes, trade: Trade) -> None:
        self.trades[trade_id] = trade
        for transfer in trade.transfers:
            self.trades_of[transfer.instance].append(trade_id)
            for link in {transfer.prev, transfer.over}:
                if link is not None:
                    self.children[link].append(trade_id)


def _is_newer(record: LedgerRecord, revision: int, before: LedgerRecord, its: int) -> bool:
    return (revision, before.id) > (its, record.id)
