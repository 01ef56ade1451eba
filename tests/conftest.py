"""The tiers of the tests, and what all whole matches share.

`scripts/test --quick` runs what is not marked: tests that start no process, open no browser, play
no whole match and take no long computing. A test that needs one of these says so with a marker
(pyproject.toml has them all), on itself or for its file with `pytestmark`. An unmarked test that
starts a process, or takes more than `QUICK_SECONDS`, fails.
"""

import os
import re
import signal
import sys
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.support.garbage import collect_seldom
from tests.support.memo import memoised_backends, memoised_fold

TIERS = ("process", "match", "page", "slow")  # what `--quick` leaves out
WHOLE = re.compile(rf"^pytestmark = \[?pytest\.mark\.({'|'.join(TIERS)})\b", re.MULTILINE)
# CPU time of an unmarked test with its fixtures; the first of a clone loads what others find
QUICK_SECONDS = 3.0
# audit events of a new process
STARTS = ("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn")

# how long an example takes is for scripts/bench to say
settings.register_profile("fairdeal", deadline=None)
settings.load_profile("fairdeal")
collect_seldom()

MEMORY, ROOM = "/dev/shm", 1 << 30  # a folder that is no disk, and bytes that must be free there

_started: list[str] = []


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if event in STARTS:
        _started.append(event)


sys.addaudithook(_note)
sys.dont_write_bytecode = False  # nobody compiles everything anew for each worker and each program
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# in the background of a script it is ignored, by all we start
signal.signal(signal.SIGINT, signal.default_int_handler)
# programs that tests start speak English, whatever language who runs them has
os.environ["LANGUAGE"] = "en"


def _has_room(folder: str) -> bool:
    """Whether tests, and the programs that they install and start, may keep their files there."""
    if not os.access(folder, os.W_OK):
        return False
    there = os.statvfs(folder)
    return there.f_bavail * there.f_frsize >= ROOM and not there.f_flag & os.ST_NOEXEC


if _has_room(
    MEMORY
    # every entry is synced to disk before it is sent: milliseconds each, of which tests learn
    # nothing
):
    os.environ.setdefault("TMPDIR", MEMORY)
    tempfile.tempdir = None  # who has asked before us asks again


# A program that a test starts finds nothing of this person or of earlier tests, and leaves nothing.
_own_folder = tempfile.TemporaryDirectory(prefix="fairdeal-tests-", ignore_cleanup_errors=True)
for name in ("XDG_DATA_HOME", "XDG_STATE_HOME"):
    os.environ[name] = str(Path(_own_folder.name, name))


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--quick`, for `scripts/test`, `--firefox`, for `scripts/second_engine`, and `--every-game`, for
    `scripts/tab_games`.
    """
    parser.addoption("--quick", action="store_true", help="only tests that are in no slower tier")
    parser.addoption("--firefox", metavar="PATH", help="the browser of the tests of the page")
    parser.addoption(
        "--every-game", action="store_true", help="tabs play all games, not only short"
    )
    parser.addoption(
        "--quick-seconds", type=float, default=QUICK_SECONDS, help="CPU time of an unmarked test"
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With `--quick`, a file that is marked as a whole, or a folder in its conftest.py, is not even
    loaded.
    """
    if not config.getoption("quick"):
        return None
    file = collection_path / "conftest.py" if collection_path.is_dir() else collection_path
    return (
        True if file.suffix == ".py" and file.is_file() and WHOLE.search(file.read_text()) else None
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The kit's tests first: they wait for minutes, while other workers compute. With `--quick`,
    not what is marked.
    """
    items.sort(key=lambda item: not item.nodeid.startswith("tests/conformance/"))
    if config.getoption("quick"):
        marked = [item for item in items if _tiers(item)]
        config.hook.pytest_deselected(items=marked)
        items[:] = [item for item in items if not _tiers(item)]


def pytest_collection_finish() -> None:
    """What was collected stays to the end: nobody need look through it for garbage again and
    again.
    """
    collect_seldom()


@pytest.fixture(scope="session", autouse=True)
def _memoised_backends() -> Iterator[None]:
    """Compute a point or a signature once in a session. Tests of the arithmetic itself go without
    (tests/unit/protocol/crypto/conftest.py).
    """
    with memoised_backends():
        yield


@pytest.fixture(autouse=True)
def _memoised_fold(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let the parties of a whole match share the states that their entries lead to."""
    with memoised_fold() if "match" in _tiers(request.node) else nullcontext():
        yield


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    """Look at the clock before anything is made for a test."""
    item.stash[_BEGUN] = time.process_time(), len(_started)
    return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Run a test, and fail it if it belongs to a slower tier and does not say so."""
    result = yield
    begun, started = item.stash[_BEGUN]
    seconds, most = time.process_time() - begun, item.config.getoption("quick_seconds")
    wrong = misplaced(_tiers(item), seconds - most, len(_started) - started)
    if wrong:
        pytest.fail(wrong, pytrace=False)
    return result


def misplaced(tiers: set[str], over: float, processes: int) -> str | None:
    """What is wrong with a test of these tiers that started so many processes; `over`: seconds of
    CPU time too many.
    """
    if processes and not tiers & {"process", "page"}:
        return "It starts a process: mark it `process`."
    if not tiers and over > 0:
        return (
            f"It takes {over:.1f} seconds of CPU time too many: make it quicker, or mark it "
            "`match` or `slow`."
        )
    return None


def _tiers(item: pytest.Item) -> set[str]:
    return {tier for tier in TIERS if item.get_closest_marker(tier)}


_BEGUN = pytest.StashKey[tuple[float, int]]()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """What a program leaves open that is killed is closed when its test is over: Python 3.13 warns
    of it.
    """
    # where no test has opened one it is not even loaded
    stores = sys.modules.get("tests.support.stores")
    if stores is not None:
        stores.close_all()
