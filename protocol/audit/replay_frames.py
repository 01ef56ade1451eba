"""Data of a replay page, with texts in one language: the data of the whole replay, and a frame for
one entry.

A frame shows the knowledge of one seat at that time, everything that was ever opened (`ALL_SEATS`),
or the knowledge of a spectator (None).
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from protocol.audit.entry_fields import entry_fields
from protocol.audit.fairness.text import fairness_table
from protocol.audit.history import MatchHistory
from protocol.audit.knowledge_matrix import knowledge_data as knowledge_data
from protocol.audit.replay import Step
from protocol.audit.report_text import fault_phrase, match_phrase_renderer, verdict_lines
from protocol.audit.transcript import entry_phrase, setup_table
from protocol.audit.verdict import AuditReport, Verdict, replay_report
from protocol.codes import spec_section
from protocol.dealing import TABLE, Fault
from protocol.dealing.visibility import RevealedHand
from protocol.errors import RemoteError
from protocol.games import Hand
from protocol.games.decks.deck_hand import DeckHand
from protocol.games.decks.slot_opening import SlotOpening
from protocol.games.scripted.engine.state import ScriptState
from protocol.identity.keys import short_fingerprint
from protocol.match.log import Entry, decode_entry
from protocol.match.narration import narrate_entry, score_phrases, winner_phrase
from protocol.match.seat_view import view_of
from protocol.match.state import Match
from protocol.view.board import PieceView
from protocol.view.encoding import encode_with_sentences
from protocol.view.phrase import phrase
from protocol.view.text import Say, Translate, sanitize, shown_faces
from protocol.view.view import Narration, View

ALL_SEATS: Final = "all"
Viewpoint = int | str | None  # a seat, `ALL_SEATS`, or None for a spectator
HASH_DIGITS = 16  # hexadecimal digits shown of a hash: enough to compare two screens
FACE_DOWN = -1  # index of a piece that nobody can identify
# Narration kinds that become marks, by priority: an entry with several narrations gets the first of
# them.
MARK_KINDS = {
    "result": "result",
    "protest": "protest",
    "left": "left",
    "ended": "left",
    "dealing": "deal",
    "clock": "clock",
    "sitting": "sitting",
    "move": "move",
}


def replay_data(
    history: MatchHistory, entries: int, marks: list[dict[str, Any]], translate: Translate
) -> dict[str, Any]:
    """Return all data of a replay except its frames, as far as the file has been read.

    `entries` is the number of entries in the file; `marks` are the marks of all steps read so far.
    """
    report = replay_report(history.replay)
    reader = history.replay.reader
    found: dict[str, Any] = {
        "entries": entries,
        "read": len(history.steps),
        "whole": history.is_complete,
        "verdict": _verdict_data(report, translate) if history.is_complete else None,
        "about": [],
        "seats": [],
        "faults": [],
        "marks": [],
        "deals": [],
    }
    if reader is None:
        return found
    say = match_phrase_renderer(reader.match, translate=translate)
    people = enumerate(reader.match.setup.people)
    return found | {
        "about": [[say(label), text] for label, text in setup_table(reader.match, say)],
        "seats": [
            {"name": sanitize(one.name), "fingerprint": short_fingerprint(one.identity)}
            for _, one in people
        ],
        "faults": [fault_data(reader.match, fault, say) for fault in reader.faults],
        "marks": marks,
        "deals": [[deal.number + 1, deal.first, deal.last] for deal in history.deals],
    }


def _verdict_data(report: AuditReport, translate: Translate) -> dict[str, Any]:
    reader = report.reader
    fairness = report.fairness
    if reader and fairness:
        fared = fairness_table(fairness, match_phrase_renderer(reader.match, translate=translate))
    else:
        fared = None
    return {
        "clean": report.verdict is Verdict.CLEAN,
        # the entries so far are in order, and no more can be said
        "open": report.verdict in (Verdict.INCOMPLETE, Verdict.UNJUDGED),
        "lines": _page_lines(report, translate),
        "fairness": fared and fared._asdict(),
    }


def _page_lines(report: AuditReport, translate: Translate) -> list[str]:
    """Describe the verdict as `verdict_lines` does, without the keys if nobody cheated: the page has
    them elsewhere.
    """
    lines = verdict_lines(report, translate)
    reader = report.reader
    if report.verdict is not Verdict.CLEAN or reader is None:
        return lines
    match = reader.match
    say = match_phrase_renderer(match, translate=translate)
    told = phrase(
        "replay.clean",
        winner=winner_phrase(match),
        scores=score_phrases(match),
        count=reader.log.next_number,
    )
    return [say(told), *lines[1:]]


def fault_data(match: Match, fault: Fault, say: Say) -> dict[str, Any]:
    """Return a fault as JSON: the table is null, `section` is a section of docs/protocol."""
    return {
        "seat": None if fault.seat == TABLE else fault.seat,
        "entry": fault.entry,
        "code": fault.code.value,
        "text": say(fault_phrase(match, fault)),
        "section": spec_section(fault.code),
    }


def step_marks(step: Step, translate: Translate) -> Iterator[dict[str, Any]]:
    """Yield the marks of a step, which a replay can jump to: one for each fault, and at most one
    for the entry.
    """
    say = match_phrase_renderer(step.after, translate=translate)
    for fault in step.faults:
        yield {"entry": fault.entry, "kind": "fault", "text": say(fault_phrase(step.after, fault))}
    minor = step.after.setup.spec.minor
    told = [deed for deed in _step_mark(step) if deed.phrase.key not in minor]
    kind = next((kind for kind in MARK_KINDS if any(deed.kind == kind for deed in told)), None)
    if kind is not None:
        text = " ".join(say(deed.phrase) for deed in told if deed.kind == kind)
        yield {"entry": step.number, "kind": MARK_KINDS[kind], "text": text}


def _step_mark(step: Step) -> tuple[Narration, ...]:
    if step.before is None or step.entry is None:
        return ()
    return narrate_entry(step.before, step.entry, step.after)


def replay_frame(
    history: MatchHistory,
    number: int,
    whose: Viewpoint,
    translate: Translate,
    own_hand: Hand | None = None,
) -> dict[str, Any]:
    """Return the frame after the entry `number`, which must have been read. `own_hand`: what the seat
    held then, of the person's own knowledge; it is shown where the log does not tell.
    """
    step = history.steps[number]
    match = step.after
    own = whose if isinstance(whose, int) else None
    # every seat is called by its name, since the person at the replay sits in none of them
    say = match_phrase_renderer(match, translate=translate)
    seen = () if own is None else _seat_hand(history, number, own)
    if own_hand is not None and None in seen and len(own_hand) == len(seen):
        seen = own_hand
    if history.replay.reader:
        faults = history.replay.reader.faults
    else:
        faults = ()
    shown = {*step.faults, *(fault for fault in faults if fault.entry == number)}
    return {
        "entry": _entry_data(history, step, say),
        "view": encode_with_sentences(
            _private_view(history, number, own)
            if match.setup.spec.private_half
            else _view_data(match, own, seen),
            say,
        ),
        "hands": _hand_data(history, number, say) if whose == ALL_SEATS else None,
        "unopened": say(phrase("replay.unopened", count=seen.count(None)))
        if None in seen
        else None,
        "deeds": [{"kind": deed.kind, "text": say(deed.phrase)} for deed in _step_mark(step)],
        "faults": [fault_data(match, fault, say) for fault in faults if fault in shown],
        "knowledge": _knowledge_data(history, number, whose, say),
    }


def _knowledge_data(
    history: MatchHistory, number: int, whose: Viewpoint, say: Say
) -> dict[str, Any] | None:
    """Return the knowledge matrix as anybody could infer it at that time.

    For `ALL_SEATS`, return the matrix with everything that came out later.
    """
    known, facts = history.knowledge_after(number)
    told = history.steps[number].after
    if whose == ALL_SEATS:
        known = history.knowledge_in_hindsight(number)
        told = history.steps[-1].after
    if known is None:
        return None
    return knowledge_data(known, facts, told, say)


def _view_data(match: Match, own: int | None, seen: RevealedHand) -> View:
    """Return the view of a seat at that time. Offers are left out unless all pieces of its hand are
    known.
    """
    view = view_of(match, own, tuple(piece for piece in seen if piece is not None))
    if None not in seen:
        return view
    pieces = iter(view.hand)
    hand = tuple(
        PieceView(FACE_DOWN, None) if piece is None else replace(next(pieces), offers=())
        for piece in seen
    )
    return replace(view, hand=hand, made=None, offers=(), sit=None)


def _seat_hand(history: MatchHistory, number: int, seat: int) -> RevealedHand:
    """Return the hand of a seat. In games with private halves, return the loose cards that only it
    had seen.
    """
    match = history.steps[number].after
    if not match.setup.spec.private_half:
        return history.hand(number, seat)
    public = {} if match.deal is None else match.deal.public_faces
    return tuple(
        piece
        for card, piece in sorted(history.seen_cards(number, seat).items())
        if card not in public
    )


def _private_view(history: MatchHistory, number: int, own: int | None) -> View:
    """Return the view of a seat in a game with private halves.

    The seat's secrets are known from openings of its deck, earlier or later. Its offers remain
    unknown.
    """
    sees = {} if own is None else history.seen_cards(number, own)
    held = DeckHand(
        {card: piece for card, piece in sees.items() if piece is not None},
        _deck_openings(history, own),
    )
    return replace(view_of(history.steps[number].after, own, held), made=None, offers=(), sit=None)


def _deck_openings(history: MatchHistory, own: int | None) -> dict[int, SlotOpening]:
    """Return the slots of a seat's own deck that were ever opened."""
    state = history.steps[-1].after.game
    if own is None or not isinstance(state, ScriptState) or state.decks is None:
        return {}
    return {one.piece: one for one in state.decks.opened if state.decks.owner(one.piece) == own}


