"""Pages of a manager's tables: the requests for them, and the pages that came."""

from typing import Any

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.limits import MAX_PAGES_LISTED
from protocol.match.terms import decode_terms
from protocol.messages.table_search import FIRST_PAGE, TablePage, TableSearch


class TablePages:
    """The newest page, or all pages as one list. It has no socket and no clock."""

    def __init__(self, search: TableSearch = FIRST_PAGE, *, collect: bool = False) -> None:
        """`search`: the first one; `collect`: pages that follow each other are one list."""
        self.search = search  # the newest search
        self.page: TablePage | None = None  # the newest page
        self.listed: list[list[Any]] = []
        self.rows: tuple[tuple[Any, ...], ...] = ()  # those of `listed`, with decoded terms
        self._collects = collect
        self._count = 0  # number of pages that came

    def ask(self, search: TableSearch | None) -> tuple[object, ...]:
        """Return the fields of `find` for this search; None: for the newest one again."""
        if search is not None:
            self.search = search
        return self.search.values()

    def take(self, page: TablePage) -> bool:
        """Take a page. Return False if it answers an earlier search. Raises: RemoteError if the next
        page would not be a later one.
        """
        if not page.answers(self.search):
            return False
        if page.next is not None and page.next <= page.start:
            raise RemoteError(Code.BAD_MESSAGE)
        rows = tuple(
            (name, decode_terms(terms), people, running)
            for name, terms, people, running in page.rows
        )
        if self._collects:
            self.listed, self.rows = [*self.listed, *page.rows], (*self.rows, *rows)
        else:
            self.listed, self.rows = list(page.rows), rows
        self._count += 1
        self.page = page
        return True

    def following(self) -> TableSearch | None:
        """Return the search for the next page that belongs to the list."""
        page = self.page
        if not self._collects or page is None or page.next is None:
            return None
        if self._count >= MAX_PAGES_LISTED:
            return None
        return self.search._replace(start=page.next)
