"""Visits to a table, with a data folder and a screen. `play_matches` and `play_at` are what other
programs start.
"""

import asyncio
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from commandline.stop_signals import call_when_stopped
from player.cli.key_following import follow_key, watch_keys
from player.client.environment import Environment
from player.client.match_replica import MatchReplica
from player.client.outcome import CLEAN, DECLINED, FAILED, Outcome
from player.client.reconnect import client_for, visit
from player.client.table_client import LOST, Plan, TableClient, explain
from player.presenter.match_screen import AskingScreen, MatchScreen
from player.storage import contacts
from player.storage.data_directory import command_text
from player.storage.known_tables import KnownTables
from player.storage.mute_list import MuteList
from player.storage.recovery_state import MatchFiles, RecoveryState
from player.storage.resumable_matches import ResumableMatches
from protocol.audit.verdict import Verdict
from protocol.codes import Code
from protocol.dealing import TABLE
from protocol.errors import LocalError, RemoteError
from protocol.identity.keys import JoinLink, fingerprint
from protocol.view.phrase import phrase

# seconds until a person hears that nobody has answered yet; an answer takes less nearly everywhere
SILENCE_SECONDS = 2.0


async def play_matches(
    link: JoinLink,
    environment: Environment,
    plans: Iterator[Plan],
    data: Path,
    screen: MatchScreen,
    always: bool = False,
) -> int:
    """Play match after match at a table, as long as the person wants to (`always`: without asking),
    and return the exit code.

    After a spoilt match no other follows, unless another seat is to blame, or only the own leaving
    spoilt it. Raises: LocalError in words for people; ChangedTable.
    """
    for plan in plans:
        code, well = await play_once(link, environment, plan, data, screen)
        if screen.stopped or not well or not (always or await screen.again()):
            break
    return code


async def play_once(
    link: JoinLink, environment: Environment, plan: Plan, data: Path, screen: MatchScreen
) -> tuple[int, bool]:
    """Play one match. Return the exit code, and True if another match may go well: this one did, or
    only another seat spoilt it.

    The own leaving spoils nothing for the next match: a person who left may well want to play it.

    Raises: LocalError in words for people; ChangedTable.
    """
    try:
        outcome = await play_at(link, environment, plan, data, screen)
    except RemoteError as error:
        if error.code is not Code.WRONG_TABLE_KEY:
            raise LocalError(explain(error.code)) from None
        await follow_key(link, _expected(link, environment, plan, data), environment, data, screen)
        return await play_once(link, environment, plan, data, screen)
    if outcome.verdict is Verdict.CLEAN or (
        (plan.only_list or plan.browse) and outcome.reason is None
    ):
        return CLEAN, True
    if outcome.declined:
        if await _lets_rules_run(environment, screen):
            return await play_once(link, environment, plan, data, screen)
        return DECLINED, False
    if screen.client and screen.client.playing:
        own = screen.client.playing.own
    else:
        own = None
    blamed = {
        fault.seat for fault in outcome.faults if fault.seat != own or fault.code is not Code.LEFT
    }
    return FAILED, bool(outcome.faults) and blamed.isdisjoint({TABLE, own})


def _expected(link: JoinLink, environment: Environment, plan: Plan, data: Path) -> str | None:
    """Return the fingerprint that a visit expects. Raises: LocalError."""
    own = environment.identity if plan.takes_seat else None
    memory = ResumableMatches(data, own).at(link)
    return memory.table if memory else KnownTables(data).expected(link)


async def _lets_rules_run(environment: Environment, screen: MatchScreen) -> bool:
    """Ask the person about the rule set for which no place was taken. True: a new visit may take
    one. Raises: LocalError.
    """
    client = screen.client
    offered = client.lobby.question if isinstance(client, TableClient) else None
    if offered is None or offered.question is None or not isinstance(screen, AskingScreen):
        return False
    if not await screen.confirm(offered.question):
        return False
    environment.rule_sets.trust(offered)
    return True


