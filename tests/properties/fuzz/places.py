"""Targets for messages between a table and a relay or a directory, for lists of directories, for the
history of a table's keys, for the file of a profile, and for a backup of a table.
"""

import sqlite3
from base64 import b64encode
from contextlib import closing
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from protocol.crypto.primitives.passphrase import SALT_SIZE
from protocol.directory.report import check_report, decode_report, encode_report
from protocol.directory.table_list import decode_list, encode_list
from protocol.identity import profile_file
from protocol.identity.key_history import (
    KeyHistory,
    commit,
    decode_history,
    encode_history,
    learn,
    rotate,
)
from protocol.identity.keys import Identity
from protocol.limits import RELAY_TOKEN
from protocol.messages import directory as directory_messages
from protocol.messages import relay
from table.control.backup import check_backup, write_backup
from table.storage.disk.finished_rows import prepare_finished
from tests.support.directories import BOB, DIRECTORY, NOW, claimed, report, sign_rows


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


def directory_message(data: bytes) -> None:
    """Read a message between a table and a directory."""
    directory_messages.decode(data)


def directory_message_seeds() -> list[bytes]:
    """Return one message of each kind, without frames."""
    messages = (
        directory_messages.Challenge(bytes(32), DIRECTORY.public, "93.184.216.34"),
        claimed(report()),
        directory_messages.Listed(300),
    )
    return [directory_messages.encode(message)[4:] for message in messages]


def key_history(data: bytes) -> None:
    """Read a history of a table's keys, encode it again, and pin it."""
    history = decode_history(data)
    assert encode_history(history) == data
    pins = learn({}, history)
    assert learn(pins, history) == pins


def key_history_seeds() -> list[bytes]:
    """Return a history with a commitment, and the one after its rotation."""
    old, new = Identity(bytes(32)), Identity(bytes(31) + b"1")
    committed = commit(KeyHistory(old.public), old, new.public)
    return [encode_history(each) for each in (committed, rotate(committed, old, new, None))]


def table_report(data: bytes) -> None:
    """Read a report of a table, and encode it again."""
    assert encode_report(decode_report(data)) == data


def table_report_seeds() -> list[bytes]:
    """Return reports with an address, and with a relay's URL."""
    return [
        encode_report(report()),
        encode_report(report(address="wss://relay.example.org/t/abc")),
    ]


def table_list(data: bytes) -> None:
    """Read a list of a directory, and look at all of its rows."""
    for row in decode_list(data).reports:
        check_report(row)


def listed_rows(data: bytes) -> None:
    """Read a list whose directory has signed any bytes as its reports."""
    for row in decode_list(sign_rows(data)).reports:
        check_report(row)


def listed_rows_seeds() -> list[bytes]:
    """Return the reports of two tables, one after another."""
    return [b"".join(map(encode_report, sorted((report(), report(BOB)))))]


def table_list_seeds() -> list[bytes]:
    """Return a list with two tables, and an empty one."""
    return [
        encode_list([report(), report(BOB)], 3, NOW, DIRECTORY),
        encode_list([], 4, NOW, DIRECTORY),
    ]


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
