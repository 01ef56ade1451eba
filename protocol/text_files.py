"""Text as editors and systems write it: the same text, whatever marks and line ends it came with."""

import codecs
from contextlib import suppress

# byte-order marks, longest first: that of UTF-32 begins with that of UTF-16
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def plain_text(data: bytes) -> bytes:
    """Return a text without byte-order mark, in UTF-8, with the line ends of Unix.

    Bytes of another encoding stay as they are: who reads the text says where it is wrong.
    """
    encoding = next((name for mark, name in _MARKS.items() if data.startswith(mark)), None)
    if encoding is not None:
        with suppress(UnicodeDecodeError):
            data = data.decode(encoding).encode()
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
