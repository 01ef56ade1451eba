"""Programs without a ledger play no cards that somebody owns."""

import subprocess
import sys
from random import Random

import pytest

from player.client.environment import Environment
from player.client.loadouts import NoOwnedCards
from player.client.seat import Seat
from protocol.errors import LocalError
from protocol.games.decks import Owned, ProxyCard
from protocol.games.decks.deck_hand import Loadout
from protocol.identity.keys import Identity

ME = Identity(b"m" * 32)
OWNED = Loadout((ProxyCard(4), Owned(bytes(32), (bytes(32),))))


def test_environment_without_loadouts_refuses_owned_cards() -> None:
    environment = Environment(ME, Random(1), Seat, None, lambda event: None)
    environment.loadouts.check_free(ME.public, Loadout((ProxyCard(4),)))
    with pytest.raises(LocalError) as refused:
        environment.loadouts.check_free(ME.public, OWNED)
    assert refused.value.phrase.key == "wrong.deck.unchecked"


def test_no_owned_cards_loads_rule_file_but_no_deck() -> None:
    assert NoOwnedCards().load(ME.public, None, "RULES = {}") == Loadout(text="RULES = {}")
    with pytest.raises(LocalError):
        NoOwnedCards().load(ME.public, "first")


@pytest.mark.process
def test_loadout_import_loads_no_database_and_no_ledger() -> None:
    """Every player command imports the module, and few matches have owned cards."""
    code = "import sys, player.cards.decks.loadout, player.client.requirements; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    slow = ("sqlite3", "protocol.ledger", "player.cards.storage", "player.cards.collection")
    assert not [name for name in done.stdout.split() if name.startswith(slow)]
