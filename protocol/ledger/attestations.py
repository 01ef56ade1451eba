"""Attestations of witnesses in a growing set, and the quorums that count (docs/protocol, 24.4)."""

from collections import defaultdict
from collections.abc import Set

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
    """Attestations by slot and witness. `touched` returns the trades whose quorum may have changed
    since its last call.
    """

    def __init__(self) -> None:
        self._liars: set[bytes] = set()
        # by creator: witnesses and quorums of all its `creator` records, of any revision
        self._named: dict[bytes, dict[tuple[tuple[bytes, ...], int], Creator]] = defaultdict(dict)
        # by creator: all witnesses that it has ever named
        self._witnesses: dict[bytes, set[bytes]] = defaultdict(set)
        # by witness: all witnesses that were ever named together with it
        self._beside: dict[bytes, set[bytes]] = defaultdict(set)
        # by slot and trade: witnesses that attested it
        self._said: dict[tuple[bytes, bytes], set[bytes]] = {}
        # by witness and slot: the first trade that it attested
        self._first: dict[tuple[bytes, bytes], bytes] = {}
        # by witness: trades that it has attested
        self._trades: dict[bytes, set[bytes]] = defaultdict(set)
        # by creator, and honest witnesses of one slot: whether they are enough
        self._known: dict[bytes, dict[frozenset[bytes], bool]] = {}
        # trades that were attested, and witnesses whose words may count for more or less
        self._attested: set[bytes] = set()
        self._changed: set[bytes] = set()

    def creator(self, content: Creator) -> None:
        """Add a creator's record with its witnesses."""
        named = self._named[content.creator]
        if not content.witnesses or (content.witnesses, content.quorum) in named:
            return
        named[content.witnesses, content.quorum] = content
        self._witnesses[content.creator].update(content.witnesses)
        for key in content.witnesses:
            self._beside[key].update(content.witnesses)
        self._known.pop(content.creator, None)
        self._changed.update(content.witnesses)

    def seen(self, content: Attestation) -> None:
        """Add an attestation. A second one for another trade of the same slot proves a lie."""
        key = content.creator
        self._said.setdefault((content.slot, content.trade), set()).add(key)
        self._trades[key].add(content.trade)
        self._attested.add(content.trade)
        if self._first.setdefault((key, content.slot), content.trade) != content.trade:
            self.lie(key)

    def lie(self, key: bytes) -> None:
        """Note that a witness is a proven liar."""
        if key not in self._liars:
            self._liars.add(key)
            self._known.clear()
            self._changed |= {key} | self._beside[key]

    def touched(self) -> set[bytes]:
        """Return the trades whose quorum may have changed since the last call."""
        touched = self._attested.union(*(self._trades.get(key, ()) for key in self._changed))
        self._attested = set()
        self._changed = set()
        return touched

    @property
    def unsettled(self) -> bool:
        """True if `touched` may return something."""
        return bool(self._attested or self._changed)

    def enough(self, trade_id: bytes, trade: Trade, instances: dict[bytes, Instance]) -> bool:
        """Check that a quorum has attested every card of a trade. Any witnesses that the card's
        creator ever named count.
        """
        return all(
            self._is_enough(
                instances[one.instance].creator, self._said.get((one.slot, trade_id), set())
            )
            for one in trade.transfers
        )

    def _is_enough(self, creator: bytes, said: Set[bytes]) -> bool:
        named = self._witnesses.get(creator)
        honest = frozenset(said & named) - self._liars if said and named else frozenset()
        if not honest:
            return False
        known = self._known.setdefault(creator, {})
        if honest not in known:
            makers = self._named[creator].values()
            known[honest] = any(is_quorum(maker, honest, self._liars) for maker in makers)
        return known[honest]
