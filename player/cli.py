"""`python -m player`: reads the command line, opens the identity, and plays."""

import argparse
import asyncio
import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from random import Random
from secrets import SystemRandom

from bots.registry import BOTS
from player import arguments
from player.agreement import Agreement
from player.at_table.client import Client, Plan, explain
from player.at_table.visit import client_for, visit
from player.disk import contacts
from player.disk.files import sole_player
from player.disk.keys import load_identity, read_keyfile
from player.disk.known import KnownTables
from player.disk.memory import Memory, any_memories, new_memory
from player.disk.store import Store, usual_path
from player.disk.unfinished import NO_LINK, Unfinished
from player.mail import commands as mail
from player.outcome import Outcome
from player.peer import commands as peer
from player.screen import narrate
from player.screen.announcer import Announcer
from player.screen.choice import screen_for
from player.seat.environment import Environment
from player.seat.seat import Seat
from protocol.audit.verdict import Verdict
from protocol.codes import Code
from protocol.errors import FairdealError, LocalError, RemoteError
from protocol.identity.keys import KEY_SIZE, Identity, JoinLink, fingerprint
from protocol.view.words import plain

CLEAN, FAILED, USAGE, CHANGED = 0, 1, 2, 3  # exit codes
SIDE_COMMANDS = ("contacts", "identity")
LEAVE_SECONDS = 3.0  # how long a match is left the polite way


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        if words and words[0] == "mail":
            return mail.run(mail.parser().parse_args(words[1:]))
        if words and words[0] in ("host", "join"):
            return peer.run(words[0], peer.parser(words[0]).parse_args(words[1:]))
        if words and words[0] in SIDE_COMMANDS:
            return _side_command(words[0], arguments.side_parser(words[0]).parse_args(words[1:]))
        return _play(arguments.parser().parse_args(words))
    except KeyboardInterrupt:
        return FAILED
    except BrokenPipeError:  # whoever read our output has had enough
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123 (Python flushes standard output when it ends)
        return FAILED
    except LocalError as error:
        print(f"player: {error}", file=sys.stderr)
        return USAGE


def _side_command(command: str, args: argparse.Namespace) -> int:
    data: Path = args.data or arguments.default_data()
    if command == "contacts":
        print(contacts.listing(contacts.read_contacts(data)))
        return CLEAN
    file = read_keyfile(data)  # its fingerprint is readable without the passphrase
    name = file.fingerprint if file else fingerprint(_identity(args, SystemRandom()).public)
    print(f"{name}\nin {data}, {'with' if _protected(data) else 'without'} a passphrase")
    return CLEAN


def _protected(data: Path) -> bool:
    file = read_keyfile(data)
    return file is not None and file.protected


def _identity(args: argparse.Namespace, rng: Random) -> Identity:
    return load_identity(args.data or arguments.default_data(), arguments.passphrase_of(args), rng)


def _play(args: argparse.Namespace) -> int:
    """Everything that can be wrong in the arguments is found before anything is sent."""
    rng = SystemRandom()
    link = JoinLink.parse(args.link) if args.link else None
    if link is not None and link.direct:
        raise LocalError(f"This link leads to one other player, without a table: python -m player join {link}")
    if link is None and not any_memories(args.data or arguments.default_data()):
        raise LocalError(NO_LINK)
    plan, name = arguments.plan_of(args), arguments.name_of(args, rng)
    passing = args.bot is not None and args.data is None
    seated = not (plan.spectate or plan.only_list)  # who only looks on must not take over the own seat elsewhere
    own = seated and not passing
    identity = _identity(args, rng) if own else Identity(rng.randbytes(KEY_SIZE))
    with sole_player(args.data or arguments.default_data()) if own else nullcontext():
        unfinished = Unfinished(args.data or arguments.default_data(), identity if own else None)
        if args.forget:
            print(unfinished.forget(link))
            return CLEAN
        link = unfinished.link(link)
        if args.log is not None and unfinished.at(link) is None:
            _check_log(args.log)
        return asyncio.run(Program(args, link, plan, name, identity, rng, passing, unfinished).run())


def _check_log(path: Path) -> None:
    """Raises LocalError now, not when the match begins: there the others would wait in vain for this player."""
    if path.exists():
        raise LocalError(f"{path} exists already. Choose another name for the log, or move it away.")
    reason = "no files can be made there"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if os.access(path.parent, os.W_OK):
            return
    except OSError as error:
        reason = error.strerror or str(error)
    raise LocalError(f"The log cannot be written to {path} ({reason}). Choose --log FILE.")


