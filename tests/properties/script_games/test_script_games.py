"""The same random choices give the same course over every dealing; a sample of
`scripts/script_games`.
"""

import pytest

from tests.properties.script_games.__main__ import main
from tests.properties.script_games.checks import Wrong, check
from tests.properties.script_games.golden import FOLDER, GOLDEN, path_of
from tests.properties.script_games.play import DEALINGS, Course, Kind, again, played
from tests.properties.script_games.tell import told

pytestmark = pytest.mark.match


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_playthroughs_match_every_dealing_and_the_oracle(name):
    kind, seed = GOLDEN[name]
    course = played(kind, seed)
    assert check(course) > 50
    assert told(course) == path_of(name).read_text(encoding="utf-8")
    assert told(again(course, "verified")) == told(course)


def test_golden_folder_has_no_unused_text():
    assert set(FOLDER.iterdir()) == set(map(path_of, GOLDEN))


def test_different_random_source_gives_different_course():
    one, other = (played(Kind("element-duel", "seeded"), seed) for seed in (1, 3))
    assert told(one) != told(other)
    swapped = Course(
        one.kind,
        one.first,
        one.happened,
        [*one.orders[1::-1], *one.orders[2:]],
        one.file,
        one.played,
    )
    with pytest.raises((Wrong, StopIteration, KeyError, AssertionError)):
        check(swapped)


def test_script_plays_every_golden_game(capsys):
    assert main(["--seed", "2", "--matches", "1"]) == 0
    assert "1 matches" in capsys.readouterr().err
    assert set(DEALINGS) == {"verified", "seeded", "residue"}
