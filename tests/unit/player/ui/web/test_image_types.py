"""Faces of cards: types and sizes that a browser may show, and images that would exhaust its
memory.
"""

import struct
import zlib

import pytest

from player.ui.web.image_types import SVG, kind_of
from protocol.limits import MAX_CARD_IMAGE

LARGE, USUAL = (60000, 60000), (744, 1039)


def png(width, height):
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + struct.pack(">I", 13)
        + header
        + struct.pack(">I", zlib.crc32(header))
    )


def jpeg(width, height, frame=0xC0):
    # a comment claims a size of 1 by 1
    thumbnail = b"\xff\xd8\xff\xc0\x00\x0b\x08\x00\x01\x00\x01\x01\x01\x11\x00"
    comment = b"\xff\xfe" + struct.pack(">H", 2 + len(thumbnail)) + thumbnail
    size = struct.pack(">BBHBHHB", 0xFF, frame, 11, 8, height, width, 1) + b"\x01\x11\x00"
    return b"\xff\xd8" + comment + b"\xff\xff" + size + b"\xff\xd9"


def webp(width, height, kind):
    within = {
        b"VP8X": bytes(4) + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little"),
        b"VP8L": b"\x2f" + (width - 1 | height - 1 << 14).to_bytes(4, "little") + bytes(8),
        b"VP8 ": b"\x10\x00\x00\x9d\x01\x2a" + struct.pack("<HH", width, height),
    }[kind]
    chunk = kind + struct.pack("<I", len(within)) + within
    return b"RIFF" + struct.pack("<I", 4 + len(chunk)) + b"WEBP" + chunk


@pytest.mark.parametrize(
    ("kind", "make"),
    [
        ("image/png", png),
        ("image/jpeg", jpeg),
        ("image/jpeg", lambda *size: jpeg(*size, 0xC2)),  # progressive
        *(
            ("image/webp", lambda *size, kind=kind: webp(*size, kind))
            for kind in (b"VP8X", b"VP8L", b"VP8 ")
        ),
    ],
)
def test_image_of_usual_size_is_shown_and_larger_refused(kind, make):
    assert kind_of(make(*USUAL)) == kind
    most = 16383 if kind == "image/webp" else LARGE[0]
    assert kind_of(make(most, most)) is None
    assert kind_of(make(*USUAL)[:20]) is None


def test_image_without_stated_size_is_not_shown():
    for image in (
        b"",
        b"\xff\xd8\xff\xd9",
        b"\xff\xd8" + b"\xff\xd0" * 40,
        png(0, 5),
        b"RIFF0000WEBP" + bytes(40),
        b"GIF89a",
    ):
        assert kind_of(image) is None
    assert kind_of(b"\xff\xd8" + b"\xff" * (MAX_CARD_IMAGE - 2)) is None
    assert kind_of(b"\xef\xbb\xbf  <svg/>") == kind_of(b"<?xml version='1.0'?><svg/>") == SVG
