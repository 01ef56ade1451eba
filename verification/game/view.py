"""View of the game for people: the intruder's knowledge, and the progress of every strand."""

import re
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
from verification.strands.scenario import INTRUDER, OWN_FUNCTION, OWN_KEY
from verification.terms import Sort, Term, substitute, subterms, text, variable, variables

# size of the cache of names; the first move offers all built-in protocols at once
NAME_CACHE_SIZE = 64
# names for people, in place of the letters that messages have for them
PEOPLE = {"a": "Alice", "b": "Bob", "c": "Carol", "d": "Dave", "e": "Eve", "s": "Sam"}
# signs for what the intruder makes up; messages that somebody types have the long names
SIGNS = {"number": "NI", "symmetric_key": "KI", "publickey": "PI", "untyped": "XI"}
INVENTION = re.compile(rf"\b({'|'.join(SIGNS)})_of_i(\d*)\b")

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
                phrase(
                    "intruder.terms",
                    terms=" · ".join(map(print_action, protocol.actions)).replace("->", " → "),
                ),
            ),
            *(_strand(scenario, state, number) for number in range(len(scenario.strands))),
            *(_goal(scenario, number, state) for number in range(len(scenario.goals))),
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
                    people=_people(scenario),
                    public="{m}pk(b)",
                    signed="{m}inv(pk(b))",
                    shared="{|m|}k",
                    own="inv(pk(i))",
                ),
            ),
        ),
    )


def _text(name: str, holds: Phrase, **args: int | str) -> Region:
    return Region(phrase(name, **args), RegionKind.TEXT, text=holds)


def _goal(scenario: GameScenario, number: int, state: IntruderState) -> Region:
    """Build the line of a goal: a counter, which is 1 when the goal is broken."""
    broken = state.broken == number
    return Region(
        phrase("intruder.goal", number=number + 1),
        RegionKind.COUNTER,
        (),
        int(broken),
        text=phrase(
            "intruder.goal.broken" if broken else "intruder.goal.holds",
            goal=print_goal(scenario.goals[number]),
        ),
    )


def _shown(written: str) -> str:
    """Return a message with short signs for what the intruder makes up."""
    return INVENTION.sub(lambda found: SIGNS[found[1]] + found[2], written)


def _terms(terms: Iterable[Term], joiner: str = " · ") -> str:
    return joiner.join(_shown(text(term)) for term in terms)


def _person(name: str) -> Phrase:
    """Name who takes part. A name of a protocol that says nothing more stays as it is."""
    if name == text(INTRUDER):
        return phrase("intruder.person.intruder", who=SeatRef(0))
    if name not in PEOPLE:
        return phrase("intruder.person.other", sign=name)
    return phrase("intruder.person", name=PEOPLE[name], sign=name)


def _persons(names: Iterable[str]) -> tuple[Phrase, ...]:
    return tuple(map(_person, names))


def _people(scenario: GameScenario) -> tuple[Phrase, ...]:
    """Name all who can take part, without the intruder."""
    names = map(text, scenario.all_agents)
    return _persons(name for name in names if name != text(INTRUDER))


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
    said = _terms(scenario.sent_messages(state, number), "; ")
    parts = [_agents_phrase(state.agents[number])]
    parts += [phrase("intruder.said", terms=said)] if said else []
    if step is None:
        parts.append(phrase("intruder.done"))
    elif step.receive is not None:
        parts.append(
            phrase(
                "intruder.waits",
                term=_shown(text(_with_names(scenario.fill_in(state, step.receive)))),
            )
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
        return phrase("intruder.cast", own=_person(own), others=_persons(others))
    return phrase("intruder.cast.alone", own=_person(own))


def offers(game: Intruder, state: IntruderState, seat: int, hand: Hand) -> tuple[Offer, ...]:
    """Describe each legal move."""
    legal = game.legal(state, seat, hand)
    scenario = _scenario(game, state)
    return tuple(
        Offer(id, action[0], action, _label(scenario, state, action))
        for id, action in enumerate(legal)
    )


def _label(scenario: GameScenario | None, state: IntruderState, action: Action) -> Phrase:
    match action:
        case ("run", number, own, *others) if scenario is not None:
            role = scenario.strands[number - 1].agent.name
            if others:
                key = "intruder.offer.run"
            else:
                key = "intruder.offer.run.alone"
            return phrase(key, number=number, role=role, own=_person(own), others=_persons(others))
        case ("send", number, message) if scenario is not None:
            return phrase(
                "intruder.offer.send",
                number=number,
                own=_person(_own(state, number - 1)),
                message=_shown(message),
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
    return _shown(text(message))


def narrate(game: Intruder, state: IntruderState, seat: int, action: Action) -> Phrase:
    """Describe an action of the intruder."""
    scenario = _scenario(game, state)
    who = SeatRef(seat)
    match action:
        case ("run", number, own, *others) if scenario is not None:
            role = scenario.strands[number - 1].agent.name
            key = "intruder.ran" if others else "intruder.ran.alone"
            return phrase(
                key, who=who, number=number, role=role, own=_person(own), others=_persons(others)
            )
        case ("send", number, message) if scenario is not None:
            sent, to = _message(scenario, message), _person(_own(state, number - 1))
            return phrase("intruder.sent", who=who, number=number, own=to, message=sent)
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
        phrase(
            "intruder.answers",
            number=number + 1,
            own=_person(_own(after, number)),
            message=_shown(text(term)),
        )
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
    victim, claim = _person(text(found.victim)), found.claim
    message = _shown(text(claim.message))
    if not found.learnt:
        other = _person(text(claim.agents[asked_index(scenario.goals[state.broken])]))
        return phrase("intruder.believes", victim=victim, other=other, message=message)
    others = _persons(text(agent) for agent in claim.agents if agent != found.victim)
    key = "intruder.learnt" if others else "intruder.learnt.alone"
    return phrase(key, who=SeatRef(0), message=message, victim=victim, others=others)


def prompt(game: Intruder, state: IntruderState, seat: int, offers: tuple[Offer, ...]) -> Phrase:
    """Say what to begin with, or how to go on."""
    kinds = {offer.kind for offer in offers}
    if "protocol" in kinds:
        return phrase("intruder.prompt.protocol")
    if not state.moved and not any(state.agents):
        scenario, names = _scenario(game, state), (offer.action for offer in offers)
        taught = [one for one in names if one[0] == "run" and text(INTRUDER) in one[3:]]
        if scenario is not None and taught:  # the intruder can read what is said to it
            return phrase("intruder.prompt.first", step=_label(scenario, state, taught[0]))
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
