"""Sources and destinations of letters on this machine: files, pipes, mbox files and Maildirs.

A mailbox is only read: its owner's mail program marks and moves what is in it.
"""

import mailbox
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from player.storage.files import write_whole
from protocol.errors import LocalError
from protocol.limits import MAX_MAIL, MAX_MAILS
from protocol.view.phrase import Phrase, phrase

MBOX_BEGINS = b"From "
# stands in every letter's Message-ID and attachment name: other mail is not even parsed
MARK = b"fairdeal"


def read_box(where: str) -> Iterator[bytes]:
    """The mails of a file, of standard input (`-`), of an mbox file or of a Maildir. Raises:
    LocalError.
    """
    if where == "-":
        yield sys.stdin.buffer.read(MAX_MAIL + 1)
        return
    path = _path(where)
    try:
        if path.is_dir():
            yield from _maildir(path)
            return
        with path.open("rb") as file:
            begins = file.read(len(MBOX_BEGINS))
            if begins != MBOX_BEGINS:
                yield begins + file.read(MAX_MAIL + 1)
                return
        yield from _mbox(path)
    except OSError as error:
        raise LocalError("wrong.read", path=str(path), why=str(error.strerror)) from None


def _path(where: str) -> Path:
    try:
        return Path(where).expanduser()
    except RuntimeError:
        raise LocalError("wrong.mail.nobodys", path=where) from None


def _maildir(path: Path) -> Iterator[bytes]:
    _check_maildir(path)
    files = [
        file
        for folder in ("cur", "new")
        for file in (path / folder).glob("[!.]*")
        if file.is_file()
    ]
    dated = [
        (status.st_mtime_ns, file)
        for file in files
        if (status := _status(file)) and status.st_size <= MAX_MAIL
    ]
    for _, file in sorted(dated)[-MAX_MAILS:]:
        with suppress(FileNotFoundError):
            if MARK in (raw := file.read_bytes()):
                yield raw


def _status(file: Path) -> os.stat_result | None:
    """None if its owner's mail program has just moved it: it is read the next time."""
    try:
        return file.stat()
    except FileNotFoundError:
        return None


def _check_maildir(path: Path) -> None:
    if not all((path / folder).is_dir() for folder in ("cur", "new", "tmp")):
        raise LocalError("wrong.mail.maildir", path=str(path))


def _mbox(path: Path) -> Iterator[bytes]:
    box = mailbox.mbox(path, create=False)
    try:
        for key in list(box.iterkeys())[-MAX_MAILS:]:
            with box.get_file(key) as file:
                raw = file.read(MAX_MAIL + 1)
            if len(raw) <= MAX_MAIL and MARK in raw:
                yield raw
    finally:
        box.close()


def put_in_box(where: str, raw: bytes, again: str = "fairdeal mail send") -> Phrase | None:
    """Put a letter into a file, into a Maildir, at the end of an `.mbox` file, or on standard
    output (`-`).

    What to tell the person. Raises: LocalError.
    """
    if where == "-":
        sys.stdout.buffer.write(raw)
        sys.stdout.buffer.flush()
        return None
    path = _path(where)
    try:
        if path.is_dir():
            _check_maildir(path)
            mailbox.Maildir(path).add(raw)
            return phrase("letter.in_maildir", path=str(path))
        if path.suffix == ".mbox":
            _append(path, raw, again)
            return phrase("letter.in_mbox", path=str(path))
        if not write_whole(path, raw, replace=False) and path.read_bytes() != raw:
            raise LocalError("wrong.mail.exists", path=str(path), command=again)
    except OSError as error:
        raise LocalError("wrong.write", path=str(path), why=str(error.strerror)) from None
    return phrase("letter.in_file", path=str(path))


def _append(path: Path, raw: bytes, again: str) -> None:
    box = mailbox.mbox(path)
    try:
        box.lock()
        box.add(raw)
        box.flush()
    except mailbox.ExternalClashError:
        raise LocalError("wrong.mail.held", path=str(path), command=again) from None
    finally:
        box.unlock()
        box.close()
