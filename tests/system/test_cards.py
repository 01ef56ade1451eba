"""Exchange of files between data folders: two people trade, a third verifies; a cheat is named, and
the damage undone.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from protocol.ledger.bundle import write_bundle
from tests.support.collectors import STATE, Collectors
from tests.support.terminal import at_terminal

ROOT = Path(__file__).parents[2]
SECONDS = 240


@pytest.fixture
def people(tmp_path: Path) -> Collectors:
    made = Collectors(tmp_path)
    made.everybody_begins()
    return made


def cards_of(people: Collectors, capsys: pytest.CaptureFixture[str], who: str) -> dict[int, str]:
    """Return the state of each of a person's cards by serial number."""
    capsys.readouterr()
    assert people.type(who, "list") == 0
    said = capsys.readouterr().out
    assert "as far as this computer knows" in said or "You have no cards yet." in said
    return {
        int(row[0]): row[1]
        for row in re.findall(r"^Salamander #(\d+) .* (\w+)$", said, re.MULTILINE)
    }


@pytest.mark.slow
def test_letters_trade_is_verified_by_third_party_from_file(people, tmp_path, capsys):
    people.trade("ann", "Salamander#1", "bob", "Salamander#3")
    assert cards_of(people, capsys, "ann") == {2: "unsettled", 3: "unsettled"}
    assert cards_of(people, capsys, "bob") == {1: "unsettled", 4: "unsettled"}
    assert people.type("bob", "export", "Salamander#1", "--out", tmp_path / "proof.cards") == 0
    capsys.readouterr()
    assert people.type("cleo", "verify", tmp_path / "proof.cards") == 0
    said = capsys.readouterr().out
    assert "Everything is right." in said and "as far as this computer knows" in said
    assert people.type("cleo", "import", tmp_path / "proof.cards") == 0
    assert people.type("cleo", "show", "Salamander#1") == 0
    assert "after 2 trades" in capsys.readouterr().out


@pytest.mark.slow
def test_double_spend_names_cheat_and_undoes_exactly_dependent_trades(people, tmp_path, capsys):
    shutil.copytree(tmp_path / "bob", tmp_path / "bob again")
    people.trade("ann", "Salamander#1", "bob", "Salamander#3")
    shutil.move(tmp_path / "bob", tmp_path / "bob then")
    shutil.move(tmp_path / "bob again", tmp_path / "bob")
    assert people.type("bob", "mend", "--yes", computer="another") == 0
    people.trade("cleo", "Salamander#5", "bob", "Salamander#3", computer="another")
    people.trade("ann", "Salamander#3", "dan", "Salamander#7")  # depends on the first trade
    people.trade("cleo", "Salamander#6", "dan", "Salamander#8")  # does not depend on it
    assert cards_of(people, capsys, "cleo") == {3: "unsettled", 8: "unsettled"}
    people.tell_all("dan", "cleo")
    said = capsys.readouterr().out
    assert "gave the same card away twice" in said and "Salamander #3" in said
    people.tell_all("cleo", "ann")
    people.tell_all("cleo", "dan")
    assert cards_of(people, capsys, "ann") == {1: "unsettled", 2: "unsettled"}
    assert cards_of(people, capsys, "cleo") == {5: "unsettled", 8: "unsettled"}
    assert cards_of(people, capsys, "dan") == {6: "unsettled", 7: "unsettled"}
    assert people.type("ann", "alarms") == 0
    said = capsys.readouterr().out
    assert said.count("Alarm ") == 1 and "3 trades are undone by it" in said
    assert people.type("ann", "verify", "Salamander#3") == 1
    assert "burnt" in capsys.readouterr().out
    assert people.type("ann", "verify", people.starter) == 1, (
        "what the file says was so, and is no more"
    )
    said = capsys.readouterr().out
    assert "Everything is right." in said and "knows more than the file: Salamander #3" in said


@pytest.mark.process
def test_two_trade_over_a_line(people, tmp_path):
    def start(who: str, *words: str) -> subprocess.Popen[str]:
        command = [
            sys.executable,
            "-um",
            "fairdeal",
            "cards",
            "trade",
            *words,
            "--data",
            str(tmp_path / who),
            "--yes",
        ]
        environment = {"PATH": "/usr/bin:/bin", STATE: str(tmp_path / "computer home")}
        return subprocess.Popen(
            [*command, "--name", who],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    programs = [
        start("ann", "--listen", "127.0.0.1:0", "--give", "Salamander#1", "--want", "Salamander#3")
    ]
    try:
        assert programs[0].stdout is not None
        line = programs[0].stdout.readline()
        assert "Waiting for the other person" in line, line + programs[0].stdout.read()
        programs.append(
            start("bob", line.split()[-1], "--give", "Salamander#3", "--want", "Salamander#1")
        )
        said = [program.communicate(timeout=SECONDS)[0] for program in reversed(programs)]
        assert [program.returncode for program in programs] == [0, 0], said
        assert all("is complete: both of you have signed" in text for text in said)
    finally:
        for program in programs:
            program.kill()
            program.communicate()


def test_file_with_foreign_picture_is_not_called_right(people, tmp_path, capsys):
    path = tmp_path / "changed.cards"
    path.write_bytes(write_bundle(people.records, [b"<svg>another</svg>"]))
    capsys.readouterr()
    assert people.type("cleo", "verify", path) == 1
    said = capsys.readouterr().out
    assert "The records are right, and some pictures are not." in said
    assert "Everything is right." not in said


@pytest.mark.process
async def test_cards_alone_shows_binder_with_sentences_broken_between_words(tmp_path):
    homes = {name: str(tmp_path) for name in ("HOME", "XDG_DATA_HOME", STATE)}
    narrow = {"COLUMNS": "50", "LANGUAGE": "en"}
    async with at_terminal("-m", "fairdeal", "cards", **homes, **narrow) as terminal:
        assert await terminal.end() == 0
    lines = terminal.raw.replace("\r", "").splitlines()
    assert len(lines) > 2 and all(len(line) <= 50 for line in lines), lines
    said = " ".join(lines)
    assert said.startswith("You have no cards yet. `fairdeal app` makes your first ones")
    assert "`fairdeal cards import FILE`" in said, "a command stays whole"
