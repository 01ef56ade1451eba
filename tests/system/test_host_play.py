"""`fairdeal host --play` as a person uses it: one command opens a table and sits down, and others
come by the printed link.
"""

import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import psutil
import pytest

from fairdeal.__main__ import main
from fairdeal.host_arguments import make_parser, seat_words, table_words
from protocol.audit.verdict import Verdict, audit
from protocol.identity.keys import JoinLink
from protocol.match.packed_log import plain_log
from tests.support.site_folder import packages_with_page
from tests.support.terminal import at_terminal
from tests.system.test_play import SECONDS, Person, ended

pytestmark = pytest.mark.process

NIM = ("--game", "nim", "--option", "rows=1-1")
TILES = ("--game", "draw-dominoes", "--target", "1", "--option", "hand=2")
STAYS = "It stays open"
ROOT = Path(__file__).parents[2]
FAIRDEAL = (sys.executable, "-m", "fairdeal")


class Host(Person):
    """The host at a terminal."""

    link = ""

    def welcome(self) -> str:
        """Read the link and the sentences after it, and return the link."""
        self.wait_for("You sit down now.")
        self.link = self.seen.splitlines()[0]
        return self.link

    def children(self) -> tuple[psutil.Process, psutil.Process]:
        """Return the programs of the table and of the seat, once both run."""
        self.wait_for(", seats: 2")
        found = psutil.Process(self.process.pid).children()
        (table,) = (each for each in found if "fairdeal.child" in each.cmdline())
        (seat,) = (each for each in found if "join" in each.cmdline())
        return table, seat

    def take_heaps(self, until: str) -> None:
        """Take one of the last heap that is left whenever it is the own turn at nim."""
        done = len(self.seen)
        while until not in self.seen[done:]:
            turn = self.seen.find("Your turn:", done)
            if turn < 0:
                assert self.read(), self.seen
                continue
            heap = re.findall(r"^ +(\d+) +[1-9]\d* +\|", self.seen[:turn], re.MULTILINE)[-1]
            self.type(f"{heap} 1")
            done = turn + 1

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)


