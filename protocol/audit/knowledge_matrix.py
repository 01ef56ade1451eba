"""Knowledge of all parties while a log is read: the facts of each entry, and the matrix of parties
and pieces that results from them.

    known = None
    for step in replay:
        known, facts = apply_entry_facts(known, step.before, step.entry, step.after)
        data = knowledge_data(known, facts, step.after, say)        # for a page

The matrix contains only what anybody can infer from the log so far. Layered dealing reveals the
holders of pieces only at the end of a deal. `MatchHistory.knowledge_in_hindsight` adds the facts
that came later.
"""

from collections.abc import Sequence
from typing import Any

from protocol.dealing import TABLE, DealState, Post
from protocol.dealing.entry_phrases import seat_phrase
from protocol.dealing.facts import (
    NOBODY,
    SOMEBODY,
    STOCK,
    Commitment,
    Fact,
    Opening,
    Proof,
    Reading,
    Sealing,
    Transfer,
    fact_phrase,
)
from protocol.dealing.knowledge import Knowledge, apply_facts, initial_knowledge
from protocol.games import Piece
from protocol.games.operations import EVERYBODY
from protocol.games.scripted.engine.state import ScriptState
from protocol.games.scripted.game import ScriptGame
from protocol.games.scripted.view import opened_piece
from protocol.match.log import Entry
from protocol.match.state import Match
from protocol.view.phrase import Faces
from protocol.view.text import Say, shown_faces

# Names of facts in JSON and on the page.
FACT_TAGS: dict[type, str] = {
    Transfer: "moved",
    Sealing: "sealed",
    Opening: "opened",
    Reading: "learnt",
    Commitment: "committed",
    Proof: "proved",
}
PLACE_NAMES = {
    TABLE: "table",
    EVERYBODY: "all",
    NOBODY: "away",
    STOCK: "stock",
    SOMEBODY: "somebody",
}


def entry_facts(before: Match | None, entry: Entry | None, after: Match) -> tuple[Fact, ...]:
    """Return the facts that a standing entry adds to the deal in progress."""
    if before is None or entry is None or before.deal is None:
        return ()
    if after.deal_number == before.deal_number:
        later = after.deal
    else:
        later = after.closed_deal
    if later is None or later is before.deal:
        return ()
    return before.setup.dealing.facts(
        before.deal, entry.author, Post(entry.kind, entry.body), later
    )


def apply_entry_facts(
    known: Knowledge | None, before: Match | None, entry: Entry | None, after: Match
) -> tuple[Knowledge | None, tuple[Fact, ...]]:
    """Return the knowledge after an entry, and the facts of this entry.

    The entry that ends a deal is the last entry of the deal's matrix.
    """
    deal = before.deal if before is not None else None
    if before is None or deal is None:
        return (known if after.deal is None else _initial_knowledge(after, after.deal)), ()
    if known is None or known.deal != before.deal_number:
        known = _initial_knowledge(before, deal)
    facts = entry_facts(before, entry, after)
    return apply_facts(known, facts), facts


def _initial_knowledge(match: Match, deal: DealState) -> Knowledge:
    context = deal.context
    if match.setup.has_table:
        parties = (*context.present, TABLE)
    else:
        parties = context.present
    return initial_knowledge(match.deal_number, parties, context.piece_count)


def knowledge_data(
    known: Knowledge, facts: Sequence[Fact], match: Match, say: Say
) -> dict[str, Any]:
    """Return a matrix and the newest facts as JSON. Seats are numbers; all other places have
    names.
    """
    return {
        "parties": [say(seat_phrase(party)) for party in known.parties],
        "seats": [_place_name(party) for party in known.parties],
        "pieces": len(known.holders),
        "cells": [[cell.value for cell in row] for row in known.cells],
        "holders": [_place_name(holder) for holder in known.holders],
        "layers": [
            None if layers is None else [_place_name(party) for party in sorted(layers)]
            for layers in known.layers
        ],
        "faces": [
            shown_faces(_piece_faces(match, known.public[slot]), say)
            if slot in known.public
            else None
            for slot in _slots(known)
        ],
        "facts": [_fact_data(fact, match, say) for fact in facts],
    }


def _slots(known: Knowledge) -> range:
    return range(len(known.holders))


def _place_name(party: int) -> int | str:
    return PLACE_NAMES.get(party, party)


def _piece_faces(match: Match, piece: Piece) -> Faces:
    game = match.setup.game
    state = match.game
    if isinstance(game, ScriptGame) and isinstance(state, ScriptState):
        shown = opened_piece(game, state, piece)
    else:
        shown = match.setup.view.piece(game, piece)
    faces = shown.faces
    assert faces is not None, "a piece that is seen has faces"
    return faces


def _fact_data(fact: Fact, match: Match, say: Say) -> dict[str, Any]:
    """Return a fact as JSON: `is` is its type; `slots`, `party`, `giver` and `receiver` are present
    if the fact has them.
    """
    text = say(fact_phrase(fact, lambda piece: _piece_faces(match, piece)))
    parties = {
        field: _place_name(getattr(fact, field))
        for field in ("party", "giver", "receiver")
        if hasattr(fact, field)
    }
    return {
        "is": FACT_TAGS[type(fact)],
        "text": text,
        "slots": list(getattr(fact, "slots", ())),
        **parties,
    }
