"""An attack as moves of the game against the protocol, and as a log that shows it."""

from collections.abc import Iterator
from random import Random

from protocol.findings.saved import play_alone
from protocol.games import Action, Over
from protocol.games.intruder.arena import Arena
from protocol.games.intruder.row import OWN, ROWS
from protocol.games.intruder.rules import PROTOCOL, RUN, SEND, Intruder
from protocol.games.intruder.state import State
from protocol.games.registry import create_game
from protocol.options import Chosen
from protocol.verification.description import Protocol
from protocol.verification.engine.trace import Trace
from protocol.verification.engine.verdict import Bound
from protocol.verification.notation.printer import print_protocol
from protocol.verification.protocols.parsed import shipped_protocol
from protocol.verification.protocols.table import SHIPPED
from protocol.verification.strands.scenario import INTRUDER
from protocol.verification.terms import CONSTANT, Sort, Term, rebuilt, subterms, text

NAME = "Intruder"


def save_attack(protocol: Protocol, trace: Trace, bound: Bound, rng: Random) -> bytes:
    """The attack as a log file: a match without a table, won by the intruder.

    Raises: Refused for an attack that is too large to be a match.
    """
    name = next((name for name in SHIPPED if shipped_protocol(name) == protocol), OWN)
    options = (("protocol", name), ("sessions", bound.sessions), ("typed", "yes" if bound.typed else "no"))
    game = create_game(ROWS[0].name, 1, dict(options))
    assert isinstance(game, Intruder)
    beginning: list[Action] = [(PROTOCOL, print_protocol(protocol))] if name == OWN else []
    return play_alone(Chosen(ROWS[0].name, options), NAME, moves_of(game, beginning, trace), rng)


def moves_of(game: Intruder, moves: list[Action], trace: Trace) -> list[Action]:
    """The moves of an attack after these; none after a goal is broken. Raises: Refused."""
    state = game.opening()
    for move in moves:
        state = _after(game, state, move)
    arena = game.arena(state)
    assert arena is not None
    for move in _all(arena, trace):
        if isinstance(game.wants(state), Over):
            break
        state = _after(game, state, move)
        moves.append(move)
    return moves


def _after(game: Intruder, state: State, move: Action) -> State:
    game.check(state, 0, move)
    return game.apply(state, 0, move)


def _all(arena: Arena, trace: Trace) -> Iterator[Action]:
    names, begun = _names(arena, trace), set[int]()
    for event in trace.events:
        run = trace.runs[event.run]
        if run.number not in begun:
            begun.add(run.number)
            agents = (run.values.get(role, run.agent) for role in arena.roles(run.number - 1))
            yield (RUN, run.number, *(text(_renamed(agent, names)) for agent in agents))
        if event.received is not None:
            yield (SEND, run.number, text(_renamed(event.received, names)))


def _names(arena: Arena, trace: Trace) -> dict[Term, Term]:
    """The game's names for people, and for what the intruder has made up, who have others in the trace."""
    known = {*arena.atoms_of_protocol.values(), INTRUDER}
    terms = (*trace.begin, *(event.received for event in trace.events if event.received is not None))
    new = dict.fromkeys(
        part for term in terms for part in subterms(term) if part.kind is CONSTANT and part not in known
    )
    people = iter(arena.people)
    made = {sort: iter(several) for sort, several in arena.inventions.items()}
    return {name: next(people if name.sort is Sort.AGENT else made[name.sort]) for name in new}


def _renamed(term: Term, names: dict[Term, Term]) -> Term:
    if term.args:
        return rebuilt(term, tuple(_renamed(arg, names) for arg in term.args))
    return names.get(term, term)
