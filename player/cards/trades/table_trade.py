"""The trade of a person with somebody at the same table, and its file in the data folder.

The file lets a program that was started anew, or a tab that was loaded anew, go on with the trade. What
is signed stands in the journal of the cards.
"""

from dataclasses import dataclass
from pathlib import Path

from player.storage.files import read_json, write_json
from protocol.errors import LocalError, RemoteError
from protocol.identity.keys import JoinLink, check_key

FILE = "table_trade.json"


@dataclass(frozen=True)
class TableTrade:
    """A trade through the table of `link`, with the owner of the key `partner`. `name`: name of the
    partner, as the table says it.
    """

    link: JoinLink
    partner: bytes
    name: str

    def is_at(self, link: JoinLink) -> bool:
        """Check that a link leads to the same table."""
        same_key = link.fingerprint is not None and link.fingerprint == self.link.fingerprint
        return same_key or link == self.link


class TableTradeFile:
    """The file with the trade that is not over. A person has at most one."""

    def __init__(self, data: Path) -> None:
        self._path = data / FILE

    def read(self) -> TableTrade | None:
        """Return the trade; None if there is none, or if somebody has changed the file. Raises:
        LocalError if the file cannot be read.
        """
        stored = read_json(self._path)
        try:
            link = JoinLink.parse(str(stored["link"]))
            partner = bytes.fromhex(str(stored["partner"]))
            name = str(stored["name"])
            check_key(partner)
        except (KeyError, ValueError, LocalError, RemoteError):
            return None
        return None if link.direct else TableTrade(link, partner, name)

    def write(self, trade: TableTrade) -> None:
        """Store the trade. Raises: LocalError."""
        write_json(
            self._path,
            {"link": str(trade.link), "partner": trade.partner.hex(), "name": trade.name},
        )

    def forget(self) -> None:
        """Delete the file. Raises: LocalError."""
        try:
            self._path.unlink(missing_ok=True)
        except OSError as error:
            why = str(error.strerror)
            raise LocalError("wrong.write.data", path=str(self._path), why=why) from None
