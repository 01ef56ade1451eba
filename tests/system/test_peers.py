"""Two people without a table, as two real programs: whole matches, killed programs, and uninvited
callers.
"""

import asyncio
import socket
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from player.cli.join_command import main
from player.client.connection import Connection
from player.direct.saved_match import SavedState, read_all_saved
from player.storage.log_store import read_log
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.crypto.envelopes import new_key
from protocol.identity.keys import Identity, JoinLink
from protocol.match.log import EntryContent, Log, decode_entry, make_entry
from protocol.match.log_reader import LogReader
from protocol.match.setup import KIND, Person
from protocol.messages.parcel import EntriesParcel, Invitation, decode_parcel, encode_parcel
from protocol.session.session import LINE_PROLOGUE, Role, Session
from tests.support.ports import free_port
from tests.support.ready import ready

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
SECONDS = 240.0


class Program:
    """Program `host` or `join` with a bot, restarted with the same command."""

    def __init__(self, data: Path, command: str, name: str, *words: str, pace: str = "0") -> None:
        self.data = data
        options = ("--bot", "random", "--pace", pace, "--data", str(data), "--name", name)
        self._command = ("player", command, *words, *options)

    async def start(self) -> "Program":
        self.process = await ready(*self._command)
        return self

    async def line_with(self, word: str) -> str:
        assert self.process.stdout is not None
        async with asyncio.timeout(SECONDS):
            while line := (await self.process.stdout.readline()).decode():
                if word in line:
                    return line
        raise AssertionError(f"it never said {word}")

    async def end(self) -> str:
        async with asyncio.timeout(SECONDS):
            said, _ = await self.process.communicate()
        return said.decode()

    async def kill(self) -> None:
        self.process.kill()
        await self.end()

    @property
    def entries(self) -> int:
        saved_matches = read_all_saved(self.data)
        return len(read_log(saved_matches[0].log_path)) if saved_matches else 0

    async def reached(self, entries: int) -> None:
        """Wait until this program has `entries` entries on disk, or has ended."""
        async with asyncio.timeout(SECONDS):
            while self.entries < entries and self.process.returncode is None:
                await asyncio.sleep(0.01)

    @property
    def log(self) -> bytes:
        (saved,) = read_all_saved(self.data)
        return saved.log_path.read_bytes()


async def hosting(tmp_path: Path, *words: str, pace: str = "0") -> tuple[Program, str]:
    """Start a host that waits. Return it with its link."""
    host = Program(
        tmp_path / "ann", "invite", "Ann", "--listen", f"127.0.0.1:{free_port()}", *words, pace=pace
    )
    await host.start()
    return host, (await host.line_with("fairdeal-direct://")).split()[-1]


def ended_well(host: Program, guest: Program) -> None:
    assert host.log == guest.log
    assert audit(host.log).verdict is Verdict.CLEAN
    for program in (host, guest):
        (saved,) = read_all_saved(program.data)
        assert saved.state is SavedState.OVER and not saved.seed


@pytest.mark.parametrize(
    "words",
    [
        ("--game", "draw-dominoes", "--target", "1"),
        ("--game", "five-card-draw", "--option", "hands=2"),
        ("--game", "texas-holdem", "--option", "hands=1", "--deal", "verified"),
    ],
)
async def test_a_match_of_two_programs(tmp_path, words):
    host, link = await hosting(tmp_path, *words)
    guest = await Program(tmp_path / "bob", "join", "Bob", link).start()
    said = await guest.end()
    assert "Verdict: no cheating found" in said and "Verdict: no cheating found" in await host.end()
    assert "Read these words" in said and "somebody has got between you" in said
    ended_well(host, guest)


async def test_peer_host_on_any_port_reuses_same_port(tmp_path):
    words = ("--listen", "127.0.0.1:0", "--game", "draw-dominoes", "--target", "1")
    host = await Program(tmp_path / "ann", "invite", "Ann", *words).start()
    link = (await host.line_with("fairdeal-direct://")).split()[-1]
    assert JoinLink.parse(link).port > 0
    await host.kill()
    await host.start()
    assert (await host.line_with("fairdeal-direct://")).split()[-1] == link
    await host.kill()


async def test_peer_guest_with_stricter_terms_leaves_and_host_waits(tmp_path):
    host, link = await hosting(tmp_path, "--game", "draw-dominoes", "--target", "1")
    guest = await Program(tmp_path / "bob", "join", "Bob", link, "--only-verified").start()
    said = await guest.end()
    assert guest.process.returncode == 4
    assert "a cheat is named" in said and "You did not sit down" in said
    assert not read_all_saved(guest.data)
    cleo = await Program(tmp_path / "cleo", "join", "Cleo", link).start()
    assert (
        "Verdict: no cheating found" in await cleo.end()
        and "Verdict: no cheating found" in await host.end()
    )
    ended_well(host, cleo)


