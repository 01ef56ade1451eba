"""Images by digest: transferred completely and once, and only to peers whose records name them."""

import pytest

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.ledger.merge.image_transfer import ImageTransfer
from protocol.ledger.merge.messages import decode, encode
from protocol.ledger.records import image_digest
from protocol.limits import MAX_CARD_IMAGE, MAX_MERGE_IMAGES, MERGE_IMAGES

SMALL, LARGE = b"<svg/>", bytes(range(256)) * (MAX_CARD_IMAGE // 256)
HELD = {image_digest(image): image for image in (SMALL, LARGE)}
ONE, TWO = HELD


def nothing(digest):
    return None


def pair(may_have=HELD):
    return ImageTransfer(nothing, ()), ImageTransfer(HELD.get, may_have)


def talk(asking, giving):
    found, rounds = [], 0
    while asking.waiting:
        rounds += 1
        for message in asking.outgoing():
            assert giving.received(message) == []
        for message in giving.outgoing():
            found += asking.received(message)
    return found, rounds


def refused(images, *messages):
    with pytest.raises(RemoteError) as error:
        for message in messages:
            images.received(message)
    return error.value.code


def asked(*digests):
    images = ImageTransfer(nothing, ())
    images.ask(digests)
    assert decode(images.outgoing()[0]) == ("images", [list(digests)])
    return images


def test_images_arrive_whole_in_order_and_missing_ones_reported():
    asking, giving = pair()
    asking.ask([TWO, b"?" * 32, ONE])
    assert talk(asking, giving) == ([LARGE, SMALL], 1)


def test_images_are_requested_in_small_batches():
    asking, giving = pair()
    asking.ask([number.to_bytes(32, "big") for number in range(2 * MERGE_IMAGES)] + [ONE])
    assert talk(asking, giving) == ([SMALL], 3)


def test_image_unnamed_in_peer_records_is_not_disclosed():
    asking, giving = pair(may_have={TWO})
    asking.ask([ONE])
    assert talk(asking, giving)[0] == []


def test_image_requests_are_bounded_and_not_repeated():
    assert refused(pair()[1], *[encode("images", [ONE])] * 2) is Code.BAD_MESSAGE
    many = [
        encode("images", [number.to_bytes(32, "big")]) for number in range(MAX_MERGE_IMAGES + 1)
    ]
    assert refused(pair()[1], *many) is Code.TOO_MANY


@pytest.mark.parametrize(
    "messages",
    (
        [encode("image", TWO, 6, SMALL)],
        [encode("image", ONE, 6, SMALL + b"!")],
        [encode("image", ONE, 6, b"<SVG/>")],
        [encode("image", ONE, 0, b"!")],
        [encode("image", ONE, 6, b"<svg")] * 2,
        [encode("image", ONE, 6, b"<svg"), encode("no_image", ONE)],
        [encode("image", ONE, 6, SMALL)] * 2,
        [encode("no_image", TWO)],
        [encode("turn")],
        [encode("images", [])],
    ),
    ids=range(10),
)
def test_unrequested_image_message_is_refused(messages):
    assert refused(asked(ONE), *messages) is Code.BAD_MESSAGE


def test_endless_image_is_cut_off():
    part = bytes(60_000)
    assert (
        refused(asked(ONE), *[encode("image", ONE, MAX_CARD_IMAGE, part)] * 5) is Code.BAD_MESSAGE
    )
