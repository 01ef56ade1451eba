"""Images of cards in a trade: they come beside it, no others are revealed, and no trade needs
them.
"""

import pytest

from player.cards.card_presenter import CardPresenter
from player.cards.collection import Collection
from player.cards.shops.shop_visit import ShopBuyer
from player.cards.storage.ledger_store import LedgerStore
from player.ui.web.cards.cards_screen import CardsScreen
from player.ui.web.cards.trade_connections import TradeConnections
from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.ledger.merge.messages import decode as read_about_images
from protocol.ledger.merge.messages import encode as about_images
from protocol.ledger.record_contents import CardType, Creator
from protocol.ledger.records import image_digest, sign_record
from protocol.ledger.trading.events import (
    ImagesReceived,
    RecordsReceived,
    TradeFinished,
    TradeProposed,
)
from protocol.ledger.trading.image_exchange import ImageExchange
from protocol.ledger.trading.messages import TradePhase, decode
from protocol.limits import MAX_CARD_IMAGE, MAX_MERGE_IMAGES, MAX_TRADE_IMAGES, MERGE_IMAGES
from tests.support.ledger import ANN, BOB, MAKER, card, slot_of, traded
from tests.support.stores import left_open
from tests.support.trading import Pair, Person

# the second takes two messages
ICON, FACE, OTHER = b"<svg>icon</svg>", b"<svg>" * 20_000, b"<svg>other</svg>"
CREATOR = sign_record(Creator(MAKER.public, 0, None, "Maker", image_digest(ICON), "", (), 0), MAKER)


def kind(name, image):
    return sign_record(
        CardType(MAKER.public, None, 0, None, name, "First", image_digest(image), (), True, ""),
        MAKER,
    )


KINDS = kind("Salamander", FACE), kind("Griffin", OTHER)
HERS, SECOND = (card(number, each) for number, each in enumerate(KINDS))  # both belong to Ann


class FullDisk(Collection):
    def store_images(self, images):
        raise LocalError("wrong.write", path="disk", why="full")


class Talk(Pair):
    """A trade in which Ann has two cards and their images, and Bob has nothing."""

    def __init__(self, path, *, images=(ICON, FACE, OTHER), his=Collection):
        people = [Person(me, path / str(at)) for at, me in enumerate((ANN, BOB))]
        self.hers, self.his = (
            made(one.store, one.me.public)
            for made, one in zip((Collection, his), people, strict=True)
        )
        given = traded(MAKER, ANN, [slot_of(one.id) for one in (HERS, SECOND)])
        self.hers.add([CREATOR, *KINDS, HERS, SECOND, given])
        self.hers.store_images(images)
        people[0].journal.mend()
        super().__init__(
            people[0].meet(BOB.public, book=self.hers), people[1].meet(ANN.public, book=self.his)
        )
        self.run()

    def say(self, number, name, *values):
        """Let one side send a false message; return the other's answers about images."""
        payload = self.forge(number, "image", about_images(name, *values))
        self.sent[number].append(payload)
        before = len(self.sent[1 - number])
        self.sides[1 - number].received(payload)
        self.gather()
        return [
            read_about_images(said.values[0])
            for said in map(decode, self.sent[1 - number][before:])
        ]

    def asked(self):
        """Return whether Bob has asked for an image."""
        self.gather()
        return any(decode(payload).name == "image" for payload in self.sent[1])


def offering(path, **how):
    talk = Talk(path, **how)
    talk.sides[0].offer([HERS.id])
    return talk


def finish(talk):
    """Let Ann give the card away."""
    talk.sides[1].propose()
    talk.run()
    for number in (1, 0):
        talk.sides[number].sign(talk.last(number, TradeProposed).terms.id)
    talk.run()
    assert talk.last(1, TradeFinished)


def test_trade_image_and_icon_arrive_stored_and_shown(tmp_path):
    talk = offering(tmp_path).run()
    assert sum(isinstance(event, ImagesReceived) for event in talk.told[1]) == 2
    screen = CardsScreen(talk.his, lambda: CardPresenter(talk.his, {}), TradeConnections, ShopBuyer)
    assert screen.picture(image_digest(FACE)) == FACE and screen.picture(image_digest(ICON)) == ICON
    assert talk.his.image(image_digest(OTHER)) is None
    talk.his.store.close()
    again = left_open(LedgerStore(tmp_path / "1", BOB.public, None))
    assert again.image(image_digest(FACE)) == FACE


