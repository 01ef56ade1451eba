"""Folder of a page in memory."""

from pathlib import Path

import pytest

from net.page.folder import load_page
from protocol.errors import LocalError
from tests.support.site_folder import FILES, write_folder


def test_folder_is_read_with_packed_copies(tmp_path: Path) -> None:
    written = write_folder(tmp_path)
    manifest, files = load_page(tmp_path)
    assert manifest == written
    assert {name: files[name].data for name in FILES} == FILES
    script = files["files/script-0123456789abcdef.js"]
    assert list(script.packed) == ["gzip"] and script.is_fixed
    assert not files["index.html"].is_fixed


def test_changed_file_in_folder_is_refused(tmp_path: Path) -> None:
    write_folder(tmp_path)
    (tmp_path / "index.html").write_bytes(b"<!doctype html>")
    with pytest.raises(LocalError) as error:
        load_page(tmp_path)
    assert error.value.phrase.key == "wrong.page.changed"


def test_folder_without_page_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LocalError) as error:
        load_page(tmp_path)
    assert error.value.phrase.key == "wrong.page.folder"
