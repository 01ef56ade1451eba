"""Play-tests for `rules play` and `rules check`, by which an author tries a file. The caller does
all input and output.
"""

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import NamedTuple

from protocol.games import Action
from protocol.games.scripted.engine.budget import work_limit
from protocol.games.scripted.play_test import PlayTest
from protocol.games.scripted.rule_file.contract import parse_contract
from protocol.limits import MAX_SEATS, SCRIPT_ENTRY_STEPS
from protocol.rules import RuleError
from protocol.rules.command import FINE, WRONG, decode_rule_file
from protocol.rules.explanation import pointed_line
from protocol.view.board import Offer
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import Say, Translate, phrase_renderer, sanitize

TEST_MATCHES = 3  # number of test matches for each number of seats
# Share of a step limit from which on the author is warned, because hands grow and real matches last
# longer.
WARNING_SHARE = 0.5


class PlayTestConsole(NamedTuple):
    """Input and output of a play-test."""

    tell: Callable[[str], None]
    ask: Callable[[str], str]  # raises EOFError at the end of input


def costs(text: str) -> tuple[Phrase, ...]:
    """Play test matches, and report the number of steps that choices take. Raises: RuleError if the
    file does not describe a game.
    """
    contract = parse_contract(text)
    if contract.own and not contract.starter:
        return ()
    matches = (
        (seats, Random(seed))  # noqa: S311
        for seats in dict.fromkeys(contract.seats)
        for seed in range(TEST_MATCHES)
    )
    found = [PlayTest(text, *match).costs() for match in matches]
    choice, whole = max(one.choice for one in found), max(one.whole for one in found)
    lines = [
        phrase(
            "rules.costs", choice=choice, most=SCRIPT_ENTRY_STEPS, whole=whole, rest=work_limit(1)
        )
    ]
    refused = sorted({name for one in found for name in one.refused})
    if refused:
        lines.append(
            phrase("rules.costs.refused", most=SCRIPT_ENTRY_STEPS, names=", ".join(refused))
        )
    elif choice > WARNING_SHARE * SCRIPT_ENTRY_STEPS or whole > WARNING_SHARE * work_limit(1):
        lines.append(phrase("rules.costs.near"))
    return tuple(lines)


def run_play_test(
    options: argparse.Namespace,
    read: Callable[[Path], bytes],
    translate: Translate,
    console: PlayTestConsole,
) -> int:
    """Run `rules play`, and return the exit code. Raises: LocalError if the file cannot be read."""
    text, say = decode_rule_file(read(options.file)), phrase_renderer(translate, ())
    try:
        contract = parse_contract(text)
    except RuleError as error:
        console.tell(
            "\n".join(
                [f"{sanitize(str(options.file))}: {say(error.phrase)}", *pointed_line(error, text)]
            )
        )
        return WRONG
    seats = contract.seats[0] if options.seats is None else options.seats
    if not contract.seats[0] <= seats <= min(contract.seats[1], MAX_SEATS):
        console.tell(
            say(phrase("wrong.rules.seats", least=contract.seats[0], most=contract.seats[1]))
        )
        return WRONG
    rng = Random(options.seed)  # noqa: S311 (here nothing is hidden from anybody)
    return _run_match(PlayTest(text, seats, rng), options.person, translate, console)


def _run_match(
    trial: PlayTest, person: bool, translate: Translate, console: PlayTestConsole
) -> int:
    say = phrase_renderer(translate, ())
    try:
        for told in trial.play(0 if person else None, partial(_ask_for_choice, say, console)):
            console.tell(say(told))
    except EOFError:
        return WRONG
    return WRONG if trial.has_error else FINE


def _ask_for_choice(say: Say, console: PlayTestConsole, offers: tuple[Offer, ...]) -> Action:
    """Ask a person for a choice by its number."""
    console.tell(
        "\n".join(f"{number:3}  {say(offer.label)}" for number, offer in enumerate(offers, 1))
    )
    while True:
        line = console.ask("> ").strip()
        if line.isascii() and line.isdecimal() and 1 <= int(line[:9]) <= len(offers):
            return offers[int(line) - 1].action
        console.tell(say(phrase("rules.play.number", most=len(offers))))
