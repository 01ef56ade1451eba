"""The stored trade with somebody at the same table."""

import json

import pytest

from player.cards.trades.table_trade import FILE, TableTrade, TableTradeFile
from player.storage.known_tables import KnownTables
from protocol.identity.keys import JoinLink, fingerprint
from tests.support.ledger import ANN, BOB

TABLE = JoinLink("127.0.0.1", 7500, fingerprint(ANN.public))
TRADE = TableTrade(TABLE, BOB.public, "Bob")


def test_stored_trade_is_read_until_it_is_forgotten(tmp_path):
    file = TableTradeFile(tmp_path)
    assert file.read() is None
    file.write(TRADE)
    assert TableTradeFile(tmp_path).read() == TRADE
    file.forget()
    file.forget()
    assert file.read() is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("link", "nonsense"),
        ("link", str(JoinLink("127.0.0.1", 7500, fingerprint(BOB.public), direct=True))),
        ("partner", "zz"),
        ("partner", "00" * 32),
        ("partner", None),
    ],
)
def test_changed_file_has_no_trade(tmp_path, name, value):
    file = TableTradeFile(tmp_path)
    file.write(TRADE)
    stored = json.loads((tmp_path / FILE).read_text())
    (tmp_path / FILE).write_text(json.dumps(stored | {name: value}))
    assert file.read() is None


def test_table_is_known_by_its_key_at_any_address():
    assert TRADE.is_at(JoinLink("table.example.org", 443, TABLE.fingerprint, web_scheme="wss"))
    assert not TRADE.is_at(JoinLink("127.0.0.1", 7500, fingerprint(BOB.public)))


def test_table_of_a_visit_is_known_by_its_address_alone(tmp_path):
    known = KnownTables(tmp_path)
    known.remember(TABLE, ANN.public)
    assert TRADE.is_at(known.resolved(JoinLink("127.0.0.1", 7500)))
    assert not TRADE.is_at(known.resolved(JoinLink("127.0.0.1", 7501)))