def _hand_data(history: MatchHistory, number: int, say: Say) -> list[Any]:
    """Return the hands of all seats."""
    match = history.steps[number].after
    if match.setup.spec.private_half:
        views = (_private_view(history, number, seat) for seat in range(match.setup.seats))
        return [encode_with_sentences(view, say)["hand"] for view in views]
    hands = (_seat_hand(history, number, seat) for seat in range(match.setup.seats))
    return [[_piece_data(match, piece, say) for piece in hand] for hand in hands]


def _piece_data(match: Match, piece: int | None, say: Say) -> dict[str, Any]:
    if piece is None:
        seen = PieceView(FACE_DOWN, None)
    else:
        seen = match.setup.view.piece(match.setup.game, piece)
    faces = None if seen.faces is None else shown_faces(seen.faces, say)
    return {"index": seen.index, "faces": faces}


def _entry_data(history: MatchHistory, step: Step, say: Say) -> dict[str, Any]:
    """Return an entry with its meaning. For an entry that must be refused, return its own
    claims.
    """
    entry = step.entry or _raw_fields(step.raw)
    reader = history.replay.reader
    assert reader is not None
    found = {
        "number": step.number,
        "head": reader.log.chain_hashes[step.number].hex()[:HASH_DIGITS],
        "bytes": len(step.raw),
    }
    if entry is None:
        return found | {
            "author": None,
            "kind": "",
            "meaning": say(phrase("replay.no_entry")),
            "body": [],
        }
    return found | {
        "author": None if entry.author == TABLE else entry.author,
        "kind": sanitize(entry.kind),
        "meaning": _entry_text(step, say),
        "body": entry_fields(step.after.setup.dealing.name, entry),
    }


def _entry_text(step: Step, say: Say) -> str:
    if step.entry is None:
        return say(phrase("replay.cannot_stand"))
    if step.before is None:
        return say(phrase("replay.opens"))
    return say(entry_phrase(step.before, step.entry, step.after))


def _raw_fields(raw: bytes) -> Entry | None:
    try:
        return decode_entry(raw)
    except RemoteError:
        return None
