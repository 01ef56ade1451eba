"""Transcript of a match for people: seats, moves, board, hands, scores, verdict.

With `everything`, also the meaning of all other entries: steps of each deal, keys, nonces,
receipts.
"""

from collections.abc import Callable, Iterator
from email.utils import formatdate, parsedate

from protocol.audit.replay import Replay
from protocol.audit.report_text import (
    author_name,
    clock_phrase,
    match_phrase_renderer,
    report_lines,
    roster_text,
)
from protocol.audit.verdict import replay_report
from protocol.dealing import TABLE, DealResult, has_own_decks
from protocol.dealing.entry_phrases import PostedEntry
from protocol.games import Hand
from protocol.games.registry import BUILT_IN, Games
from protocol.i18n import english
from protocol.identity.keys import fingerprint
from protocol.match.log import ENDED, Entry
from protocol.match.narration import late_phrase, move_phrase, narrate_entry, score_phrases
from protocol.match.state import Match
from protocol.view.phrase import Phrase, SeatRef, phrase
from protocol.view.text import Say, Translate, isolate_name, phrase_renderer, sanitize, two_columns
from protocol.view.view import Narration

INDENT = " " * 8
WIDTH = 100  # characters in a row
FULL_WIDTH = 10_000  # characters in the row of a hand, which is never wrapped
# kinds posted by programs, besides those of the dealing
PROGRAM_KINDS = ("sit", "nonce", "receipt")


def transcript_lines(
    data: bytes,
    translate: Translate = english,
    games: Games = BUILT_IN,
    *,
    everything: bool = False,
) -> Iterator[str]:
    """Yield the transcript of a log file, with the audit's verdict last. No content of the file
    makes it raise.
    """
    return replay_lines(Replay(data, games), translate, everything=everything)


def replay_lines(
    replay: Replay, translate: Translate = english, *, everything: bool = False
) -> Iterator[str]:
    """Yield the lines of `transcript_lines` for a replay that has not begun."""
    left_out = 0
    for step in replay:
        if step.before is None:
            yield from setup_lines(step.after, translate)
            continue
        if step.entry is not None:
            say = match_phrase_renderer(step.before, translate=translate)
            if everything or step.faults or not _is_program_entry(step.before, step.entry):
                yield entry_line(step.before, step.after, step.entry, say)
            else:
                left_out += 1
            yield from outcome_lines(step.before, step.after, step.entry, say)
        for fault in step.faults:
            told = phrase(
                "show.fault", who=SeatRef(fault.seat), entry=fault.entry, code=fault.code.value
            )
            yield INDENT + match_phrase_renderer(step.before, translate=translate)(told)
    yield ""
    if left_out:
        yield phrase_renderer(translate, ())(phrase("show.left_out", count=left_out))
    yield from report_lines(replay_report(replay), translate)


def setup_lines(match: Match, translate: Translate = english) -> Iterator[str]:
    """Describe the setup of the match."""
    say = match_phrase_renderer(match, translate=translate)
    yield from two_columns(list(setup_table(match, say)), say)
    yield ""


def setup_table(match: Match, say: Say) -> Iterator[tuple[Phrase, str]]:
    """Yield the setup of the match as pairs of label and text."""
    setup = match.setup
    begun = _format_date(match.setup.created)
    table = (
        f"{isolate_name(setup.table.name)}, {isolate_name(setup.table.id)} "
        f"({fingerprint(setup.table.key)})"
    )
    secrecy = setup.dealing.secrecy(
        dict(setup.terms.dealing.options), setup.seats, has_own_decks(setup.game)
    )
    game = phrase("show.game", game=_with_options(*setup.terms.game), rules=setup.terms.rules)
    yield phrase("label.match"), match.match_id.hex()
    yield phrase("label.table"), table if setup.has_table else say(phrase("show.no_table"))
    yield (
        phrase("label.begun"),
        say(phrase("show.begun" if setup.has_table else "show.begun.seat", date=begun)),
    )
    yield phrase("label.game"), say(game)
    yield phrase("label.dealing"), _with_options(*setup.terms.dealing)
    yield phrase("label.trust"), f"{say(secrecy.hand)} {say(secrecy.leaving)}"
    if setup.has_table:
        yield phrase("label.clock"), say(clock_phrase(setup.allowance))
    for seat, person in enumerate(setup.people, 1):
        yield (
            phrase("label.seat.number", number=seat),
            f"{isolate_name(person.name)} ({fingerprint(person.identity)})",
        )


def _format_date(seconds: int) -> Phrase | str:
    try:
        found = parsedate(formatdate(seconds, usegmt=True))
    except (ValueError, OverflowError, OSError):
        found = None
    if found is None:
        return phrase("show.seconds", seconds=seconds)
    year, month, day, hour, minute, second, *_ = found
    return f"{year}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC"


def _with_options(name: str, options: tuple[tuple[str, int | str], ...]) -> str:
    return sanitize(", ".join([name, *(f"{key} {value}" for key, value in options)]))


def _is_program_entry(match: Match, entry: Entry) -> bool:
    """Check that a program posted the entry by itself: it is a step of a deal or of taking a
    seat.
    """
    return entry.kind in match.setup.dealing.entry_shapes or entry.kind in PROGRAM_KINDS


