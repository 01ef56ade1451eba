"""Program `fairdeal join` as a person uses it: a process with input through a pipe or a
terminal.
"""

import asyncio
import os
import pty
import re
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bots.registry import BOTS
from player.cli.join_command import main
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.dealing import Post
from protocol.games.registry import BUILT_IN, Games
from protocol.identity.keys import Identity, JoinLink, fingerprint
from protocol.installation import install_command
from protocol.match.log import decode_entry
from protocol.match.log_file import read_records
from tests.support.fake_table import FakeTable, listening
from tests.support.ports import closed_port
from tests.support.ready import ready

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]


class Program:
    """A running player with all its output."""

    def __init__(self, process, send):
        self.process, self.send, self.said = process, send, ""

    def type(self, line: str) -> None:
        self.send(line.encode() + b"\n")

    async def until(self, words: str) -> str:
        """Read until these words appear. Return the new output up to the end of their line."""
        heard = ""
        while words not in heard:
            line = (await self.process.stdout.readline()).decode()
            assert line, f"it ended without {words!r}:\n{self.said}"
            heard += line
            self.said += line
        return heard

    async def end(self) -> int:
        """Wait for the end. Return the exit code; `said` has the rest of the output."""
        self.said += (await self.process.stdout.read()).decode()
        code = await self.process.wait()
        assert "Traceback" not in self.said
        return code


@asynccontextmanager
async def program(*arguments, terminal=False, anew=False):
    """Run `fairdeal join` with these arguments. With `terminal`, its input is a terminal. With
    `anew`, a new interpreter is started.
    """
    words = ("player", *map(str, arguments))
    if terminal or anew:
        async with started(words, terminal) as zoe:
            yield zoe
        return
    process = await ready(*words, typed=True)
    try:
        async with asyncio.timeout(120):
            yield Program(process, process.stdin.write)
    finally:
        process.kill()
        await process.wait()


@asynccontextmanager
async def started(words, terminal):
    """Run the program in a new interpreter."""
    ours, theirs = pty.openpty() if terminal else (None, asyncio.subprocess.PIPE)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-u", "-m", *words),
        cwd=ROOT,
        stdin=theirs,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=terminal,
        preexec_fn=(lambda: take_terminal(theirs)) if terminal else None,
    )
    try:
        async with asyncio.timeout(120):
            yield Program(
                process, (lambda data: os.write(ours, data)) if terminal else process.stdin.write
            )
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        process._transport.close()
        if terminal:
            os.close(ours)
            os.close(theirs)


def take_terminal(descriptor: int) -> None:
    """Make this the controlling terminal, so that Ctrl-C typed into it sends a signal."""
    import fcntl
    import termios

    fcntl.ioctl(descriptor, termios.TIOCSCTTY, 0)


@asynccontextmanager
async def person(table, tmp_path, *more, **how):
    """Run Zoe's program at this table."""
    async with listening(table) as link:
        arguments = (
            link,
            "--name",
            "Zoe",
            "--data",
            tmp_path / "data",
            "--log",
            tmp_path / "a.fairdeal",
            *more,
        )
        async with program(*arguments, **how) as zoe:
            yield zoe


def verdict_of_log(tmp_path):
    report = audit((tmp_path / "a.fairdeal").read_bytes())
    return report.verdict, [(fault.seat, fault.code) for fault in report.faults]


def moves(tmp_path):
    """Return the entries of moves in the log."""
    entries = (
        decode_entry(record.entry)
        for record in read_records((tmp_path / "a.fairdeal").read_bytes())
    )
    return [entry for entry in entries if entry.kind == "move"]


@pytest.mark.parametrize("terminal", [False, True])
async def test_a_person_plays_a_whole_match(tmp_path, terminal):
    async with person(FakeTable(), tmp_path, terminal=terminal) as zoe:
        await zoe.until("Check words: ")
        board = ""
        while "Verdict" not in board:
            heard = await zoe.until("\n")
            board += heard
            if heard.startswith("  1  "):
                zoe.type("1")
        assert await zoe.end() == 0
    assert "Your hand: [" in zoe.said and "→ Zoe" in zoe.said
    # sometimes he can only pass
    bobs = {entry.body[0][0] for entry in moves(tmp_path) if entry.author == 1}
    assert bool(re.search("Bob (leads|plays) ", zoe.said)) == ("play" in bobs), bobs
    assert ("Bob passes." in zoe.said) == ("pass" in bobs), bobs
    assert zoe.said.count("Read these words to each other aloud") == 1
    assert "Verdict: no cheating found. Winner: " in zoe.said
    assert f"log saved to {tmp_path / 'a.fairdeal'}" in zoe.said
    assert verdict_of_log(tmp_path) == (Verdict.CLEAN, [])


