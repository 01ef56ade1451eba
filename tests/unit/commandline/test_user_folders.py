"""The usual folders, also of a user who has no home: a service's, or a container's."""

import os
import subprocess
import sys

import pytest

from commandline.user_folders import user_data, user_state

# the system does not know the user, as in a container
HOMELESS = """
import pwd, sys
def unknown(user):
    raise KeyError(user)
pwd.getpwuid = unknown
from fairdeal.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


def test_user_folders_end_in_the_programs_name():
    assert user_data().name == user_state().name == "fairdeal"


@pytest.mark.process
@pytest.mark.parametrize(
    "words", [["host", "--help"], ["table", "status"], ["signer", "--help"], ["join", "--help"]]
)
def test_program_of_user_without_home_names_a_folder(words):
    places = ("HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "COLUMNS")
    ended = subprocess.run(
        [sys.executable, "-c", HOMELESS, *words],
        env={name: value for name, value in os.environ.items() if name not in places},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "Traceback" not in ended.stderr, ended.stderr
    assert "/nonexistent/fairdeal" in ended.stdout + ended.stderr
