"""View of the game for people: the intruder's knowledge, and the progress of every strand."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from protocol.games import Action, Hand
from protocol.games.generic_view import hand_name, piece, standings
from protocol.view.board import Offer, Region, RegionBoard, RegionKind
from protocol.view.phrase import Phrase, SeatRef, phrase
from verification.engine.goals import asked_index
from verification.game.game_scenario import GameScenario
from verification.game.messages import read_message
from verification.game.rules import Intruder
from verification.game.state import IntruderState
from verification.notation.printer import print_action, print_goal
from verification.notation.protocol_parser import parse_protocol
from verification.strands.scenario import OWN_FUNCTION, OWN_KEY
from verification.terms import Sort, Term, substitute, subterms, text, variable, variables

# size of the cache of names; the first move offers all built-in protocols at once
NAME_CACHE_SIZE = 64

__all__ = [
    "board",
    "ending",
    "hand_name",
    "narrate",
    "news",
    "offers",
    "piece",
    "prompt",
    "result",
    "standings",
    "unfit",
]


def _scenario(game: Intruder, state: IntruderState) -> GameScenario | None:
    return game.scenario(state)


def board(game: Intruder, state: IntruderState) -> RegionBoard:
    """Build the board: messages and goals of the protocol, a line for every strand, and the
    intruder's knowledge.
    """
    scenario = _scenario(game, state)
    if scenario is None:
        return RegionBoard(0, (_text("intruder.protocol", phrase("intruder.none")),))
    protocol = scenario.strand_scenario.protocol
    return RegionBoard(
        0,
        (
            _text("intruder.protocol", phrase("intruder.name", name=protocol.name)),
            _text(
                "intruder.messages",
                phrase("intruder.terms", terms=" · ".join(map(print_action, protocol.actions))),
            ),
            *(_goal(scenario, number, state) for number in range(len(scenario.goals))),
            *(_strand(scenario, state, number) for number in range(len(scenario.strands))),
            replace(
                _text(
                    "intruder.knowledge",
                    phrase("intruder.terms", terms=_terms(_shown_terms(scenario, state))),
                ),
                seat=0,
            ),
            _text(
                "intruder.legend",
                phrase(
                    "intruder.legend.text",
                    public="{m}pk(b)",
                    signed="{m}inv(pk(b))",
                    shared="{|m|}k",
                ),
            ),
        ),
    )


def _text(name: str, holds: Phrase, **args: int | str) -> Region:
    return Region(phrase(name, **args), RegionKind.TEXT, text=holds)


def _goal(scenario: GameScenario, number: int, state: IntruderState) -> Region:
    if state.broken == number:
        key = "intruder.goal.broken"
    else:
        key = "intruder.goal.holds"
    return _text(
        "intruder.goal", phrase(key, goal=print_goal(scenario.goals[number])), number=number + 1
    )


def _terms(terms: Iterable[Term]) -> str:
    return " · ".join(map(text, terms))


def _shown_terms(scenario: GameScenario, state: IntruderState) -> list[Term]:
    """Return the intruder's terms that are worth a line. Agents that take no part and inventions
    are left out.
    """
    here = {name for agents in state.agents for name in agents}
    inventions = {one for several in scenario.inventions.values() for one in several}
    away = {
        *inventions,
        OWN_KEY,
        OWN_FUNCTION,
        *(name for name in scenario.people if name not in here),
    }
    return [
        term
        for term in scenario.knowledge(state)
        if term.sort is not Sort.AGENT and away.isdisjoint(subterms(term))
    ]


def _strand(scenario: GameScenario, state: IntruderState, number: int) -> Region:
    """Build the line of a strand: its agents, the messages that it has sent, and the message that
    it waits for.
    """
    strand = scenario.strands[number]
    return _text(
        "intruder.strand",
        _progress(scenario, state, number),
        number=strand.number,
        role=strand.agent.name,
    )


def _progress(scenario: GameScenario, state: IntruderState, number: int) -> Phrase:
    if not state.agents[number]:
        return phrase("intruder.idle")
    step = scenario.awaited_step(state, number)
    said = _terms(scenario.sent_messages(state, number))
    parts = [_agents_phrase(state.agents[number])]
    parts += [phrase("intruder.said", terms=said)] if said else []
    if step is None:
        parts.append(phrase("intruder.done"))
    elif step.receive is not None:
        parts.append(
            phrase("intruder.waits", term=text(_with_names(scenario.fill_in(state, step.receive))))
        )
    return phrase("intruder.progress", parts=tuple(parts))


def _with_names(term: Term) -> Term:
    """Rename open variables for the screen: a name of the protocol stays, a part that nobody can
    open becomes `?`.
    """
    names = dict.fromkeys(variables(term))
    shown = {
        name: variable("?" if name.name.startswith("_") else name.name, name.sort) for name in names
    }
    return substitute(term, shown)


def _agents_phrase(agents: Sequence[Term]) -> Phrase:
    own, *others = map(text, agents)
    if others:
        return phrase("intruder.cast", own=own, others=", ".join(others))
    return phrase("intruder.cast.alone", own=own)


def offers(game: Intruder, state: IntruderState, seat: int, hand: Hand) -> tuple[Offer, ...]:
    """Describe each legal move."""
    legal = game.legal(state, seat, hand)
    scenario = _scenario(game, state)
    return tuple(
        Offer(id, action[0], action, _label(scenario, action)) for id, action in enumerate(legal)
    )


def _label(scenario: GameScenario | None, action: Action) -> Phrase:
    match action:
        case ("run", number, own, *others) if scenario is not None:
            role = scenario.strands[number - 1].agent.name
            if others:
                key = "intruder.offer.run"
            else:
                key = "intruder.offer.run.alone"
            return phrase(key, number=number, role=role, own=own, others=", ".join(others))
        case ("send", number, message) if scenario is not None:
            return phrase(
                "intruder.offer.send",
                number=number,
                role=scenario.strands[number - 1].agent.name,
                message=message,
            )
        case ("protocol", written):
            return phrase("intruder.offer.protocol", name=_name(written))
    return phrase("intruder.offer.stop")


@lru_cache(NAME_CACHE_SIZE)
def _name(written: str) -> str:
    """Parse the name of a protocol. A search in the text could find another name in a comment."""
    return parse_protocol(written).name


def _message(scenario: GameScenario, written: str) -> str:
    """Return the message of a move without its comments and blanks."""
    message = read_message(scenario, written)
    assert message is not None
    return text(message)


def narrate(game: Intruder, state: IntruderState, seat: int, action: Action) -> Phrase:
    """Describe an action of the intruder."""
    scenario = _scenario(game, state)
    who = SeatRef(seat)
    match action:
        case ("run", number, own, *others) if scenario is not None:
            role = scenario.strands[number - 1].agent.name
            key = "intruder.ran" if others else "intruder.ran.alone"
            return phrase(key, who=who, number=number, role=role, own=own, others=", ".join(others))
        case ("send", number, message) if scenario is not None:
            role = scenario.strands[number - 1].agent.name
            sent = _message(scenario, message)
            return phrase("intruder.sent", who=who, number=number, role=role, message=sent)
        case ("protocol", written):
            return phrase("intruder.chose", who=who, name=_name(written))
    return phrase("intruder.stopped", who=who)


def news(game: Intruder, before: IntruderState | None, after: IntruderState) -> tuple[Phrase, ...]:
    """Describe the answers of the strand that moved."""
    scenario = _scenario(game, after)
    if scenario is None or before is None or after.moved == before.moved:
        return ()
    number = after.moved[-1]
    new = scenario.sent_messages(after, number)[len(scenario.sent_messages(before, number)) :]
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
    """Describe the broken goal, once. Later entries of the log do not repeat it."""
    scenario = _scenario(game, state)
    if (
        scenario is None
        or state.broken is None
        or (before is not None and before.broken == state.broken)
    ):
        return ()
    broken = phrase("intruder.broken", goal=print_goal(scenario.goals[state.broken]))
    why = _why_broken(scenario, state)
    return (broken,) if why is None else (broken, why)


def _why_broken(scenario: GameScenario, state: IntruderState) -> Phrase | None:
    """Say how the broken goal is broken: what the intruder has learnt, or what an agent wrongly
    believes.
    """
    found = scenario.broken_claim(state)
    if found is None or state.broken is None:
        return None
    victim, claim = text(found.victim), found.claim
    message = text(claim.message)
    if not found.learnt:
        other = text(claim.agents[asked_index(scenario.goals[state.broken])])
        return phrase("intruder.believes", victim=victim, other=other, message=message)
    others = ", ".join(text(agent) for agent in claim.agents if agent != found.victim)
    key = "intruder.learnt" if others else "intruder.learnt.alone"
    return phrase(key, who=SeatRef(0), message=message, victim=victim, others=others)


def prompt(game: Intruder, state: IntruderState, seat: int, offers: tuple[Offer, ...]) -> Phrase:
    """Say what to begin with, or how to go on."""
    kinds = {offer.kind for offer in offers}
    if "protocol" in kinds:
        return phrase("intruder.prompt.protocol")
    if not state.moved and not any(state.agents):
        return phrase("intruder.prompt.run")
    return phrase("intruder.prompt" if "send" in kinds else "intruder.prompt.none")


def unfit(game: Intruder, state: IntruderState, seat: int, offers: tuple[Offer, ...]) -> None:
    """Return None: the game has no pieces."""
    return


def ending(game: Intruder, state: IntruderState) -> Phrase:
    """Say how the goal was broken, or that all goals hold."""
    if state.broken is None:
        key = "intruder.ending.stopped" if state.stopped else "intruder.ending.holds"
        return phrase(key, who=SeatRef(0))
    return result(game, state)[-1]