def entry_line(before: Match, after: Match, entry: Entry, say: Say) -> str:
    """Describe one standing entry between the fold's states before and after it."""
    # a dash, because a person may have the name "the table"
    seat = "–" if entry.author == TABLE else str(entry.author + 1)
    width = len(str(before.setup.seats))
    meaning = say(entry_phrase(before, entry, after)).removesuffix(".")
    return (
        f"{before.next_number:>6}  {seat:>{width}} {author_name(before, entry.author):<10}  "
        f"{entry.kind:<11} {meaning}"
    ).rstrip()


def outcome_lines(before: Match, after: Match, entry: Entry, say: Say) -> Iterator[str]:
    """Describe the effect of an entry."""
    if roster_text(after) and not roster_text(before):
        yield INDENT + say(phrase("show.roster", words=roster_text(after)))
    told = narrate_entry(before, entry, after)
    yield from (INDENT + row for row in _board_lines(before, after, told, say))
    closed = _closed_deal_result(before, after, entry)
    ended = [deed for deed in told if deed.kind == "result"]
    if closed is not None:
        yield from (INDENT + row for row in _hand_lines(after, closed, say))
    yield from (INDENT + say(deed.phrase) for deed in ended)
    if ended or closed is not None:
        key = "show.chips" if after.setup.spec.chips else "show.scores"
        yield INDENT + say(phrase(key, scores=score_phrases(after)))


def _board_lines(
    before: Match, after: Match, narrate_entry: tuple[Narration, ...], say: Say
) -> Iterator[str]:
    """Draw the board if the entry changed it."""
    game = after.setup.game
    if before.game is not None:
        old, new = (after.setup.view.board(game, state) for state in (before.game, after.game))
        yield from after.setup.text.changed_board_text(old, new, say, WIDTH)
    yield from (say(deed.phrase) for deed in narrate_entry if deed.kind == "news")


def _closed_deal_result(before: Match, after: Match, entry: Entry) -> DealResult | None:
    """Return the result of the deal that this entry closed."""
    if after.deal is not None and after.deal.result is not None:
        return after.deal.result
    step = after.closed_deal is not None and entry.kind in before.setup.dealing.entry_shapes
    if step and after.closed_deal:
        return after.closed_deal.result
    return None


def _hand_lines(after: Match, result: DealResult, say: Say) -> Iterator[str]:
    game = after.setup.game
    text = after.setup.text
    view = after.setup.view

    def pieces(hand: Hand) -> str:
        return text.hand_text([view.piece(game, piece) for piece in hand], say, FULL_WIDTH)

    for seat, (dealt, drawn) in enumerate(zip(result.dealt, result.drawn, strict=True)):
        author_name = SeatRef(seat)
        was_dealt = pieces(dealt)
        if drawn:
            yield say(
                phrase("show.dealt.drew", who=author_name, dealt=was_dealt, drawn=pieces(drawn))
            )
        else:
            yield say(phrase("show.dealt", who=author_name, dealt=was_dealt))


EntryMeaning = Callable[[Match, Entry], Phrase]


def entry_phrase(before: Match, entry: Entry, after: Match) -> Phrase:
    """Describe the meaning of an entry: a late action, or the meaning of its kind in the match or
    the dealing.
    """
    if after.late_counts != before.late_counts:
        return late_phrase(entry)
    if entry.kind in MATCH_MEANINGS:
        return MATCH_MEANINGS[entry.kind](before, entry)
    return before.setup.dealing.entry_meanings[entry.kind](
        PostedEntry(entry.author, entry.body, before.setup.seats)
    )


def _fixed_meaning(key: str) -> EntryMeaning:
    return lambda match, entry: phrase(key)


def _clock_meaning(key: str) -> EntryMeaning:
    """Return a phrase with the seat that a clock entry is about, and with the claimed wait in
    seconds.
    """
    return lambda match, entry: phrase(
        key, about=SeatRef(entry.body[0]), seconds=f"{entry.body[1] / 1000:,.1f}"
    )


MATCH_MEANINGS: dict[str, EntryMeaning] = {
    "sit": _fixed_meaning("entry.sit"),
    "nonce": _fixed_meaning("entry.nonce"),
    "move": move_phrase,
    "receipt": lambda match, entry: phrase("entry.receipt", scores=score_phrases(match)),
    "protest": lambda match, entry: phrase("entry.protest", entry=entry.body[0]),
    "leave": _fixed_meaning("entry.leave"),
    "doubt": lambda match, entry: phrase(
        "entry.doubt", entry=entry.body[0], seconds=f"{entry.body[1] / 1000:,.1f}"
    ),
    "sit_out": _fixed_meaning("entry.sit_out"),
    "sit_in": _fixed_meaning("entry.sit_in"),
    "warning": _clock_meaning("entry.warning"),
    "extension": _clock_meaning("entry.extension"),
    "lapse": _clock_meaning("entry.lapse"),
    "slow": _clock_meaning("entry.slow"),
    ENDED: _fixed_meaning("entry.ended"),
}
