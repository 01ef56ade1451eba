"""Check of the waits that the table claims, by the arrival times of two seats in one match.

The program of each seat records when each entry arrives, by a clock of its own that nobody can set
back. A claimed wait lasts from the entry that created a duty to the table's clock entry about this
duty. Each seat should see about this much time pass between the two. If neither of two seats has,
the claim is not justified. One seat alone proves nothing, and two seats can lie.
"""

from enum import StrEnum
from typing import NamedTuple

from protocol.audit.fairness.arrival_times import ArrivalTimes
from protocol.audit.replay import Replay
from protocol.audit.report_text import author_name, match_phrase_renderer
from protocol.games.registry import BUILT_IN, Games
from protocol.i18n import english
from protocol.limits import CLOCK_TOLERANCE_SECONDS
from protocol.match.clock import CLOCK_KINDS
from protocol.match.state import Match
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import Translate


class ClockClaim(NamedTuple):
    """A clock entry of the table in a log."""

    number: int
    kind: str
    seat: int
    since: int  # log number of the entry that created the seat's duty
    waited: int  # milliseconds, as the table claims


class ClaimFinding(StrEnum):
    """Result of a comparison between a claim and the times of two seats."""

    JUSTIFIED = "justified"  # at least one seat saw this much time pass
    NOT_JUSTIFIED = "not justified"  # neither seat saw this much time pass
    OPEN = "open"  # one seat saw less, and the other has no times


def clock_claims(data: bytes, games: Games = BUILT_IN) -> tuple[Match | None, list[ClockClaim]]:
    """Return the match and all clock claims in a log file, as far as the file can be read."""
    replay = Replay(data, games)
    found = []
    for step in replay:  # an early end of the file is not reported here, but by the audit
        before = step.before
        entry = step.entry
        if before is not None and entry is not None and entry.kind in CLOCK_KINDS:
            seat, waited = entry.body
            found.append(ClockClaim(step.number, entry.kind, seat, before.duty_since(seat), waited))
    return (replay.reader.match if replay.reader else None), found


def observed_wait(claim: ClockClaim, times: ArrivalTimes) -> int | None:
    """Return the milliseconds that a seat saw pass during the claimed wait; None without times for
    both ends.
    """
    first = times.get(claim.since)
    last = times.get(claim.number)
    if first is None or last is None or first.run != last.run:
        return None
    return last.at - first.at


def judge_claim(claim: ClockClaim, both: tuple[ArrivalTimes, ArrivalTimes]) -> ClaimFinding:
    """Compare a claim with the times of two seats."""
    enough = claim.waited - 1000 * CLOCK_TOLERANCE_SECONDS
    saw = [observed_wait(claim, times) for times in both]
    if any(value is not None and value >= enough for value in saw):
        return ClaimFinding.JUSTIFIED
    if None in saw:
        return ClaimFinding.OPEN
    return ClaimFinding.NOT_JUSTIFIED


def clock_lines(
    match: Match,
    found: list[ClockClaim],
    both: tuple[ArrivalTimes, ArrivalTimes],
    translate: Translate = english,
) -> list[str]:
    """Return the table of claims with one line each, and a summary."""
    lines = [
        f"{'entry':>6}  {'says':<9}  {'about':<24}  {'waited':>10}  {'first saw':>10}  "
        f"{'second saw':>10}"
    ]
    findings = [judge_claim(claim, both) for claim in found]
    for claim, finding in zip(found, findings, strict=True):
        saw = "  ".join(f"{_seconds(observed_wait(claim, times)):>10}" for times in both)
        name = author_name(match, claim.seat)
        lines.append(
            f"{claim.number:>6}  {claim.kind:<9}  {name:<24}  {_seconds(claim.waited):>10}  "
            f"{saw}  {finding}"
        )
    false = findings.count(ClaimFinding.NOT_JUSTIFIED)
    unclear = findings.count(ClaimFinding.OPEN)
    lines.append(
        match_phrase_renderer(match, translate=translate)(
            _summary_phrase(false, unclear, len(found))
        )
    )
    return lines


def _summary_phrase(false: int, unclear: int, all_claims: int) -> Phrase:
    if false:
        return phrase("waits.not_justified", false=false, claims=all_claims)
    if unclear:
        return phrase("waits.open", unclear=unclear, claims=all_claims)
    return phrase("waits.justified" if all_claims else "waits.nothing")


def _seconds(milliseconds: int | None) -> str:
    if milliseconds is None:
        return "?"
    return f"{milliseconds / 1000:,.1f} s"
