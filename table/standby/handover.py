"""How a promotion and a standby that runs on the same folder talk: by files in it.

Whoever can write there can promote anyway: no port, no password, no signal to a process that may be
another by now. A standby is asked where it stands first, and goes on; it is asked to end only when
nothing speaks against promotion.
"""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

from protocol import wire
from protocol.errors import LocalError, RemoteError
from table.storage.disk.journal import JOURNAL_FILE, Journal
from table.storage.disk.replication_state import ReplicationState, Role

ASKED = "standing-asked"  # a promotion asks where the standby stands
TOLD = "standing-told"  # its answer
LET_GO = "let-go"  # a promotion asks it to end
LOOK_SECONDS = 0.25  # between two looks for any of them


def begun(data: Path) -> None:
    """A standby has the folder: what a promotion asked that was cut short concerns nobody any
    more.
    """
    for name in (ASKED, TOLD, LET_GO):
        (data / name).unlink(missing_ok=True)


def answer(data: Path, standing: ReplicationState) -> bool:
    """A standby's look into its folder; whether it is to go on."""
    if (data / ASKED).exists():
        with contextlib.suppress(OSError):  # a disk that takes nothing ends no standby
            (data / ASKED).unlink(missing_ok=True)
            draft = data / f"{TOLD}.part"
            draft.write_bytes(wire.encode([str(standing.role), *standing[1:]]))
            draft.replace(data / TOLD)
    return not (data / LET_GO).exists()


def standing_there(data: Path, wait: float) -> ReplicationState:
    """Where the standby in this folder stands, whether it runs or not; nothing changes. Raises:
    LocalError.
    """
    if not (data / JOURNAL_FILE).exists():
        raise LocalError("wrong.standby.none")
    end = time.monotonic() + wait
    (data / TOLD).unlink(missing_ok=True)
    try:
        while True:
            if (journal := _opened(data, end)) is not None:
                with contextlib.closing(journal):
                    return journal.standing
            (data / ASKED).touch(mode=0o600)
            time.sleep(LOOK_SECONDS)
            if (standing := _told(data)) is not None:
                return standing
    finally:
        for name in (ASKED, TOLD):
            (data / name).unlink(missing_ok=True)


@contextlib.contextmanager
def let_go(data: Path, wait: float) -> Iterator[Journal]:
    """The folder's journal; a standby that runs on it is asked to end. Raises: LocalError."""
    end = time.monotonic() + wait
    try:
        while (journal := _opened(data, end)) is None:
            # anew each time: one that has just been started takes it for an old one
            (data / LET_GO).touch(mode=0o600)
            time.sleep(LOOK_SECONDS)
        with contextlib.closing(journal):
            yield journal
    finally:
        (data / LET_GO).unlink(missing_ok=True)


def _opened(data: Path, end: float) -> Journal | None:
    """None while another process has it. Raises: LocalError, also for that from `end` on."""
    try:
        return Journal(data)
    except LocalError as error:
        if error.phrase.key != "wrong.journal.held" or time.monotonic() > end:
            raise
        return None


def _told(data: Path) -> ReplicationState | None:
    try:
        role, *rest = wire.decode((data / TOLD).read_bytes())
        return ReplicationState(Role(role), *rest)
    except (FileNotFoundError, RemoteError, ValueError, TypeError):
        return None
