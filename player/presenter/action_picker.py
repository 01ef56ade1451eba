"""The choice of actions by keys: the action of a key, and its progress until the table has taken
it.
"""

from collections import deque
from collections.abc import Sequence

from player.client import events
from player.presenter.narrator import Style
from protocol.match.narration import MOVE_KINDS, narrate_entry
from protocol.match.state import Match
from protocol.view.board import Offer, Region, RegionBoard
from protocol.view.phrase import Phrase, phrase

NEWS = 3  # acts of others that are told at once
SPACE = " "


class ActionPicker:
    """A person who acts by keys in one match."""

    def __init__(self, keys: str) -> None:
        """`keys`: all that there are in the game, those of `Row.keys`."""
        self.keys = keys
        self.told: tuple[Style, Phrase] | None = None  # of our newest act, or key
        self.news: deque[Phrase] = deque(maxlen=NEWS)  # what others have done, the newest last
        # whether something has been typed that is not sent yet: then keys are letters
        self.typing = False
        self._under_way: Phrase | None = None  # our act that is not in the log yet
        self._kept = ""  # a key that was pressed meanwhile

    def press(self, offers: Sequence[Offer], key: str) -> Offer | None:
        """The offer that this key takes, if there is one; else it is said that there is none."""
        offer = next((offer for offer in offers if key in offer.key), None)
        if offer is None:
            self.told = Style.PLAIN, phrase("live.nothing", key=key_named(key))
            return None
        self._under_way = offer.label
        self.told = Style.TURN, phrase("live.under_way", what=offer.label)
        return offer

    def keep(self, key: str) -> None:
        """Keep a key for later while an action is under way; without one the key comes too early."""
        if self._under_way is not None:
            self._kept = key
            self.told = Style.TURN, phrase("live.kept", what=self._under_way, key=key_named(key))

    def asked(self) -> str:
        """We may act, again: the key that was kept for that, if any.

        What is still under way then was never sent, or refused: others, or the rules by themselves,
        came before it.
        """
        if self._under_way is not None:
            self.told = Style.BAD, phrase("live.gone", what=self._under_way)
            self._under_way = None
        key = self._kept
        self._kept = ""
        return key

    def happened(self, event: events.Happened, own: int | None) -> None:
        """An entry stands, perhaps an act of ours."""
        if event.before.deal_number != event.match.deal_number:  # what was done lies there no more
            self.news.clear()
            self.told = None
        if event.entry.kind != "move":
            return
        if event.entry.author != own:
            before = shared(event.before)
            after = shared(event.match)
            # it was before themselves alone: the picture has that
            if before == after and before is not None:
                return
            done = narrate_entry(event.before, event.entry, event.match)
            self.news.extend(deed.phrase for deed in done if deed.kind in MOVE_KINDS)
        elif self._under_way is not None:
            late = event.match.late_counts != event.before.late_counts
            told = phrase("live.late" if late else "live.done", what=self._under_way)
            self.told = Style.BAD if late else Style.GOOD, told
            self._under_way = None


def shared(match: Match) -> list[Region] | None:
    """Return the regions of the table that belong to no seat; None if the game does not name them."""
    board = match.setup.view.board(match.setup.game, match.game)
    if isinstance(board, RegionBoard):
        return [region for region in board.regions if region.seat is None]
    return None


def key_named(key: str) -> str | Phrase:
    """A key in a sentence."""
    return phrase("live.space") if key == SPACE else key
