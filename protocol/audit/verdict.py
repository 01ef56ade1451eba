"""The audit: fold a finished log, and say from its bytes alone whether anybody cheated, and who."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from protocol.codes import Code, code_phrase
from protocol.dealing import TABLE, Fault
from protocol.games.registry import BUILT_IN, Games, UnknownRules
from protocol.i18n import english_text
from protocol.identity.keys import fingerprint
from protocol.match.log_reader import LogReader
from protocol.view.phrase import Phrase, phrase

if TYPE_CHECKING:  # players use only `verdict_of`, and need no audit modules
    from protocol.audit.fairness.arrival_comparison import ArrivalComparison
    from protocol.audit.fairness.attempts import AttemptSample, FairnessReport
    from protocol.audit.replay import Replay


class Verdict(StrEnum):
    """Result of an audit."""

    CLEAN = "clean"  # complete, and nobody broke a rule
    FAULT = "fault"  # somebody broke a rule, and is named
    INCOMPLETE = "incomplete"  # no fault in the entries so far, but the end is missing
    UNJUDGED = "not to be judged here"  # its rules are not installed here
    UNREADABLE = "unreadable"  # not a log, or changed since the table signed it


class Facts(NamedTuple):
    """Facts about a log that determine its verdict."""

    unknown: bool = False  # the rules of the match are not installed here
    fault: bool = False
    damage: bool = False  # later bytes of the file differ from the signed ones
    cut: bool = False  # the file ends inside an entry
    over: bool = False  # the entries read so far include the end of the match

    @property
    def verdict(self) -> Verdict:
        """The first verdict in `ORDER` whose condition holds."""
        return next(verdict for verdict, holds in ORDER if holds(self))


# Priority of verdicts (docs/protocol, 10.3). A fault stays the verdict if later bytes cannot be
# read. Otherwise the culprit could remove the verdict with a few bytes at the end of a file.
ORDER: tuple[tuple[Verdict, Callable[[Facts], bool]], ...] = (
    (Verdict.UNJUDGED, lambda facts: facts.unknown),
    (Verdict.FAULT, lambda facts: facts.fault),
    (Verdict.UNREADABLE, lambda facts: facts.damage),
    (Verdict.INCOMPLETE, lambda facts: facts.cut or not facts.over),
    (Verdict.CLEAN, lambda facts: True),
)


class Rest(NamedTuple):
    """The end of a file that could not be read."""

    after: int | None  # number of the last entry before it; None: no entry
    reason: Phrase  # part of a sentence


@dataclass(frozen=True)
class AuditReport:
    """Report of an audit. `reader` is None if not even the first entry could be read."""

    verdict: Verdict
    reader: LogReader | None
    faults: tuple[Fault, ...] = ()
    damage_code: Code | None = None  # reason why the log is unreadable, or not to be judged here
    entries: int = 0  # number of standing entries read
    # missing rules, without which the log cannot be judged
    unknown_rules: UnknownRules | None = None
    attempts: "AttemptSample | None" = None
    rest: Rest | None = None

    @property
    def fairness(self) -> "FairnessReport | None":
        """Statistics of simultaneous play; None for a match without it. Takes up to two seconds."""
        if self.reader is None or self.attempts is None:
            return None
        log = self.reader.log
        return self.attempts.report(log.setup.seats, log.match_id)


def audit(data: bytes, games: Games = BUILT_IN) -> AuditReport:
    """Audit the bytes of a `*.fairdeal` file by the rules of `games`. No content of the file makes
    it raise.
    """
    from protocol.audit.replay import Replay

    return replay_report(Replay(data, games).finish())


def replay_report(replay: "Replay") -> AuditReport:
    """Return the report for a replay whose steps have all been taken."""
    reader = replay.reader
    unknown = replay.unknown
    rest = _rest(replay)
    facts = _facts(reader, ())._replace(
        unknown=unknown is not None, damage=replay.damage is not None, cut=replay.cut_short
    )
    verdict = facts.verdict
    if unknown is not None:
        return AuditReport(verdict, None, damage_code=unknown.code, unknown_rules=unknown)
    reason = replay.damage if verdict is Verdict.UNREADABLE else None
    if reader is None:
        return AuditReport(verdict, None, damage_code=reason, rest=rest)
    return AuditReport(
        verdict,
        reader,
        reader.faults,
        reason,
        entries=reader.match.next_number,
        attempts=replay.attempts,
        rest=rest,
    )


def _rest(replay: "Replay") -> Rest | None:
    if replay.reader is None:
        after = None
    else:
        after = replay.reader.log.next_number - 1
    if replay.damage is not None:
        return Rest(after, code_phrase(replay.damage))
    if replay.cut_short:
        return Rest(after, phrase("report.rest.cut"))
    if replay.failure is not None:
        return Rest(after, phrase("report.rest.failure", error=type(replay.failure).__name__))
    return None


def verdict_of(reader: LogReader | None, faults: tuple[Fault, ...] = ()) -> Verdict:
    """Return the verdict if no entry follows. `faults` are faults proven by other evidence than the
    log.
    """
    return _facts(reader, faults).verdict


def _facts(reader: LogReader | None, faults: tuple[Fault, ...]) -> Facts:
    if reader is None:
        return Facts(fault=bool(faults))
    return Facts(fault=bool(reader.faults or faults), over=reader.over)


def report_data(report: AuditReport) -> dict[str, Any]:
    """Return the report for `fairdeal audit --json`: seats count from 0, the table is null."""
    reader = report.reader
    setup = reader.log.setup if reader else None
    scores = reader.match.scores if reader else ()
    unknown = report.unknown_rules
    return {
        "verdict": str(report.verdict),
        "game": setup.terms.game.name if setup else unknown.game if unknown else None,
        "edition": setup.terms.rules if setup else unknown.version if unknown else None,
        "dealing": setup.terms.dealing.name if setup else None,
        "seats": [
            {"name": person.name, "fingerprint": fingerprint(person.identity), "score": score}
            for person, score in zip(setup.people if setup else (), scores, strict=True)
        ],
        "entries": report.entries,
        "ended": reader.match.ended_at if reader else None,
        "faults": [
            {
                "seat": None if fault.seat == TABLE else fault.seat,
                "entry": fault.entry,
                "code": str(fault.code),
                "reason": english_text(code_phrase(fault.code)),
            }
            for fault in report.faults
        ],
        "doubts": [
            {
                "entry": lapse.number,
                "seat": seat,
                "about": lapse.seat,
                "waited": lapse.waited_milliseconds,
                "most": most,
            }
            for lapse in (reader.match.clock.lapses if reader else ())
            for seat, most in lapse.doubts
        ],
        "fairness": fairness_data(report.fairness),
        "rest": report.rest and rest_data(report.rest),
        **({"reason": english_text(code_phrase(report.damage_code))} if report.damage_code else {}),
    }


def rest_data(rest: Rest) -> dict[str, Any]:
    """Return the unreadable end of a file as JSON."""
    return {"after": rest.after, "reason": english_text(rest.reason)}


def fairness_data(fairness: "FairnessReport | None") -> dict[str, Any] | None:
    """Return the statistics of simultaneous play as JSON."""
    if fairness is None:
        return None
    seats = [
        {"attempts": one.attempts, "late": one.late, "age": round(one.age, 3)}
        for one in fairness.seats
    ]
    return {"seats": seats, "late_p": fairness.late_p, "age_p": fairness.age_p}


def times_data(found: "ArrivalComparison") -> dict[str, Any]:
    """Return the comparison of two seats' arrival times as JSON, in milliseconds."""
    pairs = zip(found.seats, found.trips, found.news, strict=True)
    seats = [
        {"seat": seat, "trips": trips and trips._asdict(), "news": news and news._asdict()}
        for seat, trips, news in pairs
    ]
    return {
        "shared": found.shared,
        "trips_p": found.trips_p,
        "among_two": found.two_seats_only,
        "seats": seats,
    }
