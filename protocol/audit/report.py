"""An audit's result in words, for people. Functions return lines of text in which nothing steers a terminal."""

from protocol.audit.verdict import Report, Verdict
from protocol.codes import sentence
from protocol.dealing import TABLE, Fault
from protocol.games.registry import UnknownRules
from protocol.identity.keys import fingerprint, short_fingerprint
from protocol.identity.words import roster_words
from protocol.locale import english
from protocol.match.clock import Allowance
from protocol.match.logfile import SUFFIX
from protocol.match.reader import Reader
from protocol.match.roster import roster_digest
from protocol.match.state import Match
from protocol.view.words import Say, Translate, plain, speaker


def who(match: Match, author: int) -> str:
    """The name of a seat, or "the table"; seats that do not exist too, since a log may name one."""
    if author == TABLE:
        return "the table"
    people = match.setup.people
    return plain(people[author].name) if author < len(people) else f"seat {author + 1}"


def not_here(unknown: UnknownRules) -> str:
    """Which rules are missing here, in a sentence: who plays by them has done nothing wrong."""
    name, row = plain(unknown.game), unknown.row
    if row is None:
        return f"There is no game {name} here."
    if row.version is None:
        return f"{name} needs {row.library}, which is not installed here: {row.install}"
    return f"{name} is played there by rules {plain(unknown.version)}, and here by rules {row.version}."


def say_of(match: Match, own: int | None = None, translate: Translate = english) -> Say:
    """What says phrases about the people of this match; to the seat `own` as "you"."""
    return speaker(translate, [plain(person.name) for person in match.setup.people], own)


def scores_text(match: Match) -> str:
    """Everybody's points: "Ann 104, Bob 77"."""
    return ", ".join(f"{who(match, seat)} {score}" for seat, score in enumerate(match.scores))


def clock_text(allowance: Allowance) -> str:
    """How long a match waits: "120 s for a move, 3 times more for each seat, 300 s for a step of its program"."""
    more = f"{allowance.extensions} times more for each seat, " if allowance.extensions else ""
    return f"{allowance.turn} s for a move, {more}{allowance.step} s for a step of its program"


def roster_text(match: Match) -> str:
    """The words that everybody at this table compares aloud; empty until all seats have opened their nonces."""
    digest = roster_digest(match)
    return "" if digest is None else roster_words(digest)


def describe(report: Report) -> list[str]:
    """The verdict. The first line says it all when it is "clean: …"; else the faults follow, a line each."""
    reader = report.reader
    faults = [f"  {_fault(reader, fault)}" for fault in report.faults] if reader else []
    match report.verdict:
        case Verdict.CLEAN:
            return [_clean(reader)] if reader else []
        case Verdict.FAULT:
            return [f"fault: {_many(len(faults), 'fault')} in {_many(report.entries, 'entry', 'entries')}.", *faults]
        case Verdict.INCOMPLETE:
            return [_incomplete(reader)]
        case Verdict.UNJUDGED:
            return [f"not to be judged here: {not_here(report.unknown) if report.unknown else ''}"]
        case Verdict.UNREADABLE:
            return [_unreadable(report), *faults]


def _many(count: int, one: str, more: str = "") -> str:
    return f"{count} {one if count == 1 else more or one + 's'}"


def _clean(reader: Reader) -> str:
    match = reader.match
    winner = "nobody" if match.winner is None else who(match, match.winner)
    roster = ", ".join(
        f"{seat} {plain(person.name)} ({short_fingerprint(person.identity)})"
        for seat, person in enumerate(match.setup.people, 1)
    )
    setup = match.setup
    table = f"table {plain(setup.table.name)} ({short_fingerprint(setup.table.key)})" if setup.has_table else "no table"
    return (
        f"clean: {winner} won {plain(match.setup.terms.game.name)}; scores {scores_text(match)}; "
        f"{_many(reader.log.number, 'entry', 'entries')}; seats {roster}; {table}; "
        f"roster words {roster_text(match)}"
    )


def _incomplete(reader: Reader | None) -> str:
    if reader is None:
        return f"incomplete: the file ends before its first entry. {_another_copy(reader)}"
    waiting = {f"{duty.kind} of {who(reader.match, duty.author)}" for duty in reader.match.duties()}
    missing = f" Next should come: {' or '.join(sorted(waiting))}." if waiting else ""
    entries = _many(reader.log.number, "entry", "entries")
    if reader.over:
        return (
            f"incomplete: the {entries} of the whole match are here, but the file breaks off in something after them. "
            f"{_another_copy(reader)}"
        )
    return (
        f"incomplete: nothing is wrong in the {entries} here, but the match does not end.{missing} "
        f"{_another_copy(reader, 'a longer copy')}"
    )


def _unreadable(report: Report) -> str:
    reason = sentence(report.reason) if report.reason else "the file is not a log"
    where = f"after {_many(report.entries, 'good entry', 'good entries')}" if report.reader else "at its beginning"
    check = "" if report.reader else f"Check that it is the right file (*{SUFFIX}). "
    return (
        f"unreadable: {where}: {reason}. This is not a log as it was signed; nobody can be blamed for what "
        f"cannot be read. {check}{_another_copy(report.reader)}"
    )


def _another_copy(reader: Reader | None, copy: str = "their copy") -> str:
    if reader is not None and not reader.log.setup.has_table:
        return f"Ask the other player for {copy}."
    return f"Ask the table or another player for {copy}."


def _fault(reader: Reader | None, fault: Fault) -> str:
    """Who, with the fingerprint that proves who that is; where; and what."""
    assert reader is not None
    setup = reader.match.setup
    if fault.seat == TABLE:
        author = f"the table, {plain(setup.table.name)} ({fingerprint(setup.table.key)})"
    elif fault.seat < setup.seats:
        person = setup.people[fault.seat]
        author = f"seat {fault.seat + 1}, {plain(person.name)} ({fingerprint(person.identity)})"
    else:
        author = f"seat {fault.seat + 1}"
    return f"{author}, entry {fault.entry}: {sentence(fault.code)} [{fault.code}]"
