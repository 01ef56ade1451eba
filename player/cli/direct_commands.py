"""`fairdeal invite` and `fairdeal join`: two people on one network, and no table."""

import argparse
import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from random import Random
from secrets import SystemRandom

from commandline.optional_packages import require_lan
from net.addresses import is_loopback, make_link, parse_address, resolve
from net.lan.announcement import Announcement, AnnouncementKind
from player.cli import arguments
from player.cli.direct_arguments import HERE
from player.cli.screen_choice import Screen, screen_for
from player.cli.table_visits import note_players, stop_when_interrupted
from player.client.environment import Environment
from player.client.loadouts import Loadouts
from player.client.reconnect import KEEP_TRYING_SECONDS
from player.client.requirements import check_brought
from player.client.seat import Seat
from player.direct.direct_acceptor import GOODBYE_SECONDS
from player.direct.direct_client import DirectClient
from player.direct.direct_match import INVITER, DirectMatch
from player.direct.direct_paths import DirectPaths
from player.direct.saved_match import SavedMatch, SavedState, new_saved, read_all_saved, read_saved
from player.multipath.announcement import found_on_lan
from player.storage import contacts
from player.storage.identity_file import load_identity
from player.storage.mute_list import MuteList
from protocol.audit.verdict import Verdict
from protocol.errors import LocalError, RemoteError
from protocol.identity.keys import Identity, JoinLink, fingerprint
from protocol.match.setup import Person
from protocol.match.terms import Terms
from protocol.messages.parcel import Invitation, invite
from protocol.view.phrase import phrase

# exit codes
CLEAN = 0
FAILED = 1
DECLINED = 4


def run(command: str, args: argparse.Namespace, loadouts: Loadouts) -> int:
    """Play a match without a table, and return the exit code. Raises: LocalError."""
    rng = SystemRandom()
    if command == "invite" and args.lan:
        with require_lan():
            import net.lan.mdns  # noqa: F401  # whether it can be
    with arguments.held_data(args) as data:
        identity = load_identity(data, arguments.passphrase_of(args), rng)
        try:
            side = _host if command == "invite" else _join
            return asyncio.run(_play(side, args, identity, rng, loadouts=loadouts))
        except RemoteError as error:
            raise LocalError("wrong.cannot", why=error.phrase) from None


async def _play(
    side: Callable[["_Program"], Awaitable[int]],
    args: argparse.Namespace,
    identity: Identity,
    rng: Random,
    *,
    loadouts: Loadouts,
) -> int:
    async with screen_for(args, contacts.read_contacts(arguments.data_of(args))) as screen:
        stop_when_interrupted(screen.shown, FAILED)
        return await side(_Program(args, identity, rng, screen, loadouts=loadouts))


class _Program:
    """The common part of `invite` and `join` without a table."""

    def __init__(
        self,
        args: argparse.Namespace,
        identity: Identity,
        rng: Random,
        screen: Screen,
        *,
        loadouts: Loadouts,
    ) -> None:
        self.args = args
        self.identity = identity
        self.rng = rng
        self.data = arguments.data_of(args)
        self.view = screen.shown
        self.environment = Environment(
            identity,
            rng,
            Seat,
            screen.bot,
            self.view.hear,
            games=args.games,
            brings=loadouts.load(identity.public, args.deck, arguments.rules_text(args)),
            loadouts=loadouts,
            muted=MuteList(self.data),
        )
        self.saved: SavedMatch | None = None

    @property
    def person(self) -> Person:
        """Ourselves."""
        return Person(arguments.name_of(self.args, self.rng), self.identity.public)

    def announcement(self, terms: Terms) -> Announcement:
        """Return the announcement on the local network while nobody has come."""
        return Announcement(
            AnnouncementKind.PLAY, fingerprint(self.identity.public), terms.game.name, terms.seats
        )

    def unfinished(self, *, mine: bool, fingerprint: str | None = None) -> SavedMatch | None:
        """The newest match over a connection that is not over, unless it is to be dropped."""
        found = [
            saved
            for saved in read_all_saved(self.data, self.args.games)
            if saved.state is SavedState.OPEN
            and not saved.by_mail
            and saved.mine is mine
            and (mine or JoinLink.parse(saved.partner).fingerprint == fingerprint)
        ]
        if self.args.forget:
            for saved in found:
                saved.forget()
            return None
        if found:
            game = found[-1].invitation.terms.game.name
            self.view.tell(phrase("notice.going_on.no_table", name=found[-1].name, game=game))
        return found[-1] if found else None

    def client(self, playing: DirectMatch | None) -> DirectClient:
        """Our side of the match; Ctrl-C stops it without a word, and keeps it."""
        client = DirectClient(
            self.environment, None if playing and playing.own == INVITER else self._accept, playing
        )
        self.view.follow(client)
        return client

    def _accept(self, invitation: Invitation) -> DirectMatch:
        person = self.person
        self.environment.offer(None, invitation.terms)
        arguments.requirements_of(self.args).check(invitation.terms)
        check_brought(invitation.terms, self.environment.brings, self.args.games)
        if read_saved(self.data, invitation.nonce, self.args.games) is not None:
            raise LocalError("wrong.begun_before")
        invitation.check_guest(person)
        saved = new_saved(
            self.data, invitation, person, str(JoinLink.parse(self.args.link)), "", SavedState.OPEN
        )
        self.saved = saved.opened(
            person, self.rng, self.environment.brings, self.environment.loadouts
        )
        return DirectMatch(self.saved, self.environment)

    def end(self, client: DirectClient) -> int:
        """Note what it came to, and say it; the exit code."""
        match = client.playing
        saved = self.saved
        if match is None or match.reader is None or saved is None:
            self.view.tell(client.reason or phrase("stop.no_match"), always=True)
            return DECLINED if client.declined else FAILED
        match.close()
        outcome = match.outcome(match.stopped)
        if client.disk_failed:  # the newest entry is nowhere but in our memory
            outcome = replace(outcome, verdict=Verdict.INCOMPLETE)
        over = match.settled and not client.disk_failed and (client.settled or bool(match.faults))
        if not over:  # what is kept gives the other side the end that it may lack
            self.view.tell(client.reason or phrase("stop.end.kept"), always=True)
        self.view.ended(outcome)
        if over:
            note_players(self.view, self.data, match, self.identity.public, saved.partner)
            saved.ended(match.found)
        return CLEAN if outcome.verdict is Verdict.CLEAN else FAILED


