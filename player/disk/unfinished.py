"""The matches in a data folder that are not over: which of them to go on with, and how one is dropped."""

from pathlib import Path

from player.disk.known import KnownTables
from player.disk.memory import Memory, of_table, read_memories
from protocol.errors import LocalError
from protocol.identity.keys import Identity, JoinLink

NO_LINK = "Give the LINK of a table: there is no unfinished match to go on with. See --help."


class Unfinished:
    """An identity's unfinished matches. `identity` None: somebody who has none, as a passing bot or a spectator."""

    def __init__(self, data: Path, identity: Identity | None) -> None:
        self.data, self._identity = data, identity
        self._known = KnownTables(data)

    def at(self, link: JoinLink) -> Memory | None:
        """The match to go on with at this table, the oldest of several. Raises: LocalError for a damaged one."""
        return of_table(self._all(), link, self._known.expected(link))

    def links(self) -> list[str]:
        """The links of the tables with an unfinished match."""
        return sorted({memory.link for memory in self._all()})

    def link(self, given: JoinLink | None) -> JoinLink:
        """The link that was given, or else the one of the only unfinished match. Raises: LocalError."""
        if given is not None:
            return given
        links = self.links()
        if not links:
            raise LocalError(NO_LINK)
        if len(links) > 1:
            raise LocalError(
                f"There are unfinished matches at several tables. Give the link of one: {', '.join(links)}"
            )
        return JoinLink.parse(links[0])

    def forget(self, link: JoinLink | None) -> str:
        """Drop the unfinished match at this table; what to tell the person. Raises: LocalError."""
        memory = self.at(self.link(link))
        if memory is None:
            raise LocalError("There is no unfinished match at this table.")
        memory.forget()
        return f"The match is dropped; its seat cannot be taken again. Its log stays: {memory.log_path}"

    def _all(self) -> list[Memory]:
        return [] if self._identity is None else read_memories(self.data, self._identity)
