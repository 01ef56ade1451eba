"""Game by a person's own rule file: a real table, separate programs, and the same file for all."""

import subprocess
import sys
from pathlib import Path

import pytest

from protocol.games.scripted.rule_file.built_in import rule_digest
from tests.system.test_table_and_players import SECONDS, run, start

pytestmark = pytest.mark.process

RULES = """\
RULES = {"name": "high", "edition": 1, "seats": [2, 3], "decks": "shared"}
REGIONS = [
    region("deck", "one"), region("hand", "each", see = "owner", order = "hand"), region("pile", "one", see = "all"),
]
ACTIONS = [action("play", card = "hand", face = "up")]
COUNTERS = {"points": "each"}
CARDS = [{"name": "c%d" % n, "n": n} for n in range(8)]
def start(g): return [shuffle("deck")] + [draw("deck", "hand", s, 2) for s in range(g["seats"])]
def legal(g, me, act): return True
def apply(g, me, act): return [move(act["card"], "pile"), add("points", me, act["face"]["n"]), end_turn()]
def winner(g): return None if g["turns"] < 4 else [0 if g["counters"]["points"][0] > 6 else 1]
"""


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "high.rules"
    path.write_text(RULES)
    return path


def joined(link: str, folder: Path, *words: str) -> subprocess.Popen[str]:
    return start(
        "-m",
        "fairdeal",
        "join",
        link,
        "--name",
        folder.name,
        "--data",
        str(folder),
        "--bot",
        "random",
        *words,
    )


def test_rule_file_owners_play_and_others_are_told_before_joining(tmp_path, rules):
    other = tmp_path / "other.rules"
    other.write_text(RULES + "# not the same\n")
    listen = ("--listen", "127.0.0.1:0", "--data", str(tmp_path / "table"), "--once")
    table = start("-m", "fairdeal", "host", *listen, "--rules", str(rules))
    programs = [table]
    try:
        assert table.stdout is not None
        link = table.stdout.readline().strip()
        declined = {
            name: joined(link, tmp_path / name, *words)
            for name, words in (("Cleo", ("--rules", str(other))), ("Dan", ()))
        }
        programs += declined.values()
        said = {name: program.communicate(timeout=SECONDS)[0] for name, program in declined.items()}
        assert [program.returncode for program in declined.values()] == [4, 4]
        for text in said.values():
            assert "wrong_setup" in text and rule_digest(RULES) in text and "--rules FILE" in text
        assert rule_digest(other.read_text()) in said["Cleo"]
        players = [joined(link, tmp_path / name, "--rules", str(rules)) for name in ("Ann", "Bob")]
        programs += players
        printed = [player.communicate(timeout=SECONDS)[0] for player in players]
        assert [player.returncode for player in players] == [0, 0], printed
        assert table.wait(SECONDS) == 0
    finally:
        for program in programs:
            program.kill()
            program.communicate()
    assert "Verdict: no cheating found. Winner" in printed[0]
    rules.unlink()  # the log is enough for everybody else
    (log,) = (tmp_path / "table" / "logs").glob("*.fairdeal")
    shown = run("-m", "protocol", "show", str(log))
    assert shown.returncode == 0 and "play c" in shown.stdout and "clean" in shown.stdout


@pytest.mark.parametrize(
    ("words", "opens"), [((), False), (("--allow-create", "any"), True), (("--rules", "own"), True)]
)
def test_rule_file_opens_table_if_host_permits(tmp_path, rules, words, opens):
    """Also if the host has named the same file."""
    words = tuple(str(rules) if word == "own" else word for word in words)
    table = start(
        "-m",
        "fairdeal",
        "host",
        "--listen",
        "127.0.0.1:0",
        "--data",
        str(tmp_path / "table"),
        *words,
    )
    programs = [table]
    try:
        assert table.stdout is not None
        link = table.stdout.readline().strip()
        programs += [ann := joined(link, tmp_path / "Ann", "--rules", str(rules), "--create")]
        if opens:
            at_the_table = (
                "--table",
                "table-1",
                "--rules",
                str(rules),
                "--log",
                str(tmp_path / "bobs.fairdeal"),
            )
            look = ("-m", "fairdeal", "join", link, "--list", "--data", str(tmp_path / "Eve"))
            while "table-1" not in run(*look).stdout:
                assert ann.poll() is None
            programs += [bob := joined(link, tmp_path / "Bob", *at_the_table)]
            assert "no cheating found" in bob.communicate(timeout=SECONDS)[0]
        said = ann.communicate(timeout=SECONDS)[0]
        assert ("no cheating found" in said) == opens, said
        assert ("--allow-create any" in said) == (not opens), said
    finally:
        for program in programs:
            program.kill()
            program.communicate()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("play", "script"), "fairdeal play FILE.rules"),
        (("play", "missing.rules"), "missing.rules cannot be read"),
        (("play", "high.rules", "--bots", "4"), "2 to 3"),
        (("host", "--game", "nim", "--rules", "high.rules"), "nim has its own rules"),
        (("host", "--rules", "broken.rules"), "fairdeal rules check"),
    ],
)
def test_rule_file_errors_are_reported_before_anything_opens(tmp_path, rules, words, said):
    (tmp_path / "broken.rules").write_text(RULES.replace("def winner", "def loser"))
    done = subprocess.run(
        [sys.executable, "-m", "fairdeal", *words],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr, (
        done.stderr
    )
