"""Promises that must hold after every match of a campaign."""

from collections import Counter
from typing import TYPE_CHECKING

from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.dealing import TABLE
from protocol.games.scripted.engine.state import ScriptState
from protocol.limits import (
    MAX_SCRIPT_IDLE,
    MAX_SCRIPT_MARKS,
    MAX_SCRIPT_QUEUE,
    SCRIPT_ENTRY_STEPS,
    SCRIPT_NOTED_SIZE,
)
from protocol.match.log import decode_entry
from tests.adversary.campaign.match_plan import POKER, STACK

if TYPE_CHECKING:
    from tests.adversary.campaign.play import Play


class Broken(Exception):
    """Error: a promise is broken. The text names the promise."""


def check(play: "Play") -> str:
    """Check every promise and return the result of the match in one word. Raises: Broken."""
    report = audit(play.file())
    liars = set(play.plot.wrongs) | ({TABLE} if play.plot.table else set())
    if (
        report.verdict not in (Verdict.CLEAN, Verdict.FAULT, Verdict.INCOMPLETE)
        and TABLE not in liars
    ):
        raise Broken(f"the audit says {report.verdict}: {report.damage_code}")
    for fault in report.faults:
        hurried = play.plot.table is not None and fault.code is Code.LAPSED
        if fault.seat not in liars and not hurried:
            raise Broken(f"somebody honest is named: {fault}")
    if TABLE not in liars and report.faults != play.match.faults:
        raise Broken(f"the audit names {report.faults}, the match {play.match.faults}")
    _agreement(play)
    _late(play)
    if TABLE not in liars and play.plot.has_table and not play.match.over:
        raise Broken(f"the match does not go on: {play.match.stage}, {play.match.duties()}")
    if play.plot.terms.game.name in POKER:
        _chips(play)
    # a stranger's rules may give points to whom they like
    elif not play.plot.strange:
        _points(play)
        if isinstance(play.match.game, ScriptState) and play.match.game.error is not None:
            raise Broken(f"the rules have failed: {play.match.game.error}")
    if play.world is not None:
        play.world.check(play.program)
    return "played" if play.match.receipts else "over" if play.match.over else "stopped"


def check_bounds(state: object) -> None:
    """Check that the state of a game by a rule file is within every bound on steps and sizes."""
    if not isinstance(state, ScriptState) or state.error is not None:
        return
    sizes = (
        (state.spent, max(state.most, SCRIPT_ENTRY_STEPS)),
        (sum(effect.size for effect in state.queue), MAX_SCRIPT_QUEUE),
        (sum(map(len, state.marks)), MAX_SCRIPT_MARKS),
        (sum(one.size for one in state.noted), SCRIPT_NOTED_SIZE),
        (state.idle, MAX_SCRIPT_IDLE),
    )
    if any(size > most for size, most in sizes):
        raise Broken(f"rules have gone beyond a bound: {sizes}")


def _agreement(play: "Play") -> None:
    """Check that honest seats have read the same log and computed the same state."""
    ends = {
        (player.reader.match.scores, player.reader.faults)
        for player in play.players
        if player.honest and player.reader.log.next_number == len(play.live.records)
    }
    if len(ends) > 1:
        raise Broken(f"honest seats came to different ends: {ends}")


def _late(play: "Play") -> None:
    """Check that no seat is late more often than other seats have acted, however old its view
    was.
    """
    posted = Counter(
        entry.author for entry in map(decode_entry, play.entries()) if entry.kind == "move"
    )
    late = play.match.late_counts
    for seat, count in enumerate(late):
        others = sum(posted[other] - late[other] for other in range(len(late)) if other != seat)
        if count > others:
            raise Broken(
                f"seat {seat} came too late {count} times, and others have acted {others} times"
            )


def _chips(play: "Play") -> None:
    """Check that chips are conserved, and that a seat that is named or has left gains nothing from
    then on.
    """
    match = play.match
    if not match.receipts:
        return
    if sum(match.scores) != STACK * (match.setup.seats + sum(match.game.bought)):
        raise Broken(f"chips were made, or lost: {match.scores}")
    codes = {fault.seat: fault.code for fault in match.faults}
    for seat, before in play.named.items():
        if before.game is None or seat == TABLE:
            continue
        # the seat was all in, and the others opened its cards
        if codes[seat] is Code.LAPSED and before.game.is_all_in(seat):
            continue
        if match.scores[seat] > before.game.chips[seat]:
            raise Broken(
                f"seat {seat} was named and has {match.scores[seat]}, not {before.game.chips[seat]}"
            )


def _points(play: "Play") -> None:
    """Check that a seat that is named or has left wins no points afterwards."""
    if not play.match.receipts:
        return
    for seat, before in play.named.items():
        if seat != TABLE and play.match.scores[seat] > before.scores[seat]:
            raise Broken(
                f"seat {seat} was named and has {play.match.scores[seat]}, not "
                f"{before.scores[seat]}"
            )