class Program:
    """One run of the program: one match, or with --again many."""

    def __init__(
        self,
        args: argparse.Namespace,
        link: JoinLink,
        plan: Plan,
        name: str,
        identity: Identity,
        rng: Random,
        passing: bool,
        unfinished: Unfinished,
    ) -> None:
        self._args, self._link, self._plan, self._name = args, link, plan, name
        self._identity, self._rng = identity, rng
        self._passing = passing  # an identity for this run only: nothing is remembered about it
        self._data: Path = args.data or arguments.default_data()
        self._known = KnownTables(self._data)
        self._unfinished = unfinished
        self._client: Client | None = None
        self._view: Announcer | None = None
        self._leaving = False

    async def run(self) -> int:
        """Play; the exit code."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._interrupted)
        code = await self._match()
        while self._args.again and code == CLEAN:
            code = await self._match()
        return code

    async def _match(self) -> int:
        view = self._view = self._view or self._new_view()
        try:
            memory = self._unfinished.at(self._link)
            if memory is not None:
                view.line(f"Going on with your unfinished match at table {plain(memory.agreement.table_id)}.")
            elif links := self._unfinished.links():
                view.line(f"You have an unfinished match elsewhere. To go on with it: python -m player {links[0]}")
            client = view.client = self._client = client_for(self._name, self._plan, self._environment(view), memory)
            expected = memory.table if memory else self._known.expected(self._link)
            outcome = await visit(client, self._link, expected, self._met, self._args.keep_trying)
        except RemoteError as error:
            if error.code is Code.WRONG_TABLE_KEY:
                return _complain(self._known.refusal(self._link), CHANGED)
            return _complain(LocalError(explain(error.code)), FAILED)
        except LocalError as error:
            return _complain(error, FAILED)
        return self._end(outcome, view)

    def _new_view(self) -> Announcer:
        args = self._args
        return screen_for(args, contacts.read_contacts(self._data), args.spectate or args.list)

    def _environment(self, view: Announcer) -> Environment:
        bot = BOTS[self._args.bot] if self._args.bot and not self._args.pace else None
        remember = None if self._passing or self._plan.spectate else self._remember_match
        return Environment(self._identity, self._rng, Seat, bot, view.hear, self._store, remember)

    def _log(self, match_id: bytes) -> Path:
        return self._args.log or usual_path(self._data, match_id)

    def _store(self, match_id: bytes) -> Store:
        return Store(self._log(match_id))

    def _remember_match(self, agreement: Agreement, seed: bytes) -> Memory:
        return new_memory(self._data, self._link, agreement, self._log(agreement.match_id), seed)

    def _met(self, table_key: bytes) -> None:
        if self._passing:
            return
        if self._known.remember(self._link, table_key) and self._link.fingerprint is None:
            print(f"First time at this table: trusting {fingerprint(table_key)} from now on.")

    def _end(self, outcome: Outcome, view: Announcer) -> int:
        if self._plan.only_list and outcome.reason is None:
            return CLEAN
        self._remember(outcome)
        view.line(narrate.verdict(outcome, view.translate), always=True)
        return CLEAN if outcome.verdict is Verdict.CLEAN else FAILED

    def _remember(self, outcome: Outcome) -> None:
        """Note whom we played with, if there was a match and we were in it."""
        match = outcome.reader.match if outcome.reader else None
        if match is None or self._passing or None in match.nonces:
            return
        setup, own = match.setup, self._identity.public
        others = [person for person in setup.people if person.identity != own]
        if len(others) < setup.seats:
            contacts.remember(self._data, others, setup.table.name, int(time.time()))

    def _interrupted(self) -> None:
        """Ctrl-C: leave politely; the second time, or when the table does not answer, at once."""
        client = self._client
        if client is None:
            sys.exit(FAILED)
        if self._leaving or client.playing is None:
            client.give_up("You left.")
            return
        self._leaving = True
        client.leave()
        asyncio.get_running_loop().call_later(LEAVE_SECONDS, client.give_up, "the table did not answer; you left")


def _complain(error: FairdealError, code: int) -> int:
    print(f"player: {error}", file=sys.stderr)
    return code
