"""Phrases about the effect of an entry: the action, news of the board, the end of a hand, the
clock.
"""

from protocol.codes import ABSENCES
from protocol.limits import MAX_SLOW_STEPS
from protocol.match import clock
from protocol.match.fold import stand_in_for_silent
from protocol.match.log import ENDED, Entry
from protocol.match.state import Match, MatchStage
from protocol.view.phrase import Phrase, SeatRef, phrase
from protocol.view.view import Narration

MOVE_KINDS = ("move", "late")  # narration kinds for the action of a seat


def narrate_entry(before: Match, entry: Entry, after: Match) -> tuple[Narration, ...]:
    """Describe the change between two states of the fold, causes first. Many entries need no
    phrase.
    """
    result = _narrate_result(before, after)
    found = [
        (
            "late" if after.late_counts != before.late_counts else "move",
            _narrate_move(before, entry, after),
        ),
        ("protest", _narrate_protest(entry)),
        ("sitting", _narrate_sitting(before, entry)),
        ("clock", (*_narrate_clock(before, entry, after), *_narrate_doubt(entry, after))),
        ("left", _narrate_leaver(before, after)),
        ("ended", _narrate_end(entry)),
        ("news", _narrate_board(before, after)),
        ("result", result),
        ("score", (_narrate_score(after),) if result else ()),
        ("dealing", _narrate_deal(before, after)),
    ]
    return tuple(
        Narration(before.next_number, entry.author, kind, told)
        for kind, phrases in found
        for told in phrases
    )


def move_phrase(before: Match, entry: Entry) -> Phrase:
    """Describe a move in a sentence."""
    game = before.setup.game
    return before.setup.view.narrate(game, before.game, entry.author, game.parse(entry.body[0]))


def late_phrase(entry: Entry) -> Phrase:
    """Describe an overtaken move. The game cannot describe it, because the move is no longer
    possible.
    """
    return phrase("match.late", who=SeatRef(entry.author))


def score_phrases(match: Match) -> tuple[Phrase, ...]:
    """Describe the points of every seat."""
    return tuple(
        phrase("match.points", who=SeatRef(seat), points=score)
        for seat, score in enumerate(match.scores)
    )


def winner_phrase(match: Match) -> SeatRef | Phrase:
    """Name the winner of the match, two seats for a team, or say that nobody has won."""
    if match.winners:
        return SeatRef(*match.winners)
    return phrase("match.nobody")


def _narrate_move(before: Match, entry: Entry, after: Match) -> tuple[Phrase, ...]:
    if entry.kind != "move":
        return ()
    return (
        late_phrase(entry)
        if after.late_counts != before.late_counts
        else move_phrase(before, entry),
    )


def _narrate_board(before: Match, after: Match) -> tuple[Phrase, ...]:
    game = after.setup.game
    if after.game is None:
        return ()
    return after.setup.view.news(game, before.game, after.game)


def _narrate_result(before: Match, after: Match) -> tuple[Phrase, ...]:
    """Describe the end of a hand that the entry has settled."""
    game = after.setup.game
    broken_off = (
        (phrase("match.broken_off"),) if after.abandoned_deals != before.abandoned_deals else ()
    )
    if after.game is None:
        return ()
    return (*broken_off, *after.setup.view.result(game, after.game, before.game))


def _narrate_score(match: Match) -> Phrase:
    return phrase(
        "match.chips" if match.setup.spec.chips else "match.score", scores=score_phrases(match)
    )


def _narrate_deal(before: Match, after: Match) -> tuple[Phrase, ...]:
    new = before.deal is None or before.deal_number != after.deal_number
    dealt = after.deal is not None and after.stage is MatchStage.DEALING and new
    if dealt:
        return (phrase("match.dealing", number=after.deal_number + 1),)
    return ()


