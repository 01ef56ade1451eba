"""Card bundles round-trip, and no other file is accepted as one."""

import pytest

from protocol import wire
from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.ledger.bundle import MAGIC, CardBundle, read_bundle, write_bundle
from protocol.limits import MAX_BUNDLE, MAX_CARD_IMAGE, MAX_FRAME
from tests.support.errors import raises_text
from tests.support.histories import History


@pytest.fixture(scope="module")
def history():
    return History(1, trades=3)


def framed(*parts):
    encoded = [wire.encode(list(part)) for part in parts]
    return MAGIC + b"".join(len(one).to_bytes(4, "big") + one for one in encoded)


def test_bundle_round_trips_in_order_without_duplicates(history):
    images = [b"first", bytes(MAX_CARD_IMAGE), b"first"]
    data = write_bundle([*history.records, history.records[0]], images)
    assert read_bundle(data) == CardBundle(
        tuple(record.raw for record in history.records), (b"first", bytes(MAX_CARD_IMAGE))
    )
    assert read_bundle(MAGIC) == CardBundle((), ()) == read_bundle(write_bundle([]))


@pytest.mark.parametrize(
    ("data", "code"),
    (
        (b"", Code.BAD_ENCODING),
        (MAGIC[:-1], Code.BAD_ENCODING),
        (MAGIC + b"\0\0\0", Code.BAD_ENCODING),
        (MAGIC + bytes(4), Code.FRAME_SIZE),
        (MAGIC + (2**31).to_bytes(4, "big"), Code.FRAME_SIZE),
        (framed([0, b"a"])[:-1], Code.BAD_ENCODING),
        (framed([0, b"a"]) + b"\0", Code.BAD_ENCODING),
        (framed([0, b""]), Code.BAD_MESSAGE),
        (framed([2, b"a"]), Code.BAD_MESSAGE),
        (framed([0, b"a"], [0, b"a"]), Code.BAD_MESSAGE),
        (framed([1, b"a"], [1, b"a"]), Code.BAD_MESSAGE),
        (framed([1, b"a"], [0, b"b"]), Code.BAD_MESSAGE),
        (framed([0, bytes(MAX_FRAME + 2)]), Code.BAD_MESSAGE),
        (framed([1, bytes(MAX_CARD_IMAGE + 1)]), Code.BAD_MESSAGE),
        (bytes(MAX_BUNDLE + 1), Code.FRAME_SIZE),
    ),
    ids=range(15),
)
def test_file_of_another_format_is_refused(data, code):
    with pytest.raises(RemoteError) as refused:
        read_bundle(data)
    assert refused.value.code is code


@pytest.mark.parametrize("image", (b"", bytes(MAX_CARD_IMAGE + 1)), ids=("empty", "large"))
def test_unacceptable_image_is_not_written(image):
    with raises_text(LocalError, match="An image has"):
        write_bundle([], [image])


def test_bundle_with_changed_byte_is_refused(history):
    data = write_bundle(history.records[:3], [b"image"])
    honest = read_bundle(data)
    for at in range(len(data)):
        damaged = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        try:
            assert read_bundle(damaged) != honest
        except RemoteError:
            continue
