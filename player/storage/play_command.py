"""The folders of matches against bots, and the command of each: a later program continues the match
with the same words.

    play/                        logs, in the data folder
    play/unfinished/GAME/MATCH/  an unfinished match: its command, and the folders of table and seats
"""

from pathlib import Path
from typing import NamedTuple

from player.storage.files import read_json, write_json
from protocol.errors import LocalError

FILE = "command.json"
LOGS = "play"
UNFINISHED = "unfinished"  # in `LOGS`
PERSON = "you"  # in the folder of a match: the data of the person's seat


class StoredCommand(NamedTuple):
    """The words after `fairdeal play`. `game`: its name in the list of games."""

    game: str
    words: tuple[str, ...]

    @classmethod
    def read(cls, folder: Path) -> "StoredCommand | None":
        """Return the command in a folder; None if there is none that can be read."""
        try:
            value = read_json(folder / FILE)
        except LocalError:
            return None
        game = value.get("game")
        words = value.get("words")
        if not isinstance(game, str) or not isinstance(words, list):
            return None
        if not all(isinstance(word, str) for word in words):
            return None
        return cls(game, tuple(words))

    def write(self, folder: Path) -> None:
        """Store the command. Raises: LocalError."""
        write_json(folder / FILE, {"game": self.game, "words": list(self.words)})
