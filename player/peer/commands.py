"""`python -m player host` and `python -m player join`: two people on one network, and no table."""

import argparse
import asyncio
import signal
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from secrets import SystemRandom
from typing import Any

from player import arguments, contacts, narrate
from player.bots import BOTS
from player.files import sole_player
from player.keys import load_identity
from player.peer.client import AGAIN, PeerClient
from player.peer.door import GOODBYE_SECONDS, Door, link_to
from player.peer.match import INVITER, PeerMatch, outcome_of
from player.peer.pact import Pact, State, new_pact, read_pact, read_pacts
from player.peer.terms import add_terms, terms_of
from player.playing import Means
from player.seat import Seat
from player.spokesman import PacedBot, Spokesman
from player.visit import see_through
from protocol.audit import Verdict
from protocol.errors import LocalError, RemoteError
from protocol.identity import Identity, JoinLink
from protocol.parcel import Invitation, invite
from protocol.report import plain
from protocol.setup import Person

HERE = "0.0.0.0:7501"
CLEAN, FAILED = 0, 1  # exit codes


def parser(command: str) -> argparse.ArgumentParser:
    """The parser of `host` or `join`."""
    about = {
        "host": "Wait for one other player, and play without a table. Killed and started again, it goes on.",
        "join": "Play with the one whose link this is, without a table. Killed and started again, it goes on.",
    }
    made = argparse.ArgumentParser(prog=f"python -m player {command}", description=about[command])
    if command == "host":
        made.add_argument("--listen", metavar="HOST:PORT", help=f"where to wait (default: {HERE})")
        add_terms(made)
    else:
        made.add_argument("link", metavar="LINK", help="what `python -m player host` printed over there")
        made.add_argument(
            "--keep-trying", type=arguments.patience, metavar="SECONDS", help="for a lost host (default 600)"
        )
    made.add_argument("--name", help="the name the other sees (default: your login name)")
    made.add_argument("--bot", choices=sorted(BOTS), help="let a bot play")
    made.add_argument("--pace", type=arguments.seconds, default=0.0, metavar="SECONDS", help="how long a bot thinks")
    made.add_argument("--quiet", action="store_true", help="a bot says only the verdict")
    made.add_argument("--forget", action="store_true", help="drop the unfinished match, and begin another")
    arguments.add_identity_options(made)
    return made


def run(command: str, args: argparse.Namespace) -> int:
    """Play; the exit code. Raises: LocalError."""
    rng, data = SystemRandom(), args.data or arguments.default_data()
    identity = load_identity(data, arguments.passphrase_of(args), rng)
    with sole_player(data):
        try:
            return asyncio.run(_play(_host if command == "host" else _join, args, data, identity, rng))
        except RemoteError as error:
            raise LocalError(f"That cannot be done: {error}.") from None


async def _play(
    side: Callable[["_Evening"], Awaitable[int]], args: argparse.Namespace, data: Path, identity: Identity, rng: Random
) -> int:
    return await side(_Evening(args, data, identity, rng))  # here, because a terminal needs the loop