EDITION_1 = Games(BUILT_IN.specs | {"five-card-draw": BUILT_IN.specs["five-card-draw"].older[0]})
POKER = {"game": "five-card-draw", "options": {"hands": 2, "stack": 20}, "dealing": "verified"}
ANSWERS = (("check", "check"), ("call", "call"), ("stand", "exchange 5 2"), ("show", "show"))


@pytest.mark.parametrize("terminal", [False, True])
async def test_a_person_plays_poker(tmp_path, terminal):
    """She types words: checks or calls, exchanges two cards, and shows."""
    async with person(FakeTable(**POKER), tmp_path, terminal=terminal) as zoe:
        board = ""
        while "Verdict" not in board:
            heard = await zoe.until("\n")
            board += heard
            if heard.startswith("Your turn: "):
                zoe.type(next(answer for offer, answer in ANSWERS if offer in heard))
        assert await zoe.end() == 0
    assert "Hand 1: " in zoe.said and "is the dealer, ante 1." in zoe.said
    got = [
        line.removeprefix("You get ")
        for line in zoe.said.splitlines()
        if line.startswith("You get ")
    ]
    assert got and all(re.fullmatch(r"\S+ \S+\.", cards) for cards in got), (
        "what was exchanged for, and nothing else"
    )
    assert (
        "Your hand: 1: " in zoe.said
        and "You exchange 2 cards." in zoe.said
        and "The pot is 2." in zoe.said
    )
    assert verdict_of_log(tmp_path) == (Verdict.CLEAN, [])


async def test_impossible_bet_is_explained(tmp_path):
    async with person(FakeTable(**POKER), tmp_path) as zoe:
        await zoe.until("Your turn:")
        for typed, answer in (
            ("raise 500", "You can do this now: "),
            ("7", "Type help to see"),
            ("help", "Type what you do: "),
            ("stand", "check"),
        ):
            zoe.type(typed)
            await zoe.until(answer)
        zoe.type("all-in")
        await zoe.until("You bet 19, all in")


async def test_missing_game_is_no_fault(tmp_path):
    """Without the rules here no match is played, the table is not accused, and the missing package
    is named: edition 1 of poker needs one.
    """
    hide = """
import runpy, sys
from importlib import metadata
def missing(name):
    raise metadata.PackageNotFoundError(name)
sys.modules['pokerkit'], metadata.version = None, missing
runpy.run_module('{}', run_name='__main__')
"""
    async with listening(FakeTable(**POKER, games=EDITION_1)) as link:
        playing = [str(link), "--name", "Zoe", "--data", str(tmp_path), "--bot", "random"]
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", hide.format("player"), *playing, stdout=asyncio.subprocess.PIPE
        )
        said = (await process.communicate())[0].decode()
    assert process.returncode == 1
    assert (
        f"five-card-draw needs pokerkit, which is not installed here: {install_command('poker')}"
        in said
    )


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
async def test_a_terminal_that_cannot_show_a_character_ends_no_program(
    tmp_path, monkeypatch, encoding
):
    monkeypatch.setenv("PYTHONIOENCODING", encoding)
    async with person(FakeTable(**POKER), tmp_path, anew=True) as zoe:
        await zoe.until("Your turn:")
        zoe.type("say \u0416\u2192")
        await zoe.until("You say: ?>")
    assert re.search(r"Your hand: .*\b[2-9TJQKA][cdhs] ", zoe.said)  # with letters for the suits


async def test_wrong_input_is_explained(tmp_path):
    async with person(FakeTable(), tmp_path) as zoe:
        await zoe.until("  1  ")
        for typed, answer in (
            ("99", "Choose a number from 1 to"),
            ("what", "Type help to see"),
            ("help", "Type a choice"),
            ("say", "1 to 200"),
        ):
            zoe.type(typed)
            await zoe.until(answer)
        zoe.type("board")
        await zoe.until("Your turn:")


