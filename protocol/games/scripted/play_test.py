"""Play-tests for `rules play` and `rules check`: matches by a rule file without secrets, by which an
author tries the file. One program deals, and plays all seats except perhaps one.

The caller does all input and output.
"""

import argparse
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from typing import NamedTuple

from protocol.crypto.joint_randomness import JointRandomness
from protocol.errors import Refused, RemoteError
from protocol.games import Act, Action, MatchBinding, Over, Settle
from protocol.games.decks.deck_hand import DeckHand, Loadout
from protocol.games.operations import Lay, OpenCard
from protocol.games.scripted import view
from protocol.games.scripted.engine.budget import work_limit
from protocol.games.scripted.engine.choice import open_shown_card, try_choice
from protocol.games.scripted.engine.choices import known_face, offered_actions
from protocol.games.scripted.engine.effect_loop import end_by_error
from protocol.games.scripted.engine.moves import LEAVE
from protocol.games.scripted.engine.public_state import public_state
from protocol.games.scripted.engine.state import PendingJudgement, ScriptState
from protocol.games.scripted.foresight import choose_by_lookahead
from protocol.games.scripted.game import ScriptGame
from protocol.games.scripted.open_deal import OpenDeal
from protocol.games.scripted.private_half import ScriptPrivateHalf
from protocol.games.scripted.rule_file.built_in import rule_digest
from protocol.games.scripted.rule_file.contract import parse_contract
from protocol.games.scripted.rule_file.texts import check_texts, unsaid
from protocol.limits import MAX_SEATS, SCRIPT_ENTRY_STEPS
from protocol.rules import RuleError
from protocol.rules.author_report import pointed_line
from protocol.rules.command import FINE, WRONG, decode_rule_file
from protocol.view.board import Offer
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import Say, Translate, phrase_renderer, sanitize

TEST_MATCHES = 3  # number of test matches for each number of seats
# Share of a step limit from which on the author is warned, because hands grow and real matches last
# longer.
WARNING_SHARE = 0.5
MAX_UNSAID = 10  # warnings about sentences that are missing; an author mends one after the other
# Number of choices that are tried to measure their cost; at worst this takes a second.
MAX_TRIALS = 500
# Number of actions after which a play-test stops. Games that end take fewer, and a person would
# wait for minutes.
MAX_ACTIONS = 2000
Choose = Callable[[tuple[Offer, ...]], Action]  # a person's choice among the offers


class Costs(NamedTuple):
    """Measured costs: most steps of a choice alone (`choice`) and with everything that follows from
    it (`whole`); names of actions that were refused for too many steps.
    """

    choice: int
    whole: int
    refused: frozenset[str]

    def with_trial(self, after: ScriptState) -> "Costs":
        """Add the cost of one tried choice."""
        return self._replace(choice=max(self.choice, after.spent))

    def with_work(self, state: ScriptState) -> "Costs":
        """Add the work since the last choice. If several choices were applied at once, each counts
        with its share.
        """
        share = state.spent * work_limit(1) // max(state.most, 1)
        return self._replace(whole=max(self.whole, share))


