"""What witnesses have said, while records come in, and whose word counts (docs/protocol, 24.4)."""

from collections import defaultdict
from collections.abc import Iterable, Set

from protocol.ledger.record_contents import Attestation, Creator, Instance, Trade


def is_quorum(maker: Creator, said: Set[bytes], liars: Set[bytes]) -> bool:
    """Whether these witnesses' words on one slot are enough for a creator that names them so.

    A proven liar's word counts for nothing, and is not asked for as long as any two quorums would
    share an honest witness all the same: else a liar that shows itself would undo what it had
    signed like all the others.
    """
    lying = len(liars & set(maker.witnesses))
    borne = 2 * maker.quorum - len(maker.witnesses) - 1  # liars, with which that is still so
    needed = maker.quorum - lying if lying <= borne else maker.quorum
    return needed > 0 and len((said - liars) & set(maker.witnesses)) >= needed


class Attestations:
    """Each change gives the trades for which more may have been said now, or less."""

    def __init__(self) -> None:
        self._liars: set[bytes] = set()
        # by creator: what it says or ever said of itself
        self._named: dict[bytes, list[Creator]] = defaultdict(list)
        # witnesses that were ever named with this one
        self._beside: dict[bytes, set[bytes]] = defaultdict(set)
        self._said: dict[tuple[bytes, bytes], set[bytes]] = {}  # by slot and trade: who has seen it
        # by witness and slot: the trade that it saw
        self._first: dict[tuple[bytes, bytes], bytes] = {}
        # that a witness has said anything about
        self._trades: dict[bytes, set[bytes]] = defaultdict(set)

    def creator(self, content: Creator) -> set[bytes]:
        """A creator names witnesses."""
        self._named[content.creator].append(content)
        for key in content.witnesses:
            self._beside[key].update(content.witnesses)
        return self._signed(content.witnesses)

    def seen(self, content: Attestation) -> set[bytes]:
        """A witness has seen a trade, or proves that it lies."""
        key = content.creator
        self._said.setdefault((content.slot, content.trade), set()).add(key)
        self._trades[key].add(content.trade)
        if self._first.setdefault((key, content.slot), content.trade) != content.trade:
            return {content.trade} | self.lie(key)
        return {content.trade}

    def lie(self, key: bytes) -> set[bytes]:
        """A witness is proven to lie."""
        if key in self._liars:
            return set()
        self._liars.add(key)
        return self._signed({key} | self._beside[key])

    def enough(self, trade_id: bytes, trade: Trade, instances: dict[bytes, Instance]) -> bool:
        """Whether for every card of a trade enough witnesses have seen it that the card's creator
        ever named.
        """
        for one in trade.transfers:
            said = self._said.get((one.slot, trade_id))
            makers = self._named.get(instances[one.instance].creator, ()) if said else ()
            if said is None or not any(is_quorum(maker, said, self._liars) for maker in makers):
                return False
        return True

    def _signed(self, witnesses: Iterable[bytes]) -> set[bytes]:
        return set().union(*(self._trades.get(key, ()) for key in witnesses))
