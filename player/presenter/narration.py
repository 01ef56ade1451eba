"""Sentences about events: the deal's progress, moves, hands, scores, the roster, the verdict."""

from textwrap import wrap
from typing import Any

from player.client import events
from player.client.outcome import Outcome
from player.client.rule_sets import named_digest
from player.presenter.terms_text import about_lines, clock_line, rules_lines, trust_lines
from player.storage.contacts import Contact, introduce
from protocol.audit.report_text import match_phrase_renderer
from protocol.audit.verdict import Verdict
from protocol.codes import ABSENCES, code_phrase
from protocol.dealing import TABLE, Fault
from protocol.errors import RemoteError
from protocol.games.spec import Information
from protocol.i18n import english
from protocol.identity.keys import short_fingerprint
from protocol.identity.roster_words import roster_words
from protocol.match.narration import MOVE_KINDS, narrate_entry, winner_phrase
from protocol.match.state import Match, MatchStage
from protocol.match.terms import Terms, dealing_phrase
from protocol.view.phrase import Phrase, Pieces, SeatRef, phrase
from protocol.view.text import Say, Translate, isolate_name, phrase_renderer

TALK = "  | "  # before words of other people; no line of the program itself begins like this
BAR = 20  # characters of a progress bar


def deal_progress(match: Match, translate: Translate = english) -> tuple[str, int] | None:
    """Return the present step of the deal in words, and its progress in per cent; None if nothing
    is being dealt.
    """
    if match.stage is not MatchStage.DEALING or match.deal is None:
        return None
    key, percent = match.deal.progress()
    return translate(key, None), percent


def progress_bar(match: Match, translate: Translate = english) -> str:
    """Return the progress of the deal as a line; empty if nothing is being dealt."""
    found = deal_progress(match, translate)
    if found is None:
        return ""
    words, percent = found
    done = BAR * percent // 100
    return f"[{'#' * done}{'.' * (BAR - done)}] {percent:3}%  {words}"


def entry_lines(
    event: events.Happened,
    own: int | None = None,
    translate: Translate = english,
    *,
    moves: bool = True,
) -> list[str]:
    """Return the lines for an entry, for the seat `own` or for a spectator (None); often none.
    Without `moves`: none for moves.
    """
    say = match_phrase_renderer(event.match, own, translate)
    told = narrate_entry(event.before, event.entry, event.match)
    lines = [say(deed.phrase) for deed in told if moves or deed.kind not in MOVE_KINDS]
    if event.drawn:
        setup = event.match.setup
        faces = tuple(setup.view.piece(setup.game, piece).faces or () for piece in event.drawn)
        lines.append(say(phrase("match.drawn", pieces=Pieces(faces))))
    return lines


def is_dealt(before: Match, match: Match) -> bool:
    """Check that a hand has been dealt between these two states."""
    return match.stage is MatchStage.PLAYING and _hand(match) != _hand(before)


def is_decided(before: Match, match: Match) -> bool:
    """Check that a game without hidden pieces has ended between these two states: its last position
    shows why.
    """
    over = match.stage is MatchStage.RECEIPTS and before.stage is MatchStage.PLAYING
    return over and match.setup.spec.information is Information.PERFECT


def _hand(match: Match) -> int:
    game = match.setup.game
    if match.game is None:
        return 0
    return match.setup.view.board(game, match.game).hand


def introduction_lines(
    event: events.Started, contacts: dict[str, Contact], translate: Translate = english
) -> list[str]:
    """Return a line about the match that begins, and lines about each player: the seat, and what is
    known of the person.
    """
    setup = event.match.setup
    say = match_phrase_renderer(event.match, translate=translate)
    lines = [
        say(phrase("match.begins", game=setup.terms.game.name, dealt=dealing_phrase(setup.terms)))
    ]
    for seat, person in enumerate(setup.people):
        first, *more = introduce(contacts, person, translate)
        if seat == event.seat:
            you = phrase(
                "match.oneself", who=SeatRef(seat), fingerprint=short_fingerprint(person.identity)
            )
            first = say(you)
            more = []
        lines += [f"  {say(phrase('match.seat', number=seat + 1))}: {first}", *more]
    return lines


def roster_lines(event: events.Roster, translate: Translate = english) -> list[str]:
    """Return the roster words, and how people compare them. A person alone has nobody to compare
    them with.
    """
    setup = event.match.setup
    say = match_phrase_renderer(event.match, translate=translate)
    people = ", ".join(isolate_name(person.name) for person in setup.people)
    read = phrase("roster.read" if setup.has_table else "roster.read.no_table")
    words = say(phrase("roster.words", people=people, words=roster_words(event.digest)))
    return [words, say(read)] if len(setup.people) > 1 else [words]


