"""Targets for messages between a table and a relay, for the file of a profile, and for a backup of a
table.
"""

import sqlite3
from base64 import b64encode
from contextlib import closing
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from protocol.crypto.primitives.passphrase import SALT_SIZE
from protocol.identity import profile_file
from protocol.limits import RELAY_TOKEN
from protocol.messages import relay
from table.control.backup import check_backup, write_backup
from table.storage.disk.finished_rows import prepare_finished


def relay_message(data: bytes) -> None:
    """Read a message between a table and a relay."""
    relay.decode(data)


def relay_seeds() -> list[bytes]:
    """Return one message of most kinds, without frames."""
    messages = (
        relay.Open(),
        relay.Guest(bytes(RELAY_TOKEN), None),
        relay.TurnAway(bytes(RELAY_TOKEN)),
    )
    return [relay.encode(message)[4:] for message in messages]


def profile(data: bytes) -> None:
    """Read the lines at the begin of a profile's file."""
    profile_file.parse_profile(data)


def profile_seeds() -> list[bytes]:
    """Return the begin of a profile's file, with a box that no passphrase opens."""
    salt = b64encode(bytes(SALT_SIZE)).decode()
    lines = (
        profile_file.MAGIC,
        "kind carried",
        f"fingerprint {'a' * 40}",
        "number 3",
        f"passphrase argon2id 3 65536 {salt}",
        "",
        "",
    )
    return ["\n".join(lines).encode() + bytes(64)]


def backup(data: bytes) -> None:
    """Check a backup of a table."""
    check_backup(BytesIO(data), Path("x"))


def backup_seeds() -> list[bytes]:
    """Return a backup of a journal that is none, with a key."""
    with TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "identity.key").write_bytes(bytes(32))
        with closing(sqlite3.connect(copy := place / "copy")) as database:
            prepare_finished(database)
        write_backup(place, copy, place / "backup", 1)
        return [(place / "backup").read_bytes()]
