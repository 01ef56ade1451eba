"""The matches in a data folder that are not over: which of them to go on with, and how one is
dropped.
"""

from pathlib import Path

from player.storage.known_tables import KnownTables
from player.storage.recovery_state import RecoveryState, of_table, read_recovery_states
from protocol.errors import LocalError
from protocol.identity.keys import Identity, JoinLink
from protocol.view.phrase import Phrase, phrase


class ResumableMatches:
    """An identity's unfinished matches. `identity` None: somebody who has none, as a passing bot or
    a spectator.
    """

    def __init__(self, data: Path, identity: Identity | None) -> None:
        self.data = data
        self._identity = identity
        self._known = KnownTables(data)

    def at(self, link: JoinLink) -> RecoveryState | None:
        """The match to go on with at this table, the oldest of several. Raises: LocalError for a
        damaged one.
        """
        return of_table(self._all(), link, self._known.expected(link))

    def links(self) -> list[str]:
        """The links of the tables with an unfinished match."""
        return sorted({memory.link for memory in self._all()})

    def link(self, given: JoinLink | None) -> JoinLink:
        """The link that was given, or else the one of the only unfinished match. Raises:
        LocalError.
        """
        if given is not None:
            return given
        links = self.links()
        if not links:
            raise LocalError("wrong.no_link")
        if len(links) > 1:
            raise LocalError("wrong.several_unfinished", links=", ".join(links))
        return JoinLink.parse(links[0])

    def forget(self, link: JoinLink | None) -> Phrase:
        """Drop the unfinished match at this table; what to tell the person. Raises: LocalError."""
        where = self.link(link)
        # a match of a key that has been rotated since is not gone on with, and can be dropped
        memory = self.at(where) or of_table(self._all(), where, where.fingerprint)
        if memory is None:
            raise LocalError("wrong.none_unfinished")
        memory.forget()
        return phrase("notice.dropped", path=str(memory.log_path))

    def _all(self) -> list[RecoveryState]:
        if self._identity is None:
            return []
        return read_recovery_states(self.data, self._identity)