async def test_leaving_asks_first_and_is_an_entry(tmp_path):
    async with person(FakeTable(), tmp_path) as zoe:
        await zoe.until("Your turn:")
        zoe.type("leave")
        await zoe.until("Type yes")
        zoe.type("no")
        await zoe.until("You stay in the match.")
        zoe.type("yes")
        await zoe.until("Type help to see")
        zoe.type("leave")
        zoe.type("yes")
        assert await zoe.end() == 1
    assert "Verdict: no cheating found; Zoe (seat 1)" in zoe.said
    assert verdict_of_log(tmp_path) == (Verdict.FAULT, [(0, Code.LEFT)])


STOPS = {
    "Ctrl-C": lambda zoe: zoe.send(b"\x03"),
    "Ctrl-D": lambda zoe: zoe.send(b"\x04"),
    "SIGTERM": lambda zoe: zoe.process.terminate(),
}


@pytest.mark.parametrize("stop", STOPS)
async def test_same_command_resumes_match_of_stopped_program(tmp_path, stop):
    table = FakeTable()
    async with listening(table) as link:
        command = (
            link,
            "--name",
            "Zoe",
            "--data",
            tmp_path / "data",
            "--log",
            tmp_path / "a.fairdeal",
        )
        async with program(*command, terminal=True) as zoe:
            await zoe.until("Your turn:")
            STOPS[stop](zoe)
            assert await zoe.end() == 1
        assert "The match is kept: start the program again with the same command" in zoe.said
        assert verdict_of_log(tmp_path) == (Verdict.INCOMPLETE, [])
        async with program(*command, "--bot", "random") as zoe:
            assert await zoe.end() == 0
    assert "Continuing your unfinished match" in zoe.said
    assert verdict_of_log(tmp_path) == (Verdict.CLEAN, [])


async def test_bot_stopped_by_signal_keeps_match(tmp_path):
    table = FakeTable()
    async with listening(table) as link:
        command = (
            link,
            "--name",
            "Zoe",
            "--data",
            tmp_path / "data",
            "--log",
            tmp_path / "a.fairdeal",
        )
        async with program(*command, "--bot", "random", "--pace", "60") as zoe:
            await zoe.until("Dealing hand 1")
            zoe.process.terminate()
            assert await zoe.end() == 1
        async with program(*command, "--bot", "random") as zoe:
            assert await zoe.end() == 0
    assert verdict_of_log(tmp_path) == (Verdict.CLEAN, [])


async def test_ctrl_c_while_waiting_frees_the_seat(tmp_path):
    class Waiting(FakeTable):
        def on_join(self, wire, table_id):
            wire.say("waiting", "main", 2, [["Zoe", self.client_key]])

    table = Waiting()
    async with person(table, tmp_path, terminal=True) as zoe:
        await zoe.until("waiting for 1 more")
        zoe.send(b"\x03")
        assert await zoe.end() == 1
        await table.finished.wait()
    assert table.connections[0].closed is not None


class Talkative(FakeTable):
    """Table at which seat 2 answers remarks with control sequences for terminals, and each answer
    arrives twice.
    """

    talk = None
    heard = ()

    def on_relay(self, wire, match_id, seat, envelope):
        self.talk = self.talk or self.bots[0][0].talk(self.live.match)
        self.heard += (self.talk.open_remark(0, envelope),)
        ((_, answer),) = self.talk.seal_remark("hi\x1b[2J you", self.rng)
        wire.say("relayed", match_id, 1, answer)
        wire.say("relayed", match_id, 1, answer)


class Strict(FakeTable):
    """Table that warns its client for talking instead of playing."""

    def on_relay(self, wire, match_id, seat, envelope):
        due = self.live.match.next_clock_entry(0)
        self.live.post_clock(Post(due.kind, [0, due.after]))
        self.go_on(wire)


async def test_warning_in_between_keeps_choices(tmp_path):
    async with person(Strict(), tmp_path) as zoe:
        await zoe.until("  1  ")
        zoe.type("say let me think")
        await zoe.until("You have 10 s left, then an extension.")
        zoe.type("1")
        await zoe.until("You ")
    assert zoe.said.count("Your turn:") == 1 and "It is not your turn" not in zoe.said


