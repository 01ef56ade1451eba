"""The guests can be played here."""

import pytest

from protocol.games import registry
from tests.unit.protocol.guests.grab import Grab, Shed
from tests.unit.protocol.guests.nim import Nim
from tests.unit.protocol.guests.suits import Suits


@pytest.fixture(autouse=True)
def guests(monkeypatch):
    for guest in (Nim, Grab, Shed, Suits):
        monkeypatch.setitem(registry.GAMES, guest.name, guest)
