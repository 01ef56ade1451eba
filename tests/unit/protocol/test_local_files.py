"""Files named on the command line are read within the limit, or refused with a reason."""

import codecs
import gzip
import io
from pathlib import Path

import pytest

from protocol.errors import LocalError
from protocol.i18n import english
from protocol.limits import MAX_LOG_FILE
from protocol.local_files import read_file, read_log, write_bytes, write_text
from protocol.match.log_file import MAGIC
from protocol.view.text import translate_phrase


@pytest.fixture
def long_file(tmp_path):
    """Make a file of zeros that exceeds the limit of a log and takes no disk space."""
    path = tmp_path / "long.fairdeal"
    with path.open("wb") as file:
        file.truncate(MAX_LOG_FILE + 100)
    return path


@pytest.mark.slow
def test_read_file_beyond_the_limit_raises(long_file):
    with pytest.raises(LocalError):
        read_file(long_file)


@pytest.mark.slow
def test_read_log_beyond_the_limit_returns_one_byte_more(long_file):
    assert len(read_log(long_file)) == MAX_LOG_FILE + 1


def test_read_log_of_a_folder_names_the_folder(tmp_path):
    with pytest.raises(LocalError) as refused:
        read_log(tmp_path)
    assert str(tmp_path) in translate_phrase(refused.value.phrase, english)


def test_write_text_writes_utf_8(tmp_path):
    write_text(str(tmp_path / "tree.svg"), "−1")
    assert (tmp_path / "tree.svg").read_bytes() == "−1".encode()


def test_write_bytes_into_a_missing_folder_raises(tmp_path):
    with pytest.raises(LocalError):
        write_bytes(tmp_path / "nowhere" / "file", b"")


MANGLED = {
    "gzip": gzip.compress(MAGIC),
    "zip": b"PK\x03\x04 and so on",
    "as text": MAGIC.replace(b"\n", b"\r\n"),
    "with a mark": codecs.BOM_UTF8 + MAGIC,
    "in UTF-16": codecs.BOM_UTF16_LE + MAGIC.decode().encode("utf-16-le"),
    "web page": b"\n<!DOCTYPE html><html>",
}


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("gzip", "compressed (gzip)"),
        ("zip", "compressed (zip)"),
        ("as text", "took the file for text"),
        ("with a mark", "took the file for text"),
        ("in UTF-16", "took the file for text"),
        ("web page", "web page"),
    ],
)
def test_log_that_a_system_has_mangled_is_nobodys_fault(tmp_path, kind, said):
    path = tmp_path / "a.fairdeal"
    path.write_bytes(MANGLED[kind])
    with pytest.raises(LocalError) as refused:
        read_log(path)
    assert said in translate_phrase(refused.value.phrase, english)
    assert read_file(path) == MANGLED[kind]


@pytest.mark.parametrize(
    "there", ["a.fairdeal.txt", "a.fairdeal.gz", "a (1).fairdeal", "A.FAIRDEAL"]
)
def test_file_with_a_changed_name_is_proposed(tmp_path, there):
    (tmp_path / there).write_bytes(b"")
    with pytest.raises(LocalError) as refused:
        read_log(tmp_path / "a.fairdeal")
    assert there in translate_phrase(refused.value.phrase, english)


def test_missing_file_without_a_similar_one_is_only_missing(tmp_path):
    (tmp_path / "b.fairdeal").write_bytes(b"")
    for path in (tmp_path / "a.fairdeal", tmp_path / "nowhere" / "a.fairdeal"):
        with pytest.raises(LocalError) as refused:
            read_log(path)
        assert "Did you mean" not in translate_phrase(refused.value.phrase, english)


def test_dash_is_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(MAGIC)))
    assert read_log(Path("-")) == MAGIC
