"""Text files as editors write them come to the same text."""

import codecs

import pytest

from protocol.text_files import plain_text

TEXT = "# Größe\nname = 1\n"


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        TEXT.encode("utf-8-sig"),
        TEXT.encode("utf-16"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
        TEXT.encode("utf-32"),
        TEXT.replace("\n", "\r\n").encode(),
        TEXT.replace("\n", "\r").encode(),
        TEXT.replace("\n", "\r\n").encode("utf-8-sig"),
    ],
)
def test_marks_and_line_ends_make_no_other_text(data):
    assert plain_text(data) == TEXT.encode()


@pytest.mark.parametrize("data", [b"", b"\xff\xfe\x00", b"\xef\xbb\xbf\xff", b"a\xe4b"])
def test_bytes_of_another_encoding_are_left(data):
    assert plain_text(data) in (data, data.removeprefix(codecs.BOM_UTF8))