class PlayTest:
    """Match in which the dealing program knows all cards."""

    def __init__(self, text: str, seats: int, rng: Random) -> None:
        """Begin a match. Raises: RuleError if the file does not describe a game."""
        contract = parse_contract(text)
        values = {
            "rules": rule_digest(text),
            **{one.name: one.choices[0] for one in contract.options},
        }
        self.rng, self.game = rng, ScriptGame("script", seats, values)
        bound = MatchBinding(b"trial", tuple(bytes([seat]) * 32 for seat in range(seats)))
        self._halves = [
            ScriptPrivateHalf(self.game, bound, seat, rng, Loadout(text=text))
            for seat in range(seats)
        ]
        self._state: ScriptState = self.game.bind(
            self.game.start(JointRandomness(b"", [rng.randbytes(32)])), bound
        )
        self._deal = OpenDeal(seats, rng)
        self._said: list[str] = []  # what the rules have said before the last action

    def play(self, person: int | None, choose: Choose) -> Iterator[Phrase]:
        """Play the match, and describe it in sentences. Stops at the end of the match or after
        `MAX_ACTIONS` actions.
        """
        for _ in range(MAX_ACTIONS):
            before = self._state
            want = self._advance_to_choice()
            yield from view.news(self.game, before, self._state)
            if want is None:
                break
            seat = want.seats[0]
            held = self._hand(seat)
            if seat == person:
                action = choose(view.offers(self.game, self._state, seat, held))
            else:
                action = choose_by_lookahead(self.game, self._state, seat, held, self.rng)
            yield view.narrate(self.game, self._state, seat, self.game.parse(list(action)))
            before = self._state
            self._post(seat, action)
            yield from view.news(self.game, before, self._state)
        else:
            yield phrase("rules.play.endless", most=MAX_ACTIONS)
        yield from view.result(self.game, self._state)

    @property
    def has_error(self) -> bool:
        """Check whether the rules failed, or did not come to an end."""
        return self._state.error is not None or not isinstance(self.game.wants(self._state), Over)

    @property
    def said(self) -> tuple[str, ...]:
        """All texts that the rules have said."""
        return (*self._said, *self._state.said[1])

    def costs(self) -> "Costs":
        """Play a match with random choices, and measure the cost of all choices on offer."""
        found, tries = Costs(0, 0, frozenset()), 0
        with suppress(RemoteError):  # raised if the file's own starter deck breaks the file's rules
            while tries < MAX_TRIALS and (want := self._advance_to_choice()) is not None:
                found = found.with_work(self._state)
                seat, held = want.seats[0], self._hand(want.seats[0])
                table, fine = self.game.table(self._state), list[Action]()
                for action in offered_actions(table, self._state, seat, held, trials=False):
                    tries += 1
                    shown = open_shown_card(table, self._state, seat, action)
                    try:
                        found = found.with_trial(
                            try_choice(table, self._state, shown, seat, action)
                        )
                    except Refused:
                        found = found._replace(refused=found.refused | {action[0]})
                        continue
                    fine.append(action)
                self._post(seat, self.rng.choice(fine) if fine else LEAVE)
        return found.with_work(self._state)

    def _hand(self, seat: int) -> DeckHand:
        half = self._halves[seat]
        # the private half must see every state
        half.respond(self._state, half.hand(self._deal.sees[seat]))
        return half.hand(self._deal.sees[seat])

    def _post(self, seat: int, action: Action) -> None:
        action = self.game.parse(list(action))
        for operation in self.game.check(self._state, seat, action):
            assert isinstance(operation, OpenCard)
            assert self._deal.reveal(operation)
        held, noted = self._hand(seat), self._state.noted
        self._said += self._state.said[1]
        self._state = self.game.apply(self._state, seat, action)
        if self._state.noted[:-1] == noted and self._state.noted:
            self._judge(self._state.noted[-1], held)

    def _judge(self, noted: PendingJudgement, held: DeckHand) -> None:
        """Run `judge` on an action at once. In a real match an error of `judge` has no effect; the
        author of the file gets to see it.
        """
        table = self.game.table(self._state)
        hand = [known_face(table, noted.before, held, card) for card in noted.hand]
        try:
            if None not in hand:
                table.contract.call(
                    "judge", public_state(table, noted.before), noted.seat, noted.act, hand
                )
        except RuleError as error:
            self._state = end_by_error(table, self._state, error)

    def _advance_to_choice(self) -> Act | None:
        """Do all dealing, and post all steps of programs, until a seat has a choice. Returns the
        request for this choice; None if the match is over.
        """
        while True:
            match want := self.game.wants(self._state):
                case Over():
                    return None
                case Settle():
                    self._state, wrong = self.game.settle(self._state, (), ())
                    # all choices in a play-test agree with the hands, so a misplay means that the
                    # file contradicts itself
                    if wrong:
                        return None
                case Act() if want.automatic:
                    action = self._halves[want.seats[0]].respond(
                        self._state, self._hand(want.seats[0])
                    )
                    assert action is not None
                    self._post(want.seats[0], action)
                case Act():
                    return want
                case Lay(piles):
                    self._deal.lay(piles)
                    self._state = self.game.after_deal(self._state, ())
                case tuple():
                    self._state = self.game.after_deal(self._state, self._deal.handle(want))


class PlayTestConsole(NamedTuple):
    """Input and output of a play-test."""

    tell: Callable[[str], None]
    ask: Callable[[str], str]  # raises EOFError at the end of input


def check_game(text: str) -> tuple[Phrase, ...]:
    """Check the texts for people, play test matches, and report the number of steps that choices
    take. Raises: RuleError if the file does not describe a game, or its texts are wrong.
    """
    contract = parse_contract(text)
    texts = check_texts(contract)
    if contract.own and not contract.starter:
        return (texts,)
    matches = (
        (seats, Random(seed))  # noqa: S311
        for seats in dict.fromkeys(contract.seats)
        for seed in range(TEST_MATCHES)
    )
    tests = [PlayTest(text, *match) for match in matches]
    found = [test.costs() for test in tests]
    said = [sentence for test in tests for sentence in test.said]
    choice, whole = max(one.choice for one in found), max(one.whole for one in found)
    lines = [
        texts,
        *unsaid(contract, said)[:MAX_UNSAID],
        phrase(
            "rules.costs", choice=choice, most=SCRIPT_ENTRY_STEPS, whole=whole, rest=work_limit(1)
        ),
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