class _Evening:
    """What host and join have in common."""

    def __init__(self, args: argparse.Namespace, data: Path, identity: Identity, rng: Random) -> None:
        self.args, self.data, self.identity, self.rng = args, data, identity, rng
        self.view = self._view()
        bot = BOTS[args.bot] if args.bot and not args.pace else None
        self.means = Means(identity, rng, Seat, bot, None, self.view.hear)
        self.pact: Pact | None = None

    def _view(self) -> Spokesman:
        known, args = contacts.read_contacts(self.data), self.args
        if args.bot and args.pace:
            return PacedBot(known, args.quiet, BOTS[args.bot], args.pace)
        if args.bot:
            return Spokesman(known, args.quiet)
        from player.terminal import Terminal  # rich takes a while to import, and bots do without

        return Terminal(known)

    @property
    def person(self) -> Person:
        """Ourselves."""
        return Person(arguments.name_of(self.args, self.rng), self.identity.public)

    def unfinished(self, *, mine: bool, fingerprint: str | None = None) -> Pact | None:
        """The newest match over a connection that is not over, unless it is to be dropped."""
        found = [
            pact
            for pact in read_pacts(self.data)
            if pact.state is State.OPEN
            and not pact.by_mail
            and pact.mine is mine
            and (mine or JoinLink.parse(pact.partner).fingerprint == fingerprint)
        ]
        if self.args.forget:
            for pact in found:
                pact.forget()
            return None
        if found:
            game = plain(found[-1].invitation.terms.game)
            self.view.line(
                f"Going on with your unfinished match {found[-1].name}, {game}. To drop it and begin another: --forget"
            )
        return found[-1] if found else None

    def client(self, playing: PeerMatch | None) -> PeerClient:
        """Our side of the match; Ctrl-C stops it without a word."""
        client = PeerClient(self.means, None if playing and playing.own == INVITER else self._accept, playing)
        self.view.client = client
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, client.give_up, f"You stopped. {AGAIN}")
        return client

    def _accept(self, invitation: Invitation) -> PeerMatch:
        person = self.person
        if read_pact(self.data, invitation.nonce) is not None:
            raise LocalError(
                "The host offers a match that you have begun before. It must begin another match: host --forget"
            )
        invitation.check_guest(person)
        pact = new_pact(self.data, invitation, person, str(JoinLink.parse(self.args.link)), "", State.OPEN)
        self.pact = pact.opened(person, self.rng)
        return self.pact.match(self.means)

    def end(self, client: PeerClient) -> int:
        """Note what it came to, and say it; the exit code."""
        match, pact = client.playing, self.pact
        if match is None or match.reader is None or pact is None:
            self.view.line(client.reason or "No match was played.", always=True)
            return FAILED
        match.close()
        outcome = outcome_of(match)
        if match.over and (client.settled or match.faults or not client.reason):
            others = [person for person in match.reader.log.setup.people if person != pact.person]
            contacts.remember(self.data, others, pact.partner, int(time.time()))
            pact.ended(match.found)
        elif client.reason:
            self.view.line(client.reason, always=True)
        self.view.line(narrate.verdict(outcome), always=True)
        return CLEAN if outcome.verdict is Verdict.CLEAN else FAILED


async def _host(evening: _Evening) -> int:
    pact = evening.unfinished(mine=True)
    listen = evening.args.listen or (pact.partner if pact else HERE)
    where = _address(listen)
    if pact is None:
        person, terms = evening.person, terms_of(evening.args)
        invitation = invite(evening.identity, person.name, terms, evening.rng.randbytes(32), int(time.time()))
        pact = new_pact(evening.data, invitation, person, listen, "", State.OPEN).opened(person, evening.rng)
    evening.pact = pact
    match = pact.match(evening.means)
    client = evening.client(match)
    door = Door(client, match, evening.identity, evening.rng)
    server = await door.open(where.host, where.port)
    link = link_to(where.host, where.port, evening.identity)
    evening.view.line(f"Waiting for one other player. There, type: python -m player join {link}", always=True)
    goodbye = asyncio.create_task(_goodbye(client))
    finished = asyncio.Event()
    client.on_finish = finished.set
    waiting = asyncio.create_task(finished.wait())
    try:
        ends: set[asyncio.Future[Any]] = {waiting, door.failed}
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    finally:
        goodbye.cancel()
        waiting.cancel()
        server.close()
        await door.close()
    if door.failed.done():
        door.failed.result()
    return evening.end(client)


async def _join(evening: _Evening) -> int:
    link = JoinLink.parse(evening.args.link)
    if link.fingerprint is None:
        raise LocalError("The link must have the fingerprint: there is no table that you could know from before.")
    evening.pact = evening.unfinished(mine=False, fingerprint=link.fingerprint)
    client = evening.client(evening.pact.match(evening.means) if evening.pact else None)
    goodbye = asyncio.create_task(_goodbye(client))
    try:
        await see_through(client, link, link.fingerprint, None, evening.args.keep_trying)
    finally:
        goodbye.cancel()
    return evening.end(client)


async def _goodbye(client: PeerClient) -> None:
    """When the match is over and the other side is away, wait for it only so long."""
    away = 0
    while away < GOODBYE_SECONDS:
        await asyncio.sleep(1)
        away = away + 1 if client.playing is not None and client.playing.over and not client.attached else 0
    client.give_up(None)


def _address(text: str) -> JoinLink:
    try:
        return JoinLink.parse(f"fairdeal://{text}")
    except LocalError:
        raise LocalError(f"Where to wait looks like {HERE}, 127.0.0.1:7501 or [::1]:7501.") from None
