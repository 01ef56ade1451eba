"""A file of times from somebody else never prevents a verdict."""

import os
import subprocess
import sys

import pytest

from protocol.limits import MAX_TIMES_FILE
from tests.support.log_files import Passer, played

TIMEOUT = 60  # seconds


def pipe(path):
    os.mkfifo(path)


def device(path):
    path.symlink_to("/dev/zero")


def folder(path):
    path.mkdir()


def long(path):
    path.write_bytes(b"\n" * (MAX_TIMES_FILE + 1))


@pytest.mark.process
@pytest.mark.parametrize("make", [pipe, device, folder, long])
@pytest.mark.parametrize("command", ["audit", "clock"])
def test_invalid_times_file_leaves_the_verdict(tmp_path, command, make):
    mine, theirs = (tmp_path / f"{name}.fairdeal" for name in ("mine", "theirs"))
    for path in (mine, theirs):
        path.write_bytes(played(cheat=Passer).file())
    mine.with_suffix(".times").write_text("run\n0 1 1\n")
    make(theirs.with_suffix(".times"))
    words = (
        [str(mine), "--compare", str(theirs)] if command == "audit" else [str(mine), str(theirs)]
    )
    done = subprocess.run(
        [sys.executable, "-P", "-m", "protocol", command, *words],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
    )
    if command == "audit":
        assert done.returncode == 1 and done.stdout.startswith("fault: ")
    else:
        assert done.returncode == 2
    wrong = "damaged" if make is long else "theirs.times"
    assert wrong in done.stderr and "Traceback" not in done.stderr
