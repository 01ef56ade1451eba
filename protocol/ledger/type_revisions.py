"""Newest valid revision of each card type (docs/protocol, 24.2)."""

from collections import defaultdict

from protocol.errors import RemoteError
from protocol.ledger.link_checks import check_links
from protocol.ledger.record_contents import CardType
from protocol.ledger.records import LedgerRecord


class TypeRevisions:
    """Revisions by type. `newest` is by the id of revision 0.

    Of two revisions with one number, the one with the smaller id counts, in any order of arrival.
    An alarm names their creator. Revisions by others, or of frozen values, are invalid.
    """

    def __init__(self) -> None:
        self.newest: dict[bytes, tuple[LedgerRecord, CardType]] = {}
        self._right: dict[bytes, LedgerRecord] = {}
        self._waiting: dict[bytes, list[LedgerRecord]] = defaultdict(list)

    def add(self, record: LedgerRecord) -> None:
        """Add a type's record, which counts once all earlier revisions have been added."""
        ready = [record]
        while ready:
            one = ready.pop()
            content = one.content
            if not isinstance(content, CardType):
                continue
            if content.previous is not None and content.previous not in self._right:
                self._waiting[content.previous].append(one)
            elif self._may_be(content):
                self._right[one.id] = one
                self._compare(one, content)
                ready += self._waiting.pop(one.id, ())

    def _may_be(self, content: CardType) -> bool:
        try:
            check_links(content, self._right.get)
        except RemoteError:
            return False
        return True

    def _compare(self, record: LedgerRecord, content: CardType) -> None:
        kind = content.type or record.id
        there = self.newest.get(kind)
        if there is None or (content.revision, there[0].id) > (there[1].revision, record.id):
            self.newest[kind] = record, content