def remark_lines(text: str, columns: int | None) -> list[str]:
    """Return another person's remark in lines, each marked as the words of somebody else, for a
    screen with this many columns. None: one line.
    """
    if columns is None:
        return [TALK + text]
    cells = max(columns - len(TALK) - 1, 2)
    # a character takes two cells at most
    return [TALK + part for part in wrap(text, cells if text.isascii() else cells // 2)]


def announcement_text(said: str, say: Say) -> str:
    """Return what the table's host says to everybody."""
    return say(phrase("notice.host_says", said=said))


def winner_lines(outcome: Outcome, own: int | None, translate: Translate = english) -> list[str]:
    """Return lines that tell the seat `own` who won. None for a spectator: the verdict names the
    winner.
    """
    match = outcome.reader.match if outcome.reader else None
    if match is None or match.winner is None or own is None:
        return []
    key = "match.won.team" if len(match.winners) > 1 else "match.won"
    return [match_phrase_renderer(match, own, translate)(phrase(key, who=SeatRef(*match.winners)))]


def is_winner(outcome: Outcome, own: int | None) -> bool:
    """Check that the seat `own` has won the match."""
    return outcome.reader is not None and own in outcome.reader.match.winners


def verdict_text(outcome: Outcome, translate: Translate = english) -> str:
    """Return how the match ended, in one sentence."""
    match = outcome.reader.match if outcome.reader else None
    if match is None:
        say = phrase_renderer(translate, ())
    else:
        say = match_phrase_renderer(match, translate=translate)
    if outcome.log_path:
        saved = say(phrase("verdict.saved", path=str(outcome.log_path)))
    else:
        saved = ""
    reason = say(outcome.reason or phrase("verdict.no_reason")).rstrip(".")
    if outcome.verdict is Verdict.FAULT:
        faults = "; ".join(say(fault_phrase(fault)) for fault in outcome.faults)
        gone = all(fault.code in ABSENCES for fault in outcome.faults)
        if match is None or match.winner is None:
            key = "verdict.gone" if gone else "verdict.fault"
            return say(phrase(key, faults=faults, saved=saved))
        key = "verdict.gone.winner" if gone else "verdict.fault.winner"
        return say(phrase(key, faults=faults, winner=winner_phrase(match), saved=saved))
    if match is None:
        return say(phrase("verdict.none", reason=reason))
    if outcome.verdict is not Verdict.CLEAN:
        return say(phrase("verdict.incomplete", reason=reason, saved=saved))
    return say(
        phrase("verdict.clean", winner=winner_phrase(match), entries=match.next_number, saved=saved)
    )


def fault_phrase(fault: Fault) -> Phrase:
    """Return a fault with its author and place: "Bob (seat 2) in entry 57: played a piece …"."""
    what = code_phrase(fault.code)
    if fault.seat == TABLE:
        return phrase("verdict.table", entry=fault.entry, what=what)
    return phrase(
        "verdict.seat", who=SeatRef(fault.seat), seat=fault.seat + 1, entry=fault.entry, what=what
    )


def greeting_line(event: events.Welcomed, short: str, say: Say) -> str:
    """Return a line that names the table."""
    return say(phrase("lobby.at", table=event.table_name, fingerprint=short))


def waiting_line(event: events.Waiting, say: Say) -> str:
    """Return a line with the people at the table, and the number of missing ones."""
    people = ", ".join(isolate_name(person.name) for person in event.people) or say(
        phrase("lobby.nobody")
    )
    missing = event.seats - len(event.people)
    if missing > 0:
        return say(phrase("lobby.waiting", table=event.table_id, people=people, missing=missing))
    return say(phrase("lobby.full", table=event.table_id, people=people))


def table_lines(event: events.Listed, say: Say) -> list[str]:
    """Return a line for each table, followed by lines about its terms."""
    lines = [
        line
        for row in event.rows
        for line in (_table(say, *row), *_terms_lines(row[1], event, say))
    ]
    page = event.page
    if not lines:
        return [say(phrase("lobby.empty" if not page or page.text is None else "lobby.none_found"))]
    if page is not None and page.total > len(event.rows):
        lines.append(say(phrase("lobby.page", first=1, last=len(event.rows), total=page.total)))
    return lines


def table_rows(event: events.Listed, say: Say) -> list[str]:
    """One line for each table."""
    return [_table(say, *row) for row in event.rows]


def _terms_lines(terms: Terms, event: events.Listed, say: Say) -> list[str]:
    games = event.games
    offered = event.rule_sets.offered(named_digest(terms))
    try:
        clock = [clock_line(terms, say)]
    except RemoteError:  # a table with an invalid clock is listed too
        clock = []
    return [
        *about_lines(terms, games, say),
        *rules_lines(terms, say, games, offered=offered),
        *clock,
        *trust_lines(terms, say, games),
    ]


def _table(say: Say, name: str, terms: Terms, people: Any, running: int) -> str:
    if running:
        state = phrase("lobby.running")
    else:
        state = phrase("lobby.seats", taken=len(people), seats=terms.seats)
    if people:
        there = ": " + ", ".join(isolate_name(person) for person, _ in people)
    else:
        there = ""
    return (
        say(
            phrase(
                "lobby.table",
                table=name,
                game=terms.game.name,
                dealt=dealing_phrase(terms),
                state=state,
            )
        )
        + there
    )
