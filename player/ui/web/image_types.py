"""Media types of card images for a browser, by the first bytes of an image.

An image may come from anybody. The page draws images with `<img>` from memory: there an SVG runs no
script and fetches nothing, and the content security policy forbids the rest. A few kilobytes can
claim to be a picture of a billion pixels, which would fill the browser's memory. So images that are
too large, or do not state their size, are not shown.
"""

from protocol.limits import MAX_FACE_POINTS

SVG = "image/svg+xml"
_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG = b"\xff\xd8"
# JPEG markers without a length after them (ITU-T T.81, B.1.1.3)
_BARE = frozenset({0x01, *range(0xD0, 0xD9)})
_SEGMENTS = 256  # segments to search; a photograph has about twenty before its frame header
# JPEG frame headers, which state the size of the picture (B.2.2)
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


def kind_of(image: bytes) -> str | None:
    """Return the media type of an image; None if the page does not show it."""
    begins = image.removeprefix(b"\xef\xbb\xbf").lstrip()
    if begins.startswith((b"<svg", b"<?xml")):
        return SVG  # no check of the size: the page scales an SVG
    for kind, size in (("image/png", _png), ("image/jpeg", _jpeg), ("image/webp", _webp)):
        if (found := size(image)) is not None:
            if 0 < found[0] * found[1] <= MAX_FACE_POINTS:
                return kind
            return None
    return None


def _png(image: bytes) -> tuple[int, int] | None:
    """Return width and height in pixels (PNG, 11.2.1); None for another kind of image, as in the
    functions below.
    """
    if not image.startswith(_PNG) or image[12:16] != b"IHDR":
        return None
    return int.from_bytes(image[16:20]), int.from_bytes(image[20:24])


def _jpeg(image: bytes) -> tuple[int, int] | None:
    if not image.startswith(_JPEG):
        return None
    at = len(_JPEG)
    for _ in range(_SEGMENTS):
        if len(image) < at + 9 or image[at] != 0xFF:
            break
        marker = image[at + 1]
        if marker in _FRAMES:
            return int.from_bytes(image[at + 7 : at + 9]), int.from_bytes(image[at + 5 : at + 7])
        if marker == 0xFF:  # a fill byte
            at += 1
        else:
            at += 2 + (0 if marker in _BARE else int.from_bytes(image[at + 2 : at + 4]))
    return None


def _webp(image: bytes) -> tuple[int, int] | None:
    """Return width and height in pixels (RFC 9649, 2.5 to 2.7)."""
    if image[:4] != b"RIFF" or image[8:12] != b"WEBP" or len(image) < 30:
        return None
    match image[12:16]:
        case b"VP8X":
            return _little(image[24:27]) + 1, _little(image[27:30]) + 1
        case b"VP8L":
            bits = _little(image[21:25])
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8 ":
            return _little(image[26:28]) & 0x3FFF, _little(image[28:30]) & 0x3FFF
    return None


def _little(data: bytes) -> int:
    return int.from_bytes(data, "little")