async def test_talk_goes_both_ways_and_is_heard_once(tmp_path):
    table = Talkative()
    async with person(table, tmp_path) as zoe:
        await zoe.until("Your turn:")
        zoe.type("say well, hello")
        heard = await zoe.until("dropped")
        zoe.type("say again")
        heard += await zoe.until("hi[2J you")
        for whom in ("Nobody", "bob"):
            zoe.type(f"/mute {whom}")
        await zoe.until("Bob: muted")
        zoe.type("say are you there?")
        zoe.type("/unmute 2")
        unheard = await zoe.until("Bob: you hear them again")
        zoe.type("say and now?")
        heard += await zoe.until("hi[2J you")
    assert "Nobody else here has that name" in zoe.said and "Bob says" not in unheard
    # one sentence, printed once although each remark was repeated
    assert zoe.said.count("dropped") == 2
    assert table.heard[:3] == ("well, hello", "again", "are you there?")
    assert heard.count("Bob says: hi[2J you") == 3
    assert "\x1b" not in zoe.said


async def test_bot_prints_verdict_and_remembers_people(tmp_path, capsys):
    table = FakeTable(seats=3)
    async with person(table, tmp_path, "--bot", "greedy", "--quiet") as zoe:
        assert await zoe.end() == 0
    assert zoe.said.startswith("Verdict: no cheating found. Winner: ") and zoe.said.count("\n") == 1
    assert main(["contacts", "--data", str(tmp_path / "data")]) == 0
    listing = capsys.readouterr().out
    assert all(fingerprint(other.public) in listing for other in table.others)


async def test_a_paced_bot_plays_too(tmp_path):
    async with person(FakeTable(), tmp_path, "--bot", "random", "--pace", "0.001") as zoe:
        assert await zoe.end() == 0
    assert verdict_of_log(tmp_path) == (Verdict.CLEAN, [])


async def test_the_tables_are_listed(tmp_path):
    async with person(FakeTable(), tmp_path, "--list") as zoe:
        assert await zoe.end() == 0
    assert (
        "main: block-dominoes, dealt layered; 0 of 2 seats taken\n"
        "  dominoes without drawing: if you cannot play, you pass\n"
        "  target 1 (points needed to win)\n"
        "  Time: " in zoe.said
    )


async def test_table_with_changed_identity_is_refused_with_code_3(tmp_path):
    table = FakeTable()
    async with listening(table) as link:
        bare = f"fairdeal://{link.host}:{link.port}"
        async with program(bare, "--name", "Zoe", "--data", tmp_path, "--list") as first:
            assert await first.end() == 0
        assert f"trusts the fingerprint {fingerprint(table.identity.public)}" in first.said
        table.identity, old = Identity(b"?" * 32), table.identity
        async with program(bare, "--name", "Zoe", "--data", tmp_path, "--list") as second:
            assert await second.end() == 3
        assert "between you" in second.said and fingerprint(old.public) in second.said
        whole = f"{bare}/{fingerprint(table.identity.public)}"
        for accepted in (whole, bare):
            async with program(accepted, "--name", "Zoe", "--data", tmp_path, "--list") as third:
                assert await third.end() == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "LINK"),
        (["http://example.org"], "table's link looks like"),
        (["fairdeal://example.org:7500/abc"], "letters instead of"),
        (["fairdeal://h:1", "--bot", "genius"], "greedy"),
        (["fairdeal://h:1", "--seats", "3"], "add --create"),
        (["fairdeal://h:1", "--create", "--seats", "9"], "it is for 2 to 4 seats, not 9"),
        (["fairdeal://h:1", "--create", "--option", "hand"], "NAME=VALUE"),
        (["fairdeal://h:1", "--find", "poker"], "add --list"),
        (["fairdeal://h:1", "--list", "--find", "a" * 41], "41 characters"),
        (["fairdeal://h:1", "--create", "--deal", "magic"], "no dealing called"),
        (
            ["fairdeal://h:1", "--create", "--seats", "4", "--option", "hand=8"],
            "`hand` must be 1 to 7, not 8",
        ),
        (
            ["fairdeal://h:1", "--create", "--option", "highest=7"],
            "`highest` must be 6 or 9, not 7",
        ),
        (
            ["fairdeal://h:1", "--create", "--option", "spin=1"],
            "no option `spin`; the options are scoring, spinner, partners, target, length, highest, hand",
        ),
        (
            ["fairdeal://h:1", "--create", "--target", "5", "--option", "target=6"],
            "`target` is set twice",
        ),
        (
            ["fairdeal://h:1", "--create", "--game", "texas-holdem", "--option", "stack=50000"],
            "`stack` must be 1 to 10000, not 50000",
        ),
        (
            ["fairdeal://h:1", "--create", "--game", "texas-holdem", "--deal", "layered"],
            "cannot be dealt layered; choose verified, commutative or residue",
        ),
        (
            ["invite", "--bot", "random", "--option", "stack=50000"],
            "`stack` must be 1 to 10000, not 50000",
        ),
        (["invite", "--bot", "random", "--deal", "layered"], "cannot be dealt layered"),
        (["fairdeal://h:1", "--create", "--table", "x"], "Leave one of them out"),
        (["fairdeal://h:1", "--list", "--spectate"], "do not go together"),
        (["fairdeal://h:1", "--list", "--web"], "do not go together"),
        (["fairdeal://h:1", "--bot", "greedy", "--web"], "do not go together"),
        (["fairdeal://h:1", "--again", "--log", "x"], "leave one of them out"),
        (["fairdeal://h:1", "--name", "a\x07b"], "--name"),
        (["fairdeal://h:1", "--pace", "-1"], "pace"),
        (["fairdeal://h:1", "--spread", "nan"], "spread"),
        (["fairdeal://h:1", "--passphrase-file", "/nonexistent"], "cannot be read"),
        (["identity", "--frob"], "--frob"),
    ],
)
def test_wrong_usage_prints_advice(tmp_path, capsys, arguments, words):
    data = ["--data", str(tmp_path)] if arguments else []
    try:
        code = main([*arguments, *data])
    except SystemExit as end:  # raised by argparse
        code = end.code
    assert code == 2
    assert words in capsys.readouterr().err


