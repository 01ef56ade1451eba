"""Defects of games by rule files: of the file, of private decks, and of their dealing."""

from dataclasses import replace
from typing import Any

from protocol.codes import Code
from protocol.dealing.seeded import opening_audit
from protocol.errors import Refused
from protocol.games import Act
from protocol.games.decks import evidence, match_decks, slot_commitments
from protocol.games.scripted import game as scripted
from protocol.games.scripted.engine import budget, choice, choices, coin_toss, effect_loop
from protocol.games.scripted.engine.state import ScriptPhase
from table.lobby.tables import LobbyTable
from tests.conformance.broken.defect import Defects

DEFECTS = Defects()
defect = DEFECTS.defect


@defect("scripts/another-text")
def plays_by_any_text() -> None:
    check = scripted.ScriptGame._check_step

    def broken(self: Any, state: Any, seat: int, action: Any) -> None:
        if state.phase is not ScriptPhase.RULES or action[0] != "rules":
            check(self, state, seat, action)

    scripted.ScriptGame._check_step = broken


@defect("scripts/file-that-the-terms-do-not-name")
def takes_any_file_for_whoever_asks() -> None:
    def broken(table: Any, text: bytes) -> None:
        table.rule_text = text

    LobbyTable.give_rules = broken


@defect("scripts/file-for-whoever-asks")
def passes_no_file() -> None:
    give = LobbyTable.give_rules

    def broken(table: Any, text: bytes) -> None:
        give(table, text)
        table.rule_text = b""

    LobbyTable.give_rules = broken


@defect("scripts/choice-that-is-not-legal")
def obeys_the_seat_that_is_on_turn() -> None:
    """As in the thesis: the acting seat decides what happens."""
    choice.ask_rules = lambda table, before, state, *_: (state, True)


@defect("scripts/choices-of-two-seats-that-cross")
def takes_the_last_of_several_choices_as_a_turn() -> None:
    wants = scripted.ScriptGame.wants

    def broken(self: Any, state: Any) -> Any:
        want = wants(self, state)
        if isinstance(want, Act) and not want.automatic:
            return replace(want, simultaneous=len(want.seats) > 1)
        return want

    scripted.ScriptGame.wants = broken


@defect("scripts/last-choice-that-the-own-hand-forbids")
def names_an_action_that_there_is_not() -> None:
    """The fold would look for the action behind the last one."""
    misplays = scripted.misplays
    scripted.misplays = lambda *given: tuple(
        replace(wrong, action=wrong.action + 1) for wrong in misplays(*given)
    )


@defect("scripts/choice-that-is-too-costly")
def takes_choices_whatever_they_cost() -> None:
    choice.SCRIPT_ENTRY_STEPS = 10**9


@defect("scripts/effects-that-wait-beyond-their-bound")
def keeps_effects_without_bound() -> None:
    effect_loop.MAX_SCRIPT_QUEUE = 10**9


@defect("scripts/work-that-nobody-chose")
def does_all_the_work_that_rules_ask_for() -> None:
    budget.MAX_SCRIPT_STEPS = budget.SCRIPT_ENTRY_STEPS = 10**9


@defect("scripts/seat-that-can-do-something-and-leaves-it")
def believes_seats_that_they_can_do_nothing() -> None:
    choices.check_idle = lambda *_: None


@defect("scripts/seats-that-may-do-nothing")
def waits_for_who_can_do_nothing() -> None:
    def never(*_: Any) -> None:
        raise Refused(Code.ILLEGAL_MOVE)

    choices.check_idle = never


@defect("scripts/nonce-that-was-not-committed-to")
def takes_any_nonce_of_a_coin() -> None:
    coin_toss.constant_time_equal = lambda *_: True


@defect("decks/slot-opened-as-another-card", "decks/slot-opened-with-another-salt")
def believes_what_slots_are_opened_as() -> None:
    slot_commitments.constant_time_equal = lambda *_: True


@defect("decks/deck-too-small-*", "owned-decks/deck-of-another-size")
def lets_decks_be_of_any_size() -> None:
    scripted._has_no_objection = lambda *_: True


@defect("owned-decks/card-*")
def believes_everybody_whose_cards_they_are() -> None:
    slot_commitments.card_fault = lambda *_: None


@defect("owned-decks/copy-in-two-slots")
def lets_copies_be_in_two_slots() -> None:
    match_decks._check_no_copy = lambda *_: None


@defect("owned-decks/outside-the-terms-*")
def accepts_cards_outside_the_terms() -> None:
    match_decks._check_accepted = lambda *_: None


@defect("owned-decks/dispute-*", "owned-decks/agreement-while-a-dispute-is-open")
def takes_no_disputes() -> None:
    def never(*_: Any) -> None:
        raise Refused(Code.ILLEGAL_MOVE)

    match_decks._apply_dispute = never


@defect(
    "owned-decks/dispute-that-a-waive-clears",
    "owned-decks/agreement-while-a-dispute-is-open",
    "owned-decks/dispute-twice",
)
def hears_no_answers() -> None:
    proven = match_decks._is_proven
    match_decks._is_proven = lambda decks, dispute, more: proven(decks, dispute, ())


@defect("owned-decks/dispute-that-no-waive-clears", "owned-decks/dispute-by-a-conflict")
def sees_no_conflicts() -> None:
    evidence.conflict_proof = lambda *_: ()


@defect("owned-decks/dispute-by-a-trade-from-*", "owned-decks/dispute-by-what-is-no-trade")
def takes_every_dispute() -> None:
    proven = match_decks._is_proven

    def broken(decks: Any, dispute: Any, more: Any) -> bool:
        holds = proven(decks, dispute, more)
        return more == () or holds

    match_decks._is_proven = broken


@defect("owned-decks/dispute-twice")
def lets_slots_be_disputed_again() -> None:
    dispute = match_decks._apply_dispute
    match_decks._apply_dispute = lambda decks, seat, said: replace(
        dispute(replace(decks, disputed=frozenset()), seat, said), disputed=frozenset()
    )


@defect("seeded/number-that-is-not-the-seeds", "seeded/cards-shown-as-each-other")
def replays_no_seeds() -> None:
    opening_audit._give_faults = opening_audit._claim_faults = lambda *_: iter(())
