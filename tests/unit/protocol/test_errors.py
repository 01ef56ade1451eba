"""Errors carry a code or a key with values, and know no language."""

import subprocess
import sys

import pytest

from protocol.codes import Code
from protocol.errors import LocalError, RemoteError

LOADED = "import sys, protocol.errors; print(*sorted(sys.modules))"


def test_local_error_as_string_is_its_key_with_values():
    error = LocalError("wrong.read", path="a\nb", why="gone")
    assert str(error) == r"wrong.read(path='a\nb', why='gone')"


def test_remote_error_as_string_is_its_code():
    assert str(RemoteError(Code.TABLE_FULL)) == "table_full"


@pytest.mark.process
def test_errors_import_no_catalogue_and_no_renderer():
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True
    )
    own = [name for name in done.stdout.split() if name.startswith("protocol")]
    names = ("protocol", "protocol.codes", "protocol.errors", "protocol.view")
    assert own == [*names, "protocol.view.phrase"]
