"""Protocols and messages for the game intruder that cost much work, and logs in which a table
accepts them.
"""

from collections.abc import Generator, Sequence
from random import Random

from protocol.crypto.hashing import digest
from protocol.games import Action
from protocol.limits import MAX_INTRUDER_NAMES
from protocol.match.log import EntryContent, Record, make_entry
from protocol.match.log_file import encode_record
from tests.support.offline import Offline
from verification.game.game_scenario import GameScenario
from verification.game.state import IntruderState
from verification.terms import (
    SORT_OF_KIND,
    Sort,
    Term,
    asymmetric,
    exponent,
    pair,
    substitute,
    symmetric,
    text,
    variables,
)

MADE = [f"number_of_i{number or ''}" for number in range(8)]
SMALL = "A->B: A; B->A: A"
NAMES_OF_SMALL = 21  # X; A,B,g; A: A,B,g; B: A,B,g; two actions of three; a goal of three


def protocol(
    actions: str, types: str = "", know: str = "", goals: str = "B authenticates A on A"
) -> str:
    """Make a protocol between A and B, who both know a base g."""
    known = ",".join(["A,B,g", *([know] if know else [])])
    return (
        f"Protocol: X\nTypes: Agent A,B; Number g{types}\nKnowledge: A: {known}; B: {known}\n"
        f"Actions: {actions}\nGoals: {goals}\n"
    )


def power(base: str, exponents: Sequence[str]) -> str:
    """Write the base with these exponents."""
    for one in exponents:
        base = f"exp({base},{one})"
    return base


def crossed(count: int) -> str:
    """Make `count` exponentials of six numbers each. Pairing their exponents blindly has 720 ways
    for each.
    """
    names = [f"N{number}" for number in range(6 * count)]
    powers = [power("g", names[6 * one : 6 * one + 6]) for one in range(count)]
    return protocol(f"A->B: {','.join((*names, *powers))}; B->A: A", f"; Number {','.join(names)}")


def crossing(count: int, fits: bool) -> str:
    """Make a message for B in `crossed`. If `fits` is False, one number of each exponential is
    different.
    """
    names = [MADE[number % 6] for number in range(6 * count)]
    last = [] if fits else [MADE[7]]
    powers = [
        power("g", [*names[6 * one : 6 * one + 6 - len(last)], *last]) for one in range(count)
    ]
    return ",".join((*names, *powers))


def nested_powers(depth: int) -> str:
    """Make a goal about exponentials in exponents that B cannot build. A blind search tries 720
    orders on each level.
    """
    written = "g"
    for _ in range(depth):
        written = power("g", ["X1", "X2", "X3", "X4", "X5", written])
    names = "; Number X1,X2,X3,X4,X5; Function h"
    return protocol(f"A->B: h({written})", names, "h", f"B authenticates A on {written}")


def listed(parts: list[str]) -> str:
    """Write the parts as nested lists of six, because a long list would be too deep."""
    while len(parts) > 6:
        parts = [f"({','.join(parts[at : at + 6])})" for at in range(0, len(parts), 6)]
    return ",".join(parts)


def of_names(count: int) -> str:
    """Make a protocol with this many names, most of them only declared."""
    return protocol(
        SMALL, "; Number " + ",".join(f"x{number}" for number in range(count - NAMES_OF_SMALL))
    )


def echo(times: int) -> str:
    """Make a protocol in which B sends a received message `times` times, and claims two names."""
    answer = ",".join(["N"] * times)
    return protocol(f"A->B: N; B->A: {answer}", "; Untyped N", goals="A authenticates B on A,A")


def locked(keys: int, powers: int) -> str:
    """Make a protocol in which B sends messages under keys that are exponentials, and then other
    exponentials of the same base.
    """
    keyed = [f"{{|A|}}exp(exp(g,K{number}),A)" for number in range(keys)]
    raised = [f"exp(g,N{number})" for number in range(powers)]
    names = [*(f"K{number}" for number in range(keys)), *(f"N{number}" for number in range(powers))]
    return protocol(f"A->B: A; B->A: {listed(keyed + raised)}", f"; Number {','.join(names)}")


LOCKED = locked(90, 120)
CROSSED: tuple[Action, ...] = (("protocol", crossed(3)), ("run", 2, "b", "a"))
UNFIT: Action = ("send", 2, crossing(3, fits=False))
FIT: Action = ("send", 2, crossing(3, fits=True))
LONG: Action = ("send", 2, listed(["i"] * (MAX_INTRUDER_NAMES + 1)))


