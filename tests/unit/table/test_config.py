"""Command-line settings of a table: bounds, and games that others may create."""

import pytest

from protocol.errors import LocalError
from protocol.games.scripted.rule_file.built_in import built_in_text, rule_digest
from table.__main__ import make_config, make_parser
from table.config import Bounds, Creation, parse_bounds
from tests.support.errors import raises_text


def test_bounds_default_to_the_limits():
    assert parse_bounds([]) == Bounds()
    bounds = parse_bounds(["per_address=200", "frames=2000/1000.5", "stall_seconds=1.5"])
    assert bounds == Bounds(per_address=200, frames=(2000, 1000.5), stall_seconds=1.5)
    assert type(bounds.per_address) is int


@pytest.mark.parametrize(
    "text",
    [
        "",
        "per_address",
        "per_address=",
        "per_address=0",
        "per_address=-1",
        "per_address=1/2",
        "per_address=1.5",
        "frames=5",
        "frames=5/0",
        "frames=1/2/3",
        "frames=5/x",
        "nothing=5",
        "per_address=1e9",
        "per_address=nan",
    ],
)
def test_invalid_bound_is_refused(text):
    with raises_text(LocalError, match="There are: connections, per_address"):
        parse_bounds([text])


@pytest.mark.parametrize(
    ("words", "creation"),
    [
        ([], Creation.GAMES),
        (["--allow-create", "none"], Creation.NONE),
        (["--allow-create=games"], Creation.GAMES),
        (["--allow-create", "any"], Creation.ANY),
    ],
)
def test_host_option_limits_created_games(tmp_path, words, creation):
    config = make_config(make_parser().parse_args(words))
    assert (config.creation, config.texts) == (creation, frozenset())
    path = tmp_path / "own.rules"
    path.write_text(text := built_in_text("crazy-eights") + "# of my own\n")
    config = make_config(make_parser().parse_args([*words, "--rules", str(path)]))
    assert (config.creation, config.texts) == (creation, {rule_digest(text)})
