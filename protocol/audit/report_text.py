"""Texts about the result of an audit. Functions return lines without control characters for
terminals.
"""

from collections.abc import Iterator

from protocol.audit.fairness.text import fairness_lines
from protocol.audit.verdict import AuditReport, Verdict
from protocol.codes import Code, code_phrase
from protocol.dealing import TABLE, Fault
from protocol.games.registry import UnknownRules, unknown_rules_phrase
from protocol.i18n import english
from protocol.identity.keys import fingerprint, short_fingerprint
from protocol.identity.roster_words import roster_words
from protocol.match.clock import Allowance
from protocol.match.log_file import SUFFIX
from protocol.match.log_reader import LogReader
from protocol.match.narration import doubt_phrase, score_phrases, winner_phrase
from protocol.match.roster_digest import roster_digest
from protocol.match.state import Match
from protocol.view.phrase import Phrase, SeatRef, phrase
from protocol.view.text import Say, Translate, phrase_renderer


def author_name(match: Match, author: int) -> str:
    """Return the name of a seat, or "the table". Seats that do not exist also get a name, since a
    log may name them.
    """
    return match_phrase_renderer(match)(phrase("match.name", who=SeatRef(author)))


def match_phrase_renderer(
    match: Match, own: int | None = None, translate: Translate = english
) -> Say:
    """Return a renderer for phrases about the people of this match. It addresses the seat `own` as
    "you".
    """
    return phrase_renderer(translate, [person.name for person in match.setup.people], own)


def clock_phrase(allowance: Allowance) -> Phrase:
    """Describe the time limits: "120 s for a move, 3 times more for each seat, 300 s for a step of
    its program".
    """
    if allowance.extensions:
        key = "match.clock.extensions"
    else:
        key = "match.clock.turns"
    waits = phrase(key, turn=allowance.turn, extensions=allowance.extensions, step=allowance.step)
    if allowance.level:
        return phrase("match.clock.level", waits=waits, level=allowance.level)
    return waits


def roster_text(match: Match) -> str:
    """Return the roster words, which everybody at the match compares aloud; empty until all nonces
    are open.
    """
    digest = roster_digest(match)
    return "" if digest is None else roster_words(digest)


def report_lines(report: AuditReport, translate: Translate = english) -> list[str]:
    """Return `verdict_lines`, followed by the fairness of simultaneous play."""
    reader = report.reader
    fairness = report.fairness
    if reader is None or fairness is None:
        return verdict_lines(report, translate)
    return [
        *verdict_lines(report, translate),
        *fairness_lines(fairness, match_phrase_renderer(reader.match, translate=translate)),
    ]


def verdict_lines(report: AuditReport, translate: Translate = english) -> list[str]:
    """Describe the verdict, the faults and the doubts. A clean verdict has one line, "clean: …",
    before the doubts.
    """
    reader = report.reader
    if reader is None:
        say = phrase_renderer(translate, ())
    else:
        say = match_phrase_renderer(reader.match, translate=translate)
    if reader:
        faults = [f"  {say(fault_phrase(reader.match, fault))}" for fault in report.faults]
    else:
        faults = []
    if reader:
        doubts = [f"  {say(doubt)}" for doubt in _doubt_lines(reader.match)]
    else:
        doubts = []
    return [*_verdict_phrase(report, say, faults), *doubts]


def _doubt_lines(match: Match) -> list[Phrase]:
    """Return the doubts of seats about lapses: the word of a seat against the word of the table."""
    return [
        doubt_phrase(lapse, seat, most)
        for lapse in match.clock.lapses
        for seat, most in lapse.doubts
    ]


def _verdict_phrase(report: AuditReport, say: Say, faults: list[str]) -> list[str]:
    reader = report.reader
    match report.verdict:
        case Verdict.CLEAN:
            return [say(_clean_phrase(reader)), *map(say, _end_phrases(reader))] if reader else []
        case Verdict.FAULT:
            told = phrase("report.faults", count=len(faults), entries=_entry_count(report.entries))
            ended = _end_phrases(reader) if reader else ()
            return [say(told), *faults, *map(say, ended), *map(say, _rest(report))]
        case Verdict.INCOMPLETE:
            return [say(_incomplete_phrase(reader, say))]
        case Verdict.UNJUDGED:
            return [say(unjudged_phrase(report.unknown_rules))] if report.unknown_rules else []
        case Verdict.UNREADABLE:
            return [say(_unreadable_phrase(report, say))]