def test_images_are_requested_singly_after_records_are_complete(tmp_path):
    talk = offering(tmp_path)
    talk.run(talk.asked)
    assert any(isinstance(event, RecordsReceived) for event in talk.told[1])
    talk.run()
    questions = [
        read_about_images(said.values[0])
        for said in map(decode, talk.sent[1])
        if said.name == "image"
    ]
    assert questions == [("images", [[image_digest(FACE)]]), ("images", [[image_digest(ICON)]])]


def test_image_repeated_on_another_line_is_no_news(tmp_path):
    talk = offering(tmp_path).run()
    for number in (0, 1):
        for payload in list(talk.sent[number]):
            talk.sides[1 - number].received(payload)
    finish(talk.run())


def test_image_of_card_not_offered_is_not_revealed(tmp_path):
    talk = offering(tmp_path).run()
    for digest in (image_digest(OTHER), b"?" * 32):
        assert talk.say(1, "images", [digest]) == [("no_image", [digest])]


def test_image_of_withdrawn_card_may_be_requested(tmp_path):
    talk = Talk(tmp_path)
    talk.sides[0].offer([HERS.id])
    talk.sides[0].offer([])
    talk.run()
    assert [name for name, _ in talk.say(1, "images", [image_digest(FACE)])] == ["image", "image"]


def test_wrong_image_blames_sender_and_is_not_kept(tmp_path):
    talk = offering(tmp_path)
    talk.run(talk.asked)
    with pytest.raises(RemoteError) as error:
        talk.say(0, "image", image_digest(FACE), 5, b"<SVG>")
    assert error.value.code is Code.BAD_MESSAGE and talk.sides[1].phase is TradePhase.CLOSED
    assert talk.his.image(image_digest(b"<SVG>")) is None


def test_image_requests_are_bounded(tmp_path):
    talk = offering(tmp_path).run()
    names = [number.to_bytes(32, "big") for number in range(MAX_MERGE_IMAGES + 1)]
    with pytest.raises(RemoteError) as error:
        for at in range(0, len(names), MERGE_IMAGES):
            talk.say(1, "images", names[at : at + MERGE_IMAGES])
    assert error.value.code is Code.TOO_MANY


@pytest.mark.parametrize("how", ({"images": ()}, {"his": FullDisk}), ids=("nowhere", "not kept"))
def test_trade_completes_without_images(tmp_path, how):
    talk = offering(tmp_path, **how).run()
    finish(talk)
    assert (
        talk.his.view.holding(HERS.id).owner == BOB.public
        and talk.his.image(image_digest(FACE)) is None
    )


class Album:
    """A store of large images that all belong to one card."""

    def __init__(self, number):
        self.images = {
            image_digest(one): one for one in (bytes([at]) * MAX_CARD_IMAGE for at in range(number))
        }

    def image_digests(self, cards):
        return list(self.images)

    def image(self, digest):
        return self.images[digest]

    def store_images(self, images):
        return len(images)


class Empty(Album):
    """A store that knows of the same images, and has none of them."""

    def image(self, digest):
        return None


@pytest.mark.slow
def test_session_image_bytes_are_bounded():
    most = MAX_TRADE_IMAGES // MAX_CARD_IMAGE
    giving, asking = ImageExchange(Album(most + 2)), ImageExchange(Empty(most + 2))
    giving.allow_images([HERS.id])
    asking.request_images([HERS.id])
    came = asked = 0
    while questions := asking.outgoing():
        asked += len(questions)
        for question in questions:
            giving.received(question)
        came += sum(map(asking.received, giving.outgoing()))
    assert came == asked == most
    giving.received(about_images("images", [list(Album(most + 2).images)[-1]]))
    assert [read_about_images(one)[0] for one in giving.outgoing()] == ["no_image"]


def test_one_image_is_in_transit_at_any_time():
    asking = ImageExchange(Empty(4))
    asking.request_images([HERS.id])
    for digest in Album(4).images:
        sent = [message for _ in range(3) for message in asking.outgoing()]
        assert list(map(read_about_images, sent)) == [("images", [[digest]])]
        asking.received(about_images("no_image", digest))
