"""Every match equals its text, with any keys and any hash seed of Python."""

import os
import subprocess
import sys
from difflib import unified_diff

import pytest

from tests.golden.files import FOLDER, path_of
from tests.golden.scenarios import SCENARIOS, WHOLE
from tests.golden.tell import told

pytestmark = pytest.mark.match

HOW = (
    "If the rules or the scenario are meant to have changed, write the texts anew: scripts/run "
    "tests.golden"
)
# one of each game and dealing, to save time
OTHER_KEYS = [
    scenario.name
    for scenario in WHOLE
    if len(scenario.name.split()) == 2 and "shuffled" not in scenario.name
]
SOME = ("draw layered", "five-card-draw commutative")


def check(name: str, text: str, why: str) -> None:
    """Compare a text. A failure shows the diff and what to do."""
    wanted = path_of(name).read_text(encoding="utf-8") if path_of(name).exists() else ""
    if text != wanted:
        diff = unified_diff(
            wanted.splitlines(), text.splitlines(), path_of(name).name, why, lineterm=""
        )
        pytest.fail("\n".join([*diff, "", HOW]), pytrace=False)


@pytest.mark.parametrize("name", SCENARIOS)
def test_golden_match_equals_its_text(name: str) -> None:
    check(name, told(SCENARIOS[name]), "as played now")


@pytest.mark.parametrize("name", OTHER_KEYS)
def test_golden_match_does_not_depend_on_keys(name: str) -> None:
    """With another match id, other identities, keys and nonces, the deal, actions and scores are
    the same.
    """
    check(name, told(SCENARIOS[name], salt=1), "with other keys")


@pytest.mark.process
@pytest.mark.parametrize("seed", ["0", "1"])
def test_golden_match_does_not_depend_on_python_hash_seed(seed: str) -> None:
    command = [sys.executable, "-m", "tests.golden", "--print", *SOME]
    run = subprocess.run(
        command, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, check=True
    )
    assert run.stdout.decode() == "".join(
        path_of(name).read_text(encoding="utf-8") for name in SOME
    )


def test_every_text_has_its_scenario() -> None:
    assert set(FOLDER.glob("*.txt")) == set(map(path_of, SCENARIOS))
