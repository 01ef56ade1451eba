"""Files named on the command line are read within the limit, or refused with a reason."""

import pytest

from protocol.errors import LocalError
from protocol.i18n import english
from protocol.limits import MAX_LOG_FILE
from protocol.local_files import read_file, read_log, write_bytes, write_text
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
