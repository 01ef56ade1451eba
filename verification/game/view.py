"""The game against a protocol as people see it: what the intruder knows, and how far every strand
is.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from protocol.games import Action, Hand
from protocol.games.generic_view import hand_name, piece, standings
from protocol.view.board import Offer, Region, RegionBoard, RegionKind
from protocol.view.phrase import Phrase, SeatRef, phrase
from verification.game.arena import Arena
from verification.game.messages import read_message
from verification.game.rules import Intruder
from verification.game.state import IntruderState
from verification.notation.printer import print_action, print_goal
from verification.notation.protocol_parser import parse_protocol
from verification.strands.scenario import OWN_FUNCTION, OWN_KEY
from verification.terms import Sort, Term, substitute, subterms, text, variable, variables

NAMES_KEPT = 64  # of protocols: all that come along are offered on every look at the first move

__all__ = ["board", "hand_name", "narrate", "news", "offers", "piece", "result", "standings"]


def _arena(game: Intruder, state: IntruderState) -> Arena | None:
    return game.arena(state)


def board(game: Intruder, state: IntruderState) -> RegionBoard:
    """The protocol's messages and goals, what is known, and a line for every strand."""
    arena = _arena(game, state)
    if arena is None:
        return RegionBoard(0, (_text("intruder.protocol", phrase("intruder.none")),))
    protocol = arena.scenario.protocol
    return RegionBoard(
        0,
        (
            _text("intruder.protocol", phrase("intruder.name", name=protocol.name)),
            _text(
                "intruder.messages",
                phrase("intruder.terms", terms=" · ".join(map(print_action, protocol.actions))),
            ),
            *(_goal(arena, number, state) for number in range(len(arena.goals))),
            *(_strand(arena, state, number) for number in range(len(arena.strands))),
            replace(
                _text(
                    "intruder.knowledge",
                    phrase("intruder.terms", terms=_terms(_learnt(arena, state))),
                ),
                seat=0,
            ),
        ),
    )


def _text(name: str, holds: Phrase, **args: int | str) -> Region:
    return Region(phrase(name, **args), RegionKind.TEXT, text=holds)


def _goal(arena: Arena, number: int, state: IntruderState) -> Region:
    if state.broken == number:
        key = "intruder.goal.broken"
    else:
        key = "intruder.goal.holds"
    return _text(
        "intruder.goal", phrase(key, goal=print_goal(arena.goals[number])), number=number + 1
    )


def _terms(terms: Iterable[Term]) -> str:
    return " · ".join(map(text, terms))


def _learnt(arena: Arena, state: IntruderState) -> list[Term]:
    """What the intruder has that is worth showing: not the people who are not here, nor all that he
    could make up.
    """
    here = {name for agents in state.agents for name in agents}
    hand_name = {one for several in arena.inventions.values() for one in several}
    away = {*hand_name, OWN_KEY, OWN_FUNCTION, *(name for name in arena.people if name not in here)}
    return [
        term
        for term in arena.knowledge(state)
        if term.sort is not Sort.AGENT and away.isdisjoint(subterms(term))
    ]


def _strand(arena: Arena, state: IntruderState, number: int) -> Region:
    """Who plays it, what it has said, and what it waits for."""
    strand = arena.strands[number]
    return _text(
        "intruder.strand",
        _progress(arena, state, number),
        number=strand.number,
        role=strand.agent.name,
    )


def _progress(arena: Arena, state: IntruderState, number: int) -> Phrase:
    if not state.agents[number]:
        return phrase("intruder.idle")
    step = arena.awaited_step(state, number)
    said = _terms(arena.said(state, number))
    parts = [_cast(state.agents[number])]
    parts += [phrase("intruder.said", terms=said)] if said else []
    if step is None:
        parts.append(phrase("intruder.done"))
    elif step.receive is not None:
        parts.append(phrase("intruder.waits", term=text(_open(arena.seen(state, step.receive)))))
    return phrase("intruder.progress", parts=tuple(parts))


