"""Programs as people run them: separate processes, real sockets, files on disk."""

import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from protocol.match.packed_log import plain_log

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
SECONDS = 240


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a fairdeal program to its end."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def start(*arguments: str, stdin: int | None = None) -> subprocess.Popen[str]:
    """Start a fairdeal program in the background."""
    command = [sys.executable, "-u", *arguments]
    return subprocess.Popen(command, cwd=ROOT, stdin=stdin, stdout=subprocess.PIPE, text=True)


@pytest.fixture(scope="module")
def match(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """Play a draw match of two seats for all tests. Return its folder, and each player's output."""
    tmp_path = tmp_path_factory.mktemp("match")
    folder = str(tmp_path / "table")
    table = start(
        "-m",
        "table",
        "--listen",
        "127.0.0.1:0",
        "--game",
        "draw-dominoes",
        "--target",
        "20",
        "--once",
        "--data",
        folder,
    )
    try:
        assert table.stdout is not None
        link = table.stdout.readline().strip()
        assert (
            table.stdout.readline()
            == "Waiting for 2 players: draw-dominoes, dealt layered. Each of them types:\n"
        )
        assert table.stdout.readline() == f"  fairdeal join {link}\n"
        players = []
        for name, bot in (("Ann", "greedy"), ("Bob", "random")):
            own = ["--name", name, "--bot", bot, "--data", str(tmp_path / name)]
            players.append(
                start("-m", "player", link, *own, "--log", str(tmp_path / f"{name}.fairdeal"))
            )
        printed = [player.communicate(timeout=SECONDS)[0] for player in players]
        assert [player.returncode for player in players] == [0, 0]
        assert table.wait(SECONDS) == 0
    finally:
        table.kill()
        table.communicate()
    return tmp_path, printed


def test_all_players_have_same_clean_log(match):
    folder, printed = match
    kept = [(folder / f"{name}.fairdeal").read_bytes() for name in ("Ann", "Bob")]
    (exported,) = (folder / "table" / "logs").glob("*.fairdeal")
    assert kept[0] == kept[1] == plain_log(exported.read_bytes())
    for text in printed:
        assert re.search(
            r"^Verdict: no cheating found. Winner: (Ann|Bob), \d+ entries", text, re.MULTILINE
        )
    audited = run("-m", "protocol", "audit", str(exported), "--json")
    report = json.loads(audited.stdout)
    assert (audited.returncode, report["verdict"], report["faults"]) == (0, "clean", [])
    assert max(seat["score"] for seat in report["seats"]) >= 20


def test_bots_of_one_person_use_separate_folders_and_recover(tmp_path):
    """The person's folder has none of their files. Each has one log with times, and a leaver does
    not disturb the others.
    """
    own = os.environ | {"XDG_DATA_HOME": str(tmp_path)}
    table = start(
        "-m",
        "table",
        "--listen",
        "127.0.0.1:0",
        "--game",
        "draw-dominoes",
        "--data",
        str(tmp_path / "table"),
    )
    bots: list[subprocess.Popen[str]] = []
    try:
        assert table.stdout is not None
        link = table.stdout.readline().strip()
        command = [
            sys.executable,
            "-u",
            "-m",
            "player",
            link,
            "--again",
            "--bot",
            "random",
            "--pace",
            "0.3",
        ]
        bots = [subprocess.Popen(command, env=own, stdout=subprocess.PIPE, text=True)]
        ann = start(
            "-m",
            "player",
            link,
            "--name",
            "Ann",
            "--data",
            str(tmp_path / "ann"),
            stdin=subprocess.PIPE,
        )
        assert ann.stdin is not None and bots[0].stdout is not None
        wait_for(ann, "Dealing hand 1")
        ann.stdin.write("leave\nyes\n")
        ann.stdin.flush()
        ann.communicate(timeout=SECONDS)
        wait_for(bots[0], "Verdict: no cheating found; Ann")
        wait_for(bots[0], "waiting for 1 more")  # the table goes on after another seat's fault
        bots += [subprocess.Popen(command, env=own, stdout=subprocess.PIPE, text=True)]
        for bot in bots:
            wait_for(bot, "Dealing hand 1")
    finally:
        for process in (*bots, table):
            process.terminate()
            process.communicate(timeout=SECONDS)
    logs = [
        path.relative_to(tmp_path / "fairdeal" / "bots")
        for path in tmp_path.glob("fairdeal/**/*.fairdeal")
    ]
    assert sorted(log.parts[0] for log in logs) == ["1", "1", "2"]
    assert len(set(map(str, logs))) == 3 == len(list(tmp_path.glob("fairdeal/**/*.times")))


def wait_for(program: subprocess.Popen[str], words: str) -> None:
    """Read output up to the line with these words."""
    assert program.stdout is not None
    assert any(words in line for line in program.stdout), f"it ended without {words!r}"


def test_both_screens_show_the_same_four_words(match):
    _, printed = match
    words = [
        re.findall(r"Check words: ([a-z]+(?:-[a-z]+){3})$", text, re.MULTILINE) for text in printed
    ]
    assert len(words[0]) == 1 and words[0] == words[1]


def test_players_remember_their_partners(match):
    folder, _ = match
    listed = run("-m", "player", "contacts", "--data", str(folder / "Ann"))
    assert listed.returncode == 0
    assert "Bob" in listed.stdout and "Ann" not in listed.stdout


def test_show_prints_the_match(match):
    folder, _ = match
    shown = run("-m", "protocol", "show", str(folder / "Ann.fairdeal"))
    assert shown.returncode == 0
    assert "Ann" in shown.stdout and "clean" in shown.stdout


def test_the_demo_ends_with_its_one_line(tmp_path):
    log = tmp_path / "demo.fairdeal"
    shown = run("scripts/demo.py", "--target", "1", "--log", str(log))
    assert shown.returncode == 0, shown.stderr
    last = shown.stdout.splitlines()[-1]
    assert re.fullmatch(r"verdict: clean, winner (Ann|Bob|Cleo|Dan), \d+ entries", last)
    assert run("-m", "protocol", "audit", str(log)).returncode == 0


def test_verified_match_goes_on_after_person_leaves(tmp_path):
    table = start(
        "-m",
        "table",
        "--listen",
        "127.0.0.1:0",
        "--seats",
        "3",
        "--deal",
        "verified",
        "--leavers",
        "threshold",
        "--target",
        "1",
        "--once",
        "--data",
        str(tmp_path / "table"),
    )
    assert table.stdout is not None
    link = table.stdout.readline().strip()
    logs = {name: tmp_path / f"{name}.fairdeal" for name in ("Ann", "Bob", "Cleo")}

    def join(name: str, *more: str, **pipes: int) -> subprocess.Popen[str]:
        own = ["--name", name, "--data", str(tmp_path / name), "--log", str(logs[name])]
        command = [sys.executable, "-u", "-m", "player", link, *own, *more]
        return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, **pipes)

    bots = [join(name, "--bot", "greedy") for name in ("Bob", "Cleo")]
    ann = join("Ann", stdin=subprocess.PIPE)
    try:
        assert ann.stdout is not None
        for line in ann.stdout:
            if line.startswith("Your turn"):
                break
        # must not take over Ann's seat
        looked = run("-m", "player", link, "--list", "--data", str(tmp_path / "Ann"))
        second = run("-m", "player", link, "--data", str(tmp_path / "Ann"))
        said = ann.communicate("leave\nyes\n", timeout=SECONDS)[0]
        printed = [bot.communicate(timeout=SECONDS)[0] for bot in bots]
        assert table.wait(SECONDS) == 0
    finally:
        for process in (table, ann, *bots):
            process.kill()
            process.communicate()
    assert looked.returncode == 0 and "main" in looked.stdout
    assert second.returncode != 0 and "--data" in second.stderr
    assert "say that you do not have" not in said
    assert "Verdict: no cheating found; Ann" in said and ann.returncode == 1
    for text in printed:
        assert re.search(
            r"^Verdict: no cheating found; Ann .*: left the match before its end; winner (Bob|Cleo)",
            text,
            re.MULTILINE,
        )
    audited = run("-m", "protocol", "audit", str(logs["Bob"]), "--json")
    report = json.loads(audited.stdout)
    assert (audited.returncode, report["verdict"]) == (1, "fault")
    assert [fault["code"] for fault in report["faults"]] == ["left"]
    assert logs["Bob"].read_bytes() == logs["Cleo"].read_bytes()


def test_demo_instructions_work_in_a_bare_shell(tmp_path):
    typed = runpy.run_path(str(ROOT / "scripts" / "demo.py"))["audit_command"](
        tmp_path / "no log.fairdeal"
    )
    told = subprocess.run(
        ["/bin/sh", "-c", typed],
        cwd="/",
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert (
        told.returncode == 2 and "no log.fairdeal" in told.stderr and "Traceback" not in told.stderr
    )
