"""A shop at a link: packs are bought over a real connection, the run is opened, and anybody checks
it.
"""

import asyncio

import pytest

from player.cards.creator.run_store import stored_runs
from player.cards.shops.shop_visit import ShopVisit
from player.cli.cards.shop import Shop
from protocol.ledger.runs.sale_terms import Receipt, read_receipt, sign_terms
from protocol.wire import decode
from tests.support.creators import PATIENCE, Creators
from tests.unit.player.cli.cards.test_creator_commands import small_run

pytestmark = pytest.mark.match


@pytest.fixture
def people(tmp_path, monkeypatch):
    made = Creators(tmp_path, monkeypatch)
    assert small_run(made) == 0
    return made


async def test_shop_sells_packs_until_run_is_sold_out_and_opened(people, capsys):
    async with people.shop() as link:
        assert await people.buy(link) == 0
    ann = people.owned("ann")
    assert len(ann) == 2 and not people.owned("bob")
    assert people.type("open", "--out", people.folder / "trees") == 2  # packs are unsold
    paying = sorted(one.hex()[:12] for one in ann)
    async with people.shop(price=1) as link:
        assert await people.buy(link, "--pay", *paying, "--packs", "2") == 0
    assert len(people.owned("ann")) == 4 and not people.owned("ann") & ann
    assert people.type("open", "--out", people.folder / "trees") == 0
    assert people.type("check", people.folder / "trees.run", who="cleo") == 0
    assert people.type("sell", "--listen", "127.0.0.1:0") == 2  # nothing is left
    assert "fairdeal:" in capsys.readouterr().err


async def test_buyer_gets_faces_with_the_cards(people):
    face = people.folder / "oak.svg"
    face.write_bytes(b"<svg xmlns='http://www.w3.org/2000/svg'/>")
    assert people.type("revise", "Oak", "--image", face) == 0
    async with people.shop() as link:
        assert await people.buy(link) == 0
    with people.program("new", who="ann") as program:
        ((_, kind),) = program.collection.index.types.values()
        assert (
            kind.image is not None
            and program.collection.store.image(kind.image) == face.read_bytes()
        )


async def test_receipts_reveal_contradicting_creator(people, capsys):
    async with people.shop() as link:
        assert await people.buy(link, "--packs", "2") == 0
    paths = sorted((people.folder / "ann" / "receipts").iterdir())
    assert [path.name.rpartition("-")[2] for path in paths] == ["0.receipt", "1.receipt"]
    assert people.type("check", *paths, who="ann") == 0
    with people.program("new") as program:
        before, after = (read_receipt(path.read_bytes()).terms for path in paths)
        lie = sign_terms(
            program.identity,
            after.__class__(
                *(getattr(after, name) for name in after.__slots__[:4]),
                bytes([before.unsold[0]]),
                *(getattr(after, name) for name in after.__slots__[5:]),
            ),
        )
    assert isinstance(lie, Receipt)
    other = people.folder / "other.receipt"
    other.write_bytes(lie.raw())
    assert people.type("check", *paths, other, who="ann") == 1
    assert "contradict" in capsys.readouterr().out


async def test_wrong_opening_and_invalid_file_are_distinguished(people, capsys):
    assert people.type("open", "--unsold", "--out", people.folder / "trees") == 0
    assert all(kept.opened for kept in stored_runs(people.folder / "maker"))
    path = people.folder / "trees.run"
    raw = path.read_bytes()
    path.write_bytes(raw[:60] + bytes([raw[60] ^ 1]) + raw[61:])  # a byte of a salt
    assert people.type("check", path, who="cleo") == 1
    assert "anybody can write such a file" in capsys.readouterr().out
    path.write_bytes(b"nothing of the kind")
    assert people.type("check", path, who="cleo") == 2


class Silent(ShopVisit):
    """Buyer that begins to buy, and says nothing more once it has the terms."""

    def received(self, payload):
        if decode(payload)[0] != "terms":
            super().received(payload)


class OncePatient(Shop):
    """Shop that waits only a moment for the first buyer, and as long as a busy machine needs for
    all others.
    """

    def gone(self, connection, code):
        super().gone(connection, code)
        self._patience = PATIENCE


async def test_silent_buyer_is_timed_out_and_others_may_buy(people, capsys):
    async with people.shop(patience=1, selling=OncePatient) as link:
        assert await people.buy(link, visit=Silent) == 1
        assert await people.buy(link, who="bob") == 0
    assert len(people.owned("bob")) == 2 and not people.owned("ann")
    assert "broke before the sale was complete" in capsys.readouterr().out


async def test_simultaneous_buyers_get_one_pack_each_or_are_refused(people):
    async with people.shop() as link:
        codes = await asyncio.gather(*(people.buy(link, who=who) for who in ("ann", "bob", "cleo")))
    owned = [people.owned(who) for who in ("ann", "bob", "cleo")]
    assert [len(cards) for cards in owned] == [2 * (code == 0) for code in codes] and 0 in codes
    assert len(set().union(*owned)) == sum(map(len, owned))


class Leaving(ShopVisit):
    """Buyer that hangs up as soon as it has the terms."""

    def received(self, payload):
        if decode(payload)[0] == "terms":
            self.ended.set()
        else:
            super().received(payload)


class Impatient(ShopVisit):
    """Shop that waits only a moment."""

    patience = 1.0

    def established(self, connection, table_key):
        super().established(connection, table_key)
        connection.send = lambda payload: None


async def test_stalled_partner_is_named_to_the_other_side(people, capsys):
    async with people.shop() as link:
        assert await people.buy(link, visit=Leaving) == 1
        assert await people.buy(link, who="bob") == 0
    assert "began to buy but did not finish" in capsys.readouterr().out


async def test_creator_hanging_up_after_seeing_pack_is_named(people, capsys):
    async with people.shop(selling=HangingUp) as link:
        assert await people.buy(link) == 1
    said = capsys.readouterr().out
    assert "has not opened pack" in said and not people.owned("ann")
    assert len(list((people.folder / "ann" / "receipts").iterdir())) == 1


async def test_silent_creator_is_not_awaited(people, capsys):
    async with people.shop() as link:
        assert await people.buy(link, visit=Impatient) == 1
    assert "broke before the sale was complete" in capsys.readouterr().out


class HangingUp(Shop):
    """Shop that hangs up when it knows which pack is to be opened."""

    def received(self, connection, peer, payload):
        if decode(payload)[0] == "opened":
            connection.close()
        else:
            super().received(connection, peer, payload)
