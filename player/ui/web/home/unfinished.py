"""Unfinished matches in a data folder: those against bots, and those at tables."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from player.storage.files import sole_player
from player.storage.play_command import LOGS, PERSON, UNFINISHED, StoredCommand
from player.storage.recovery_state import any_recovery_states
from player.storage.resumable_matches import ResumableMatches
from protocol.errors import LocalError
from protocol.games.registry import Games
from protocol.identity.keys import Identity

PLACES = f"{LOGS}/{UNFINISHED}/*/*"  # in the data folder: the folders of matches against bots


class UnfinishedMatch(NamedTuple):
    """A match that can go on: against bots with these words, or at the table of this link."""

    game: str = ""
    words: tuple[str, ...] = ()
    link: str = ""


def unfinished_matches(
    data: Path, games: Games, identity: Identity | None
) -> dict[str, UnfinishedMatch]:
    """Return the matches that can go on, each with a name for pages. Raises: LocalError."""
    found = dict(_against_bots(data, games))
    for link in ResumableMatches(data, identity).links():
        found[f"table {link}"] = UnfinishedMatch(link=link)
    return found


def _against_bots(data: Path, games: Games) -> Iterator[tuple[str, UnfinishedMatch]]:
    for folder in sorted(data.glob(PLACES)):
        command = StoredCommand.read(folder)
        if command is None or command.game not in games.specs:
            continue
        # a match that another program plays at present is not listed
        with suppress(LocalError), sole_player(folder):
            if any_recovery_states(folder / PERSON):
                name = folder.relative_to(data).as_posix()
                yield name, UnfinishedMatch(command.game, command.words)
