"""The audit: fold a finished log and say whether anybody cheated, and who. From the bytes alone."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from protocol.codes import Code, sentence
from protocol.dealing import TABLE, Fault
from protocol.games.registry import BUILT_IN, Games, UnknownRules
from protocol.identity.keys import fingerprint
from protocol.match.reader import Reader

if TYPE_CHECKING:  # who plays asks for a verdict, and audits nothing
    from protocol.audit.fairness.arrivals import SideBySide
    from protocol.audit.fairness.attempts import Attempts, Fairness
    from protocol.audit.replay import Replay


class Verdict(StrEnum):
    """What an audit comes to."""

    CLEAN = "clean"  # complete, and nobody broke a rule
    FAULT = "fault"  # somebody did, and is named
    INCOMPLETE = "incomplete"  # nothing wrong as far as it goes, but it stops before the end
    UNJUDGED = "not to be judged here"  # by rules that are not installed here
    UNREADABLE = "unreadable"  # not a log, or changed since the table signed it


@dataclass(frozen=True)
class Report:
    """An audit's result. `reader` is None when not even the first entry could be read."""

    verdict: Verdict
    reader: Reader | None
    faults: tuple[Fault, ...] = ()
    reason: Code | None = None  # why it is unreadable
    entries: int = 0  # entries that were read and stand
    unknown: UnknownRules | None = None  # the rules that it could not be judged by
    attempts: "Attempts | None" = None

    @property
    def fairness(self) -> "Fairness | None":
        """How seats fared that acted independently; None if none did. Takes up to two seconds."""
        if self.reader is None or self.attempts is None:
            return None
        log = self.reader.log
        return self.attempts.fairness(log.setup.seats, log.match_id)


def audit(data: bytes, games: Games = BUILT_IN) -> Report:
    """Audit the bytes of a `*.fairdeal` file, by the rules of these games. Never raises for what is in them."""
    from protocol.audit.replay import Replay

    return report_of(Replay(data, games).finish())


def report_of(replay: "Replay") -> Report:
    """What a log comes to of which all steps have been taken."""
    reader, verdict = replay.reader, verdict_of(replay.reader)
    if replay.damage is not None:
        verdict = Verdict.UNREADABLE
    elif replay.cut_short and verdict is Verdict.CLEAN:
        verdict = Verdict.INCOMPLETE
    if replay.unknown is not None:
        return Report(Verdict.UNJUDGED, None, reason=replay.unknown.code, unknown=replay.unknown)
    if reader is None:
        return Report(verdict, None, reason=replay.damage)
    return Report(verdict, reader, reader.faults, replay.damage, reader.match.number, attempts=replay.attempts)


def verdict_of(reader: Reader | None) -> Verdict:
    """The verdict on what has been read, if nothing follows. Who is named stays named, however a log goes on."""
    if reader is not None and reader.faults:
        return Verdict.FAULT
    return Verdict.CLEAN if reader is not None and reader.over else Verdict.INCOMPLETE


def as_json(report: Report) -> dict[str, Any]:
    """The report as `fairdeal audit --json` prints it; seat numbers count from 0, the table is null."""
    reader = report.reader
    setup = reader.log.setup if reader else None
    scores = reader.match.scores if reader else ()
    return {
        "verdict": str(report.verdict),
        "game": setup.terms.game.name if setup else None,
        "dealing": setup.terms.dealing.name if setup else None,
        "seats": [
            {"name": person.name, "fingerprint": fingerprint(person.identity), "score": score}
            for person, score in zip(setup.people if setup else (), scores, strict=True)
        ],
        "entries": report.entries,
        "faults": [
            {
                "seat": None if fault.seat == TABLE else fault.seat,
                "entry": fault.entry,
                "code": str(fault.code),
                "reason": sentence(fault.code),
            }
            for fault in report.faults
        ],
        "doubts": [
            {"entry": lapse.number, "seat": seat, "about": lapse.seat, "waited": lapse.waited, "most": most}
            for lapse in (reader.match.clock.lapses if reader else ())
            for seat, most in lapse.doubts
        ],
        "fairness": fairness_data(report.fairness),
        **({"reason": sentence(report.reason)} if report.reason else {}),
    }


def fairness_data(fairness: "Fairness | None") -> dict[str, Any] | None:
    """How seats fared that acted independently, as JSON."""
    if fairness is None:
        return None
    seats = [{"attempts": one.attempts, "late": one.late, "age": round(one.age, 3)} for one in fairness.seats]
    return {"seats": seats, "late_p": fairness.late_p, "age_p": fairness.age_p}


def times_data(found: "SideBySide") -> dict[str, Any]:
    """What two seats' times say, as JSON; times in milliseconds."""
    pairs = zip(found.seats, found.trips, found.news, strict=True)
    seats = [
        {"seat": seat, "trips": trips and trips._asdict(), "news": news and news._asdict()}
        for seat, trips, news in pairs
    ]
    return {"shared": found.shared, "trips_p": found.trips_p, "among_two": found.among_two, "seats": seats}
