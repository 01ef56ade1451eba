"""Hands and loose cards of a finished deal, from its states."""

from dataclasses import dataclass, field

from protocol.dealing.visibility import shown_hands


@dataclass(frozen=True)
class State:
    """A state of a deal in which seat 0 holds all cards that are not shown."""

    deck: tuple[str, ...]
    shown: dict[int, int] = field(default_factory=dict)
    ready: bool = True

    def hidden_of(self, seat: int) -> tuple[int, ...]:
        return tuple(card for card in range(len(self.deck)) if seat == 0 and card not in self.shown)


def test_shown_hands_reads_cards_that_are_shown_later():
    states = [State(("a", "b")), State(("a", "b"), {1: 7})]
    hands = shown_hands(states)
    assert [hands(state, 0) for state in states] == [(None, 7), (None,)]
    assert hands(states[0], 1) == ()


def test_shown_hands_follows_a_card_to_another_place():
    states = [State(("a", "b")), State(("b", "c")), State(("b", "c"), {0: 7})]
    assert shown_hands(states)(states[0], 0) == (None, 7)


def test_shown_hands_without_ready_state_has_no_hand():
    state = State(("a",), ready=False)
    assert shown_hands([state])(state, 0) is None
