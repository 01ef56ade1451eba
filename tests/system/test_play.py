"""Program `fairdeal play` as a person uses it: at a terminal, with typed lines, with Ctrl-C; and
what it leaves behind.
"""

import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from random import SystemRandom

import psutil
import pytest

from fairdeal.__main__ import main
from player.cards.storage.ledger_store import LedgerStore
from player.cards.storage.named_decks import NamedDeck
from player.storage.identity_file import load_identity
from player.storage.locked_cards import read_locked_cards
from player.storage.play_command import LOGS
from protocol.audit.verdict import Verdict, audit
from protocol.ledger.record_contents import CardType
from protocol.ledger.records import sign_record
from protocol.ledger.view import evaluate
from tests.support.ledger import MAKER, card, free, maker, traded

pytestmark = pytest.mark.process

SECONDS = 240.0  # seconds for the whole test on a busy machine
ANN = ("--pace", "0", "--name", "Ann")
POKER = ("five-card-draw", "--option", "hands=1", *ANN)
# dealt in half the usual time
HIDDEN = ("block-dominoes", "--deal", "verified", "--target", "1", "--option", "hand=2", *ANN)
# for tests that do not depend on hands: nothing is dealt
OPEN = ("matches", "--option", "n=6", "--bot", "random", *ANN)


class Person:
    """Person at a terminal that reads the screen and types."""

    def __init__(self, process: subprocess.Popen[bytes], terminal: int) -> None:
        self.process, self._terminal = process, terminal
        self.seen = ""

    def read(self) -> bool:
        """Read new output. Return False if the program has closed the terminal."""
        try:
            data = os.read(self._terminal, 4096)
        except OSError:
            return False
        self.seen += data.decode(errors="replace").replace("\r\n", "\n")
        return bool(data)

    def wait_for(self, words: str, after: int = 0) -> None:
        """Read until these words appear after earlier output."""
        while words not in self.seen[after:]:
            assert self.read(), self.seen

    def type(self, line: str) -> None:
        os.write(self._terminal, line.encode() + b"\n")

    def play_on(self, until: str) -> None:
        """Take the first choice whenever there is one, until these words appear."""
        done = len(self.seen)
        while until not in self.seen[done:]:
            if found := re.search(r"Your turn:(?: ([^,\n]+).*)?\n", self.seen[done:]):
                done += found.end()
                listed = found[1] is None or found[0].endswith(".\n")
                self.type("1" if listed else first_choice(found[1]))
            else:
                assert self.read(), self.seen

    def end(self) -> int:
        """Read to the end, and return the exit code."""
        while self.read():
            """Until it is over."""
        return self.process.wait(SECONDS)


def first_choice(offered: str) -> str:
    """Return the text to type for the first choice. `bet 2 to 199` is a range, and `exchange ...`
    asks for places.
    """
    return {"exchange": "stand"}.get(offered.split()[0], re.sub(r" to \d+$", "", offered))