@pytest.mark.parametrize("deal", ["commutative", "verified"])
async def test_either_program_is_killed_and_started_again(tmp_path, deal):
    """Each program gets SIGKILL in the middle and the same command again. Nobody has signed
    anything twice.
    """
    words = ("--game", "draw-dominoes", "--target", "50", "--deal", deal)
    host, link = await hosting(tmp_path, *words, pace="0.02")
    guest = await Program(tmp_path / "bob", "join", "Bob", link, pace="0.02").start()
    rng = Random(deal)
    kept: list[list[tuple[bytes, bytes]]] = []
    for victim in (guest, host, guest, host):
        await victim.reached(victim.entries + rng.randrange(3, 9))
        if victim.process.returncode is not None:
            break
        await victim.kill()
        kept.append(read_log(read_all_saved(victim.data)[0].log_path))
        await victim.start()
    assert len(kept) == 4, "the match was over too soon to kill anybody"
    await guest.end()
    await host.end()
    ended_well(host, guest)
    final = read_log(read_all_saved(host.data)[0].log_path)
    for records in kept:
        assert records == final[: len(records)]


async def test_the_host_goes_on_alone_after_the_guest_is_gone(tmp_path):
    """The guest leaves for good in the middle. The host keeps the match, and can drop it."""
    host, link = await hosting(tmp_path, "--game", "block-dominoes", pace="0.05")
    guest = await Program(tmp_path / "bob", "join", "Bob", link, pace="0.05").start()
    await host.reached(8)
    await guest.kill()
    host.process.terminate()
    assert "start the program again" in await host.end()
    (saved,) = read_all_saved(host.data)
    assert saved.state is SavedState.OPEN
    assert audit(saved.log_path.read_bytes()).verdict is Verdict.INCOMPLETE


async def test_the_end_of_the_input_keeps_the_match(tmp_path):
    listen = ("--listen", f"127.0.0.1:{free_port()}")
    command = (
        "invite",
        "--name",
        "Ann",
        "--data",
        str(tmp_path),
        *listen,
        "--game",
        "block-dominoes",
    )
    ann = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "player",
        *command,
        cwd=ROOT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(SECONDS):
        said = (await ann.communicate(b""))[0].decode()
    assert ann.returncode == 1 and "You stopped. The match is kept: start the program again" in said
    (saved,) = read_all_saved(tmp_path)
    assert saved.state is SavedState.OPEN


# --- uninvited callers ---


class Stranger:
    """Caller with its own key that notes the answers."""

    def __init__(self, link: str, seed: int) -> None:
        self.link = JoinLink.parse(link)
        self.rng = Random(seed)
        self.identity = Identity(self.rng.randbytes(32))
        self.came: asyncio.Queue[bytes] = asyncio.Queue()

    def established(self, connection: Connection, table_key: bytes) -> None:
        pass

    def received(self, payload: bytes) -> None:
        self.came.put_nowait(payload)

    async def knock(self) -> Connection:
        session = Session(
            Role.PLAYER,
            self.identity,
            self.rng.randbytes(32),
            self.rng,
            self.link.fingerprint,
            LINE_PROLOGUE,
        )
        loop = asyncio.get_running_loop()
        _, self.connection = await loop.create_connection(
            lambda: Connection(session, self), self.link.host, self.link.port
        )
        return self.connection

    async def invitation(self) -> Invitation:
        async with asyncio.timeout(SECONDS):
            parcel = decode_parcel(await self.came.get())
        assert isinstance(parcel, Invitation)
        return parcel

    async def gone(self) -> Code | None:
        async with asyncio.timeout(SECONDS):
            return await self.connection.gone


def acceptance(invitation: Invitation, person: Person, signer: Identity) -> EntriesParcel:
    raw = make_entry(
        signer, bytes(32), EntryContent(1, 0, (0, bytes(32)), KIND, invitation.setup(person).body())
    )
    return EntriesParcel(Log(raw).match_id, 0, ((raw, Log(raw).head(signer)),))


