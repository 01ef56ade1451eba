"""Phases, decisions and results of poker, the same in all editions of its rules."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from protocol.games import Hand
from protocol.games.poker.pots import Pot, Shares


class PokerPhase(StrEnum):
    """Phase of a match."""

    DEAL = "deal"  # hole cards are to be dealt
    PLAY = "play"  # a hand is running; `PokerState.decision` says what comes next
    RESHUFFLE = "reshuffle"  # the stock is too small for the next exchange
    SETTLE = "settle"  # the hand is over
    REBUY = "rebuy"  # between hands: seats without chips may buy another stack
    OVER = "over"


HAND_PHASES = (PokerPhase.PLAY, PokerPhase.RESHUFFLE)  # phases of a hand in progress


class Decision(StrEnum):
    """Decision or card that a running hand, or the next one, waits for."""

    BET = "bet"
    EXCHANGE = "exchange"
    SHOW = "show"
    BOARD = "board"
    REBUY = "rebuy"
    NOTHING = "nothing"


@dataclass(frozen=True)
class PokerResult:
    """Result of a hand."""

    gains: tuple[int, ...]  # by seat: winnings minus payments
    shown: tuple[tuple[int, Hand], ...]  # (seat, its cards), in the order of showing
    board: Hand
    pots: tuple[Shares, ...] = ()  # the main pot first; each pot as (seat, chips won)
    uncalled: Shares = ()  # (seat, chips returned because nobody called them)


class HandFacts(NamedTuple):
    """Facts about a running hand that views show. Players are places in the order of play."""

    live: tuple[bool, ...]  # by player: has not folded or mucked
    stacks: tuple[int, ...]  # by player: chips that it can still bet
    bets: tuple[int, ...]  # by player: chips that it has bet on this street
    pots: tuple[Pot, ...]  # of former streets
    actor: int | None  # the player who is to bet
    price: int  # chips that a call costs the actor
    can_fold: bool
    least_bet: int  # size of the smallest bet on this street
    exchanged: bool  # cards have been exchanged in this hand
