"""A worker: folds matches, one request after another, until its table is gone.

    python -P -m table.workers.process DESCRIPTOR SECONDS [--game-plugin NAME ...]

The operating system kills a worker that spends more than its processor time on one entry
(`setitimer`, ITIMER_PROF), and gives it no more than its memory (`setrlimit`). Its table notices,
and tries the entry once more in a fresh worker. A worker ends when its table closes the socket pair
or dies, also in the middle of an entry.
"""

import os
import resource
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from commandline.game_plugins import load_plugins
from protocol.codes import Code
from protocol.crypto.hashing import Field
from protocol.errors import LocalError, Refused, RemoteError
from protocol.games.registry import Games, UnknownRules
from protocol.limits import WORKER_MEMORY
from protocol.match.log import Log, Record
from protocol.view.phrase import phrase
from table.match.live_match import LiveMatch
from table.signer.requests import Request as SignRequest
from table.signer.signer import Answers, Denied
from table.workers.messages import (
    LENGTH_BYTES,
    Answer,
    JudgedRecord,
    Request,
    Result,
    decode_request,
    encode_answer,
    encode_ready,
    frame_size,
    records_of,
)

DAMAGED = phrase("wrong.room.records")
NO_SEED = bytes(32)  # of a match whose dealing gives the table no secrets


class PublicKey:
    """The table's key as a worker has it: its public half. What is to be signed, the table signs."""

    at_once, away = False, False

    def __init__(self, public: bytes) -> None:
        self.public = public

    def sign(self, label: str, *fields: Field) -> bytes:
        """A worker signs nothing."""
        raise NotImplementedError

    def ask(self, request: SignRequest) -> bytes:
        """A worker signs nothing."""
        raise NotImplementedError

    def submit(
        self,
        requests: Sequence[SignRequest],
        done: Answers,
        denied: Callable[[Denied], None],
    ) -> None:
        """A worker signs nothing."""
        raise NotImplementedError

    def secret(self, label: str) -> bytes:
        """A worker has no secrets of the table."""
        raise NotImplementedError

    def close(self) -> None:
        """There is nothing to let go."""


class FoldedMatches:
    """The matches of one worker. No socket here."""

    def __init__(self, games: Games, entry_seconds: float) -> None:
        """`entry_seconds`: processor time after which an entry kills this process."""
        self._games, self._entry_seconds = games, entry_seconds
        self._matches: dict[bytes, LiveMatch] = {}

    def handle(self, request: Request) -> Answer | None:
        """Do what the table asks. None: there is nothing to answer."""
        kind, match_id, values = request
        if kind == "close":
            self._matches.pop(match_id, None)
            return None
        if kind == "ping":
            return Answer()
        started = time.process_time()
        answer = self._fold(kind, match_id, values)
        spent = round((time.process_time() - started) * 1_000_000)
        return answer._replace(microseconds=spent)

    def _fold(self, kind: str, match_id: bytes, values: Sequence[Any]) -> Answer:
        refused = None
        try:
            if kind == "open":
                self._open(match_id, *values)
            live = self._matches[match_id]
            first = 1 if kind == "open" else live.log.next_number
            if kind == "repeat":
                self._repeat(live, records_of(values[0]))
            elif kind == "fold":
                author, raw = values
                live.clear_owed()
                live.offer(raw, author)
        except Refused as error:
            if kind != "fold":
                return Answer(failed=DAMAGED)
            refused = error.code
        except UnknownRules:
            return Answer(failed=DAMAGED)
        except LocalError as error:
            return Answer(failed=error.phrase)
        except (RemoteError, KeyError):
            return Answer(failed=DAMAGED)
        result = Result(live.status, live.clock_duties(), live.owed_post())
        judged = tuple(live.outcomes[number] for number in range(first, live.log.next_number))
        return Answer(refused, result=result, outcomes=judged)

    def _open(
        self, match_id: bytes, key: bytes, first: bytes, seed: bytes | None, records: Sequence[Any]
    ) -> None:
        setup = Log(first, self._games).setup
        live = LiveMatch(PublicKey(key), setup, seed or NO_SEED, first)
        if live.log.match_id != match_id:
            raise RemoteError(Code.BAD_MESSAGE)
        self._matches[match_id] = live
        self._repeat(live, records_of(records))

    def _repeat(self, live: LiveMatch, records: Sequence[JudgedRecord]) -> None:
        live.clear_owed()
        for entry, head, outcome in records:
            self.limit_processor_time()
            live.repeat_one(Record(entry, head), outcome)

    def limit_processor_time(self) -> None:
        """Have this process killed when it has spent what one entry may cost, from now on."""
        signal.setitimer(signal.ITIMER_PROF, self._entry_seconds)


def serve(connection: socket.socket, matches: FoldedMatches) -> None:
    """Answer requests until the other side is gone."""
    connection.sendall(encode_ready())
    while (payload := _read_frame(connection)) is not None:
        matches.limit_processor_time()
        answer = matches.handle(decode_request(payload))
        signal.setitimer(signal.ITIMER_PROF, 0)
        if answer is not None:
            connection.sendall(encode_answer(answer))


def end_with(connection: socket.socket) -> None:
    """End this process as soon as the other side is gone: the thread that folds does not look."""
    gone = select.poll()
    gone.register(connection, 0)  # that it has hung up is always told
    threading.Thread(target=lambda: (gone.poll(), os._exit(0)), daemon=True).start()


def _read_frame(connection: socket.socket) -> bytes | None:
    header = _read(connection, LENGTH_BYTES)
    return None if header is None else _read(connection, frame_size(header))


def _read(connection: socket.socket, size: int) -> bytes | None:
    data = bytearray()
    while len(data) < size:
        part = connection.recv(size - len(data))
        if not part:
            return None
        data += part
    return bytes(data)


def run(kind: type[FoldedMatches] = FoldedMatches) -> int:
    """Run a worker on the socket pair that the command line names."""
    # The table ends its workers by closing the pair. A Ctrl-C in its terminal is not for them, nor
    # what a service manager tells all processes of the table: it still needs them to come to an end.
    for ends in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ends, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_AS, (WORKER_MEMORY, WORKER_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, descriptor, seconds, *flags = sys.argv
    matches = kind(load_plugins(flags).games, float(seconds))
    with socket.socket(fileno=int(descriptor)) as connection:
        end_with(connection)
        try:
            serve(connection, matches)
        except (MemoryError, ConnectionError):
            os._exit(1)
    return 0


if __name__ == "__main__":
    sys.exit(run())