async def _host(program: _Program) -> int:
    saved = program.unfinished(mine=True)
    listen = program.args.listen or (saved.partner if saved else HERE)
    host, port = parse_address(listen)
    # any port it was: to come back, the other one needs the same again
    if port == 0 and saved is not None:
        port = parse_address(saved.partner)[1]
    if port == 0:
        host, port = await resolve(host, port)
    if saved is None:
        person = program.person
        terms = arguments.terms_of(program.args, has_table=False)
        arguments.requirements_of(program.args).check(terms)
        check_brought(terms, program.environment.brings, program.args.games)
        program.environment.offer(None, terms)
        invitation = invite(
            program.identity,
            person.name,
            terms,
            program.rng.randbytes(32),
            int(time.time()),
            program.args.games,
        )
        brings = program.environment.brings
        saved = new_saved(program.data, invitation, person, listen, "", SavedState.OPEN).opened(
            person, program.rng, brings, program.environment.loadouts
        )
    program.saved = saved
    match = DirectMatch(saved, program.environment)
    client = program.client(match)
    reach = DirectPaths(client, share=program.args.lines, table=program.args.through)
    try:
        port = await reach.listen(host, port)
        program.saved = replace(saved, partner=f"{listen.rpartition(':')[0]}:{port}")
        program.saved.save()
        link = make_link(host, port, program.identity.public, direct=True)
        program.view.tell(phrase("notice.waiting", link=str(link)), always=True)
        if program.args.lan and not match.number:
            announcement = program.announcement(saved.invitation.terms)
        else:
            announcement = None
        async with found_on_lan(
            announcement, (host, port), lambda: match.reader is None, program.view.tell
        ):
            await _see_through(client, reach, None)
    finally:
        await reach.close()
    return program.end(client)


async def _join(program: _Program) -> int:
    link = JoinLink.parse(program.args.link)
    if not link.direct:
        raise LocalError("wrong.table_link", link=str(link))
    assert link.fingerprint is not None, "a direct link has one"
    program.saved = program.unfinished(mine=False, fingerprint=link.fingerprint)
    client = program.client(
        DirectMatch(program.saved, program.environment) if program.saved else None
    )
    reach = DirectPaths(client, share=program.args.lines, link=link, table=program.args.through)
    try:
        if program.args.lines:
            await reach.listen(
                "127.0.0.1" if is_loopback(link.host) else HERE.rpartition(":")[0], 0
            )
        patience = program.args.keep_trying
        await _see_through(client, reach, KEEP_TRYING_SECONDS if patience is None else patience)
    finally:
        await reach.close()
    return program.end(client)


async def _see_through(client: DirectClient, reach: DirectPaths, patience: float | None) -> None:
    goodbye = asyncio.create_task(_goodbye(client))
    try:
        await reach.see_through(patience)
    finally:
        goodbye.cancel()


async def _goodbye(client: DirectClient) -> None:
    """Wait only this long for the other side when the match is over and it is away."""
    away = 0
    while away < GOODBYE_SECONDS:
        await asyncio.sleep(1)
        if client.playing is not None and client.playing.settled and not client.attached:
            away = away + 1
        else:
            away = 0
    client.give_up(None)
