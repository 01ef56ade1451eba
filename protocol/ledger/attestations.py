"""Attestations of witnesses in a growing set, and the quorums that count (docs/protocol, 24.4)."""

from collections import defaultdict
from collections.abc import Iterable, Set

from protocol.ledger.record_contents import Attestation, Creator, Instance, Trade


def is_quorum(maker: Creator, said: Set[bytes], liars: Set[bytes]) -> bool:
    """Check that the attestations of these witnesses for one slot are enough for the creator.

    A proven liar's attestation does not count. The quorum shrinks by the number of liars as long as
    any two quorums still share an honest witness. Otherwise an exposed liar would undo everything
    that it had signed together with honest witnesses.
    """
    lying = len(liars & set(maker.witnesses))
    # number of liars up to which any two quorums share an honest witness
    borne = 2 * maker.quorum - len(maker.witnesses) - 1
    needed = maker.quorum - lying if lying <= borne else maker.quorum
    return needed > 0 and len((said - liars) & set(maker.witnesses)) >= needed


class Attestations:
    """Attestations by slot and witness. Each change returns the trades whose quorum may have
    changed.
    """

    def __init__(self) -> None:
        self._liars: set[bytes] = set()
        # by creator: all its `creator` records, of any revision
        self._named: dict[bytes, list[Creator]] = defaultdict(list)
        # by witness: all witnesses that were ever named together with it
        self._beside: dict[bytes, set[bytes]] = defaultdict(set)
        # by slot and trade: witnesses that attested it
        self._said: dict[tuple[bytes, bytes], set[bytes]] = {}
        # by witness and slot: the first trade that it attested
        self._first: dict[tuple[bytes, bytes], bytes] = {}
        # by witness: trades that it has attested
        self._trades: dict[bytes, set[bytes]] = defaultdict(set)

    def creator(self, content: Creator) -> set[bytes]:
        """Add a creator's record with its witnesses."""
        self._named[content.creator].append(content)
        for key in content.witnesses:
            self._beside[key].update(content.witnesses)
        return self._signed(content.witnesses)

    def seen(self, content: Attestation) -> set[bytes]:
        """Add an attestation. A second one for another trade of the same slot proves a lie."""
        key = content.creator
        self._said.setdefault((content.slot, content.trade), set()).add(key)
        self._trades[key].add(content.trade)
        if self._first.setdefault((key, content.slot), content.trade) != content.trade:
            return {content.trade} | self.lie(key)
        return {content.trade}

    def lie(self, key: bytes) -> set[bytes]:
        """Note that a witness is a proven liar."""
        if key in self._liars:
            return set()
        self._liars.add(key)
        return self._signed({key} | self._beside[key])

    def enough(self, trade_id: bytes, trade: Trade, instances: dict[bytes, Instance]) -> bool:
        """Check that a quorum has attested every card of a trade. Any witnesses that the card's
        creator ever named count.
        """
        for one in trade.transfers:
            said = self._said.get((one.slot, trade_id))
            if said:
                makers = self._named.get(instances[one.instance].creator, ())
            else:
                makers = ()
            if said is None or not any(is_quorum(maker, said, self._liars) for maker in makers):
                return False
        return True

    def _signed(self, witnesses: Iterable[bytes]) -> set[bytes]:
        return set().union(*(self._trades.get(key, ()) for key in witnesses))
