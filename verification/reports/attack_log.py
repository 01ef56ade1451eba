"""Conversion of an attack into moves of the game `intruder`, and into the log file of a match."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from protocol.crypto.envelopes import new_key
from protocol.crypto.joint_randomness import NONCE, nonce_commitment
from protocol.games import Action, Over
from protocol.games.intruder_spec import OWN_PROTOCOL, SPECS
from protocol.games.registry import BUILT_IN, Games, create_game
from protocol.identity.keys import Identity
from protocol.match.fold import apply, begin
from protocol.match.log import NO_HASH, EntryContent, Log, make_entry
from protocol.match.log_file import MAGIC, encode_record
from protocol.match.setup import KIND, NO_TABLE, Person, Setup
from protocol.match.terms import make_terms
from protocol.options import Selection
from verification.engine.attack_trace import AttackTrace
from verification.engine.verdict import SearchBound
from verification.game.game_scenario import GameScenario
from verification.game.rules import PROTOCOL, RUN, SEND, Intruder
from verification.game.state import IntruderState
from verification.notation.printer import print_protocol
from verification.protocol_model import Protocol
from verification.protocols.catalog import BUILT_IN_PROTOCOLS
from verification.protocols.loader import load_protocol
from verification.strands.scenario import INTRUDER
from verification.terms import CONSTANT, Sort, Term, rebuild, subterms, text

NAME = "Intruder"
SEAT = 0


def write_attack_log(
    protocol: Protocol, trace: AttackTrace, bound: SearchBound, rng: Random
) -> bytes:
    """Write an attack as a log file: a match without a table, which the intruder wins.

    Raises: Refused for an attack that is too large to be a match.
    """
    name = next(
        (name for name in BUILT_IN_PROTOCOLS if load_protocol(name) == protocol), OWN_PROTOCOL
    )
    options = (
        ("protocol", name),
        ("sessions", bound.sessions),
        ("typed", "yes" if bound.typed else "no"),
    )
    game = create_game(SPECS[0].name, 1, dict(options))
    assert isinstance(game, Intruder)
    beginning: list[Action] = [(PROTOCOL, print_protocol(protocol))] if name == OWN_PROTOCOL else []
    return write_solo_match(
        Selection(SPECS[0].name, options), NAME, attack_moves(game, beginning, trace), rng
    )


def attack_moves(game: Intruder, moves: list[Action], trace: AttackTrace) -> list[Action]:
    """Append the moves of an attack to `moves`, up to the move that breaks a goal.

    Raises: Refused for an attack that is too large to be a match.
    """
    state = game.opening()
    for move in moves:
        state = _after(game, state, move)
    scenario = game.scenario(state)
    assert scenario is not None
    for move in _trace_moves(scenario, trace):
        if isinstance(game.wants(state), Over):
            break
        state = _after(game, state, move)
        moves.append(move)
    return moves


def _after(game: Intruder, state: IntruderState, move: Action) -> IntruderState:
    game.check(state, 0, move)
    return game.apply(state, 0, move)


def _trace_moves(scenario: GameScenario, trace: AttackTrace) -> Iterator[Action]:
    names = _game_names(scenario, trace)
    begun = set[int]()
    for event in trace.events:
        run = trace.runs[event.run]
        if run.number not in begun:
            begun.add(run.number)
            agents = (run.values.get(role, run.agent) for role in scenario.roles(run.number - 1))
            yield (RUN, run.number, *(text(_rename(agent, names)) for agent in agents))
        if event.received is not None:
            yield (SEND, run.number, text(_rename(event.received, names)))


def _game_names(scenario: GameScenario, trace: AttackTrace) -> dict[Term, Term]:
    """Map the constants of the trace to the game's names for people and for the intruder's
    inventions.
    """
    known = {*scenario.atoms_of_protocol.values(), INTRUDER}
    terms = (
        *trace.initial_knowledge,
        *(event.received for event in trace.events if event.received is not None),
    )
    new = dict.fromkeys(
        part
        for term in terms
        for part in subterms(term)
        if part.kind is CONSTANT and part not in known
    )
    people = iter(scenario.people)
    made = {sort: iter(several) for sort, several in scenario.inventions.items()}
    return {name: next(people if name.sort is Sort.AGENT else made[name.sort]) for name in new}


def _rename(term: Term, names: dict[Term, Term]) -> Term:
    if term.args:
        return rebuild(term, tuple(_rename(arg, names) for arg in term.args))
    return names.get(term, term)


def write_solo_match(
    game: Selection, name: str, actions: Sequence[Action], rng: Random, games: Games = BUILT_IN
) -> bytes:
    """Write the log file of a match of one seat without a table, in which `actions` are all moves.

    A key made for this match signs it and is then thrown away. All times are 0, for there is no
    clock here. `rng` is the system's, unless a test wants equal files. Raises: Refused for an
    illegal action, and BadOptions for such a game.
    """
    person = Identity(rng.randbytes(32))
    terms = make_terms(game, Selection("none"), (), 1, games)
    setup = Setup(NO_TABLE, rng.randbytes(32), 0, terms, (Person(name, person.public),), games)
    match_log = _SoloMatch(person, setup)
    nonce = rng.randbytes(NONCE)
    match_log.post(
        "sit", [new_key(rng).public, nonce_commitment(match_log.log.match_id, SEAT, nonce)]
    )
    match_log.post("nonce", [nonce])
    for action in actions:
        match_log.post("move", [list(action), []])
    match_log.post("receipt", match_log.match.receipt)
    return match_log.file


class _SoloMatch:
    """The growing log of a match of one seat."""

    def __init__(self, person: Identity, setup: Setup) -> None:
        first = make_entry(person, NO_HASH, EntryContent(SEAT, 0, (0, NO_HASH), KIND, setup.body()))
        self._person = person
        self.log = Log(first, setup.games)
        self.match = begin(setup, self.log.match_id, SEAT)
        self.file = MAGIC + encode_record(first, self.log.head(person))

    def post(self, kind: str, body: list[Any]) -> None:
        """Append an entry of the seat. Raises: Refused."""
        content = EntryContent(SEAT, self.log.sequence(SEAT), self.log.newest_head, kind, body)
        entry = self.log.check(make_entry(self._person, self.log.match_id, content))
        self.match = apply(self.match, entry)
        self.log.append(entry)
        self.file += encode_record(entry.raw, self.log.head(self._person))
