"""The usual folders of the user who runs a program."""

from pathlib import Path

import platformdirs

_HOMELESS = Path("/nonexistent")  # the home of users without one, as Debian has it


def user_data() -> Path:
    """Return the folder for fairdeal's data. A user without a home folder, such as a service's, gets
    one that cannot be made: whoever uses it is told to name another.
    """
    try:
        return platformdirs.user_data_path("fairdeal", appauthor=False)
    except RuntimeError:
        return _HOMELESS / "fairdeal"


def user_state() -> Path:
    """Return the folder for what stays on this computer, with the same exception."""
    try:
        return platformdirs.user_state_path("fairdeal", appauthor=False)
    except RuntimeError:
        return _HOMELESS / "fairdeal-state"
