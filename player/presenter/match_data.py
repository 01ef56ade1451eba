"""A match as plain data, for a page and for any other screen: every phrase is a sentence already,
and nothing in a text steers a terminal or a page. `event_data` has the events.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from player.client import events
from player.client.loadouts import KnownCreator
from player.client.outcome import Outcome
from player.presenter import narration
from player.presenter.terms_text import option_texts, trust_lines
from player.storage.contacts import Contact, introduce
from protocol.audit.report_text import match_phrase_renderer
from protocol.audit.verdict import Verdict
from protocol.codes import code_phrase, spec_section
from protocol.dealing import Fault
from protocol.games.registry import BUILT_IN, Games
from protocol.identity.keys import short_fingerprint
from protocol.match.match_rules import MatchRules
from protocol.match.narration import narrate_entry
from protocol.match.setup import Person
from protocol.match.terms import Terms
from protocol.view.encoding import encode_with_sentences
from protocol.view.phrase import Pieces, SeatRef, phrase
from protocol.view.text import Say, Translate, phrase_renderer, sanitize
from protocol.view.view import View

DRAWN = "drawn"  # the kind of a deed that only our person sees: which pieces came
SCORE = "score"  # the kind of a deed that ends a hand


def view_data(view: View, say: Say) -> Any:
    """A view, field by field."""
    return harmless(encode_with_sentences(view, say))


def owned_cards(view: Any) -> list[dict[str, Any]]:
    """Return the origins of the owned cards of a view that is plain data."""
    board = view["board"] or {}
    regions = [view["hand"], *(region["pieces"] for region in board.get("regions", ()))]
    pieces = [piece for pieces in regions for piece in pieces]
    return [piece["owned"] for piece in pieces if piece.get("owned")]


def name_creators(view: Any, creators: Mapping[str, KnownCreator]) -> None:
    """Add `name` and `trusted` to the owned cards of a view, where the person's own records know the
    creator: a name that another player sends is none.
    """
    for origin in owned_cards(view):
        known = creators.get(origin["fingerprint"])
        origin["name"] = None if known is None else sanitize(known.name)
        origin["trusted"] = None if known is None else known.trusted


def harmless(value: Any) -> Any:
    """Return the same value with `sanitize`d texts."""
    if isinstance(value, str):
        return sanitize(value)
    if isinstance(value, list):
        return [harmless(each) for each in value]
    if isinstance(value, dict):
        return {key: harmless(each) for key, each in value.items()}
    return value


def terms_data(terms: Terms, translate: Translate, games: Games = BUILT_IN) -> dict[str, Any]:
    """Return the game, its dealing, and the people whom a seat trusts."""
    say = phrase_renderer(translate, ())
    how = ", ".join([sanitize(terms.dealing.name), *option_texts(terms.dealing.options)])
    trust = [line.strip() for line in trust_lines(terms, say, games)]
    return {"dealing": say(phrase("web.dealt", how=how)), "trust": trust}


def rules_data(rules: MatchRules, translate: Translate) -> dict[str, Any]:
    """The rules of a match for people, block by block; or why there are none."""
    say = phrase_renderer(translate, ())
    game = sanitize(rules.terms.game.name)
    sheet = rules.sheet(translate)
    if sheet is None:
        return {"game": game, "blocks": [], "none": say(phrase("sheet.none", game=game))}
    return {"game": game, **harmless(encode_with_sentences(sheet, say)), "none": None}


def people_data(
    people: Iterable[Person], own: int | None, contacts: Mapping[str, Contact], translate: Translate
) -> list[dict[str, Any]]:
    """Return the people of a match, with what is known of each."""
    return [
        {
            "seat": seat,
            "name": sanitize(person.name),
            "fingerprint": short_fingerprint(person.identity),
            "known": _known(person, seat == own, contacts, translate),
        }
        for seat, person in enumerate(people)
    ]


def _known(
    person: Person, oneself: bool, contacts: Mapping[str, Contact], translate: Translate
) -> str:
    if oneself:
        say = phrase_renderer(translate, [person.name])
        return say(
            phrase("match.oneself", who=SeatRef(0), fingerprint=short_fingerprint(person.identity))
        )
    return " ".join(introduce(dict(contacts), person, translate))


def faults_data(faults: Iterable[Fault], say: Say) -> list[dict[str, Any]]:
    """Return faults in sentences, with their sections of the specification."""
    return [
        {
            "seat": fault.seat,
            "entry": fault.entry,
            "code": fault.code.value,
            "text": say(narration.fault_phrase(fault)),
            "section": spec_section(fault.code),
            "meaning": say(code_phrase(fault.code)),
        }
        for fault in faults
    ]


def verdict_data(outcome: Outcome, own: int | None, translate: Translate) -> dict[str, Any]:
    """Return the verdict of a match. `told` has the lines without the path of the log."""
    won = narration.winner_lines(outcome, own, translate)
    lines = [*won, narration.verdict_text(outcome, translate)]
    told = [*won, narration.verdict_text(replace(outcome, log_path=None), translate)]
    clean = outcome.verdict is Verdict.CLEAN
    return {"clean": clean, "won": narration.is_winner(outcome, own), "lines": lines, "told": told}


def deeds_data(
    event: events.Happened | events.Recalled, own: int | None, translate: Translate
) -> list[dict[str, Any]]:
    """Return the sentences about an entry, as they are told to the seat `own`. The author is null
    for the table. An entry that ends a hand has all scores. `minor`, if present, marks a move that
    a list of what happened omits.
    """
    match = event.match
    entry = event.entry
    say = match_phrase_renderer(match, own, translate)
    narrated = narrate_entry(event.before, entry, match)
    minor_keys = match.setup.spec.minor
    told = [(deed.kind, say(deed.phrase), deed.phrase.key in minor_keys) for deed in narrated]
    if event.drawn:
        setup = match.setup
        faces = tuple(setup.view.piece(setup.game, piece).faces or () for piece in event.drawn)
        told.append((DRAWN, say(phrase("match.drawn", pieces=Pieces(faces))), False))
    if entry.author < match.setup.seats:
        author = entry.author
    else:
        author = None
    number = event.before.next_number
    scores = {SCORE: {"scores": list(match.scores)}}
    return [
        {"entry": number, "author": author, "kind": kind, "text": sanitize(text)}
        | scores.get(kind, {})
        | ({"minor": True} if minor else {})
        for kind, text, minor in told
    ]
