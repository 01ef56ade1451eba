"""One data folder, one seat at a time."""

import pytest

from player.disk.files import sole_player
from protocol.errors import LocalError


def test_a_second_program_on_one_folder_is_refused_until_the_first_has_ended(tmp_path):
    with sole_player(tmp_path):
        with pytest.raises(LocalError, match="--data"), sole_player(tmp_path):
            raise AssertionError
        with sole_player(tmp_path / "other"):
            pass
    with sole_player(tmp_path):
        pass
