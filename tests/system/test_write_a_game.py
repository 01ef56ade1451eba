"""Files of docs/write-a-game.md, installed as a reader would, and played at a table."""

import os
import re
import signal
import subprocess
import sysconfig
import venv
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "write-a-game.md"
SECONDS = 240
MOST_LINES = 120
PLUGIN = ("--game-plugin", "high-card")


def files() -> dict[str, str]:
    """Assemble the files of the page from its parts."""
    found: dict[str, list[str]] = {}
    for name, part in re.findall(
        r"^```\w+ (\S+)\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL
    ):
        found.setdefault(name, []).append(part)
    return {name: "\n".join(parts) for name, parts in found.items()}


class Place:
    """Environment with the plug-in and everything that is installed here."""

    def __init__(self, folder: Path) -> None:
        source = folder / "source"
        source.mkdir()
        for name, text in files().items():
            (source / name).write_text(text, "utf-8")
        venv.create(folder / "venv", with_pip=False)
        self.python = folder / "venv" / "bin" / "python"
        (packages,) = (folder / "venv").glob("lib/python3*/site-packages")
        (packages / "here.pth").write_text(f"{sysconfig.get_path('purelib')}\n{ROOT}\n")
        self.folder = folder
        # our pip works in that environment too
        pip = [str(self.python), "-m", "pip", "--disable-pip-version-check", "--quiet"]
        alone = ("--no-index", "--no-deps", "--no-build-isolation")
        done = subprocess.run(
            [*pip, "install", *alone, str(source)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start a command in the background, in a folder without our files."""
        return subprocess.Popen(
            [self.python, "-Pum", "fairdeal", *words],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=os.environ | {"PYTHONPATH": ""},
        )

    def run(self, *words: str) -> tuple[int, str]:
        """Run a command to its end. Return its exit code and output."""
        process = self.start(*words)
        said = process.communicate(timeout=SECONDS)[0]
        return process.returncode, said


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return Place(tmp_path_factory.mktemp("plugin"))


@pytest.fixture(scope="module")
def played(place: Place) -> Path:
    """Play a match of two bots, and return its log. A player without the game came before, and a
    spectator watched.
    """
    table = place.start(
        "host",
        *PLUGIN,
        "--game",
        "high-card",
        "--target",
        "6",
        "--listen",
        "127.0.0.1:0",
        "--once",
        "--log-level",
        "error",
        "--data",
        str(place.folder / "table"),
    )
    programs = [table]
    try:
        assert table.stdout is not None
        link = table.stdout.readline().strip()
        code, said = place.run("join", link, "--bot", "random", "--name", "Dan")
        assert code == 1 and "No match was played: There is no game high-card here" in said, said
        log = place.folder / "ann.fairdeal"
        ann = place.start(
            "join",
            *PLUGIN,
            link,
            "--bot",
            "bold",
            "--name",
            "Ann",
            "--log",
            str(log),
            "--pace",
            "1",
        )
        bob = place.start(
            "join", *PLUGIN, link, "--bot", "random", "--name", "Bob", "--log", str(log) + "2"
        )
        programs += [ann, bob]
        assert ann.stdout is not None
        while "Bob" not in (line := ann.stdout.readline()):
            assert line, "she went before the match began"
        # so that the match still runs however long the other program takes to start
        ann.send_signal(signal.SIGSTOP)
        watched = (
            "--log",
            str(place.folder / "watched.fairdeal"),
            "--data",
            str(place.folder / "watcher"),
        )
        watcher = place.start("join", *PLUGIN, link, "--spectate", *watched)
        programs.append(watcher)
        assert watcher.stdout is not None
        while "You are watching" not in (line := watcher.stdout.readline()):
            assert line, "nobody was let in to look on"
        ann.send_signal(signal.SIGCONT)
        seen = watcher.communicate(timeout=SECONDS)[0]
        assert (
            watcher.returncode == 0 and "Verdict: no cheating found" in seen and "stay" in seen
        ), seen
        for player in (ann, bob):
            assert "Verdict: no cheating found" in player.communicate(timeout=SECONDS)[0]
        assert table.wait(SECONDS) == 0
        assert (place.folder / "watched.fairdeal").read_bytes() == log.read_bytes()
    finally:
        for process in programs:
            process.kill()
            process.communicate()
    return log


def test_written_game_is_small():
    written = files()
    assert set(written) == {"pyproject.toml", "high_card.py", "high_card_view.py"}
    assert (
        sum(bool(line.strip()) for text in written.values() for line in text.splitlines())
        < MOST_LINES
    )


def test_written_game_played_by_bots_is_audited_clean(place, played):
    code, said = place.run("audit", *PLUGIN, str(played))
    assert code == 0 and said.startswith("clean: "), said
    assert place.run("show", *PLUGIN, str(played))[0] == 0
    assert place.run("compare", *PLUGIN, str(played), str(played))[0] == 0


@pytest.mark.parametrize("command", ("audit", "show", "compare"))
def test_program_without_named_plugin_judges_no_seat(place, played, command):
    files = (str(played),) * (2 if command == "compare" else 1)
    code, said = place.run(command, *files)
    assert code == 3 and "not to be judged here: There is no game high-card here." in said, said
    assert "Ann" not in said and "Bob" not in said


def test_environment_variable_can_name_plugin(place, monkeypatch):
    assert "high-card" not in place.run("play")[1]
    monkeypatch.setenv("FAIRDEAL_GAMES", "high-card")
    assert "fairdeal play high-card" in place.run("play")[1]


def test_play_passes_plugin_to_child_programs(place):
    code, said = place.run(
        "play",
        *PLUGIN,
        "high-card",
        "--watch",
        "--option",
        "target=1",
        "--pace",
        "0",
        "--name",
        "Ann",
        "--logs",
        str(place.folder / "logs"),
    )
    assert code == 0 and "Verdict: no cheating found" in said, said


def test_written_game_by_mail_is_unreadable_without_the_game(place):
    def mail(who: str, *words: str) -> tuple[int, str]:
        return place.run(
            "mail", words[0], "--data", str(place.folder / who), "--bot", "random", *words[1:]
        )

    new = (
        "--game",
        "high-card",
        "--option",
        "target=1",
        "--from",
        "ann@example.org",
        "--with",
        "bob@example.org",
    )
    code, said = mail("ann-mail", "new", *PLUGIN, *new, "--out", "first.eml")
    assert code == 0, said
    code, said = mail("bob-mail", "read", "first.eml")
    assert code == 1 and "is not installed here. Nothing is lost." in said, said
    code, said = mail("bob-mail", "read", *PLUGIN, "first.eml")
    assert code == 0 and "high-card" in said, said
    code, said = mail(
        "bob-mail", "accept", *PLUGIN, "--from", "bob@example.org", "--out", "second.eml"
    )
    assert code == 0, said
    code, said = mail("ann-mail", "read", *PLUGIN, "second.eml")
    assert code == 0 and "Traceback" not in said, said
    code, said = mail("ann-mail", "status", *PLUGIN)
    assert code == 0 and "high-card" in said, said
