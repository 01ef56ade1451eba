"""The readers of a match that another host has: as those of any log, which grows by what was
read.
"""

from collections.abc import Sequence

from protocol.limits import LIFE_SECONDS
from protocol.match.log import Record, decode_entry
from protocol.match.setup import parse_setup
from protocol.messages import table as messages
from table.config import Config
from table.match.log_broadcaster import LogBroadcaster, MatchOwner


class FollowedBroadcaster(LogBroadcaster):
    """Of one match; nobody has a seat in it here."""

    def __init__(
        self, match_id: bytes, records: Sequence[Record], config: Config, owner: MatchOwner
    ) -> None:
        """Raises: Refused if its rules are not known here, or it is none."""
        setup = parse_setup(decode_entry(records[0].entry).body, config.games)
        self._read, self._ended = list(records), False
        super().__init__(match_id, setup, self._read, config.bounds, owner)
        # what goes out here must not be ahead of what the owner sends to its seats (20.3)
        self.level = setup.allowance.level / 1000  # seconds
        self._life = self._loop.call_later(LIFE_SECONDS, self._live)

    def close(self) -> None:
        """See `LogBroadcaster`."""
        super().close()
        self._life.cancel()

    def _live(self) -> None:
        """Send a sign of life (4.9), with nothing new: who is connected is not known here."""
        self._life = self._loop.call_later(LIFE_SECONDS, self._live)
        message = messages.encode("present", self.match_id, list(range(len(self.people))))
        for party in [party for party in self._parties if party.takes_talk]:
            party.send(message)

    @property
    def over(self) -> bool:
        """Whether the match has ended, and all of it is here."""
        return self._ended

    @property
    def empty(self) -> bool:
        """Whether nobody watches."""
        return not self._parties

    def grow(self, records: Sequence[Record], over: bool) -> None:
        """So much of it may be sent now. `over`: that is all there will be."""
        first = self.stored
        self._read += records[first:]
        self._ended = over
        self._send_new(first)
        if over:
            self.say_goodbye()

    def lost(self) -> None:
        """It cannot be read any more: who watches goes to the owner."""
        self.close()
        self.send_away(self._owner.elsewhere(self.match_id))
