"""The signer over its socket: requests, kills, and a failing disk."""

import socket
import sqlite3
import stat
import threading
from contextlib import closing

import pytest

from protocol import wire
from protocol.errors import LocalError
from protocol.identity.keys import Identity
from protocol.limits import MAX_SIGNER_FRAME
from table.signer import requests
from table.signer.blocking_client import BlockingClient
from table.signer.messages import (
    SignAnswer,
    SignQuestion,
    decode_answer,
    decode_hello,
    encode_question,
)
from table.signer.requests import SESSION, Request
from table.signer.service import SignerService
from table.signer.sign_state import SignState
from table.signer.signer import Denied
from table.signer.unix_socket import bound, check
from table.storage.disk.keys import KEY_FILE
from tests.support.errors import raises_text
from tests.support.signers import KEY, program, threaded

MATCH = b"m" * 32
FIRST = requests.head(MATCH, 0, MATCH)
ONE, OTHER = requests.head(MATCH, 1, b"1" * 32), requests.head(MATCH, 1, b"x" * 32)
HANDSHAKE = Request(SESSION, (b"s" * 32, b"h" * 64))


class Host:
    """Host that sends arbitrary bytes, and reads the answers."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(str(path))
        self.frames = wire.FrameDecoder(MAX_SIGNER_FRAME)
        assert decode_hello(self.frame()) == KEY.public

    def ask(self, number, request):
        self.socket.sendall(encode_question(SignQuestion(number, request)))

    def frame(self):
        while (frame := self.frames.next_payload()) is None:
            data = self.socket.recv(4096)
            if not data:
                return None
            self.frames.feed(data)
        return frame

    def answer(self):
        return decode_answer(self.frame())

    def close(self):
        self.socket.close()


class Held(SignState):
    """Book on a slow disk: it returns when released."""

    go = threading.Event()

    def judge(self, asked):
        judged = super().judge(asked)
        assert Held.go.wait(60)
        return judged


class Hasty(SignerService):
    """Faulty signer that answers before it writes."""

    def _take(self, writer, asked):
        self._say(writer, asked.id, asked.request)
        super()._take(writer, asked)


def order(folder, kind):
    """Return the order of answers to a head on a slow disk and a later session request."""
    Held.go.clear()
    with threaded(folder, kind=kind, judge=Held) as signer, closing(Host(signer.path)) as host:
        host.ask(1, FIRST)
        host.ask(2, HANDSHAKE)
        first = host.answer().id
        Held.go.set()
        return first, host.answer().id


def test_signature_is_sent_only_after_disk_write(tmp_path):
    assert order(tmp_path / "one", SignerService) == (2, 1)
    assert order(tmp_path / "other", Hasty)[0] == 1, "a signer that answers first is noticed"


class Refusing(SignState):
    """Book whose disk is full at first."""

    full = 2

    def judge(self, asked):
        if self.full:
            self.full -= 1
            raise sqlite3.OperationalError("database or disk is full")
        return super().judge(asked)


def test_signer_waits_for_failing_disk(tmp_path, caplog):
    with threaded(tmp_path, judge=Refusing) as signer, closing(Host(signer.path)) as host:
        host.ask(1, FIRST)
        assert host.answer() == SignAnswer(1, KEY.sign("head", *FIRST.fields))
    # that it is written again may be said after the answer
    said = [record.levelname for record in caplog.records if "written" in record.message]
    assert said in (["ERROR"], ["ERROR", "INFO"])


def test_second_hash_for_a_number_is_refused(tmp_path, caplog):
    with (
        threaded(tmp_path) as signer,
        closing(Host(signer.path)) as one,
        closing(Host(signer.path)) as other,
    ):
        one.ask(1, FIRST)
        one.ask(2, ONE)
        assert [one.answer().id, one.answer().id] == [1, 2]
        other.ask(1, OTHER)
        other.ask(2, ONE)
        assert other.answer() == SignAnswer(1, Denied.FORK)
        assert other.answer() == SignAnswer(2, KEY.sign("head", *ONE.fields))
    assert "another hash" in caplog.text


@pytest.mark.process
def test_signer_remembers_after_a_kill(tmp_path):
    """Two processes share nothing but the folder."""
    with program(tmp_path):
        public = Identity((tmp_path / KEY_FILE).read_bytes()).public
        line = BlockingClient(tmp_path / "signer.sock")
        assert isinstance(line.ask(FIRST, public), bytes)
        signature = line.ask(ONE, public)
        line.close()
    with program(tmp_path):
        line = BlockingClient(tmp_path / "signer.sock")
        assert line.ask(OTHER, public) is Denied.FORK
        assert line.ask(ONE, public) == signature
        line.close()


NO_HOSTS = [
    b"\xff\xff\xff\xff",
    wire.encode_frame(b"\xc0"),
    wire.encode_frame(wire.encode([1, "ledger", [b"x"]])),
]


@pytest.mark.parametrize("sent", NO_HOSTS)
def test_signer_drops_non_hosts_and_keeps_others(tmp_path, sent):
    with (
        threaded(tmp_path) as signer,
        closing(Host(signer.path)) as host,
        closing(Host(signer.path)) as other,
    ):
        other.socket.sendall(sent)
        assert other.frame() is None
        host.ask(1, FIRST)
        assert isinstance(host.answer().answer, bytes)


def test_signer_socket_is_private_to_owner(tmp_path):
    with threaded(tmp_path / "new") as signer:
        found = signer.path.lstat()
        assert stat.S_ISSOCK(found.st_mode) and found.st_mode & 0o777 == 0o600
        check(signer.path)
        signer.path.chmod(0o660)
        with raises_text(LocalError, match="only you"):
            check(signer.path)
        with raises_text(LocalError, match="another signer already does"):
            bound(signer.path)
        with closing(Host(signer.path)) as host:  # it continues
            host.ask(1, FIRST)
            assert isinstance(host.answer().answer, bytes)


def test_socket_folder_writable_by_others_is_refused(tmp_path):
    path = tmp_path / "signer.sock"
    with closing(bound(path)):
        tmp_path.chmod(0o777)
        with raises_text(LocalError, match="chmod go-w"):
            check(path)
        with raises_text(LocalError, match="chmod go-w"):
            bound(tmp_path / "other.sock")
    tmp_path.chmod(0o700)


def test_existing_file_at_socket_path_is_handled(tmp_path):
    path = tmp_path / "signer.sock"
    path.write_bytes(b"")
    for wrong in (bound, check):
        with pytest.raises(LocalError):
            wrong(path)
    path.unlink()
    bound(path).close()  # left by a killed signer
    with closing(bound(path)):
        check(path)
    with pytest.raises(FileNotFoundError):
        check(tmp_path / "none.sock")
