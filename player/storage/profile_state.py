"""State of the profile in a data folder: whether its person plays from here.

A profile that was carried to another place is `away`: what is left is an old copy, and from an old
copy nobody may go on (docs/protocol, 15.1.7). The note is on disk before the file of the profile
exists. While it says `away` or `coming`, no key is read, and the ledger takes no signature.
"""

import time
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from player.storage.files import read_json, write_json
from protocol.errors import LocalError
from protocol.limits import MAX_PROFILE_NUMBER

FILE = "place.json"


class Place(StrEnum):
    """Place of a profile, as seen from a data folder."""

    HERE = "here"
    AWAY = "away"  # carried to another place
    COMING = "coming"  # on the way into this folder: not all files are there


@dataclass(frozen=True)
class ProfileState:
    """Place of a profile. `number`: how often it has been carried; `since`: seconds since 1970."""

    place: Place = Place.HERE
    number: int = 0
    since: float = 0.0

    @property
    def day(self) -> str:
        """The day since which the profile has this place."""
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(self.since))


def read_profile_state(data: Path) -> ProfileState:
    """Return the state of a data folder; `here` without a note. Raises: LocalError for a damaged
    note.
    """
    path = data / FILE
    value = read_json(path)
    if not value:
        return ProfileState()
    try:
        state = ProfileState(Place(value["place"]), int(value["number"]), float(value["since"]))
        if not 0 <= state.number <= MAX_PROFILE_NUMBER:
            raise ValueError("a number that no profile has")
    except (KeyError, TypeError, ValueError):
        raise LocalError("wrong.read.mend", path=str(path)) from None
    return state


def write_profile_state(data: Path, state: ProfileState) -> None:
    """Note the state; it is on disk at return. Raises: LocalError."""
    write_json(data / FILE, {"place": state.place, "number": state.number, "since": state.since})


def check_profile_here(data: Path) -> None:
    """Check that the person plays from this folder. Raises: LocalError."""
    state = read_profile_state(data)
    if state.place is Place.AWAY:
        raise LocalError("wrong.profile.away", folder=str(data), day=state.day)
    if state.place is Place.COMING:
        raise LocalError("wrong.profile.coming", folder=str(data), day=state.day)
