"""Deadlines in the real programs: a silent player is skipped, then named, and the wait is shown."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
SECONDS = 240
STEP = 8  # seconds, enough for players that are present on a busy machine


def start(*arguments: str, stdin: int | None = None) -> subprocess.Popen[str]:
    """Start a fairdeal program in the background."""
    return subprocess.Popen(
        [sys.executable, "-u", *arguments], cwd=ROOT, stdin=stdin, stdout=subprocess.PIPE, text=True
    )


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a fairdeal program to its end."""
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=SECONDS
    )


Join = Callable[..., subprocess.Popen[str]]


@contextmanager
def table(folder: Path, *options: str) -> Iterator[Join]:
    """Run a table for one match. The yielded function starts a player there, and the last player
    waits for all others.
    """
    host = start(
        "-m",
        "table",
        "--listen",
        "127.0.0.1:0",
        "--once",
        "--data",
        str(folder / "table"),
        *options,
    )
    started = [host]

    def join(name: str, *more: str, typing: int | None = None) -> subprocess.Popen[str]:
        """Start a bot, or a person whose input comes from the file descriptor `typing`."""
        own = ["--name", name, "--data", str(folder / name), "--log", str(log(folder, name))]
        bot = ["--bot", "greedy"] if typing is None else []
        started.append(start("-m", "player", link, *own, *bot, *more, stdin=typing))
        return started[-1]

    try:
        assert host.stdout is not None
        link = host.stdout.readline().strip()
        yield join
        assert host.wait(SECONDS) == 0
    finally:
        for program in started:
            program.kill()
            program.communicate()


def log(folder: Path, name: str) -> Path:
    return folder / f"{name}.fairdeal"


def shown(path: Path) -> str:
    return run("-m", "protocol", "show", str(path)).stdout


def test_a_player_that_never_moves_is_skipped_and_then_out(tmp_path):
    silence, nobody = os.pipe()
    with table(tmp_path, "--turn-seconds", "3", "--extensions", "1", "--target", "500") as join:
        ann, bob = join("Ann"), join("Bob", typing=silence)
        said = [player.communicate(timeout=SECONDS)[0] for player in (ann, bob)]
        os.close(silence)
        os.close(nobody)
        assert (ann.returncode, bob.returncode) == (1, 1)
    assert log(tmp_path, "Ann").read_bytes() == log(tmp_path, "Bob").read_bytes()
    told = shown(log(tmp_path, "Ann"))
    lapses = re.findall(r"the table +lapse ", told)
    in_a_row = re.split(r"\d Bob +move ", told)[-1]  # the program makes forced moves itself
    assert len(re.findall(r"the table +lapse ", in_a_row)) == 3
    assert len(re.findall(r"the table +extension ", told)) == 1
    assert "did not answer in time, by the table's clock [lapsed]" in told
    for text, name, has, whose in (
        (said[0], "Bob", "has", "Bob's"),
        (said[1], "You", "have", "Your"),
    ):
        assert f"{name} {has} 2 s left, then an extension." in text
        assert text.count(f"{whose} turn is skipped.") == len(lapses) - 1
        assert f"{name} did not answer in time." in text
        assert "Verdict: no cheating found; Bob (seat" in text
    waited = run("-m", "protocol", "clock", str(log(tmp_path, "Ann")), str(log(tmp_path, "Bob")))
    assert waited.returncode == 0
    assert waited.stdout.endswith("justified: the table waited as it says.\n")


def test_player_dying_in_the_middle_of_deal_is_named(tmp_path):
    with table(tmp_path, "--step-seconds", str(STEP), "--seats", "3", "--deal", "verified") as join:
        ann, bob, cleo = (join(name) for name in ("Ann", "Bob", "Cleo"))
        assert cleo.stdout is not None
        for line in cleo.stdout:
            if line.startswith("Dealing hand 1"):
                cleo.send_signal(signal.SIGSTOP)  # the player neither answers nor disconnects
                break
        said = [player.communicate(timeout=SECONDS)[0] for player in (ann, bob)]
    for text in said:
        assert "Cleo has 4 s left." in text
        assert "Cleo did not answer in time." in text
        assert re.search(
            r"^Verdict: no cheating found; Cleo \(seat \d\) in entry \d+: did not answer in time",
            text,
            re.M,
        )
    told = shown(log(tmp_path, "Ann"))
    (waited,) = re.findall(
        r"the table +lapse +declares that the time of Cleo is over, after (\d+\.\d) s\n", told
    )
    assert STEP <= float(waited) < 4 * STEP


def test_with_shared_keys_the_others_play_on_after_a_lapse(tmp_path):
    options = ("--seats", "3", "--deal", "verified", "--leavers", "threshold", "--target", "1")
    with table(tmp_path, "--step-seconds", str(STEP), *options) as join:
        ann, bob, cleo = (join(name) for name in ("Ann", "Bob", "Cleo"))
        assert cleo.stdout is not None
        for line in cleo.stdout:
            if line.startswith("Dealing hand 1"):
                cleo.send_signal(signal.SIGSTOP)
                break
        said = [player.communicate(timeout=SECONDS)[0] for player in (ann, bob)]
    for text in said:
        assert "Cleo has left." in text and "The others play on." in text
        assert re.search(r"^Verdict: no cheating found; Cleo .*; winner (Ann|Bob)", text, re.M)