@contextmanager
def playing(tmp_path: Path, *words: str) -> Iterator[Person]:
    """Run the program at a new terminal. The test fails if a process is left at the end."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "fairdeal", "play", *words, "--logs", str(tmp_path / "logs")],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        env=os.environ | {"TMPDIR": str(tmp_path), "COLUMNS": "200", "TERM": "dumb"},
    )
    os.close(theirs)
    person, watch = Person(process, ours), psutil.Process(process.pid)
    started: set[psutil.Process] = set()
    try:
        yield person
    finally:
        started |= set(watch.children(recursive=True)) if process.poll() is None else set()
        process.kill()
        process.wait()
        os.close(ours)
        ended(started)


def children(person: Person) -> list[psutil.Process]:
    """Return the processes of the table and the bots."""
    return psutil.Process(person.process.pid).children(recursive=True)


def ended(processes: object) -> None:
    """Check that all of these processes end in time."""
    _, alive = psutil.wait_procs(list(processes), timeout=120)
    for process in alive:
        process.kill()
    assert not alive


def logs(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "logs").glob("*.fairdeal"))


def test_person_plays_two_matches_and_leaves(tmp_path):
    with playing(tmp_path, *POKER) as ann:
        ann.play_on("Play again?")
        once = len(ann.seen)
        assert re.search(
            r"^Verdict: no cheating found. Winner: (Ann|Bob), \d+ entries", ann.seen, re.MULTILINE
        )
        ann.type("yes")
        ann.play_on("Play again?")
        assert "Verdict: no cheating found" in ann.seen[once:]
        left = children(ann)
        assert len(left) == 2  # the table and Bob
        ann.type("no")
        assert ann.end() == 0
        ended(left)
    assert "Traceback" not in ann.seen
    assert [audit(path.read_bytes()).verdict for path in logs(tmp_path)] == [Verdict.CLEAN] * 2
    # nobody needs the unfinished match any more
    assert not list(tmp_path.glob("logs/unfinished/*/*"))


def test_a_game_with_nothing_hidden_is_played_by_short_words(tmp_path):
    with playing(tmp_path, *OPEN) as ann:
        ann.wait_for("Your turn:")
        ann.type("9")
        ann.wait_for("Choose a number from 1 to")
        ann.type("1")
        done = len(ann.seen)
        while "Play again?" not in ann.seen[done:]:
            if "Your turn:" in ann.seen[done:]:
                done = len(ann.seen)
                ann.type("1")
            else:
                assert ann.read(), ann.seen
        ann.type("no")
        assert ann.end() == 0
    assert "takes the last one" in ann.seen or "You take the last one" in ann.seen
    assert [audit(path.read_bytes()).verdict for path in logs(tmp_path)] == [Verdict.CLEAN]


def test_end_of_input_counts_as_no(tmp_path):
    with playing(tmp_path, *OPEN) as ann:
        ann.play_on("Play again?")
        ann.type("\x04")  # Ctrl-D
        assert ann.end() == 0


def ctrl_d(person: Person) -> None:
    person.type("\x04")


STOPS = [lambda ann, number=number: ann.process.send_signal(number) for number in (2, 15, 1)] + [
    ctrl_d
]


@pytest.mark.parametrize("stop", STOPS, ids=["SIGINT", "SIGTERM", "SIGHUP", "Ctrl-D"])
def test_stopped_play_keeps_match_and_leaves_no_process(tmp_path, stop):
    with playing(tmp_path, *HIDDEN) as ann:
        ann.wait_for("Your turn")
        left = children(ann)
        assert len(left) == 2  # the table and Bob
        stop(ann)
        assert ann.end() == 1
        ended(left)
    assert "Traceback" not in ann.seen and "The match is kept" in ann.seen
    (log,) = logs(tmp_path)
    assert audit(log.read_bytes()).verdict is Verdict.INCOMPLETE
    played = datetime.fromtimestamp(log.stat().st_mtime)
    with playing(tmp_path, *HIDDEN) as ann:
        ann.wait_for("Continuing your unfinished match")
        assert f"last played at {played:%Y-%m-%d %H:%M}. To give it up" in ann.seen
        ann.play_on("Play again?")
        ann.type("no")
        assert ann.end() == 0
    assert logs(tmp_path) == [log] and audit(log.read_bytes()).verdict is Verdict.CLEAN
    assert not list(tmp_path.glob("logs/unfinished/*/*"))


def test_play_match_lost_by_its_table_can_be_dropped(tmp_path):
    """Otherwise this command could never play again."""
    with playing(tmp_path, *OPEN) as ann:
        ann.wait_for("Your turn")
        ann.process.send_signal(signal.SIGINT)
        assert ann.end() == 1
    (table,) = tmp_path.glob("logs/unfinished/*/*/table")
    for each in table.glob("journal*"):
        each.unlink()
    with playing(tmp_path, *OPEN) as ann:
        ann.wait_for("Give the match up?")
        ann.type("no")
        ann.wait_for("--forget")
        assert ann.end() == 1
    with playing(tmp_path, *OPEN, "--forget") as ann:
        ann.play_on("Play again?")
        ann.type("no")
        assert ann.end() == 0
    assert not list(tmp_path.glob("logs/unfinished/*/*"))


def test_leaving_needs_confirmation(tmp_path):
    with playing(tmp_path, *HIDDEN) as ann:
        ann.wait_for("Your turn")
        ann.type("leave")
        ann.wait_for("Type yes")
        ann.type("yes")
        ann.wait_for("Play again?")
        ann.type("no")
        assert ann.end() == 1
    (log,) = logs(tmp_path)
    assert "left the match" in ann.seen and audit(log.read_bytes()).verdict is Verdict.FAULT
    assert not list(tmp_path.glob("logs/unfinished/*/*"))


def test_ctrl_c_before_start_ends_play(tmp_path):
    with playing(tmp_path, *OPEN) as ann:
        ann.wait_for("Opening")
        ann.process.send_signal(signal.SIGINT)
        assert ann.end() == 1
    assert "Traceback" not in ann.seen


def test_nothing_outlives_a_program_that_is_killed(tmp_path):
    with playing(tmp_path, *OPEN) as ann:
        ann.wait_for("Your turn")
        left = children(ann)
        ann.process.kill()
        ended(left)


def test_dead_bot_ends_play_with_message(tmp_path):
    with playing(tmp_path, *OPEN) as ann:
        ann.wait_for("Your turn")
        (bob,) = (child for child in children(ann) if "Bob" in child.cmdline())
        bob.kill()
        assert ann.end() == 1
    assert "Bob's program has stopped" in ann.seen and "Traceback" not in ann.seen


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("five-card-draw", "--option", "hands=0"),
            "five-card-draw cannot be played like this: `hands` must be",
        ),
        (("five-card-draw", "--leavers", "sometimes"), "`leavers`"),
        (("five-card-draw", "--option", "nonsense"), "NAME=VALUE"),
        (("five-card-draw", "--bots", "3", "--seats", "2"), "room for 0 to 1 bots"),
        (("chess",), "chess"),
    ],
)
def test_unplayable_game_is_explained_in_one_line(capsys, words, said):
    with pytest.raises(SystemExit) as end:
        main(["play", *words])
    assert end.value.code == 2
    out, err = capsys.readouterr()
    assert out == "" and said in err and "Traceback" not in err


def test_unplayable_game_ends_program():
    run = subprocess.run(
        [sys.executable, "-m", "fairdeal", "play", "chess"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert run.returncode == 2
    assert "chess" in run.stderr and "Traceback" not in run.stderr


def test_play_with_bots_only_ends(tmp_path):
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "fairdeal",
            "play",
            *HIDDEN,
            "--bots",
            "2",
            "--watch",
            "--logs",
            str(tmp_path / "logs"),
        ],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "Verdict: no cheating found" in run.stdout and "Play again" not in run.stdout


def test_json_screen_has_nothing_but_json_on_standard_output(tmp_path):
    words = ["nim", "--watch", "--pace", "0", "--screen", "json", "--logs", str(tmp_path / "logs")]
    run = subprocess.run(
        [sys.executable, "-m", "fairdeal", "play", *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    told = [json.loads(line) for line in run.stdout.splitlines()]
    assert told[-1]["event"] == "ended" and told[-1]["clean"]
    assert "Opening a table" in run.stderr


def test_play_with_breakable_keys_needs_no_second_option(tmp_path):
    words = ["--deal", "residue", "--deal-option", "bits=breakable-512", "--option", "target=1"]
    watching = ["--watch", "--pace", "0", "--logs", str(tmp_path / "logs")]
    run = subprocess.run(
        [sys.executable, "-m", "fairdeal", "play", "draw-dominoes", *words, *watching],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "Verdict: no cheating found" in run.stdout


def test_owned_deck_is_mirrored_by_bot_and_stays_free(tmp_path):
    data = tmp_path / "ann"
    me = load_identity(data, None, SystemRandom())
    values = (("element", "fire"), ("strength", 9))
    kind = CardType(MAKER.public, None, 0, None, "Ember", "First", None, values, True, "")
    fire = sign_record(kind, MAKER)
    made = [maker(), fire, *(card(serial, fire) for serial in range(10))]
    dealt = traded(MAKER, me, free(evaluate(made), *made[2:]))
    with closing(LedgerStore(data, me.public, None)) as store:
        store.add([*made, dealt])
        deck = NamedDeck("first", "element-duel", True, tuple(one.id for one in made[2:]))
        store.decks.make(deck)
    words = ["play", "element-duel", "--deck", "first", "--watch", "--bot", "random", *ANN]
    done = subprocess.run(
        [sys.executable, "-m", "fairdeal", *words, "--data", str(data)],
        capture_output=True,
        timeout=SECONDS,
        env=os.environ | {"TMPDIR": str(tmp_path)},
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "copy of your deck first" in done.stdout and "Verdict: no cheating found" in done.stdout
    (log,) = (data / LOGS).glob("*.fairdeal")
    # the cards are owned ones, and no real key has made or played them
    assert b"owned" in log.read_bytes() and me.public not in log.read_bytes()
    assert audit(log.read_bytes()).verdict is Verdict.CLEAN
    assert not read_locked_cards(data)