async def test_uninvited_callers_do_not_disturb_match(tmp_path):
    host, link = await hosting(tmp_path, "--game", "block-dominoes", "--target", "1", pace="0.02")
    idle = Stranger(link, 1)
    await idle.knock()
    invitation = await idle.invitation()

    async def refusal(payload: bytes, seed: int) -> Code | None:
        stranger = Stranger(link, seed)
        await stranger.knock()
        await stranger.invitation()
        stranger.connection.send(payload)
        return await stranger.gone()

    eve = Identity(b"e" * 32)
    assert await refusal(b"garbage", 2) is Code.BAD_ENCODING
    assert await refusal(encode_parcel(invitation), 3) is Code.BAD_MESSAGE
    others = acceptance(invitation, Person("Eve", eve.public), eve)
    # acceptance by another person
    assert await refusal(encode_parcel(others), 4) is Code.NOT_INVITED
    late = EntriesParcel(bytes(32), 5, ((b"entry", bytes(64)),))
    assert await refusal(encode_parcel(late), 5) is Code.GAP
    with socket.create_connection((idle.link.host, idle.link.port)) as raw:
        raw.sendall(b"GET / HTTP/1.0\r\n\r\n")
        raw.settimeout(SECONDS)
        while raw.recv(1000):
            """Until it hangs up."""

    guest = await Program(tmp_path / "bob", "join", "Bob", link, pace="0.02").start()
    assert await idle.gone() is Code.TABLE_FULL  # the seat is taken by now
    late_comer = Stranger(link, 6)
    await late_comer.knock()
    assert await late_comer.gone() is Code.TABLE_FULL
    assert "Verdict: no cheating found" in await guest.end()
    assert "Verdict: no cheating found" in await host.end()
    ended_well(host, guest)


async def test_peer_guest_that_signs_two_logs_is_named_with_proof(tmp_path):
    host, link = await hosting(tmp_path, "--game", "block-dominoes")
    cheat = Stranger(link, 7)
    await cheat.knock()
    invitation = await cheat.invitation()
    begun = acceptance(invitation, Person("Eve", cheat.identity.public), cheat.identity)
    reader = LogReader(*begun.records[0])
    key, commitment = new_key(cheat.rng).public, bytes(32)
    forks = []
    for salt in (commitment, b"1" * 32):
        raw = make_entry(
            cheat.identity,
            begun.match_id,
            EntryContent(1, 1, reader.log.newest_head, "sit", [key, salt]),
        )
        forks.append((raw, reader.log.next_head(cheat.identity, raw)))
    cheat.connection.send(
        encode_parcel(EntriesParcel(begun.match_id, 0, (*begun.records, forks[0])))
    )
    cheat.connection.send(encode_parcel(EntriesParcel(begun.match_id, 1, (forks[1],))))
    said = await host.end()
    assert "Eve (seat 2)" in said and "two different entries" in said
    (saved,) = read_all_saved(host.data)
    assert [(fault.seat, fault.entry, fault.code) for fault in saved.found] == [(1, 1, Code.FORKED)]
    assert read_log(next(saved.log_path.parent.glob("*-other.fairdeal")))[1] == forks[1]
    assert decode_entry(read_log(saved.log_path)[1][0]).raw == forks[0][0]


async def test_a_guest_finds_another_host_behind_the_link(tmp_path):
    host, link = await hosting(tmp_path)
    other = str(JoinLink.parse(link)).rsplit("/", 1)[0] + "/" + "a" * 40
    guest = await Program(tmp_path / "bob", "join", "Bob", other).start()
    said = await guest.end()
    assert "identity is not the one" in said or "not the one that was expected" in said
    assert (
        "fingerprint"
        in await (
            await Program(tmp_path / "bob", "join", "Bob", other.rsplit("/", 1)[0]).start()
        ).end()
    )
    host.process.terminate()
    await host.end()


async def test_link_for_other_program_is_explained(tmp_path, capsys):
    """One port accepts both kinds of links. Each program says what to type for the other kind."""
    host, link = await hosting(tmp_path, "--game", "draw-dominoes", "--target", "1")
    cleo = ("--bot", "greedy", "--data", str(tmp_path / "cleo"))
    assert main([link, *cleo]) == 2
    assert "fairdeal join fairdeal-direct://" in capsys.readouterr().err
    run = [sys.executable, "-m", "player", "join", link.replace("-direct", ""), *cleo]
    said = subprocess.run(run, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert said.returncode == 2 and "fairdeal join fairdeal://" in said.stderr
    own = ("--name", "Bob", "--bot", "greedy", "--data", str(tmp_path / "bob"))
    guest = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "fairdeal", "join", link, *own
    )
    assert await guest.wait() == 0
    assert "Verdict: no cheating found" in await host.end()
