"""What just happened, in one line for people: the deal's progress, moves, hands, scores, the roster, the verdict."""

from typing import Any

from player import events
from player.outcome import Outcome
from protocol.audit.report import say_of, who
from protocol.audit.verdict import Verdict
from protocol.codes import sentence
from protocol.dealing import TABLE, Fault
from protocol.identity.words import roster_words
from protocol.locale import english
from protocol.match.deeds import deeds
from protocol.match.state import Match, Stage
from protocol.match.terms import Terms
from protocol.match.view import view_of
from protocol.view.words import Translate, plain

BAR = 20  # characters of a progress bar


def progress(match: Match, translate: Translate = english) -> tuple[str, int] | None:
    """What the deal is at, in words, and how far it is in per cent; None when nothing is being dealt."""
    if match.stage is not Stage.DEALING or match.deal is None:
        return None
    key, percent = match.deal.progress()
    return translate(key, None), percent


def progress_bar(match: Match, translate: Translate = english) -> str:
    """`progress` as a line; empty when nothing is being dealt."""
    found = progress(match, translate)
    if found is None:
        return ""
    words, percent = found
    done = BAR * percent // 100
    return f"[{'#' * done}{'.' * (BAR - done)}] {percent:3}%  {words}"


def happened(event: events.Happened, own: int | None = None, translate: Translate = english) -> list[str]:
    """The lines for an entry, for the seat `own` or for a spectator; often none."""
    say = say_of(event.match, own, translate)
    return [say(deed.phrase) for deed in deeds(event.before, event.entry, event.match)]


def dealt(before: Match, match: Match) -> bool:
    """Whether a hand has just been dealt."""
    return match.stage is Stage.PLAYING and _hand(match) != _hand(before)


def _hand(match: Match) -> int:
    board = view_of(match).board
    return board.hand if board else 0


def roster(event: events.Roster) -> list[str]:
    """The words that people compare."""
    if event.match.setup.has_table:
        differ = "the table is not showing everybody the same players"
    else:
        differ = "somebody stands between you, and plays with both"
    people = ", ".join(plain(person.name) for person in event.match.setup.people)
    return [
        f"Roster: {people}. Fingerprint: {roster_words(event.digest)}",
        f"Read these words to each other aloud: if they differ, {differ}.",
    ]


def fault_text(match: Match, fault: Fault) -> str:
    """Who did what, where: "Bob (seat 2) in entry 57: played a piece …"."""
    seat = "" if fault.seat == TABLE else f" (seat {fault.seat + 1})"
    return f"{who(match, fault.seat)}{seat} in entry {fault.entry}: {sentence(fault.code)}"


def verdict(outcome: Outcome) -> str:
    """The end, in one sentence."""
    saved = f", log saved to {outcome.log_path}" if outcome.log_path else ""
    match = outcome.reader.match if outcome.reader else None
    if outcome.verdict is Verdict.FAULT:
        won = f"; winner {who(match, match.winner)}" if match is not None and match.winner is not None else ""
        return f"verdict: fault: {_faults(match, outcome.faults)}{won}{saved}"
    reason = (outcome.reason or "the match did not come to its end").rstrip(".")
    if match is None:
        return f"no match was played: {reason}"
    if outcome.verdict is not Verdict.CLEAN:
        return f"verdict: incomplete: {reason}{saved}"
    winner = "nobody" if match.winner is None else who(match, match.winner)
    return f"verdict: clean, winner {winner}, {match.number} entries{saved}"


def _faults(match: Match | None, faults: tuple[Fault, ...]) -> str:
    if match is None:
        return "; ".join(f"the table in entry {fault.entry}: {sentence(fault.code)}" for fault in faults)
    return "; ".join(fault_text(match, fault) for fault in faults)


def greeting(event: events.Welcomed, short: str) -> str:
    """Where we are."""
    return f"At {plain(event.table_name)}, fingerprint {short}."


def waiting(event: events.Waiting) -> str:
    """Who is there, and how many are missing."""
    people = ", ".join(plain(person.name) for person in event.people)
    missing = event.seats - len(event.people)
    more = f"; waiting for {missing} more" if missing > 0 else ""
    return f"Table {plain(event.table_id)}: {people or 'nobody yet'}{more}."


def said(match: Match, event: events.Said) -> str:
    """Table talk."""
    return f"{who(match, event.seat)} says: {event.remark}"


def declined(event: events.Declined) -> str:
    """The table refused what we posted."""
    return f"The table refused this player's entry: {sentence(event.code)}."


def tables(event: events.Listed) -> list[str]:
    """The lobby, a line for each table."""
    if not event.rows:
        return ["There is no table here yet. Open one with --create."]
    return [_table(*row) for row in event.rows]


def _table(name: str, terms: Terms, people: Any, running: int) -> str:
    settings = "".join(f", {option}" for option in _settings([*terms.game.options, *terms.dealing.options]))
    there = ": " + ", ".join(plain(person) for person, _ in people) if people else ""
    state = "a match is running" if running else f"{len(people)} of {terms.seats} seats taken"
    return (
        f"{plain(name)}: {plain(terms.game.name)}{settings}, dealt {plain(terms.dealing.name)}; "
        f"{', '.join(_settings(terms.clock))}; {state}{there}"
    )


def _settings(options: Any) -> list[str]:
    return [f"{plain(name)} {plain(str(value))}" for name, value in options]