async def play_at(
    link: JoinLink, environment: Environment, plan: Plan, data: Path, screen: MatchScreen
) -> Outcome:
    """Visit the table behind a link, for one match at most, and say on the screen what happens and
    what it came to.

    A match of this identity that was interrupted there goes on. The data folder remembers tables,
    people, and what the match needs to survive this process. `environment` says who plays, with
    which bot if any; the screen hears of everything, and what is kept is kept in `data`. Raises:
    LocalError, RemoteError as `player.client.reconnect.see_through`.
    """
    own = plan.takes_seat
    known = KnownTables(data)
    unfinished = ResumableMatches(data, environment.identity if own else None)

    def met(table_key: bytes) -> None:
        slow.cancel()
        if known.remember(link, table_key) and link.fingerprint is None:
            screen.tell(
                phrase("notice.first_time", fingerprint=fingerprint(table_key)), always=True
            )

    memory = unfinished.at(link)
    _announce(screen, memory, unfinished)
    me = environment.identity.public
    files = MatchFiles(
        data, link, me, plan.log, resumable=own, check=partial(environment.loadouts.check_free, me)
    )
    client = client_for(
        replace(plan, invite=link.invite),
        replace(environment, tell=screen.hear, files=files, muted=MuteList(data)),
        memory,
    )
    screen.follow(client, str(known.for_others(link)))
    no_answer = phrase("notice.no_answer_yet", where=link.address_text)
    slow = asyncio.get_running_loop().call_later(SILENCE_SECONDS, screen.tell, no_answer)
    try:
        expected = memory.table if memory else known.expected(link)
        outcome = await visit(
            client, link, expected, met, watch_keys(data, partial(screen.tell, always=True))
        )
    finally:
        slow.cancel()
    if (plan.only_list or plan.browse) and outcome.reason is None:
        return outcome
    screen.ended(outcome)
    # else it may go on, and is no second match then
    if client.playing is not None and client.playing.settled:
        note_players(screen, data, client.playing, me)
    kept = unfinished.at(link) if outcome.reason in LOST else None
    if (
        kept is not None
        and client.playing is not None
        and kept.agreement.match_id == client.playing.agreement.match_id
    ):
        await _offer_to_drop(link, unfinished, screen)
    return outcome


async def _offer_to_drop(link: JoinLink, unfinished: ResumableMatches, screen: MatchScreen) -> None:
    """Ask whether to give up a match that its table cannot go on with: each visit would come back to
    it. Raises: LocalError.
    """
    if isinstance(screen, AskingScreen) and await screen.confirm(phrase("lost_match.question")):
        screen.tell(unfinished.forget(link), always=True)
        return
    command = command_text("join", unfinished.data, f"{link} --forget")
    screen.tell(phrase("lost_match.kept", command=command), always=True)


def note_players(
    screen: MatchScreen, data: Path, playing: MatchReplica, own: bytes, where: str | None = None
) -> None:
    """Note whom the identity `own` has played with. `where`: None: at the table that the match
    names.

    The verdict has been said, and stands without it: what cannot be noted is told.
    """
    if playing.reader is None:
        return
    match = playing.reader.match
    try:
        contacts.note_players(data, match, own, where or match.setup.table.name)
    except LocalError as error:
        screen.tell(error.phrase, always=True)


def _announce(
    screen: MatchScreen, memory: RecoveryState | None, unfinished: ResumableMatches
) -> None:
    """Say what there is to go on with."""
    if memory is not None:
        screen.tell(phrase("notice.going_on", table=memory.agreement.table_id))
    elif links := unfinished.links():
        command = command_text("join", unfinished.data, str(links[0]))
        screen.tell(phrase("notice.unfinished", command=command))


def stop_when_interrupted(screen: MatchScreen, code: int) -> None:
    """From now on Ctrl-C and SIGTERM stop what is on the screen, and keep its match; only a typed
    `leave` gives it up.

    `code`: the exit code while there is nothing to stop.
    """

    def interrupted() -> None:
        screen.stop()
        if screen.client is None:
            sys.exit(code)

    call_when_stopped(interrupted)