def test_help_teaches(capsys):
    with pytest.raises(SystemExit) as end:
        main(["--help"])
    said = capsys.readouterr().out
    assert end.value.code == 0
    assert all(f"{name}: " in said for name in BOTS) and "exit codes" in said and "say TEXT" in said


async def test_weaker_terms_than_required_exit_with_4(tmp_path):
    table = FakeTable()
    async with person(table, tmp_path, "--min-quorum", "2", "--bot", "random") as zoe:
        assert await zoe.end() == 4
    assert (
        "Table main: block-dominoes" in zoe.said
        and "and the other player cheat together" in zoe.said
    )
    assert "No match was played: Here 1 of the other players" in zoe.said
    assert "join" not in [message.name for message in table.received]


async def test_join_without_listening_table_exits_with_1(tmp_path):
    link = JoinLink("127.0.0.1", closed_port(), "a" * 40)
    async with program(link, "--name", "Zoe", "--data", tmp_path, "--bot", "random") as zoe:
        assert await zoe.end() == 1
    assert "No table answers" in zoe.said


async def test_the_own_fingerprint_needs_no_passphrase(tmp_path, capsys):
    secret = tmp_path / "secret"
    secret.write_text("open sesame\n")
    async with program("identity", "--data", tmp_path / "d", "--passphrase-file", secret) as first:
        assert await first.end() == 0
    assert main(["identity", "--data", str(tmp_path / "d")]) == 0
    assert first.said == capsys.readouterr().out and "with a passphrase" in first.said


async def test_a_person_sits_out_comes_back_and_buys_again(tmp_path):
    """She goes all in at each turn but the first, which she sits out, and buys chips whenever all
    are lost.
    """
    terms = {
        "game": "texas-holdem",
        "options": {"hands": 8, "stack": 6, "rebuys": 3, "levels": 2},
        "dealing": "verified",
    }
    answers = (
        ("rebuy", "rebuy"),
        ("all-in", "all-in"),
        ("call", "call"),
        ("check", "check"),
        ("show", "show"),
    )
    async with person(FakeTable(**terms), tmp_path) as zoe:
        await zoe.until("Your turn: ")
        zoe.type("sit out")
        await zoe.until("You sit out: ")
        zoe.type("back")
        await zoe.until("You are back.")
        heard = ""
        while "Verdict" not in heard:
            heard = await zoe.until("\n")
            if heard.startswith("Your turn: "):
                zoe.type(next(answer for offer, answer in answers if offer in heard))
        assert await zoe.end() == 0
    assert ("rebuy (another 6 chips, " in zoe.said) == ("You buy 6 chips." in zoe.said)
    assert verdict_of_log(tmp_path) == (Verdict.CLEAN, [])