def _narrate_protest(entry: Entry) -> tuple[Phrase, ...]:
    if entry.kind == "protest":
        return (phrase("match.protested", who=SeatRef(entry.author), entry=entry.body[0]),)
    return ()


def _narrate_sitting(before: Match, entry: Entry) -> tuple[Phrase, ...]:
    """Describe a seat that sits out, and the effect on its turn; or a seat that is back."""
    who = SeatRef(entry.author)
    if entry.kind == "sit_in":
        return (phrase("match.sits_in", who=who),)
    if entry.kind != "sit_out":
        return ()
    on_turn = before.waits_for_move and before.may_post(entry.author, "move")
    return (
        phrase("match.sits_out", who=who),
        *(_timeout_phrase(before, entry.author) if on_turn else ()),
    )


def _narrate_leaver(before: Match, after: Match) -> tuple[Phrase, ...]:
    """Describe the seats that are out since the entry, by leaving or by a lie."""
    codes = {fault.seat: fault.code for fault in after.faults}
    told = tuple(
        phrase(
            "match.left" if codes[seat] in ABSENCES else "match.lied",
            who=SeatRef(seat),
        )
        for seat in sorted(after.gone - before.gone)
    )
    go_on = not after.over and len(after.present) > 1
    if told and go_on:
        return (*told, phrase("match.others_play_on"))
    return told


def _narrate_end(entry: Entry) -> tuple[Phrase, ...]:
    """Describe the end of a match by the table."""
    return (phrase("match.ended"),) if entry.kind == ENDED else ()


def _narrate_doubt(entry: Entry, after: Match) -> tuple[Phrase, ...]:
    if entry.kind != "doubt":
        return ()
    number, most = entry.body
    lapse = next(lapse for lapse in after.clock.lapses if lapse.number == number)
    return (doubt_phrase(lapse, entry.author, most),)


def doubt_phrase(lapse: clock.DeclaredLapse, seat: int, most: int) -> Phrase:
    """Describe a seat's doubt of a lapse: `most` is the longest possible wait in milliseconds."""
    return phrase(
        "clock.doubted",
        who=SeatRef(seat),
        about=SeatRef(lapse.seat),
        entry=lapse.number,
        waited=f"{lapse.waited_milliseconds / 1000:,.1f}",
        most=f"{most / 1000:,.1f}",
    )


def _narrate_clock(before: Match, entry: Entry, after: Match) -> tuple[Phrase, ...]:
    """Describe a clock entry of the table."""
    if entry.kind not in clock.CLOCK_KINDS:
        return ()
    seat, waited = entry.body
    who = SeatRef(seat)
    due = after.next_clock_entry(seat)
    if entry.kind == clock.SLOW:
        left = MAX_SLOW_STEPS - after.clock.slow_steps[seat]
        return (phrase("clock.slow", who=who, seconds=waited // 1000, count=left),)
    if entry.kind == clock.LAPSE or due is None:
        if len(after.faults) > len(before.faults):
            return (phrase("clock.no_answer", who=who),)
        kept = stand_in_for_silent(before, seat) is not None
        return (phrase("clock.missed", who=who), *(() if kept else _timeout_phrase(before, seat)))
    if entry.kind == clock.EXTENSION:
        allowance = after.setup.allowance
        left = allowance.extensions - after.clock.extensions_used[seat]
        return (phrase("clock.extended", who=who, seconds=allowance.turn, left=left),)
    if due.kind == clock.EXTENSION:
        key = "clock.warned.extension"
    else:
        key = "clock.warned"
    return (phrase(key, who=who, seconds=-(-(due.after - waited) // 1000)),)


def _timeout_phrase(match: Match, seat: int) -> tuple[Phrase, ...]:
    """Describe the rules' action for a seat whose time is over, or that sits out: fold, check, or
    skip its turn.
    """
    game = match.setup.game
    action = game.timeout(match.game, seat)
    if action is None:
        return ()
    return (match.setup.view.narrate(game, match.game, seat, action),)
