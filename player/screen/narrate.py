"""What just happened, in one line for people: the deal's progress, moves, hands, scores, the roster, the verdict."""

from typing import Any

from player import events
from player.outcome import Outcome
from protocol.audit.report import plain, scores_text, who
from protocol.audit.verdict import Verdict
from protocol.codes import sentence
from protocol.dealing import TABLE, Fault
from protocol.identity.words import roster_words
from protocol.match import clock
from protocol.match.log import Entry
from protocol.match.state import Match, Stage
from protocol.match.terms import Terms

BAR = 20  # characters of a progress bar


def names(match: Match) -> list[str]:
    """Everybody's name, by seat."""
    return [who(match, seat) for seat in range(match.setup.seats)]


def on_turn(match: Match) -> list[str]:
    """Who is to act in the game now."""
    if match.stage is not Stage.PLAYING:
        return []
    return [who(match, duty.author) for duty in match.duties()]


def progress(match: Match) -> tuple[str, int] | None:
    """What the deal is at, in words, and how far it is in per cent; None when nothing is being dealt."""
    if match.stage is not Stage.DEALING:
        return None
    return match.deal.progress() if match.deal else None


def progress_bar(match: Match) -> str:
    """`progress` as a line; empty when nothing is being dealt."""
    found = progress(match)
    if found is None:
        return ""
    words, percent = found
    done = BAR * percent // 100
    return f"[{'#' * done}{'.' * (BAR - done)}] {percent:3}%  {words}"


def happened(event: events.Happened, own: int | None = None) -> list[str]:
    """The lines for an entry, for the seat `own` or for a spectator; often none."""
    before, entry, match = event.before, event.entry, event.match
    lines = []
    move = _move(before, entry)
    if move:
        lines.append(move)
    lines += _news(before, match)
    lines += _hand_over(before, match)
    if match.deal is not None and match.stage is Stage.DEALING and _new_deal(before, match):
        lines.append(f"Dealing hand {match.deal_number + 1}.")
    lines += [f"{who(match, seat)} has left. The others play on." for seat in sorted(match.gone - before.gone)]
    if entry.kind in clock.KINDS:
        lines.append(_time(event, own))
    if entry.kind == "protest":
        lines.append(f"{who(match, entry.author)} protests against entry {entry.body[0]}: everything is opened.")
    return lines


def _time(event: events.Happened, own: int | None) -> str:
    """What the table says about somebody's time."""
    entry, match = event.entry, event.match
    seat, waited = entry.body
    name, has, gets = ("You", "have", "get") if seat == own else (who(match, seat), "has", "gets")
    due = match.due(seat)
    if entry.kind == clock.LAPSE or due is None:
        skipped = seat in match.present and not match.over
        return f"{name} did not move in time: the turn is skipped." if skipped else f"{name} did not answer in time."
    if entry.kind == clock.EXTENSION:
        more = match.setup.allowance.extensions - match.clock.used[seat]
        return f"{name} {gets} {match.setup.allowance.turn} s more. Extensions left in this match: {more}."
    left = -(-(due.after - waited) // 1000)
    then = ", then an extension" if due.kind == clock.EXTENSION else ""
    return f"{name} {has} {left} s left{then}."


def dealt(before: Match, match: Match) -> bool:
    """Whether a hand has just been dealt."""
    game, old = match.game, before.game
    return match.stage is Stage.PLAYING and getattr(game, "hand", None) != getattr(old, "hand", None)


def _new_deal(before: Match, match: Match) -> bool:
    return before.deal is None or before.deal_number != match.deal_number


def _move(before: Match, entry: Entry) -> str | None:
    if entry.kind != "move":
        return None
    actor, game = who(before, entry.author), before.setup.game
    action = game.parse(entry.body[0])
    return f"{before.setup.text.action_text(game, before.game, actor, action)}."


def _hand_over(before: Match, match: Match) -> list[str]:
    """The result and the score when a hand has just been settled."""
    result, old = getattr(match.game, "result", None), getattr(before.game, "result", None)
    if result is None or result is old:
        return []
    game = match.setup.game
    return [*match.setup.text.result_text(game, result, names(match)).splitlines(), f"Score: {scores_text(match)}."]


def _news(before: Match, match: Match) -> list[str]:
    """What the game has to say that no move says."""
    game = match.setup.game
    return [] if match.game is None else match.setup.text.news_text(game, before.game, match.game, names(match))


def roster(event: events.Roster) -> list[str]:
    """The words that people compare."""
    if event.match.setup.has_table:
        differ = "the table is not showing everybody the same players"
    else:
        differ = "somebody stands between you, and plays with both"
    return [
        f"Roster: {', '.join(names(event.match))}. Fingerprint: {roster_words(event.digest)}",
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
