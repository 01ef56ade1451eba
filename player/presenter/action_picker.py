"""The choice of actions by keys: the action of a key, and its status until its entry is in the log."""

from collections import deque
from collections.abc import Sequence

from player.client import events
from player.presenter.narrator import Style
from protocol.match.narration import MOVE_KINDS, narrate_entry
from protocol.match.state import Match
from protocol.view.board import Offer, Region, RegionBoard
from protocol.view.phrase import Phrase, phrase

NEWS = 3  # newest acts of others that are shown
SPACE = " "


class ActionPicker:
    """The choices by keys of one person in one match."""

    def __init__(self, keys: str) -> None:
        """`keys`: all keys of the game, those of `Row.keys`."""
        self.keys = keys
        self.status: tuple[Style, Phrase] | None = None  # of the own newest act or key
        self.news: deque[Phrase] = deque(maxlen=NEWS)  # acts of others, the newest last
        self.typing = False  # a line has been begun and not sent: keys are letters of it
        self._pending: Phrase | None = None  # the own act that is not in the log yet
        self._kept_key = ""  # a key that was pressed while that act was pending

    def press(self, offers: Sequence[Offer], key: str) -> Offer | None:
        """Return the offer of this key, and make it the pending act. None if the key has no offer:
        then the status says so.
        """
        offer = next((offer for offer in offers if key in offer.key), None)
        if offer is None:
            self.status = Style.PLAIN, phrase("live.nothing", key=key_label(key))
            return None
        self._pending = offer.label
        self.status = Style.TURN, phrase("live.under_way", what=offer.label)
        return offer

    def keep(self, key: str) -> None:
        """Keep a key for the next turn while an act is pending. Otherwise the key is dropped."""
        if self._pending is not None:
            self._kept_key = key
            self.status = Style.TURN, phrase("live.kept", what=self._pending, key=key_label(key))

    def begin_turn(self) -> str:
        """Begin a turn, and return the key that was kept for it; empty if none was.

        An act that is still pending now was never sent, or was refused, because an entry of others
        or of the rules came before it.
        """
        if self._pending is not None:
            self.status = Style.BAD, phrase("live.gone", what=self._pending)
            self._pending = None
        key = self._kept_key
        self._kept_key = ""
        return key

    def read_entry(self, event: events.Happened, own: int | None) -> None:
        """Update status and news after an entry."""
        if event.before.deal_number != event.match.deal_number:  # the pieces of these acts are gone
            self.news.clear()
            self.status = None
        if event.entry.kind != "move":
            return
        if event.entry.author != own:
            before = shared_regions(event.before)
            after = shared_regions(event.match)
            # the act changed only the author's own regions, and the picture shows those
            if before == after and before is not None:
                return
            deeds = narrate_entry(event.before, event.entry, event.match)
            self.news.extend(deed.phrase for deed in deeds if deed.kind in MOVE_KINDS)
        elif self._pending is not None:
            late = event.match.late_counts != event.before.late_counts
            outcome = phrase("live.late" if late else "live.done", what=self._pending)
            self.status = Style.BAD if late else Style.GOOD, outcome
            self._pending = None


def shared_regions(match: Match) -> list[Region] | None:
    """Return the regions of the table that belong to no seat; None if the game does not name them."""
    board = match.setup.view.board(match.setup.game, match.game)
    if isinstance(board, RegionBoard):
        return [region for region in board.regions if region.seat is None]
    return None


def key_label(key: str) -> str | Phrase:
    """Return the text of a key for a sentence."""
    return phrase("live.space") if key == SPACE else key
