"""`fairdeal profile`: a person's profile into a file, and from a file into a data folder."""

import argparse
import getpass
import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from secrets import SystemRandom

from player.cards.creator.run_store import FOLDER as RUNS
from player.cards.creator.run_store import lock_runs
from player.cards.storage.rollback_guard import default_marks
from player.cli import arguments
from player.cli.profile_arguments import parser
from player.profile.profile_folder import bring, check_import, leave, pack_folder
from player.storage.files import sole_player, sync_folder
from protocol.errors import LocalError
from protocol.i18n.language_choice import environment_translator
from protocol.identity.keyfile import Cost
from protocol.identity.profile_file import Kind, open_profile, parse_profile, seal_profile
from protocol.limits import MAX_PROFILE
from protocol.text_files import plain_text
from protocol.view.phrase import Phrase, phrase
from protocol.view.terminal_output import install_output_fallback
from protocol.view.text import phrase_renderer, translate_phrase

CLEAN = 0
USAGE = 2


def main(words: Sequence[str], cost: Cost | None = None) -> int:
    """Run the command line; the exit code. `cost`: of the passphrase of a new file."""
    install_output_fallback()
    asked = parser().parse_args(words)
    language = environment_translator(os.environ)
    try:
        if asked.command == "import":
            done = _import(asked)
        else:
            done = _export(asked, Kind.CARRIED if asked.command == "export" else Kind.BACKUP, cost)
    except LocalError as error:
        print(f"fairdeal: {translate_phrase(error.phrase, language)}", file=sys.stderr)
        return USAGE
    say = phrase_renderer(language, ())
    print("\n".join(map(say, done)))
    return CLEAN


def _export(asked: argparse.Namespace, kind: Kind, cost: Cost | None) -> list[Phrase]:
    """Raises: LocalError."""
    data = arguments.data_of(asked)
    target: Path = asked.file
    with ExitStack() as held:
        if not data.exists():
            raise LocalError("wrong.profile.none", folder=str(data))
        held.enter_context(sole_player(data))
        if (data / RUNS).exists():
            held.enter_context(lock_runs(data))
        passphrase = _passphrase(asked, twice=True)
        if target.exists():
            raise LocalError("wrong.profile.there", path=str(target))
        _write_new(target, b"")  # before the folder is locked: can there be such a file?
        target.unlink()
        if kind is Kind.CARRIED:
            leave(data)
        profile = pack_folder(data, kind, default_marks())
        _write_new(target, seal_profile(profile, passphrase, SystemRandom(), cost))
    path = str(target)
    if kind is Kind.BACKUP:
        return [phrase("profile.backup.done", path=path), phrase("profile.backup.old")]
    return [phrase("profile.export.done", path=path, folder=str(data))]


def _import(asked: argparse.Namespace) -> list[Phrase]:
    """Raises: LocalError."""
    data = arguments.data_of(asked)
    try:
        with asked.file.open("rb") as file:
            sealed = parse_profile(file.read(MAX_PROFILE + 1))
    except OSError as error:
        raise LocalError("wrong.read", path=str(asked.file), why=str(error.strerror)) from None
    check_import(data, sealed, unused=asked.unused)  # before the person types
    profile = open_profile(sealed, _passphrase(asked, twice=False))
    with sole_player(data):
        aside = bring(data, profile, default_marks(), unused=asked.unused)
    done = [phrase("profile.import.done", folder=str(data), fingerprint=profile.fingerprint)]
    if profile.kind is Kind.BACKUP:
        done.append(phrase("profile.import.backup"))
    if aside is not None:
        done.append(phrase("profile.import.aside", folder=str(aside)))
    return done


def _passphrase(asked: argparse.Namespace, *, twice: bool) -> bytes:
    """Return the passphrase of the file. Raises: LocalError."""
    if asked.passphrase_file is not None:
        try:
            typed = (plain_text(asked.passphrase_file.read_bytes()).splitlines() or [b""])[0]
        except OSError as error:
            path = str(asked.passphrase_file)
            raise LocalError("wrong.read", path=path, why=str(error.strerror)) from None
    else:
        say = environment_translator(os.environ)
        try:
            typed = getpass.getpass(say("profile.ask", None)).encode()
            if twice and getpass.getpass(say("profile.ask.again", None)).encode() != typed:
                raise LocalError("wrong.profile.passphrases")
        except EOFError:
            raise LocalError("wrong.no_passphrase") from None
    if not typed:
        raise LocalError("wrong.profile.passphrase_empty")
    return typed


def _write_new(path: Path, data: bytes) -> None:
    """Write a file that is not there yet, whole or not at all. No links: a memory stick may have
    none. Raises: LocalError.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags, 0o600)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            sync_folder(path.parent)
        except OSError:
            with suppress(OSError):
                path.unlink()
            raise
    except OSError as error:
        raise LocalError("wrong.write", path=str(path), why=str(error.strerror)) from None