def unjudged_phrase(unknown: UnknownRules) -> Phrase:
    """Say that a log cannot be judged here, which rules are missing, and which game and edition the
    log names.
    """
    reason = unknown_rules_phrase(unknown)
    return phrase("report.unjudged", reason=reason, game=unknown.game, edition=unknown.version)


def _entry_count(count: int) -> Phrase:
    return phrase("report.entries", count=count)


def _clean_phrase(reader: LogReader) -> Phrase:
    match = reader.match
    setup = reader.match.setup
    table = phrase("report.clean.no_table")
    if setup.has_table:
        table = _key_owner_phrase(
            "report.clean.table", setup.table.name, short_fingerprint(setup.table.key)
        )
    return phrase(
        "report.clean",
        winner=winner_phrase(match),
        game=setup.terms.game.name,
        scores=score_phrases(match),
        entries=_entry_count(reader.log.next_number),
        seats=tuple(
            _key_owner_phrase(
                "report.clean.seat", person.name, short_fingerprint(person.identity), number=number
            )
            for number, person in enumerate(setup.people, 1)
        ),
        table=table,
        words=roster_text(match),
    )


def _end_phrases(reader: LogReader) -> tuple[Phrase, ...]:
    """Return a sentence about the table's act, if the table ended the match."""
    ended_at = reader.match.ended_at
    return () if ended_at is None else (phrase("report.ended", entry=ended_at),)


def _key_owner_phrase(key: str, name: str, fingerprint: str, **more: int) -> Phrase:
    return phrase(key, name=name, fingerprint=fingerprint, **more)


def _incomplete_phrase(reader: LogReader | None, say: Say) -> Phrase:
    if reader is None:
        return phrase("report.incomplete.empty", advice=_other_copy_phrase(reader))
    entries = _entry_count(reader.log.next_number)
    match = reader.match
    if reader.over:
        return phrase("report.incomplete.torn", entries=entries, advice=_other_copy_phrase(reader))
    duties = {
        say(phrase("report.duty", kind=duty.kind, who=SeatRef(duty.author)))
        for duty in match.duties()
    }
    if duties:
        missing = say(
            phrase("report.missing", duties=say(phrase("report.or")).join(sorted(duties)))
        )
    else:
        missing = ""
    return phrase(
        "report.incomplete",
        entries=entries,
        missing=missing,
        advice=_other_copy_phrase(reader, longer=True),
    )


def _unreadable_phrase(report: AuditReport, say: Say) -> Phrase:
    if report.reader is None and report.damage_code is Code.BAD_ENCODING:
        return phrase("report.unreadable.no_log", suffix=SUFFIX)
    if report.damage_code:
        reason = code_phrase(report.damage_code)
    else:
        reason = phrase("report.unreadable.reason")
    where = phrase("report.good_entries", count=report.entries)
    check = ""
    if report.reader is None:
        where = phrase("report.unreadable.beginning")
        check = say(phrase("report.unreadable.check", suffix=SUFFIX))
    advice = _other_copy_phrase(report.reader)
    return phrase("report.unreadable", where=where, reason=reason, check=check, advice=advice)


def _rest(report: AuditReport) -> Iterator[Phrase]:
    """Describe unreadable bytes after the entries of a file with faults."""
    rest = report.rest
    if rest is not None and rest.after is not None:
        advice = _other_copy_phrase(report.reader)
        yield phrase("report.rest", entry=rest.after, reason=rest.reason, advice=advice)


def _other_copy_phrase(reader: LogReader | None, longer: bool = False) -> Phrase:
    if reader is not None and not reader.log.setup.has_table:
        return phrase("report.ask.player.longer" if longer else "report.ask.player")
    return phrase("report.ask.longer" if longer else "report.ask")


def fault_phrase(match: Match, fault: Fault) -> Phrase:
    """Describe a fault: its author with the fingerprint that identifies him, the entry, and the
    broken rule.
    """
    setup = match.setup
    author = phrase("match.seat", number=fault.seat + 1)
    if fault.seat == TABLE:
        author = _key_owner_phrase("report.table", setup.table.name, fingerprint(setup.table.key))
    elif fault.seat < setup.seats:
        person = setup.people[fault.seat]
        author = _key_owner_phrase(
            "report.seat", person.name, fingerprint(person.identity), number=fault.seat + 1
        )
    what = code_phrase(fault.code)
    return phrase("report.fault", author=author, entry=fault.entry, what=what, code=str(fault.code))
