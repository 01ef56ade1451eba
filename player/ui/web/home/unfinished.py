"""Unfinished matches in a data folder: those against bots, and those at tables."""

import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from player.presenter.match_data import harmless
from player.storage.files import sole_player
from player.storage.play_command import LOGS, PERSON, UNFINISHED, StoredCommand
from player.storage.recovery_state import (
    RecoveryState,
    any_recovery_states,
    read_recovery_states,
)
from protocol.audit.replay import Replay
from protocol.errors import FairdealError, LocalError
from protocol.games.registry import Games
from protocol.identity.keys import Identity, JoinLink
from protocol.limits import MAX_CONTINUED_LOG, PAGE_READ_SECONDS
from protocol.local_files import read_log

PLACES = f"{LOGS}/{UNFINISHED}/*/*"  # in the data folder: the folders of matches against bots


class UnfinishedMatch(NamedTuple):
    """A match that can go on: against bots with these words, or at the table of this link. `folder`
    is that of a match against bots, `state` says where the log is of a match at a table.
    """

    game: str = ""
    words: tuple[str, ...] = ()
    link: str = ""
    folder: Path | None = None
    state: RecoveryState | None = None

    def states(self) -> list[RecoveryState]:
        """Return what is stored of the person's seat; nothing if it cannot be read."""
        if self.state is not None:
            return [self.state]
        if self.folder is not None:
            with suppress(OSError, LocalError):
                return list(read_recovery_states(self.folder / PERSON, None))
        return []

    def drop(self) -> None:
        """Forget how the match goes on; its log stays. Raises: LocalError."""
        if self.state is not None:
            self.state.forget()
        elif self.folder is not None:
            with sole_player(self.folder):
                shutil.rmtree(self.folder, ignore_errors=True)


@dataclass(frozen=True)
class MatchNow:
    """The state of a match by its own log: its game, the other people, and whether it is over or the
    person's turn. `changed`: seconds since 1970 of the newest entry.
    """

    game: str = ""
    people: tuple[str, ...] = ()
    is_over: bool = False
    is_turn: bool = False
    changed: int = 0


@dataclass
class MatchesNow:
    """States of matches by their logs. They are read again only when the file has changed."""

    games: Games
    known: dict[Path, tuple[tuple[int, int], MatchNow]] = field(default_factory=dict)

    def read(self, state: RecoveryState) -> MatchNow:
        """Return the state of a match at a table; of a log that takes too long to read only its
        game and people.
        """
        path = state.log_path
        try:
            found = path.stat()
        except OSError:
            return MatchNow()
        stamp = found.st_size, found.st_mtime_ns
        known = self.known.get(path)
        if known is None or known[0] != stamp:
            own = state.agreement.person.identity
            now = _match_now(path, self.games, own, int(found.st_mtime))
            known = self.known[path] = stamp, now
        return known[1]


def _match_now(path: Path, games: Games, own: bytes, changed: int) -> MatchNow:
    until = time.monotonic() + PAGE_READ_SECONDS
    whole = True
    try:
        if path.stat().st_size > MAX_CONTINUED_LOG:
            return MatchNow(changed=changed)
        replay = Replay(read_log(path), games)
        for _ in replay:
            if time.monotonic() >= until:
                whole = False
                break
    except (OSError, FairdealError):
        return MatchNow(changed=changed)
    if replay.reader is None:
        return MatchNow(changed=changed)
    match = replay.reader.match
    setup = match.setup
    people = tuple(person.name for person in setup.people if person.identity != own)
    seat = next((at for at, one in enumerate(setup.people) if one.identity == own), None)
    is_turn = whole and any(duty.author == seat for duty in match.duties())
    return MatchNow(setup.terms.game.name, people, whole and match.over, is_turn, changed)


def unfinished_matches(
    data: Path, games: Games, identity: Identity | None, *, held: bool = False
) -> dict[str, UnfinishedMatch]:
    """Return the matches that can go on, each with a name for pages. `held`: also those against bots
    that a program plays at present. Raises: LocalError.
    """
    found = dict(_against_bots(data, games, held))
    if identity is not None:
        for state in read_recovery_states(data, identity):
            match = UnfinishedMatch(link=state.link, state=state)
            found.setdefault(f"table {state.link}", match)
    return found


def logs_of(matches: Mapping[str, UnfinishedMatch]) -> dict[Path, str]:
    """Return the names of matches by their logs."""
    return {
        state.log_path.resolve(): name
        for name, found in matches.items()
        for state in found.states()
    }


def stored_state(matches: Mapping[str, UnfinishedMatch], log: Path) -> RecoveryState | None:
    """Return what is stored of the person's seat in the match of a log; None if it cannot go on."""
    states = (state for found in matches.values() for state in found.states())
    return next((state for state in states if state.log_path.resolve() == log.resolve()), None)


def unfinished_row(
    name: str, found: UnfinishedMatch, own: JoinLink | None, matches: MatchesNow
) -> dict[str, Any] | None:
    """Return a match for the page; None if its log says that it is over. `own`: the link of the
    person's own table.
    """
    now = MatchNow() if found.state is None else matches.read(found.state)
    if now.is_over:
        return None
    changed = now.changed
    if found.folder is not None:
        changed = max((state.changed for state in found.states()), default=0)
    at_own = found.state is not None and own is not None and own.fingerprint == found.state.table
    row = {
        "name": name,
        "game": found.game or now.game,
        "bots": not found.link,
        "people": list(now.people),
        "turn": now.is_turn,
        "own": at_own,
        "address": JoinLink.parse(found.link).address_text if found.link else "",
        "changed": changed,
    }
    return harmless(row)  # type: ignore[no-any-return]


def _against_bots(data: Path, games: Games, held: bool) -> Iterator[tuple[str, UnfinishedMatch]]:
    for folder in sorted(data.glob(PLACES)):
        command = StoredCommand.read(folder)
        if command is None or command.game not in games.specs:
            continue
        with suppress(LocalError), nullcontext() if held else sole_player(folder):
            if any_recovery_states(folder / PERSON):
                name = folder.relative_to(data).as_posix()
                yield name, UnfinishedMatch(command.game, command.words, folder=folder)
