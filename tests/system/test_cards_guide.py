"""Commands of docs/cards.md, typed one by one as a reader does."""

import contextlib
import io
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fairdeal.__main__ import main
from player.cards.storage.rollback_guard import default_marks
from tests.support.collectors import STATE

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "cards.md"
SECONDS = 240
ID = re.compile(r"^.* #[0-9]+ +([0-9a-f]{8}) ", re.MULTILINE)


def blocks() -> list[tuple[str, list[str]]]:
    """Return the code blocks of the page: commands (`sh`), and their outputs (`text`)."""
    found = re.findall(
        r"^```(sh|text)\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    return [(kind, text.splitlines()) for kind, text in found]


class Reader:
    """Reader with a folder of its own. A command that waits for others stays in another
    terminal.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.said, self.link = folder, "", ""
        self.waiting: list[subprocess.Popen[str]] = []
        self.beside: list[subprocess.Popen[str]] = []  # commands with a &, which end by themselves
        self.names: dict[str, str] = {}

    def type(self, line: str) -> None:
        if line.startswith("# Ctrl-C"):
            self.stop()
            return
        for name, value in {"LINK": self.link, **self.names}.items():
            line = re.sub(rf"\b{name}\b", value, line)
        program, *words = shlex.split(line)
        assert program == "fairdeal", line
        if "--listen" in words:
            self.wait(words)
            return
        if words[-1] == "&":
            self.beside.append(self.start(words[:-1]))
            return
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = main(words)
        self.said = said.getvalue()
        assert code == 0, f"{line}: {code}\n{self.said}"

    def wait(self, words: list[str]) -> None:
        program = self.start(words)
        self.waiting.append(program)
        self.link = self.read(program, r"(fairdeal(?:-direct)?://\S+)")
        if "--witness" in words:
            self.names["WITNESS"] = self.read(program, r"([0-9a-f]{64})")

    def start(self, words: list[str]) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-um", "fairdeal", *words],
            cwd=self.folder,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def read(self, program: subprocess.Popen[str], pattern: str) -> str:
        """Wait for output of a program in another terminal."""
        assert program.stdout is not None
        while not (found := re.search(pattern, line := program.stdout.readline())):
            assert line, "it has ended"
        return found[1]

    def stop(self) -> None:
        """Stop waiting commands, and check the exit codes of the others."""
        for program in self.beside:
            said, _ = program.communicate(timeout=SECONDS)
            assert program.returncode == 0, said
        self.beside.clear()
        for program in self.waiting:
            program.send_signal(signal.SIGINT)
        for program in self.waiting:
            program.communicate(timeout=SECONDS)
        self.waiting.clear()

    def look_up(self, name: str, whose: str) -> None:
        """Look up the id of a person's first card."""
        self.type(f"fairdeal cards list --data {whose}")
        found = ID.search(self.said)
        assert found is not None, self.said
        self.names[name] = found[1]


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reader]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(STATE, str(tmp_path / "state"))
    monkeypatch.setenv("LANGUAGE", "en")
    assert str(default_marks()).startswith(str(tmp_path))
    made = Reader(tmp_path)
    yield made
    made.stop()


def test_cards_guide_commands_print_documented_output(reader):
    for kind, lines in blocks():
        if kind == "text":
            for line in lines:
                pattern = ".*".join(map(re.escape, line.split("…")))
                assert re.search(f"^{pattern}$", reader.said, re.MULTILINE), (
                    f"{line}\n---\n{reader.said}"
                )
            continue
        for line in lines:
            if "ANNS" in line and "ANNS" not in reader.names:
                reader.look_up("ANNS", "ann")
                reader.look_up("BOBS", "bob")
            reader.type(line)


def test_cards_guide_lists_every_command(capsys):
    with pytest.raises(SystemExit):
        main(["cards", "--help"])
    commands = capsys.readouterr().out.partition("\ncommands:\n")[2]
    listed = re.findall(r"^  ([a-z]+) ", commands, re.MULTILINE)
    text = PAGE.read_text("utf-8")
    assert (
        listed
        and [name for name in listed if f"`{name}" not in text and f"cards {name}" not in text]
        == []
    )