def accepted(match: Offline, move: Action) -> Record:
    """Make the record of a move by seat 0 that the table logs without a check."""
    log, table = match.live.log, match.live._identity
    content = EntryContent(0, log.sequence(0), log.newest_head, "move", [list(move), []])
    raw = make_entry(match.seats[0]._identity, log.match_id, content)
    hashed = digest("chain", log.chain_hashes[-1], log.next_number, raw)
    return Record(raw, table.sign("head", log.match_id, log.next_number, hashed))


def file_with(match: Offline, record: Record) -> bytes:
    """Return the log file with this record appended."""
    return match.file() + encode_record(record.entry, record.head)


# --- a random search for costly protocols and moves ---


def hostile_protocol(rng: Random, sessions: int) -> str:
    """Make a random protocol with all elements of the notation, close to the limits for a game."""
    names = [f"N{number}" for number in range(rng.choice((1, 3, 20, 60)))]
    room, width, depth = (
        950 // sessions - 40 - 2 * len(names),
        rng.choice((1, 4, 12)),
        rng.choice((0, 1, 3, 8)),
    )
    actions: list[str] = []
    for number in range(rng.choice((2, 6, 16, 32))):
        parts = [_message(rng, names, rng.randint(0, depth)) for _ in range(rng.randint(1, width))]
        room -= (
            2
            + sum(
                part.count("N") + part.count("A") + part.count("k") + part.count("g")
                for part in parts
            )
            * 2
        )
        if room < 0 and actions:
            break
        actions.append(f"{'AB'[number % 2]}->{'BA'[number % 2]}: {','.join(parts)}")
    goals = [
        rng.choice(
            ("{} secret between A,B", "A authenticates B on {}", "B weakly authenticates A on {}")
        ).format(",".join(rng.choices(names, k=rng.randint(1, 3))))
        for _ in range(rng.choice((1, 4)))
    ]
    sort = rng.choice(("Number", "Untyped"))
    types = f"; {sort} {','.join(names)}; Function h,sk; Format m"
    return protocol("; ".join(actions), types, "k,h,m,sk", "; ".join(goals))


def _message(rng: Random, names: list[str], depth: int) -> str:
    name = rng.choice(names)
    if depth <= 0:
        return name
    inside = _message(rng, names, depth - 1)
    key = rng.choice(("k", f"h({name})", f"({name},k)", "sk(A,B)"))
    powers = [rng.choice((rng.choice(names), f"h({name})")) for _ in range(rng.randint(1, 6))]
    forms = (
        f"({inside},{name})",
        f"{{|{inside}|}}{key}",
        f"h({inside},{name})",
        f"m({inside})",
        power("g", powers),
    )
    return rng.choice(forms)


def hostile_moves(
    rng: Random, scenario: GameScenario, state: IntruderState, count: int
) -> Generator[Action, IntruderState, None]:
    """Make moves from a state on, with large messages for all strands that wait. `send` returns the
    state after each.
    """
    for number in range(len(scenario.strands)):
        names = [text(name) for name in scenario.people[: len(scenario.roles(number))]]
        state = yield ("run", number + 1, *names)
    for _ in range(count):
        waiting = [
            number
            for number in range(len(scenario.strands))
            if scenario.awaited_step(state, number) is not None
        ]
        if not waiting or state.over:
            return
        number = rng.choice(waiting)
        step = scenario.awaited_step(state, number)
        assert step is not None and step.receive is not None
        wanted = scenario.fill_in(state, step.receive)
        free = list(dict.fromkeys(variables(wanted)))
        values = {name: _value(rng, scenario, state, name, 110 // len(free)) for name in free}
        state = yield ("send", number + 1, text(substitute(wanted, values)))


def _value(
    rng: Random, scenario: GameScenario, state: IntruderState, name: Term, names: int
) -> Term:
    if name.sort is Sort.AGENT:
        return rng.choice(scenario.people)
    if name.sort in scenario.inventions and name.sort is not Sort.UNTYPED:
        return rng.choice(scenario.inventions[name.sort])
    fitting = [
        term
        for term in scenario.knowledge(state)
        if name.sort in (Sort.UNTYPED, SORT_OF_KIND.get(term.kind))
    ]
    if fitting and rng.random() < 0.3:
        return rng.choice(fitting)
    return _invented(rng, scenario, names)


def _invented(rng: Random, scenario: GameScenario, names: int) -> Term:
    atoms = [one for several in scenario.inventions.values() for one in several]
    if names < 2:
        return rng.choice(atoms)
    at = rng.randint(1, names - 1)
    match rng.randrange(4):
        case 0:
            return symmetric(_invented(rng, scenario, names - 1), rng.choice(atoms))
        case 1:
            return asymmetric(_invented(rng, scenario, names - 1), rng.choice(atoms))
        case 2:
            return exponent(rng.choice(atoms), *rng.choices(atoms, k=min(6, names - 1)))
    return pair(_invented(rng, scenario, at), _invented(rng, scenario, names - at))
