"""The shop window with a real shop: looking, buying, and what it refuses and keeps."""

import asyncio
from contextlib import contextmanager

import pytest

from player.cards.shops.shop_visit import ShopBuyer
from player.cli.cards import arguments
from player.cli.cards.shop import Shop
from player.ui.web.cards.shop_window import ShopWindow
from protocol.errors import LocalError
from protocol.wire import decode, encode
from tests.support.creators import Creators
from tests.unit.player.cli.cards.test_creator_commands import small_run

pytestmark = pytest.mark.match


@pytest.fixture
def people(tmp_path, monkeypatch):
    made = Creators(tmp_path, monkeypatch)
    assert small_run(made) == 0
    return made


class Watched(ShopWindow):
    """Shop window whose changes a test can wait for."""

    def __init__(self, buyer, showing):
        self.change = asyncio.Event()
        super().__init__(buyer, showing, lambda known: self.change.set())

    async def until(self, fits):
        """Return the first state that fits."""
        async with asyncio.timeout(60):
            while not fits(self.shown()):
                self.change.clear()
                await self.change.wait()
        return self.shown()

    async def ended(self):
        """Return the state at the end of the visit."""
        return await self.until(lambda shown: shown is not None and not shown["running"])


@contextmanager
def opened(people):
    """Open the shop window of Ann."""
    with people.program("list", who="ann", parser=arguments.parser) as program:
        buyer = ShopBuyer(program.identity, program.collection, program.rng, people.folder / "ann")
        yield Watched(buyer, program.showing)


def keys(shown):
    """Return the keys of all notes."""
    return [note.key for note in shown["notes"]]


async def test_window_shows_runs_and_counts_packs_down(people):
    with opened(people) as window:
        assert window.shown() is None and not window.is_open
        async with people.shop() as link:
            window.act({"do": "look", "link": link})
            found = await window.ended()
            (run,) = found["runs"]
            assert (run["unsold"], run["packs"], run["size"], run["price"]) == (3, 3, 2, 0)
            assert found["creator"].name == "Maker" and not found["opened"]
            window.act({"do": "buy", "run": run["run"], "packs": 2, "pay": ""})
            assert window.buying
            found = await window.ended()
        assert len(found["opened"]) == 4 and found["runs"][0]["unsold"] == 1
        assert found["done"] == found["steps"] == 8 and not found["notes"]
        window.act({"do": "leave"})
        assert window.shown() is None
        (known,) = window.listed()["shops"]
        assert known["link"] == link and known["creator"].name == "Maker"
        window.act({"do": "forget", "key": known["key"]})
        assert window.listed() == {"shops": [], "unanswered": []}


async def test_window_refuses_second_purchase_and_wrong_payment(people):
    with opened(people) as window:
        async with people.shop(price=1) as link:
            window.act({"do": "look", "link": link})
            (run,) = (await window.ended())["runs"]
            wish = {"do": "buy", "run": run["run"], "packs": 1, "pay": ""}
            for wrong in ({"packs": 0}, {"packs": 4}, {"pay": "xx"}, {"run": "00"}, {}):
                with pytest.raises(LocalError):
                    window.act(wish | wrong)
            assert not window.running
        async with people.shop() as link:
            window.act({"do": "look", "link": link})
            (run,) = (await window.ended())["runs"]
            window.act(wish)
            for other in (wish, {"do": "look", "link": link}, {"do": "leave"}):
                with pytest.raises(LocalError, match=r"wrong\.cardshop\.busy"):
                    window.act(other)
            assert len((await window.ended())["opened"]) == 2


async def test_changed_price_sells_nothing(people):
    with opened(people) as window:
        async with people.shop() as link:
            window.act({"do": "look", "link": link})
            (run,) = (await window.ended())["runs"]
        port = int(link.split(":")[2].split("/")[0])
        async with people.shop(price=1, listen=f"127.0.0.1:{port}"):
            window.act({"do": "buy", "run": run["run"], "packs": 1, "pay": ""})
            found = await window.ended()
        assert keys(found) == ["wrong.cards.buy.changed"] and not found["opened"]
    assert not people.owned("ann")


class Failing(Shop):
    """Shop that fails at the buyer's message `message`, as long as `fails` is True."""

    message = ""
    fails = True

    def received(self, connection, peer, payload):
        if self.fails and decode(payload)[0] == self.message:
            self.fail(connection, peer, payload)
        else:
            super().received(connection, peer, payload)

    def fail(self, connection, peer, payload):
        """Hang up."""
        connection.close()


class HangsUp(Failing):
    """Shop that hangs up when somebody begins to buy."""

    message = "buy"


class Faulty(Failing):
    """Shop that answers the beginning of a purchase with a coin, before any terms."""

    message = "buy"

    def fail(self, connection, peer, payload):
        """Send the coin."""
        connection.send(encode(["coin", bytes(32)]))


class Forgetful(Failing):
    """Shop that hangs up between a sale and its answer, once."""

    message = "sign"

    def fail(self, connection, peer, payload):
        """Sell, and hang up."""
        self._visits[connection].received(payload)
        self.fails = False
        connection.close()


@pytest.mark.parametrize(
    ("selling", "notes"),
    [
        (HangsUp, ["cardshop.cut", "cardshop.unpaid"]),
        (Faulty, ["cardshop.faulty", "cardshop.unpaid"]),
    ],
)
async def test_shop_that_hangs_up_is_told_from_faulty_shop(people, selling, notes):
    with opened(people) as window:
        async with people.shop(selling=selling) as link:
            window.act({"do": "look", "link": link})
            (run,) = (await window.ended())["runs"]
            window.act({"do": "buy", "run": run["run"], "packs": 1, "pay": ""})
            assert keys(await window.ended()) == notes
        window.act({"do": "look", "link": link})
        assert keys(await window.ended()) == ["cardshop.nobody"]
    assert not people.owned("ann")


async def test_purchase_without_answer_is_listed_and_answered_later(people):
    with opened(people) as window:
        async with people.shop(selling=Forgetful) as link:
            window.act({"do": "look", "link": link})
            (run,) = (await window.ended())["runs"]
            window.act({"do": "buy", "run": run["run"], "packs": 1, "pay": ""})
            found = await window.ended()
            assert keys(found)[-1] == "cardshop.pending" and "cardshop.unpaid" not in keys(found)
            (owed,) = window.listed()["unanswered"]
            assert owed["link"] == link and owed["pays"] == ()
            window.act({"do": "look", "link": link})
            found = await window.ended()
        assert keys(found) == ["cardshop.late"] and len(found["opened"]) == 2
        assert window.listed()["unanswered"] == []
    assert len(people.owned("ann")) == 2


@pytest.mark.parametrize(
    ("text", "key"),
    [("nonsense", "cardshop.link"), ("fairdeal://127.0.0.1:7500", "wrong.cardpage.table")],
)
def test_text_that_is_no_shop_link_is_explained(people, text, key):
    with opened(people) as window:
        with pytest.raises(LocalError) as refused:
            window.act({"do": "look", "link": text})
        assert refused.value.phrase.key == key and window.shown() is None
