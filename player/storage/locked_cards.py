"""The cards that are in a match which is not over: they are not given away meanwhile
(docs/protocol, 34.5).
"""

from pathlib import Path

from player.storage.files import read_json
from player.storage.log_store import damaged
from player.storage.recovery_state import FOLDER, PEERS, SUFFIX
from protocol.errors import RemoteError
from protocol.games.decks import Owned
from protocol.games.decks.deck_hand import read_loadout
from protocol.games.decks.owned_card import card_id
from protocol.games.decks.ownership import NoOwnership


def read_locked_cards(data: Path) -> frozenset[bytes]:
    """The instances that decks of running matches in a data folder have. Raises: LocalError for a
    damaged file.
    """
    paths = (
        path for folder in (FOLDER, PEERS) for path in sorted((data / folder).glob(f"*{SUFFIX}"))
    )
    return frozenset(card for path in paths for card in _cards(path))


def _cards(path: Path) -> frozenset[bytes]:
    """Return the cards of one match; none when it is over or was dropped meanwhile."""
    kept = read_json(path).get("brings", "")
    try:
        if kept:
            cards = read_loadout(bytes.fromhex(kept), NoOwnership()).cards
        else:
            cards = ()
        return frozenset(card_id(card.instance) for card in cards if isinstance(card, Owned))
    except (TypeError, ValueError, RemoteError):
        raise damaged(path) from None
