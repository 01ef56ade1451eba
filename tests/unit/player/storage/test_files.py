"""One data folder has one seat at a time."""

import shlex

from player.storage.data_directory import command_text, default_data
from player.storage.files import own_folder, sole_player
from protocol.errors import LocalError
from tests.support.errors import raises_text


def test_second_program_in_folder_is_refused_until_first_ends(tmp_path):
    with sole_player(tmp_path):
        with raises_text(LocalError, match="--data"), sole_player(tmp_path):
            raise AssertionError
        with sole_player(tmp_path / "other"):
            pass
    with sole_player(tmp_path):
        pass


def test_programs_with_folders_of_their_own_never_share_one(tmp_path):
    """A program takes the first free folder: after a restart it finds its files again."""
    with own_folder(tmp_path) as first:
        with own_folder(tmp_path) as second, own_folder(tmp_path) as third:
            assert [first, second, third] == [tmp_path / name for name in ("1", "2", "3")]
            with raises_text(LocalError, match="Another program is playing"), sole_player(second):
                """Not reached."""
        with own_folder(tmp_path) as again:
            assert again == second


def test_resume_command_names_folder_unless_it_is_usual(tmp_path):
    assert (
        command_text("mail move", default_data(), "1a2b CHOICE") == "fairdeal mail move 1a2b CHOICE"
    )
    own = tmp_path / "Ann's"
    assert shlex.split(command_text("join", own, "LINK")) == [
        "fairdeal",
        "join",
        "--data",
        str(own),
        "LINK",
    ]