def _open(term: Term) -> Term:
    """A term with its variables as the protocol has them, and a question mark for what nobody can
    look into.
    """
    names = dict.fromkeys(variables(term))
    shown = {
        name: variable("?" if name.name.startswith("_") else name.name, name.sort) for name in names
    }
    return substitute(term, shown)


def _cast(agents: Sequence[Term]) -> Phrase:
    own, *others = map(text, agents)
    if others:
        return phrase("intruder.cast", own=own, others=", ".join(others))
    return phrase("intruder.cast.alone", own=own)


def offers(game: Intruder, state: IntruderState, seat: int, hand: Hand) -> tuple[Offer, ...]:
    """A sentence for each move."""
    legal = game.legal(state, seat, hand)
    arena = _arena(game, state)
    return tuple(
        Offer(id, action[0], action, _label(arena, action)) for id, action in enumerate(legal)
    )


def _label(arena: Arena | None, action: Action) -> Phrase:
    match action:
        case ("run", number, own, *others) if arena is not None:
            role = arena.strands[number - 1].agent.name
            if others:
                key = "intruder.offer.run"
            else:
                key = "intruder.offer.run.alone"
            return phrase(key, number=number, role=role, own=own, others=", ".join(others))
        case ("send", number, message) if arena is not None:
            return phrase(
                "intruder.offer.send",
                number=number,
                role=arena.strands[number - 1].agent.name,
                message=message,
            )
        case ("protocol", written):
            return phrase("intruder.offer.protocol", name=_name(written))
    return phrase("intruder.offer.stop")


@lru_cache(NAMES_KEPT)
def _name(written: str) -> str:
    """A protocol's own name, as its reader takes it: in a comment a text may claim another."""
    return parse_protocol(written).name


def _message(arena: Arena, written: str) -> str:
    """A message of a move without the comments and the blanks that somebody put into it."""
    message = read_message(arena, written)
    assert message is not None
    return text(message)


def narrate(game: Intruder, state: IntruderState, seat: int, action: Action) -> Phrase:
    """What the intruder did."""
    arena = _arena(game, state)
    who = SeatRef(seat)
    match action:
        case ("run", number, own, *others) if arena is not None:
            role = arena.strands[number - 1].agent.name
            key = "intruder.ran" if others else "intruder.ran.alone"
            return phrase(key, who=who, number=number, role=role, own=own, others=", ".join(others))
        case ("send", number, message) if arena is not None:
            role = arena.strands[number - 1].agent.name
            sent = _message(arena, message)
            return phrase("intruder.sent", who=who, number=number, role=role, message=sent)
        case ("protocol", written):
            return phrase("intruder.chose", who=who, name=_name(written))
    return phrase("intruder.stopped", who=who)


def news(game: Intruder, before: IntruderState | None, after: IntruderState) -> tuple[Phrase, ...]:
    """What a strand answers; and which goal is broken by that."""
    arena = _arena(game, after)
    if arena is None or before is None or after.moved == before.moved:
        return ()
    number = after.moved[-1]
    new = arena.said(after, number)[len(arena.said(before, number)) :]
    answers = (
        phrase("intruder.answers", number=number + 1, own=_own(after, number), message=text(term))
        for term in new
    )
    return tuple(answers)


def _own(state: IntruderState, number: int) -> str:
    return text(state.agents[number][0])


def result(
    game: Intruder, state: IntruderState, before: IntruderState | None = None
) -> tuple[Phrase, ...]:
    """Which goal is broken, told once: whatever comes after it in the log has not broken it
    again.
    """
    arena = _arena(game, state)
    if (
        arena is None
        or state.broken is None
        or (before is not None and before.broken == state.broken)
    ):
        return ()
    return (phrase("intruder.broken", goal=print_goal(arena.goals[state.broken])),)
