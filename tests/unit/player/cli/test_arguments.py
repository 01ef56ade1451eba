"""The words of a player's command line."""

import pytest

from player.cli.arguments import parser


@pytest.mark.parametrize("flag", ["--name", "--as"])
def test_person_is_named_with_either_flag(flag):
    assert parser().parse_args(["127.0.0.1", flag, "Ann"]).name == "Ann"
