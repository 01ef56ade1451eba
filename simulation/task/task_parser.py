"""Conversion of settings into a `SimulationTask`, and of a task into JSON."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from protocol.errors import LocalError
from protocol.limits import MAX_MACHINES, MAX_SIMULATED_SEATS
from protocol.options import or_phrase
from simulation.models import CARDS, Deck
from simulation.task import KINDS, SimulationTask
from simulation.task.settings import COMMON, FIELDS, SEPARATORS, Setting, as_number, quoted

MODEL = "model"
DECKS = "decks"
NAMES = "names"
SEATS = {"table": "seats", "machines": "players"}  # name of the setting with the number of seats
LEAST_SEATS = 2
MOST_SEATS = {"table": MAX_SIMULATED_SEATS, "machines": MAX_MACHINES}
# settings that only a model obeys, not real machines
OF_THE_MODEL = ("call", "spread", "own", "flip", "delta", "to_end")


def settings_of(kind: str) -> tuple[Setting, ...]:
    """Return the settings of a model, without `decks`."""
    return (*FIELDS[kind], *COMMON)


def task_of(given: Any) -> SimulationTask:
    """Make a task from decoded JSON. Raises: LocalError that names the wrong setting and its
    bounds.
    """
    if not isinstance(given, dict):
        raise LocalError("simulate.wrong.object", example='{"model": "table", "seats": 4}')
    kind = _kind(given.get(MODEL))
    known = {field.name: field for field in settings_of(kind)}
    for name in given:
        if name not in known and name not in (MODEL, DECKS):
            raise LocalError(
                "simulate.wrong.unknown", name=quoted(name), names=or_phrase((DECKS, *known))
            )
    values = {
        name: field.check(given[name], field) for name, field in known.items() if name in given
    }
    if DECKS in given:
        values |= _deck_settings(kind, check_decks(given[DECKS]), values.get(SEATS[kind]))
    seats = values.get(SEATS[kind], getattr(KINDS[kind](), SEATS[kind]))
    for name in [name for name in values if name in known and known[name].each]:
        values[name] = _for_each(name, values[name], seats, shared=name != NAMES)
    own = {name: values.pop(name) for name in ("rounds", "seed", NAMES) if name in values}
    return SimulationTask(KINDS[kind](**values), **own)


def task_of_texts(kind: str, given: Mapping[str, str]) -> SimulationTask:
    """Make a task from texts; an empty text means the default. Raises: LocalError."""
    read = {field.name: field.read for field in settings_of(_kind(kind))} | {DECKS: parse_decks}
    values = {
        name: read[name](text) if name in read else text
        for name, text in given.items()
        if text.strip()
    }
    return task_of({MODEL: kind, **values})


def task_of_json(data: bytes) -> SimulationTask:
    """Make a task from JSON. Raises: LocalError."""
    try:
        return task_of(
            json.loads(data.decode(), object_pairs_hook=_unique_object, parse_constant=_no_number)
        )
    except (ValueError, RecursionError):
        raise LocalError("simulate.wrong.json") from None


def as_json(task: SimulationTask) -> dict[str, Any]:
    """Return all settings of a task, in a form that `task_of` accepts."""
    settings = {field.name: getattr(task.model, field.name) for field in fields(task.model)}
    settings = {name: value for name, value in settings.items() if value not in (None, ())}
    settings = {
        name: value
        for name, value in settings.items()
        if not (task.measured and name in OF_THE_MODEL)
    }
    names = {NAMES: task.names} if task.names else {}
    return {MODEL: task.kind, "rounds": task.rounds, "seed": task.seed, **names, **settings}


def _kind(named: Any) -> str:
    if not isinstance(named, str) or named not in KINDS:
        raise LocalError("simulate.wrong.model", names=or_phrase(tuple(KINDS)), value=quoted(named))
    return named


def _deck_settings(kind: str, decks: tuple[Deck, ...], wanted: int | None) -> dict[str, Any]:
    """Return the decks and the number of seats that follows from them. Raises: LocalError."""
    if not LEAST_SEATS <= len(decks) <= MOST_SEATS[kind]:
        raise LocalError(
            "simulate.wrong.deck_count",
            least=LEAST_SEATS,
            most=f"{MOST_SEATS[kind]:,}",
            given=len(decks),
        )
    if wanted not in (None, len(decks)):
        raise LocalError(
            "simulate.wrong.decks_and_seats", name=SEATS[kind], wanted=str(wanted), given=len(decks)
        )
    return {SEATS[kind]: len(decks), DECKS: decks}


def _for_each(
    name: str, value: tuple[Any, ...], seats: int, *, shared: bool = True
) -> tuple[Any, ...]:
    if shared and len(value) == 1:
        return value * seats
    if len(value) != seats:
        raise LocalError("simulate.wrong.each", name=name, seats=f"{seats:,}", given=len(value))
    return value


def _unique_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object of JSON. Raises: ValueError for a repeated name: parsers differ in which
    value counts.
    """
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError
    return found


def _no_number(text: str) -> Any:
    raise ValueError(text)


def check_decks(value: Any) -> tuple[Deck, ...]:
    """Check that each deck has 40 different card numbers. Raises: LocalError that names the seat
    (from 1) and the card.
    """
    if type(value) is not list or not all(type(deck) is list for deck in value):
        raise LocalError("simulate.wrong.decks", cards=CARDS, most=CARDS - 1)
    return tuple(_deck(deck, seat) for seat, deck in enumerate(value, 1))


def _deck(deck: list[Any], seat: int) -> Deck:
    for place, card in enumerate(deck, 1):
        if type(card) is not int or not 0 <= card < CARDS:
            raise LocalError(
                "simulate.wrong.card", seat=seat, place=place, most=CARDS - 1, value=quoted(card)
            )
    twice = [card for card, count in Counter(deck).items() if count > 1]
    missing = sorted(set(range(CARDS)) - set(deck))
    if twice:
        raise LocalError("simulate.wrong.twice", seat=seat, card=twice[0])
    if missing:
        raise LocalError(
            "simulate.wrong.missing", seat=seat, card=missing[0], cards=CARDS, given=len(deck)
        )
    return tuple(deck)


def parse_decks(text: str) -> Any:
    """Read decks that a person has written: JSON, or a line of numbers for each seat. Raises:
    LocalError.
    """
    if text.lstrip().startswith("["):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise LocalError("simulate.wrong.decks", cards=CARDS, most=CARDS - 1) from None
    lines = [
        line.strip()
        for line in text.splitlines()
        if line.strip() and not line.lstrip().startswith("#")
    ]
    return [[as_number(card) for card in SEPARATORS.split(line) if card] for line in lines]
