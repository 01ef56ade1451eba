"""What is printed on a card now: the newest revision of each type that its creator could make
(docs/protocol, 24.2).
"""

from collections import defaultdict

from protocol.errors import RemoteError
from protocol.ledger.link_checks import check_links
from protocol.ledger.record_contents import CardType
from protocol.ledger.records import LedgerRecord


class TypeRevisions:
    """`newest`: by the id of revision 0. Of two with one number the one of smaller id, in whatever
    order they come: an alarm names their creator. A revision by somebody else, or of what was
    frozen, is none."""

    def __init__(self) -> None:
        self.newest: dict[bytes, tuple[LedgerRecord, CardType]] = {}
        self._right: dict[bytes, LedgerRecord] = {}
        self._waiting: dict[bytes, list[LedgerRecord]] = defaultdict(list)

    def add(self, record: LedgerRecord) -> None:
        """Take a type's record; it counts once the revisions before it are here."""
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