@contextmanager
def hosting(folder: Path, *words: str) -> Iterator[Host]:
    """Run the command at a new terminal. The test fails if a process is left at the end."""
    ours, theirs = pty.openpty()
    own = ("--as", "Ann", "--data", str(folder / "table"), "--player-data", str(folder / "ann"))
    process = subprocess.Popen(
        [*FAIRDEAL, "host", "--play", "--listen", "127.0.0.1:0", *own, *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        env=os.environ | {"COLUMNS": "200", "TERM": "dumb"},
    )
    os.close(theirs)
    host, watch = Host(process, ours), psutil.Process(process.pid)
    started: set[psutil.Process] = set()
    try:
        yield host
    finally:
        started |= set(watch.children(recursive=True)) if process.poll() is None else set()
        process.kill()
        process.wait()
        os.close(ours)
        ended(started)


@contextmanager
def guest(folder: Path, link: str, *words: str) -> Iterator[subprocess.Popen[str]]:
    """Run a bot as a second player who was given the link."""
    own = ("--name", "Bob", "--data", str(folder / "bob"), "--bot", "random")
    process = subprocess.Popen(
        [*FAIRDEAL, "join", link, *own, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def listed(link: str, folder: Path, *words: str) -> str:
    """Return the list of the table's tables, as another program sees it."""
    return subprocess.run(
        [*FAIRDEAL, "join", link, "--list", *words, "--data", str(folder / "carl")],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    ).stdout


def logs(folder: Path) -> list[bytes]:
    """Return the table's logs in their plain form."""
    return [
        plain_log(path.read_bytes())
        for path in sorted((folder / "table" / "logs").glob("*.fairdeal"))
    ]


def test_host_plays_matches_and_table_stays_until_ctrl_c(tmp_path):
    with hosting(tmp_path, *NIM) as ann, guest(tmp_path, ann.welcome(), "--again"):
        assert "Only this computer can reach this link." in ann.seen
        ann.take_heaps("Play again?")
        ann.type("yes")
        ann.take_heaps("Play again?")
        ann.type("no")
        ann.wait_for(STAYS)
        assert "nim" in listed(ann.link, tmp_path)
        assert "nim" in listed(ann.link, tmp_path, "--find", "rows of")
        assert "No table fits" in listed(ann.link, tmp_path, "--find", "poker")
        ann.interrupt()
        ann.wait_for("The table is closed.")
        assert ann.end() == 0
    assert "Traceback" not in ann.seen
    assert [audit(log).verdict for log in logs(tmp_path)] == [Verdict.CLEAN] * 2


def test_host_that_plays_deals_verified(tmp_path):
    with hosting(tmp_path, *TILES) as ann, guest(tmp_path, ann.welcome()) as bob:
        assert "dealt in a way in which nobody can see them" in ann.seen
        ann.play_on("Play again?")
        ann.type("no")
        ann.wait_for(STAYS)
        said = bob.communicate(timeout=SECONDS)[0]
        assert "Nobody else can see your hand" in said and "Ann hosts" not in said
    (log,) = logs(tmp_path)
    checked = audit(log)
    assert checked.verdict is Verdict.CLEAN
    assert b"verified" in log and b"layered" not in log


def test_layered_is_kept_if_chosen_and_guests_are_told(tmp_path):
    words = (*TILES, "--deal", "layered", "--greeting", "Tea at five.")
    with hosting(tmp_path, *words) as ann, guest(tmp_path, ann.welcome()) as bob:
        assert "Everybody who comes sees this line: Tea at five. Ann hosts this table" in ann.seen
        ann.play_on("Play again?")
        ann.type("no")
        ann.wait_for(STAYS)
        said = bob.communicate(timeout=SECONDS)[0]
    assert "Tea at five. Ann hosts this table and plays at it." in said
    assert "Ann can see your hand" in said
    assert "If the host and the other player cheat together, they can see your hand." in said
    assert b"layered" in logs(tmp_path)[0]


def test_ctrl_c_leaves_seat_and_host_comes_back(tmp_path):
    with hosting(tmp_path, *NIM) as ann, guest(tmp_path, ann.welcome()) as bob:
        ann.wait_for("Your turn")
        ann.interrupt()
        ann.wait_for(STAYS)
        assert "The match is kept" in ann.seen
        back = ("--data", str(tmp_path / "ann"))
        ann.wait_for(f"fairdeal join {' '.join(back)} {ann.link}")
        again = subprocess.run(
            [*FAIRDEAL, "join", *back, ann.link, "--bot", "random"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        assert "Verdict: no cheating found" in again.stdout, again.stdout
        assert bob.wait(SECONDS) == 0
        ann.interrupt()
        assert ann.end() == 1
    assert [audit(log).verdict for log in logs(tmp_path)] == [Verdict.CLEAN]


def test_keys_of_the_hosts_seat_are_not_the_tables(tmp_path):
    path = tmp_path / "table.toml"
    path.write_text('play = true\ngame = "nim"\nname = "Club"\nas = "Zoe"\npassphrase = false\n')
    with hosting(tmp_path, f"--config={path}") as ann:
        link = ann.welcome()
        assert "nim" in listed(link, tmp_path)


@pytest.mark.parametrize(
    ("term", "words", "sat"),
    [
        ("xterm", (), ", seats: 2"),  # a prompt reads Ctrl-C as a key
        ("dumb", (), ", seats: 2"),  # the terminal sends a signal to both programs
        ("dumb", ("--web",), "http://127.0.0.1:"),
    ],
)
async def test_typed_ctrl_c_leaves_seat_and_then_ends_table(tmp_path, term, words, sat):
    folders = ("--data", tmp_path / "table", "--player-data", tmp_path / "ann")
    command = ("-m", "fairdeal", "host", "--play", "--listen", "127.0.0.1:0", *folders)
    async with at_terminal(*command, *NIM, "--as", "Ann", *words, term=term) as ann:
        await ann.until(sat)
        ann.type("\x03")
        await ann.until(STAYS)
        assert "The table is closed." not in ann.text and ann.cooked
        ann.type("\x03")
        assert await ann.end() == 1
        assert "The table is closed." in ann.text


def test_same_command_goes_on_with_match_after_its_end(tmp_path):
    with hosting(tmp_path, *NIM) as ann, guest(tmp_path, ann.welcome()):
        ann.wait_for("Your turn")
        ann.interrupt()
        ann.wait_for(STAYS)
        ann.interrupt()
        assert ann.end() == 1
    port = re.search(r":(\d+)/", ann.link)[1]
    with (
        hosting(tmp_path, *NIM, "--listen", f"127.0.0.1:{port}") as ann,
        guest(tmp_path, ann.welcome()),
    ):
        ann.wait_for("Continuing your unfinished match")
        ann.take_heaps("Play again?")
    assert [audit(log).verdict for log in logs(tmp_path)] == [Verdict.CLEAN]


def test_table_survives_the_death_of_its_hosts_seat(tmp_path):
    with hosting(tmp_path, *NIM) as ann:
        link = ann.welcome()
        table, seat = ann.children()
        seat.kill()
        ann.wait_for(STAYS)
        assert table.is_running() and "nim" in listed(link, tmp_path)


def test_death_of_the_table_is_told_with_its_report(tmp_path):
    with hosting(tmp_path, *NIM) as ann:
        ann.welcome()
        table, _ = ann.children()
        table.kill()
        assert ann.end() == 1
    assert f"The end of {tmp_path / 'table' / 'table.txt'} says why." in ann.seen
    assert "Traceback" not in ann.seen


def test_table_ends_with_a_killed_command(tmp_path):
    with hosting(tmp_path, *NIM) as ann:
        ann.welcome()
        table, seat = ann.children()
        ann.process.kill()
        ended([table])
        seat.kill()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_other_signals_end_seat_and_table_at_once(tmp_path, number):
    with hosting(tmp_path, *NIM) as ann:
        ann.welcome()
        left = ann.children()
        ann.process.send_signal(number)
        assert ann.end() == 1
        ended(left)
    assert STAYS not in ann.seen and "Traceback" not in ann.seen


def test_table_that_cannot_open_says_why(tmp_path):
    with hosting(tmp_path, *NIM) as ann:
        port = re.search(r":(\d+)/", ann.welcome())[1]
        with hosting(tmp_path / "other", *NIM, "--listen", f"127.0.0.1:{port}") as other:
            assert other.end() == 1
    assert "No table could be opened: " in other.seen and "Traceback" not in other.seen


@pytest.mark.parametrize(
    ("words", "english", "german"),
    [
        (["--deck", "first"], "--deck is for your own seat", "--deck ist für deinen eigenen Platz"),
        (["--as", "Ann"], "--as is for your own seat", "--as ist für deinen eigenen Platz"),
        (["--player-data", "d"], "--player-data is for", "--player-data ist für"),
        (["--play", "--ws"], "--play and --ws do not go", "--play und --ws passen nicht"),
        (["--play", "--once"], "do not go together", "passen nicht zusammen"),
        (
            ["--play", "--web-name", "x"],
            "--web-name is for a page",
            "--web-name ist für eine Seite",
        ),
        (["--guests-web"], "--guests-web", "--guests-web"),
        (["--play", "--guests-web", "--page", "http://a.test/"], "--page", "--page"),
        (["--play", "--as", "a\x07"], "name", "Name"),
        (["--play", "--game", "chess"], "chess", "chess"),
        (["--play", "--seats", "99"], "99", "99"),
        (
            ["--play", "--deal", "layered", "--greeting", "x" * 150],
            "200",
            "200",
        ),
    ],
)
def test_wrong_combination_is_refused_in_persons_language(
    words, english, german, monkeypatch, capsys, tmp_path
):
    for language, told in (("en", english), ("de", german)):
        monkeypatch.setenv("LANGUAGE", language)
        with pytest.raises(SystemExit) as end:
            main(["host", "--data", str(tmp_path), *words])
        out, err = capsys.readouterr()
        assert (end.value.code, out) == (2, "")
        assert told in err and "Traceback" not in err and "\x07" not in err


def test_host_who_plays_behind_a_relay_names_a_page(tmp_path):
    words = ("--relay", "ws://127.0.0.1:9", "--page", "http://play.test:81/")
    with hosting(tmp_path, *words, *NIM) as host:
        first = JoinLink.parse(host.welcome())
        (given,) = re.findall(r"^ +(http://\S+#ws://\S+)", host.seen, re.MULTILINE)
        link = JoinLink.parse(given)
        assert (first.page, link.page) == ("", "http://play.test:81/")
        assert link == first
        assert "web server play.test:81 could change" in " ".join(host.seen.split())


def test_host_who_plays_gives_guests_a_page(tmp_path, monkeypatch):
    packages = packages_with_page(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(ROOT), str(packages))))
    with hosting(tmp_path, "--guests-web", "127.0.0.1:0", *NIM) as host:
        first = JoinLink.parse(host.welcome())
        (given,) = re.findall(r"^ +(http://\S+#ws://\S+)", host.seen, re.MULTILINE)
        link = JoinLink.parse(given)
        assert (first.page, link.fingerprint) == ("", first.fingerprint)
        with urlopen(link.page, timeout=SECONDS) as page:
            assert page.status == 200
        with guest(tmp_path, given) as bob:  # a program takes the same link
            host.take_heaps("no cheating found")
            assert bob.wait(SECONDS) == 0


def test_table_is_given_no_option_of_the_seat():
    secret = ["--passphrase-file", "words.txt", "--player-data=mine", "--web", "--as", "Ann"]
    secret += ["--guests-web=81"]
    table = ["--listen", "127.0.0.1:0", "--option", "highest=9", "--name", "Tea"]
    words = ["--play", *table[:2], *secret, *table[2:], "--deck", "first"]
    assert table_words(words) == table
    seat = seat_words(make_parser().parse_args(words))
    assert seat == [
        "--name=Ann",
        "--deck=first",
        "--data=mine",
        "--passphrase-file=words.txt",
        "--web",
    ]
